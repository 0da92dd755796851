// Package record holds the run record, and the SQLite database and the text files that it is stored
// in. It knows no statistics.
//
// The deterministic part of a record is a function of the run's key and extent only; timings live apart.
package record

import (
	"strings"
)

// Schema is the version of the record format. Readers reject records of other versions.
const Schema = 2

// Status values of a run.
const (
	// StatusFinished: the budget was reached, or the algorithm converged or used up its samples.
	// Reason says which.
	StatusFinished = "finished"
	// StatusDiverged: a number left the finite range; the curve ends before.
	StatusDiverged = "diverged"
	// StatusFailed: the run ended in an error or a panic. Failed runs are shown, and run anew the next time.
	StatusFailed = "failed"
	// StatusSkipped: the run's external solver is not installed. Skipped runs are shown, and tried
	// anew the next time; they are no failure.
	StatusSkipped = "skipped"
	// StatusOutOfTime: the run used up the time that the spec allows the method; the curve ends
	// before. How far it got depends on the machine, the points that it has do not.
	StatusOutOfTime = "out-of-time"
	// StatusOutOfMemory: the run would take more memory than the spec allows the method. It was not made.
	StatusOutOfMemory = "out-of-memory"
)

// Run is the deterministic record of one run.
type Run struct {
	Schema int `json:"schema"`
	// Key identifies the computation: a hash of the canonical parameters, dataset content,
	// preparation, split, repeat, seed and algorithm version.
	Key string `json:"key"`
	// Extent says how far the run goes and where it is recorded, e.g. "10000/log:200", and what
	// else is recorded of it, e.g. "+spectrum". It is not part of the key: with a longer extent the
	// computation is done anew, and its curve equals the shorter one's at the iterations that both
	// record.
	Extent string `json:"extent"`
	Task   string `json:"task"`
	// Dataset is the dataset's id in the spec, Group its panel label.
	Dataset     string `json:"dataset"`
	Group       string `json:"group,omitempty"`
	DatasetHash string `json:"dataset_hash"`
	// StandIn marks data made up in place of data that could not be had.
	StandIn bool `json:"stand_in,omitempty"`
	// Series is the entry's label in the spec (its id unless it says otherwise), Algorithm the
	// algorithm's registered id.
	Series    string `json:"series"`
	Algorithm string `json:"algorithm"`
	Version   int    `json:"version"`
	// External is set in runs of external algorithms, which another program performs.
	External *External `json:"external,omitempty"`
	// Params holds the resolved parameters, flat: "k", "step.c", ….
	Params Params `json:"params"`
	Repeat int    `json:"repeat"`
	Seed   uint64 `json:"seed"`
	// Rows holds the numbers of rows by split, and as "train_of" and so on what they are a subsample of.
	Rows map[string]int64 `json:"rows,omitempty"`
	// Facts holds what the problem's parameters came out as: "lambda", "C", "nu", "R", and
	// "reference_primal" and so on of its certified optimum.
	Facts  map[string]float64 `json:"facts,omitempty"`
	Status string             `json:"status"`
	Reason string             `json:"reason"`
	// Limit holds, in a run that is out of time or memory, what it was allowed of that.
	Limit *Limit `json:"limit,omitempty"`
	// Curve is empty in a run that was read from a database: see Measured.
	Curve Curve `json:"curve"`

	// db and row say where the curve and the timing of a run are read from. A curve that is in
	// memory has no summary. crc is the checksum of the row, step and eval are times of it.
	db         *database
	row        int64
	crc        uint32
	step, eval float64
	summary    *summary
	timing     *Timing
}

// External is what a run's program says of itself.
type External struct {
	// Deterministic: the same run gives the same numbers.
	Deterministic bool `json:"deterministic,omitempty"`
	// Declared names the costs that the program tells and nobody has counted.
	Declared []string `json:"declared,omitempty"`
}

// Limit bounds what a run may take; 0 stands for no bound.
type Limit struct {
	// Seconds bounds the CPU time of its steps (see the spec's limit), Memory its memory in bytes.
	Seconds float64 `json:"seconds,omitempty"`
	Memory  int64   `json:"memory,omitempty"`
}

