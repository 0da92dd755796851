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
	"stochopt/results/record"
)

// Constructors make learners, as those of package registry do.
type (
	constructor       func(id string, env registry.PCAEnv, p registry.Params) (pca.Learner, error)
	svmConstructor    func(id string, env registry.Env, p registry.Params) (svm.Learner, error)
	sparseConstructor func(id string, env registry.Env, p registry.Params) (sparse.Learner, error)
)

type constructors struct {
	pca    constructor
	svm    svmConstructor
	sparse sparseConstructor
}

// settings is what all runs of an execution have in common.
type settings struct {
	seed    uint64
	points  int
	spacing string
	// spectrum and vectors are recorded, reference is solved for suboptimality.
	spectrum, vectors, reference bool
	// alone: runs go one at a time and do not share kernel rows.
	alone bool

	refs *objective.References
	// workers bounds the number of runs side by side, which is jobs.
	workers, jobs int
	memory        int64
	warn          func(text string)
	note          func(text string)
	tool          string
}

func newSettings(p *plan.Plan, opt Options, refs *objective.References) settings {
	r := p.Spec.Record
	s := settings{
		seed: p.Spec.Seed, points: r.Points, spacing: r.Spacing,
		spectrum: r.Spectrum, vectors: r.Vectors, reference: r.UsesReference(), alone: r.Alone,
		refs: refs, workers: max(opt.Workers, 1), memory: cmp.Or(opt.Memory, DefaultMemory),
		warn: opt.Warn, note: opt.Note, tool: opt.Tool,
	}
	if s.alone {
		s.workers = 1
	}
	if s.warn == nil {
		s.warn = func(string) {}
	}
	if s.note == nil {
		s.note = func(string) {}
	}
	return s
}

// recorded returns the iterations at which a run of a budget is recorded.
func (s settings) recorded(budget int64) []int64 { return Points(budget, s.points, s.spacing) }

// stream opens the random stream of a role of a run. Neither the algorithm nor
// its parameters are among the names.
func (s settings) stream(it *plan.Item, role string) *rand.Rand {
	pr := it.Problem
	return seed.Stream(s.seed, pr.Data.Hash, pr.Split, it.Repeat, role)
}

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
		Repeat: it.Repeat, Seed: s.seed,
		Curve: record.Curve{Cost: map[string][]int64{}, Metrics: map[string]map[string][]float64{}},
	}
}
