package run

import (
	"strings"
	"sync/atomic"
	"testing"

	"stochopt/algorithms/pca"
	"stochopt/datasets"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/harness/internal/registry"
)

const splitSpec = `version: 1
name: split
task: pca
seed: 9
repeats: 3
budget: {iterations: 30}
record: {points: 4}
datasets:
  - {id: t, source: adult, with: {variant: a1a}, split: {train: 0.5, validation: 0.2, test: 0.3}, problem: {k: [1, 2]}}
algorithms:
  - {id: msg, step: {c: [0.25, 1]}}
  - {id: incremental}
`

// table returns a dataset of n random rows in three dimensions.
func table(t testing.TB, n int) *datasets.Data {
	t.Helper()
	rng := newRNG(5)
	data := make([]float64, 3*n)
	for i := range data {
		data[i] = rng.NormFloat64() / float64(1+i%3)
	}
	tab := datasets.NewDense(n, 3, data, nil)
	return &datasets.Data{Name: "made up", Hash: "sha256:made-up", Table: tab}
}

func references(t testing.TB) *objective.References {
	t.Helper()
	return objective.NewReferences(open(t, t.TempDir()).store, nil)
}

// At most one evaluation per worker is in memory.
func TestEvaluationsInMemoryAreBounded(t *testing.T) {
	t.Parallel()
	text := strings.Replace(splitSpec, "repeats: 3", "repeats: 12", 1)
	p := plantest.Build(t, text, map[string]*datasets.Data{"t": table(t, 50)})
	const workers = 2
	var most atomic.Int64
	var of *pcaTask
	sum := performTask(t, open(t, t.TempDir()), p, Options{Workers: workers}, func(pending []*plan.Item, s settings) task {
		of = newPCATask(pending, s, func(a *registry.Algorithm, env registry.Env, params registry.Params) (pca.Learner, error) {
			of.mu.Lock()
			defer of.mu.Unlock()
			most.Store(max(most.Load(), int64(len(of.entries))))
			return registry.NewPCA(a, env, params)
		})
		return of
	})
	if sum.Finished != len(p.Items) || most.Load() < 1 || most.Load() > workers {
		t.Errorf("%d of %d runs finished; up to %d evaluations were in memory, want at most %d", sum.Finished, len(p.Items), most.Load(), workers)
	}
	if len(of.entries) != 0 {
		t.Errorf("%d evaluations are left", len(of.entries))
	}
}
