package run

import (
	"context"
	"errors"

	"stochopt/algorithms"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// statusError ends a run that is not made, with the status to record.
type statusError struct {
	status string
	error
}

// errNotFinite ends a run whose measurements left the finite range.
var errNotFinite = errors.New("not finite")

// task is what a kind of problem brings to the engine, which itself knows of queues, clocks and
// records only.
type task interface {
	// start makes the item's run ready: it acquires what the run shares with others, building it if
	// the run is the first to need it, and constructs the learner. It fills in what the record says
	// of the problem and the time that the preparation took. After an error the run has failed for
	// that reason, unless a *statusError says which status it has.
	start(ctx context.Context, it *plan.Item, rec *record.Run, timing *record.Timing) (trial, error)
	// prepare certifies the optimum that start would ask for, if there is one, and fails as start
	// would.
	prepare(ctx context.Context, it *plan.Item) error
	// release gives up the item's claim on what it shares. It is called once for each item, started
	// or not.
	release(it *plan.Item)
}

// trial is a run that is ready to be stepped.
type trial interface {
	algorithms.Stepper
	// points returns the iterations to record at.
	points() []int64
	// took returns what the algorithm has taken, given what its steps have.
	took(steps took) took
	// observe measures the current iterate into the curve. It returns an error wrapping
	// errNotFinite if the measurements left the finite range.
	observe() error
	// finish completes the record after the last step, given the status that ended the run, and
	// returns the status to record, unless it has set that of the record itself.
	finish(status algorithms.Status, rec *record.Run, timing *record.Timing) algorithms.Status
}

// schedule is what most trials say of their points and their time.
type schedule []int64

// points implements trial.
func (at schedule) points() []int64 { return at }

// took implements trial.
func (schedule) took(steps took) took { return steps }

// selective is a trial that is also recorded between its points.
type selective interface {
	// due reports, after a step, whether it is time to record what waits for it, this iterate or
	// those before it.
	due() bool
	// waiting reports whether anything waits. The last observe of a run leaves nothing.
	waiting() bool
}

// shareKey identifies what the runs of an item's kind share: those with equal keys are run one
// after another.
func shareKey(it *plan.Item) any {
	switch it.Algorithm.Task {
	case registry.TaskSVM, registry.TaskSparse:
		return svmKeyOf(it)
	}
	return evaluationKeyOf(it)
}

// newTask prepares to perform the pending ones of all items of a plan.
func newTask(p *plan.Plan, pending []*plan.Item, s settings, with constructors) task {
	switch p.Spec.Task {
	case registry.TaskSVM:
		return newSVMTask(pending, s, with.svm)
	case registry.TaskSparse:
		return newSparseTask(pending, s, with.sparse)
	case registry.TaskLoss:
		return lossTask{}
	}
	return newPCATask(p, pending, s, with.pca)
}