// Unfinished lists the statuses of runs that did not finish, in the order in which they are told of.
func Unfinished() []string {
	return []string{StatusFailed, StatusDiverged, StatusSkipped, StatusOutOfTime, StatusOutOfMemory}
}

// FactConstantError names the fact of a run that is the least error on the test split of a
// classifier that always says the same.
const FactConstantError = "constant_error"

// Completed reports whether r is more than an attempt: neither failed nor skipped.
func (r Run) Completed() bool { return r.standing() > standingTried }

// The standings of a record: of two of the same run, the one of the higher counts.
const (
	standingTried   = iota // failed or skipped
	standingLimited        // out of time or memory
	standingEnded          // finished or diverged
)

func (r Run) standing() int {
	switch r.Status {
	case StatusFinished, StatusDiverged:
		return standingEnded
	case StatusOutOfTime, StatusOutOfMemory:
		return standingLimited
	}
	return standingTried
}

// Serves reports whether a run that may take as much as the limit says need not be made again, as r
// is on record. A run that finished or diverged serves whatever the limit; one that is out of time
// or memory if there is no more of that now than it had.
func (r Run) Serves(l Limit) bool {
	switch {
	case r.standing() == standingEnded:
		return true
	case r.Limit == nil:
		return false // failed, skipped, or of unknown limits
	case r.Status == StatusOutOfTime:
		return 0 < l.Seconds && l.Seconds <= r.Limit.Seconds
	case r.Status == StatusOutOfMemory:
		return 0 < l.Memory && l.Memory <= r.Limit.Memory
	}
	return false
}

// yields reports whether r gives way to another record of the same run, which was made later.
func (r Run) yields(later Run) bool {
	switch a, b := r.standing(), later.standing(); {
	case a != b:
		return a < b
	case a == standingLimited:
		return later.Limit == nil || !r.Serves(*later.Limit)
	default:
		return a == standingTried
	}
}

// convergedReason begins the reason of runs whose method found that it was done.
const convergedReason = "converged"

// Converged reports whether the method of r found that it was done. One that has nothing left to
// work on ends without that.
func (r *Run) Converged() bool { return strings.HasPrefix(r.Reason, convergedReason) }

// ClassifiersCount reports whether the classifiers of a run count.
func (r *Run) ClassifiersCount() bool {
	return (r.Status == StatusFinished || r.Status == StatusOutOfTime) && r.Points() > 0
}

// Points is the number of recorded points. The curve is not read for it.
func (r *Run) Points() int {
	if r.summary != nil {
		return r.summary.Points
	}
	return r.Curve.Len()
}

// End is the last iteration on record, 0 if there is none. The curve is not read for it.
func (r *Run) End() int64 {
	if r.summary != nil {
		return r.summary.End
	}
	return r.Curve.end()
}

// Measured returns the curve of a run, which must not be modified. That of a run read from a
// database is read when it is asked for. If that fails, the curve is empty, and Experiment.Err
// returns the error.
func (r *Run) Measured() Curve {
	c, err := r.readCurve()
	if err != nil {
		r.db.fail(r, err)
	}
	return c
}

// Counts is Curve.Counts of the curve of a run.
func (r *Run) Counts(counter string) bool { return r.Measured().Counts(counter) }

// Records reports whether a run has values of a metric on a split.
func (r *Run) Records(split, metric string) bool { return len(r.Measured().Metrics[split][metric]) > 0 }

// With returns the run with another curve.
func (r Run) With(c Curve) Run {
	r.Curve, r.summary = c, nil
	return r
}

// whole returns the run with its curve in memory.
func (r Run) whole() (Run, error) {
	c, err := r.readCurve()
	if err != nil {
		return r, r.db.fail(&r, err)
	}
	return r.With(c), nil
}

// Params maps a flat parameter name to a bool, int64, float64 or string.
type Params map[string]any

