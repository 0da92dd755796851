package run

import (
	"context"
	"errors"

	"stochopt/algorithms"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// lossTask performs the runs of task loss. A run evaluates one loss function at all rows of a table
// whose only feature is the margin.
type lossTask struct{}

var _ task = lossTask{}

// start implements task.
func (lossTask) start(_ context.Context, it *plan.Item, _ *record.Run, _ *record.Timing) (*trial, error) {
	table := it.Problem.Data.Table
	if table == nil || table.D != 1 || table.Sparse() {
		return nil, errors.New("a loss needs a dense dataset with one feature, the margin: use source: interval")
	}
	l := registry.NewLoss(it.Algorithm, it.Params)
	var z, value []float64
	evaluate := once(func() {
		for i := range table.N {
			z = append(z, table.Row(i, nil)[0])
			value = append(value, l(z[i]))
		}
	})
	return &trial{
		learner: learner{Stepper: evaluate}, points: []int64{1},
		observe: func() error { return nil },
		finish: func(rec *record.Run) {
			rec.Curve.Cost = map[string][]int64{record.CostIterations: {1}}
			rec.Curve.Vectors = map[string][]float64{"z": z, "value": value}
		},
	}, nil
}

// prepare implements task.
func (lossTask) prepare(context.Context, *plan.Item) error { return nil }

// release implements task.
func (lossTask) release(*plan.Item) {}

// once is an algorithm with a single step.
type once func()

// Step implements algorithms.Stepper.
func (o once) Step() algorithms.Status {
	o()
	return algorithms.Status{}
}

// Cost implements algorithms.Stepper.
func (once) Cost() algorithms.Cost { return algorithms.Cost{Iterations: 1} }
