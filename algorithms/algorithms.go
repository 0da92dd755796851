// Package algorithms holds the contracts that every optimisation algorithm of
// this project shares: how it is advanced, what it costs and why it stopped.
//
// An algorithm advances by Step and does nothing else: the loop, the clock,
// stopping, recording and the objective live outside (Manopt.jl's division of
// labour). The package imports the standard library only.
package algorithms

// Cost counts the work of an algorithm in the units of Cotter 2013. Counters
// are cumulative and exact; what an implementation saves by caching or by a
// better factorisation does not change them.
type Cost struct {
	// Iterations is the number of completed steps, t.
	Iterations int64
	// SumKT2 is sum_{s<=t} (k'_s)^2, the sum of the squared actual ranks of
	// the iterates, counted after the projection (Cotter 2013, section 6.4).
	// Multiplied by the dimension d it is the dominant term of the runtime.
	SumKT2 int64
	// SumKT is sum_{s<=t} k'_s, the sum of those ranks themselves, so that
	// SumKT/Iterations is their mean. An algorithm that counts either
	// otherwise says so.
	SumKT int64
	// KernelEvals is the number of kernel evaluations as the thesis charges
	// them: k n for a step with a working set of k of the n training points,
	// whatever the step changes. Evaluation points are never charged.
	KernelEvals int64
	// KernelEvalsMoved counts only those for coefficients that changed: with
	// responses kept up to date, a step that changes nothing needs no kernel
	// row.
	KernelEvalsMoved int64
	// InnerProducts is the number of d-dimensional inner products, the unit
	// in which kernel methods and random Fourier features are compared: one
	// for a kernel evaluation.
	InnerProducts int64
}

// State says whether an algorithm can go on.
type State int

const (
	// Running: the algorithm can be stepped again.
	Running State = iota
	// Exhausted: its sample source has no further sample.
	Exhausted
	// Converged: the algorithm itself has established that it is done.
	Converged
	// Diverged: a number left the finite range.
	Diverged
	// Failed: a numerical routine gave up.
	Failed
)

var stateNames = [...]string{"running", "exhausted", "converged", "diverged", "failed"}

// String returns the lower-case name of the state, as records spell it.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return "unknown"
	}
	return stateNames[s]
}

// Status is a State with the reason for it. The zero value means Running.
type Status struct {
	State  State
	Reason string
}

// Stop reports whether the algorithm must not be stepped again.
func (s Status) Stop() bool { return s.State != Running }

// Stepper is an iterative algorithm.
type Stepper interface {
	// Step performs one iteration. After a status other than Running the
	// iterate is the last good one and Step must not be called again.
	Step() Status
	// Cost returns the cumulative cost of the steps taken so far.
	Cost() Cost
}

// BatchStepper is a Stepper that may take several steps at once, as one does that has another
// program take them.
type BatchStepper interface {
	Stepper
	// StepTo performs iterations up to iteration t, as calls of Step would.
	StepTo(t int64) Status
}

// Refresher is an algorithm that has to be asked for its iterate before it is observed, which
// may go wrong.
type Refresher interface {
	// Refresh makes the current iterate the one that the algorithm is observed by. After a
	// status other than Running there is none.
	Refresh() Status
}