// Curve holds what was measured along a run, as columns of equal length.
type Curve struct {
	// Cost holds the cumulative counters by name: "iterations", "sum_kt2", ….
	Cost map[string][]int64 `json:"cost"`
	// Metrics holds measured values by split and metric. The splits are those of the dataset
	// ("train", "validation", "test"), "population" where the distribution itself is known, and
	// "state" for properties of the iterate ("rank", "orthonormality", "norm", "support").
	Metrics map[string]map[string][]float64 `json:"metrics"`
	// Spectrum holds, if asked for, the nontrivial eigenvalues of the iterate at each point, in
	// decreasing order. Where all but a few eigenvalues have one value, not necessarily 0, those
	// that equal it are not listed.
	Spectrum [][]float64 `json:"spectrum,omitempty"`
	// Vectors holds, if asked for, vectors of the final state by name: the responses of each class,
	// or the coefficients and expansion vectors of a sparse classifier.
	Vectors map[string][]float64 `json:"vectors,omitempty"`
	// Mistakes holds, in the task svm-sparse, which points of the test split the classifier errs
	// on, at each recorded point.
	Mistakes []IndexSet `json:"mistakes,omitempty"`
}

// Along returns the values of a counter at the recorded points as numbers; ok is false if the run
// does not count it.
func (c Curve) Along(counter string) (costs []float64, ok bool) {
	column, ok := c.Cost[counter]
	costs = make([]float64, len(column))
	for i, v := range column {
		costs[i] = float64(v)
	}
	return costs, ok
}

// Counts reports whether a counter applies to the method: whether it has been counted up, or there
// was nothing to count yet. The evaluations for coefficients that moved apply wherever kernel
// evaluations do, moved or not.
func (c Curve) Counts(counter string) bool {
	col, ok := c.Cost[counterOf(counter)]
	n := len(col) - 1
	if !ok || n < 0 {
		return ok
	}
	steps := c.Cost[CostIterations]
	return col[n] > 0 || n >= len(steps) || steps[n] == 0
}

func counterOf(counter string) string {
	if counter == CostKernelEvalsMoved {
		return CostKernelEvals
	}
	return counter
}

// Len returns the number of recorded points.
func (c Curve) Len() int { return len(c.Cost[CostIterations]) }

// end is the last iteration, 0 without points.
func (c Curve) end() int64 {
	if n := c.Len(); n > 0 {
		return c.Cost[CostIterations][n-1]
	}
	return 0
}

// Timing is the part of a run's record that is not deterministic.
type Timing struct {
	Key    string `json:"key"`
	Extent string `json:"extent"`
	// StepSeconds is the time spent in Step, or what an external solver took for its part of it,
	// EvalSeconds the time spent on measuring.
	StepSeconds float64 `json:"step_seconds"`
	EvalSeconds float64 `json:"eval_seconds"`
	// Seconds holds the time spent in Step up to each recorded point.
	Seconds []float64 `json:"seconds,omitempty"`
	// CPUSeconds holds the CPU time of Step up to each recorded point: that of its thread, of an
	// external solver, or of both for an external algorithm. It is empty where it is not known: of
	// streaming PCA in more than 64 dimensions, which uses several threads, and on systems other than Linux.
	CPUSeconds []float64 `json:"cpu_seconds,omitempty"`
	// SetupSeconds is the time spent before the first Step. What runs share is charged in full to each of them.
	SetupSeconds float64 `json:"setup_seconds,omitempty"`
	// ReferenceSeconds is the part of SetupSeconds spent on training the classifier that the method
	// approximates, 0 if it had been trained before.
	ReferenceSeconds float64 `json:"reference_seconds,omitempty"`
	// Jobs is the number of runs that went side by side, 0 if it is not known.
	Jobs int `json:"jobs,omitempty"`
	// KernelEvalsComputed counts the kernel evaluations that were computed for this run, evaluation
	// points included; what other runs had computed before was free.
	KernelEvalsComputed int64 `json:"kernel_evals_computed,omitempty"`
	// Finished is the time of completion, RFC 3339, UTC.
	Finished string `json:"finished"`
	// Tool says what program made the record: version and revision.
	Tool string `json:"tool,omitempty"`
	// Of runs that several machines share out, Job is that of the batch system, Node the machine,
	// and CPU the model of its processors.
	Job  string `json:"job,omitempty"`
	Node string `json:"node,omitempty"`
	CPU  string `json:"cpu,omitempty"`
}
