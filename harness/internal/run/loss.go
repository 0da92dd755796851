package run

import (
	"context"
	"errors"

	"stochopt/algorithms"
	"stochopt/algorithms/loss"
	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// lossTask records loss functions: a run evaluates one loss at all rows of a table with a single
// feature, the margin.
type lossTask struct{}

var _ task = lossTask{}

// start implements task.
func (lossTask) start(_ context.Context, it *plan.Item, _ *record.Run, _ *record.Timing) (*trial, error) {
	table := it.Problem.Data.Table
	if table == nil || table.D != 1 || table.Sparse() {
		return nil, errors.New("a loss is a function of one number: use source: interval")
	}
	l, err := registry.NewLoss(it.Algorithm.ID, it.Params)
	if err != nil {
		return nil, err
	}
	e := &lossEvaluation{loss: l, table: table}
	return &trial{
		learner: learner{Stepper: e}, points: []int64{1},
		observe: func() error { return nil },
		finish: func(rec *record.Run) {
			rec.Curve.Cost = map[string][]int64{record.CostIterations: {1}}
			rec.Curve.Vectors = map[string][]float64{"z": e.z, "value": e.value}
		},
	}, nil
}

// prepare implements task.
func (lossTask) prepare(context.Context, *plan.Item) error { return nil }

// release implements task.
func (lossTask) release(*plan.Item) {}

// lossEvaluation evaluates a loss in its only step.
type lossEvaluation struct {
	loss     loss.Func
	table    *datasets.Table
	z, value []float64
}

// Step implements algorithms.Stepper.
func (e *lossEvaluation) Step() algorithms.Status {
	for i := range e.table.N {
		z := e.table.Row(i, nil)[0]
		e.z, e.value = append(e.z, z), append(e.value, e.loss(z))
	}
	return algorithms.Status{}
}

// Cost implements algorithms.Stepper.
func (e *lossEvaluation) Cost() algorithms.Cost { return algorithms.Cost{Iterations: 1} }
