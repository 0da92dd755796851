// Package record defines the record of a run and stores records in a SQLite database or text files.
//
// The deterministic part of a record depends only on the run's key and extent. Timings are stored
// separately.
package record

import (
	"strings"
)

// Schema is the version of the record format. Readers reject records of other versions.
const Schema = 2

// Status values of a run.
const (
	// StatusFinished means that the run reached its budget, or that the algorithm converged or used all
	// samples, as stated by Reason.
	StatusFinished = "finished"
	// StatusDiverged means that a number became infinite or NaN. The curve ends before that point.
	StatusDiverged = "diverged"
	// StatusFailed means that the run ended with an error or a panic. It will be repeated.
	StatusFailed = "failed"
	// StatusSkipped means that the external solver is not installed. This is not a failure. The run
	// will be tried again.
	StatusSkipped = "skipped"
	// StatusOutOfTime means that the run reached the time limit of the spec. The machine determines
	// where the curve ends, but not the recorded values.
	StatusOutOfTime = "out-of-time"
	// StatusOutOfMemory means that the run was not started, because it would exceed the memory limit
	// of the spec.
	StatusOutOfMemory = "out-of-memory"
)

// Run is the deterministic record of one run.
type Run struct {
	Schema int `json:"schema"`
	// Key identifies the computation: a hash of the canonical parameters, dataset content,
	// preparation, split, repeat, seed and algorithm version.
	Key string `json:"key"`
	// Extent is the budget and the recorded points, such as "10000/log:200", followed by additional
	// recorded data, such as "+spectrum". It is not part of the key. A longer extent requires a new
	// run, whose curve agrees with the shorter one at common iterations.
	Extent string `json:"extent"`
	Task   string `json:"task"`
	// Dataset is the dataset's id in the spec, Group its panel label.
	Dataset     string `json:"dataset"`
	Group       string `json:"group,omitempty"`
	DatasetHash string `json:"dataset_hash"`
	// StandIn marks synthetic data that replace the real data.
	StandIn bool `json:"stand_in,omitempty"`
	// Series is the label in the spec, by default the entry's id. Algorithm is the registered id.
	Series    string `json:"series"`
	Algorithm string `json:"algorithm"`
	Version   int    `json:"version"`
	// External is set in runs of algorithms in external programs.
	External *External `json:"external,omitempty"`
	// Params holds the resolved parameters, flat: "k", "step.c", ….
	Params Params `json:"params"`
	Repeat int    `json:"repeat"`
	Seed   uint64 `json:"seed"`
	// Rows holds the number of rows of each split. If a split is subsampled, the number before
	// subsampling is under "train_of" and so on.
	Rows map[string]int64 `json:"rows,omitempty"`
	// Facts holds the resolved parameters of the problem, such as "lambda", "C", "nu" and "R", and
	// values of the certified optimum, such as "reference_primal".
	Facts  map[string]float64 `json:"facts,omitempty"`
	Status string             `json:"status"`
	Reason string             `json:"reason"`
	// Limit is the limit that a run out of time or memory exceeded.
	Limit *Limit `json:"limit,omitempty"`
	// Curve is empty in a run read from a database; see Measured.
	Curve Curve `json:"curve"`

	db         *database // source of the curve and the timing, or nil
	row        int64     // row in db
	crc        uint32    // checksum of the row
	step, eval float64   // seconds of Timing
	summary    *summary  // nil if Curve is in memory
	timing     *Timing
}

// External describes the program of an external algorithm.
type External struct {
	// Deterministic means that the same run gives the same numbers.
	Deterministic bool `json:"deterministic,omitempty"`
	// Declared names the costs that the program reports and the harness cannot count.
	Declared []string `json:"declared,omitempty"`
}

// Limit limits the resources of a run; 0 means no limit.
type Limit struct {
	// Seconds is the CPU time of the steps, Memory is in bytes.
	Seconds float64 `json:"seconds,omitempty"`
	Memory  int64   `json:"memory,omitempty"`
}

// Unfinished lists the statuses other than StatusFinished, in the order of reports.
func Unfinished() []string {
	return []string{StatusFailed, StatusDiverged, StatusSkipped, StatusOutOfTime, StatusOutOfMemory}
}

// FactConstantError is the fact that holds the least test error of a constant classifier.
const FactConstantError = "constant_error"

// Completed reports whether r neither failed nor was skipped.
func (r Run) Completed() bool { return r.rank() > rankAttempted }

// Ranks of a record. Of two records of the same run, the one of higher rank is kept.
const (
	rankAttempted = iota // failed or skipped
	rankLimited          // out of time or memory
	rankEnded            // finished or diverged
)

func (r Run) rank() int {
	switch r.Status {
	case StatusFinished, StatusDiverged:
		return rankEnded
	case StatusOutOfTime, StatusOutOfMemory:
		return rankLimited
	}
	return rankAttempted
}

// Satisfies reports whether the record r makes another run under the limit l unnecessary. A run that
// finished or diverged satisfies any limit. A run out of time or memory satisfies l if l is not larger
// than its own limit.
func (r Run) Satisfies(l Limit) bool {
	switch {
	case r.rank() == rankEnded:
		return true
	case r.Limit == nil:
		return false // failed, skipped, or unknown limit
	case r.Status == StatusOutOfTime:
		return 0 < l.Seconds && l.Seconds <= r.Limit.Seconds
	case r.Status == StatusOutOfMemory:
		return 0 < l.Memory && l.Memory <= r.Limit.Memory
	}
	return false
}

