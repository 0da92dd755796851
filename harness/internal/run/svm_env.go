package run

import (
	"context"
	"time"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
	"stochopt/harness/internal/registry"
)

// env is what the constructor is given.
func (r *svmRun) env(ctx context.Context) registry.Env {
	sh, start := r.shared, time.Now()
	env := r.kernelRun.env(ctx)
	env.Kernel = func() svm.Problem {
		r.rows = r.open(r.it, r.cache)
		return r.problem(r.rows)
	}
	env.Linear = func() svm.LinearProblem {
		return svm.LinearProblem{Features: sh.points.Features(sh.layout.Train), Positive: sh.layout.Positive}
	}
	env.Clock = func() float64 { return time.Since(start).Seconds() }
	return env
}

// vectors are rows of a table in another order.
type vectors struct {
	*datasets.Table
	rows []int
}

var _ kernel.Vectors = vectors{}

// Dims implements kernel.Vectors.
func (v vectors) Dims() (n, d int) { return len(v.rows), v.D }

// Row implements kernel.Vectors.
func (v vectors) Row(i int, buf []float64) []float64 { return v.Table.Row(v.rows[i], buf) }

// RowNonZero implements kernel.Vectors.
func (v vectors) RowNonZero(i int) (indices []int32, values []float64) {
	return v.Table.RowNonZero(v.rows[i])
}
