package run

import (
	"cmp"
	"context"
	"math/rand/v2"
	"sync"

	"stochopt/algorithms/pca"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/record"
)

// statusError ends a run before its first step, with the status to record.
type statusError struct {
	status string
	error
}

// task prepares the runs of one kind of problem.
type task interface {
	// start prepares the item's run. It acquires the values that the run shares with others, which
	// the first run builds, and constructs the learner. It fills in the facts about the problem and
	// the setup time. An error means that the run failed, unless it is a *statusError.
	start(ctx context.Context, it *plan.Item, rec *record.Run, timing *record.Timing) (*trial, error)
	// prepare certifies the optimum that start needs, if any. It fails when start would.
	prepare(ctx context.Context, it *plan.Item) error
	// release releases the values that the item shares. It is called once for each item, even if the
	// item was not started.
	release(it *plan.Item)
}

// constructors construct learners. Tests replace the ones of package registry.
type (
	constructor       func(a *registry.Algorithm, env registry.Env, p registry.Params) (pca.Learner, error)
	svmConstructor    func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error)
	sparseConstructor func(a *registry.Algorithm, env registry.Env, p registry.Params) (sparse.Learner, error)

	constructors struct {
		pca    constructor
		svm    svmConstructor
		sparse sparseConstructor
	}
)

// newTask returns the task that performs the pending items.
func newTask(pending []*plan.Item, s settings, with constructors) task {
	switch s.plan.Spec.Task {
	case record.TaskSVM, record.TaskSparse:
		return newKernelTask(pending, s, with)
	case record.TaskLoss:
		return lossTask{}
	}
	return newPCATask(pending, s, with.pca)
}

// shareKey identifies the values that an item shares. Items with equal keys run one after another.
func shareKey(it *plan.Item) any {
	switch it.Algorithm.Task {
	case record.TaskSVM, record.TaskSparse:
		return svmKeyOf(it)
	}
	return evaluationKeyOf(it)
}

// groupShared groups items with equal keys, in the order of their first items.
func groupShared(items []*plan.Item) (groups [][]*plan.Item) {
	index := make(map[any]int)
	for _, it := range items {
		key := shareKey(it)
		i, ok := index[key]
		if !ok {
			i = len(groups)
			index[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], it)
	}
	return groups
}

// needsOptimum reports whether a run depends on a certified optimum or records its suboptimality.
func needsOptimum(it *plan.Item) bool {
	switch a := it.Algorithm; a.Task {
	case record.TaskSVM, record.TaskSparse:
		return a.DependsOnReference(it.Params) || it.Compared()
	case record.TaskLoss:
		return false
	}
	return true
}

// settings is shared by all runs of an execution.
type settings struct {
	// Options has its defaults filled in, and one worker with record.alone.
	Options
	plan *plan.Plan
	refs *objective.References
	// jobs is the number of concurrent runs.
	jobs int
	// programs holds the running programs of external algorithms: *external.Process by *plan.Item.
	programs *sync.Map
}

func newSettings(p *plan.Plan, opt Options, refs *objective.References) settings {
	s := settings{Options: opt, plan: p, refs: refs, programs: new(sync.Map)}
	s.Workers, s.Memory = max(opt.Workers, 1), cmp.Or(opt.Memory, defaultMemory)
	if p.Spec.Record.Alone {
		s.Workers = 1
	}
	for _, report := range []*func(string){&s.Warn, &s.Note} {
		if *report == nil {
			*report = func(string) {}
		}
	}
	return s
}

// recorded returns the iterations at which a run of a budget is recorded.
func (s settings) recorded(budget int64) []int64 {
	return Points(budget, s.plan.Spec.Record.Points, s.plan.Spec.Record.Spacing)
}

// stream opens the random stream of a run for a role. The name of the stream contains neither the
// algorithm nor its parameters, so that comparisons are paired.
func (s settings) stream(it *plan.Item, role string) *rand.Rand {
	pr := it.Problem
	return seed.Stream(s.plan.Spec.Seed, pr.Data.Hash, pr.Split, it.Repeat, role)
}

// Planned returns the record of an item before its run: identity, dataset, algorithm and parameters.
func Planned(it *plan.Item) record.Run {
	return record.Run{
		Schema: record.Schema,
		Key:    it.ID.Key, Extent: it.ID.Extent,
		Task:    it.Algorithm.Task,
		Dataset: it.Problem.Entry.ID, Group: it.Problem.Entry.Group,
		DatasetHash: it.Problem.Data.Hash, StandIn: it.Problem.Data.StandIn,
		Series: it.Series, Algorithm: it.Algorithm.ID, Version: it.Algorithm.Version,
		Params: record.Params(it.Params),
		Repeat: it.Repeat, Seed: it.Problem.Spec.Seed,
		Curve: record.Curve{Cost: map[string][]int64{}, Metrics: map[string]map[string][]float64{}},
	}
}
