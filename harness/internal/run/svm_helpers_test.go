package run

import (
	"context"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/internal/record"
)

// clouds returns two overlapping clouds of points in the plane, a third of them positive, with train
// and test rows as the publisher's parts.
func clouds(t testing.TB, train, test int, scale float64) *datasets.Data {
	t.Helper()
	rng := newRNG(11)
	var values, labels []float64
	for i := range train + test {
		y, shift := -1.0, 0.0
		if i%3 == 1 {
			y, shift = 1, 1.2
		}
		values = append(values, scale*(rng.NormFloat64()+shift), scale*rng.NormFloat64())
		labels = append(labels, y)
	}
	table := datasets.NewDense(train+test, 2, values, labels)
	return &datasets.Data{
		Name: "clouds", Hash: "sha256:clouds", Table: table,
		Parts: []datasets.PartRows{{Name: "train", Rows: train}, {Name: "test", Rows: test}},
	}
}

const svmSweep = `version: 1
name: svm-sweep
task: svm
seed: 7
repeats: 3
budget: {passes: 3}
record: {points: 6}
datasets:
  - {id: a, source: adult, problem: {kernel: gaussian, sigma2: 0.5, C: [1, 10]}}
  - {id: b, source: adult, split: {train: 0.5, validation: 0.2, test: 0.3}, problem: {kernel: polynomial, degree: 2, coef0: 1, nu: 0.5}}
algorithms:
  - {id: sbp}
  - {id: sgd}
  - {id: pegasos}
  - {id: sdca}
  - {id: smo}
  - {id: perceptron}
`

// svmSweepA is the length of the prefix of svmSweep with only dataset a and no algorithms.
var svmSweepA = strings.Index(svmSweep, "  - {id: b")

// svmSweepRuns is the number of runs of svmSweep. The deterministic smo has one run per C on the fixed
// split of dataset a.
const svmSweepRuns = 6*3*(2+1) - 2*2

// sparseProblems is the beginning of specs of task svm-sparse.
const sparseProblems = `version: 1
name: sparse-sweep
task: svm-sparse
seed: 7
budget: {iterations: 400}
record: {points: 9}
datasets:
  - {id: a, source: adult, problem: {sigma2: 0.5, C: 10, bias: true}}
  - {id: b, source: adult, split: {train: 0.5, validation: 0.2, test: 0.3}, problem: {sigma2: 0.5, C: [0.5, 5], bias: false}}
`

const sparseSweep = sparseProblems + `repeats: 2
algorithms:
  - {id: sparsify, with: {eta: [0.25, 1]}}
  - {id: sparsify-aggressive}
  - {id: rsvm, with: {ratio: 0.2}}
  - {id: spsvm}
  - {id: reduced-set, with: {support: 6}}
`

// sparseSweepRuns is the number of runs of sparseSweep. Deterministic methods have one run on dataset a.
const sparseSweepRuns = 2 + 1 + 2 + 2 + 1 + 2*2*6

func buildSVM(t testing.TB, text string) *plan.Plan {
	t.Helper()
	data := clouds(t, 60, 30, 1)
	return plantest.Build(t, text, map[string]*datasets.Data{"a": data, "b": data})
}

// byAlgorithm returns the records of a dataset by algorithm.
func (f *folder) byAlgorithm(t testing.TB, p *plan.Plan, dataset string) map[string][]record.Run {
	out := make(map[string][]record.Run)
	for _, r := range f.runs(t, p) {
		if r.Dataset == dataset {
			out[r.Algorithm] = append(out[r.Algorithm], r)
		}
	}
	return out
}

// performTask performs all pending runs of a plan with the task that make returns.
func performTask(t *testing.T, f *folder, p *plan.Plan, o Options, make func(pending []*plan.Item, s settings) task) Summary {
	t.Helper()
	pending, _ := Pending(p, f.store, Options{})
	set := newSettings(p, o, references(t))
	var sum Summary
	x := &execution{store: f.store, settings: set, task: make(pending, set), sum: &sum}
	if err := x.runAll(context.Background(), pending); err != nil {
		t.Fatal(err)
	}
	return sum
}
