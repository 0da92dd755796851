package run

import (
	"cmp"
	"math/rand/v2"

	"stochopt/algorithms/pca"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/record"
)

// Constructors make learners, as those of package registry do.
type (
	constructor       func(a *registry.Algorithm, env registry.PCAEnv, p registry.Params) (pca.Learner, error)
	svmConstructor    func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error)
	sparseConstructor func(a *registry.Algorithm, env registry.Env, p registry.Params) (sparse.Learner, error)
)

type constructors struct {
	pca    constructor
	svm    svmConstructor
	sparse sparseConstructor
}

// settings is what all runs of an execution have in common.
type settings struct {
	// Options with all that they may leave out, and one worker where runs go alone.
	Options
	plan *plan.Plan
	refs *objective.References
	// jobs is the number of runs side by side.
	jobs int
	// externals are the programs that perform external algorithms.
	externals *externals
}

func newSettings(p *plan.Plan, opt Options, refs *objective.References) settings {
	s := settings{Options: opt, plan: p, refs: refs}
	s.externals = &externals{settings: s}
	s.Workers, s.Memory = max(opt.Workers, 1), cmp.Or(opt.Memory, defaultMemory)
	if p.Spec.Record.Alone {
		s.Workers = 1
	}
	for _, tell := range []*func(string){&s.Warn, &s.Note} {
		if *tell == nil {
			*tell = func(string) {}
		}
	}
	return s
}

// recorded returns the iterations at which a run of a budget is recorded.
func (s settings) recorded(budget int64) []int64 {
	return Points(budget, s.plan.Spec.Record.Points, s.plan.Spec.Record.Spacing)
}

// stream opens the random stream of a role of a run. Neither the algorithm nor its parameters are
// among the names.
func (s settings) stream(it *plan.Item, role string) *rand.Rand {
	pr := it.Problem
	return seed.Stream(s.plan.Spec.Seed, pr.Data.Hash, pr.Split, it.Repeat, role)
}

// Planned returns the record of an item before it is run: its labels, parameters and key.
func Planned(p *plan.Plan, it *plan.Item) record.Run { return newRecord(it, settings{plan: p}) }

// newRecord fills in everything but what running finds out.
func newRecord(it *plan.Item, s settings) record.Run {
	return record.Run{
		Schema: record.Schema,
		Key:    it.ID.Key, Extent: it.ID.Extent,
		Task:    it.Algorithm.Task,
		Dataset: it.Problem.Entry.ID, Group: it.Problem.Entry.Group,
		DatasetHash: it.Problem.Data.Hash, StandIn: it.Problem.Data.StandIn,
		Series: it.Series, Algorithm: it.Algorithm.ID, Version: it.Algorithm.Version,
		Params: record.Params(it.Params),
		Repeat: it.Repeat, Seed: s.plan.Spec.Seed,
		Curve: record.Curve{Cost: map[string][]int64{}, Metrics: map[string]map[string][]float64{}},
	}
}
