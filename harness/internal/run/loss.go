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

// lossTask records loss functions: a run is one loss at all rows of a table with a single feature,
// the margin.
type lossTask struct{}

var _ task = lossTask{}

// start implements task.
func (lossTask) start(_ context.Context, it *plan.Item, _ *record.Run, _ *record.Timing) (trial, error) {
	table := it.Problem.Data.Table
	if table == nil || table.D != 1 || table.Sparse() {
		return nil, errors.New("a loss is a function of one number: use source: interval")
	}
	l, err := registry.NewLoss(it.Algorithm.ID, it.Params)
	if err != nil {
		return nil, err
	}
	return &lossTrial{schedule: schedule{1}, loss: l, table: table}, nil
}

// prepare implements task.
func (lossTask) prepare(context.Context, *plan.Item) error { return nil }

// release implements task.
func (lossTask) release(*plan.Item) {}

// lossTrial evaluates a loss in its only step.
type lossTrial struct {
	schedule
	loss     loss.Func
	table    *datasets.Table
	z, value []float64
}

var _ trial = (*lossTrial)(nil)

// Step implements algorithms.Stepper.
func (t *lossTrial) Step() algorithms.Status {
	if t.z != nil {
		return algorithms.Status{State: algorithms.Exhausted, Reason: "the function has been evaluated"}
	}
	for i := range t.table.N {
		z := t.table.Row(i, nil)[0]
		t.z, t.value = append(t.z, z), append(t.value, t.loss(z))
	}
	return algorithms.Status{}
}

// Cost implements algorithms.Stepper.
func (t *lossTrial) Cost() algorithms.Cost {
	if t.z == nil {
		return algorithms.Cost{}
	}
	return algorithms.Cost{Iterations: 1}
}

// observe implements trial.
func (t *lossTrial) observe() error { return nil }

// finish implements trial.
func (t *lossTrial) finish(status algorithms.Status, rec *record.Run, _ *record.Timing) algorithms.Status {
	rec.Curve.Cost = map[string][]int64{"iterations": {t.Cost().Iterations}}
	rec.Curve.Vectors = map[string][]float64{"z": t.z, "value": t.value}
	return status
}
