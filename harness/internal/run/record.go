package run

import (
	"math/rand/v2"

	"stochopt/algorithms/pca"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/results"
)

// constructor makes a learner, as registry.NewPCA does.
type constructor func(id string, env registry.PCAEnv, p registry.Params) (pca.Learner, error)

// settings is what all runs of an execution have in common.
type settings struct {
	seed      uint64
	points    int
	spacing   string
	spectrum  bool
	construct constructor
	tool      string
}

// newRecord fills in everything but what running finds out.
func newRecord(it *plan.Item, s settings) results.Run {
	return results.Run{
		Schema: results.Schema,
		Key:    it.ID.Key, Extent: it.ID.Extent,
		Task:    it.Algorithm.Task,
		Dataset: it.Problem.Entry.ID, Group: it.Problem.Entry.Group,
		DatasetHash: it.Problem.Data.Hash, StandIn: it.Problem.Data.StandIn,
		Series: it.Series, Algorithm: it.Algorithm.ID, Version: it.Algorithm.Version,
		Params: results.Params(it.Params),
		Repeat: it.Repeat, Seed: s.seed,
		Curve: results.Curve{Cost: map[string][]int64{}, Metrics: map[string]map[string][]float64{}},
	}
}

// pcaStream names a random stream of a run.
type pcaStream struct {
	root uint64
	item *plan.Item
	role string
}

func (s pcaStream) rand() *rand.Rand {
	pr := s.item.Problem
	return seed.Stream(s.root, pr.Data.Hash, pr.Split, s.item.Repeat, s.role)
}

func (s pcaStream) source(ev *evaluation) pca.Source {
	data := s.item.Problem.Data
	if data.Dist != nil {
		return newDistSource(data.Dist, s.rand())
	}
	return newRowSource(data.Table, ev.train, s.item.Problem.Entry.Sample == "uniform", s.rand())
}
