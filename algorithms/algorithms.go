// Package algorithms defines the interface shared by all optimisation algorithms of this project:
// stepping, cost counters and stopping status.
//
// An algorithm only implements Step. The caller owns the loop, the clock, stopping, recording and the
// objective, as in Manopt.jl. The package imports only the standard library.
package algorithms

// Cost counts the work of an algorithm in the units of Cotter 2013. Counters are cumulative and exact.
// Savings from caching or from a better factorisation do not change them.
type Cost struct {
	// Iterations is the number of completed steps, t.
	Iterations int64
	// SumKT2 is sum_{s<=t} (k'_s)^2, the sum of the squared actual ranks of the iterates, counted after
	// the projection (Cotter 2013, section 6.4). Multiplied by the dimension d it is the dominant term
	// of the runtime.
	SumKT2 int64
	// SumKT is sum_{s<=t} k'_s, the sum of the same ranks, so that SumKT/Iterations is the mean rank.
	// Algorithms that count SumKT2 or SumKT differently document it.
	SumKT int64
	// KernelEvals is the number of kernel evaluations as the thesis charges them. A step with a working
	// set of k of the n training points is charged k n, even if it changes nothing. Evaluation points
	// are never charged.
	KernelEvals int64
	// KernelEvalsMoved counts only the kernel evaluations for coefficients that changed. If responses
	// are kept up to date, a step that changes nothing needs no kernel row.
	KernelEvalsMoved int64
	// InnerProducts is the number of d-dimensional inner products. A kernel evaluation counts as one, so
	// that kernel methods and random Fourier features share a unit.
	InnerProducts int64
}

// State tells whether an algorithm can take another step, or why it cannot.
type State int

const (
	// Running means that the algorithm can take another step.
	Running State = iota
	// Exhausted means that the sample source has no further sample.
	Exhausted
	// Converged means that the algorithm met its own stopping criterion.
	Converged
	// Diverged means that a number is no longer finite.
	Diverged
	// Failed means that a numerical routine failed.
	Failed
)

var stateNames = [...]string{"running", "exhausted", "converged", "diverged", "failed"}

// String returns the lower-case name of the state, as used in records.
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
	// Step performs one iteration. If it returns a status other than Running, the iterate is the last
	// valid one and Step must not be called again.
	Step() Status
	// Cost returns the cumulative cost of the steps taken so far.
	Cost() Cost
}

// BatchStepper is a Stepper that can run several steps in one call, for example in an external program.
type BatchStepper interface {
	Stepper
	// StepTo performs iterations up to and including iteration t, with the same result as repeated calls
	// of Step.
	StepTo(t int64) Status
}

// Refresher is an algorithm that computes its observable iterate on demand; this may fail.
type Refresher interface {
	// Refresh updates the observable iterate to the current step. If it returns a status other than
	// Running, there is no observable iterate.
	Refresh() Status
}