// supersededBy reports whether a later record of the same run replaces r.
func (r Run) supersededBy(later Run) bool {
	switch a, b := r.rank(), later.rank(); {
	case a != b:
		return a < b
	case a == rankLimited:
		return later.Limit == nil || !r.Satisfies(*later.Limit)
	default:
		return a == rankAttempted
	}
}

// convergedReason is the prefix of Reason if the stopping criterion was met.
const convergedReason = "converged"

// Converged reports whether r met the stopping criterion of its method. A method that merely has nothing
// left to do has not converged.
func (r *Run) Converged() bool { return strings.HasPrefix(r.Reason, convergedReason) }

// HasClassifiers reports whether the classifiers of r are valid results: it finished or ran out of
// time, and has recorded points.
func (r *Run) HasClassifiers() bool {
	return (r.Status == StatusFinished || r.Status == StatusOutOfTime) && r.Points() > 0
}

// Points returns the number of recorded points, without reading the curve.
func (r *Run) Points() int {
	if r.summary != nil {
		return r.summary.Points
	}
	return r.Curve.Len()
}

// End returns the last recorded iteration, or 0 without points. It does not read the curve.
func (r *Run) End() int64 {
	if r.summary != nil {
		return r.summary.End
	}
	return r.Curve.end()
}

// Measured returns the curve of a run, which it reads from the database if necessary. The caller must
// not modify the curve. If reading fails, the curve is empty and Experiment.Err returns the error.
func (r *Run) Measured() Curve {
	c, err := r.readCurve()
	if err != nil {
		r.db.fail(r, err)
	}
	return c
}

// Counts calls Curve.Counts for the curve of a run.
func (r *Run) Counts(counter string) bool { return r.Measured().Counts(counter) }

// Records reports whether a run has values of a metric on a split.
func (r *Run) Records(split, metric string) bool { return len(r.Measured().Metrics[split][metric]) > 0 }

// With returns a copy of the run with curve c.
func (r Run) With(c Curve) Run {
	r.Curve, r.summary = c, nil
	return r
}

// withCurve returns the run with its curve in memory.
func (r Run) withCurve() (Run, error) {
	c, err := r.readCurve()
	if err != nil {
		return r, r.db.fail(&r, err)
	}
	return r.With(c), nil
}

// Params maps a flat parameter name to a bool, int64, float64 or string.
type Params map[string]any

// Curve holds the measurements of a run, as columns with one value per recorded point.
type Curve struct {
	// Cost holds the cumulative counters by name: "iterations", "sum_kt2", ….
	Cost map[string][]int64 `json:"cost"`
	// Metrics holds measured values by split and metric; see SplitTrain and so on.
	Metrics map[string]map[string][]float64 `json:"metrics"`
	// Spectrum holds the eigenvalues of the iterate at each point in decreasing order, if requested.
	// If all but a few eigenvalues are equal, only those few are listed.
	Spectrum [][]float64 `json:"spectrum,omitempty"`
	// Vectors holds vectors of the final state by name, if requested: the responses of each class, or
	// the coefficients and expansion vectors of a sparse classifier.
	Vectors map[string][]float64 `json:"vectors,omitempty"`
	// Mistakes holds the misclassified test rows at each point, in the task svm-sparse.
	Mistakes []IndexSet `json:"mistakes,omitempty"`
}

// Along returns the values of a counter at the recorded points as floats. ok is false if the run does
// not have the counter.
func (c Curve) Along(counter string) (costs []float64, ok bool) {
	column, ok := c.Cost[counter]
	costs = make([]float64, len(column))
	for i, v := range column {
		costs[i] = float64(v)
	}
	return costs, ok
}

// Counts reports whether a counter applies to the method: it is positive at the end, or there were no
// iterations yet. CostKernelEvalsMoved applies if CostKernelEvals does.
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

// end returns the last iteration, or 0 without points.
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
	// StepSeconds is the time of all calls of Step, or of an external solver. EvalSeconds is the time
	// spent on measuring.
	StepSeconds float64 `json:"step_seconds"`
	EvalSeconds float64 `json:"eval_seconds"`
	// Seconds holds the cumulative time of Step at each recorded point.
	Seconds []float64 `json:"seconds,omitempty"`
	// CPUSeconds holds the CPU time of Step up to each recorded point, including an external solver or
	// program. It is empty if unknown: for streaming PCA in more than 64 dimensions, which uses several
	// threads, and on systems other than Linux.
	CPUSeconds []float64 `json:"cpu_seconds,omitempty"`
	// SetupSeconds is the time before the first Step. Each run is charged in full for shared setup.
	SetupSeconds float64 `json:"setup_seconds,omitempty"`
	// ReferenceSeconds is the part of SetupSeconds spent on training the classifier that the method
	// approximates, 0 if it had been trained before.
	ReferenceSeconds float64 `json:"reference_seconds,omitempty"`
	// Jobs is the number of concurrent runs, 0 if unknown.
	Jobs int `json:"jobs,omitempty"`
	// KernelEvalsComputed is the number of kernel evaluations computed for this run, including those
	// for measurements. Evaluations cached by other runs do not count.
	KernelEvalsComputed int64 `json:"kernel_evals_computed,omitempty"`
	// Finished is the time of completion, RFC 3339, UTC.
	Finished string `json:"finished"`
	// Tool is the version and revision of the program.
	Tool string `json:"tool,omitempty"`
	// In runs on a cluster, Job is the job of the batch system, Node the machine, and CPU the model of
	// its processors.
	Job  string `json:"job,omitempty"`
	Node string `json:"node,omitempty"`
	CPU  string `json:"cpu,omitempty"`
}
