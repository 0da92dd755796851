package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/results"
)

// Classifier is g(x) = sum_k Coef[k] K(z_k, x) + Bias on the prepared features of
// a dataset.
type Classifier struct {
	Kernel kernel.Kernel
	// Dim is the number of features.
	Dim int
	// Vectors holds the z_k.
	Vectors []Vector
	// Rows holds, for each z_k, the row of the dataset's table that it is, -1 if
	// the method has constructed it.
	Rows []int
	// Coef holds the coefficients, signs of labels included.
	Coef []float64
	Bias float64
	// Iterations is the number of steps that it took, of the reference those of
	// its solver.
	Iterations int64
}

// Vector holds the entries of a vector that are not 0: the features, counted
// from 0, increasing, and their values.
type Vector struct {
	Indices []int32
	Values  []float64
}

var errFound = errors.New("found")

// ClassifierOf performs a run of the task svm-sparse again, up to the classifier
// that is on its record with so many iterations, or to its last one if that is 0.
// The limits of the run do not count.
//
// The error is that of the context or of the run, or says that the run has no
// such classifier.
func ClassifierOf(ctx context.Context, p *plan.Plan, it *plan.Item, iterations int64, opt Options) (*Classifier, error) {
	return replay(ctx, p, it, opt, func(ctx context.Context, t *sparseTrial) (*Classifier, error) {
		var steps atomic.Int64
		status, _, err := loop(ctx, t, t.points(), &steps, func(time.Duration) error {
			if err := t.observe(); err != nil {
				return err
			}
			if iterations > 0 && t.observed == iterations {
				return errFound
			}
			return nil
		})
		switch last := len(t.cost["iterations"]); {
		case err != nil && !errors.Is(err, errFound):
			return nil, err
		case err == nil && (iterations > 0 || last == 0):
			reason := ""
			if status.Reason != "" {
				reason = ": " + status.Reason
			}
			return nil, fmt.Errorf("%s has no classifier on record with %d iterations%s", it.Series, iterations, reason)
		}
		return t.run.classifier(&t.expansion, t.observed), nil
	})
}

// ReferenceOf returns the trained classifier that a run of the task svm-sparse
// approximates, training it if that is not on record in the folder.
func ReferenceOf(ctx context.Context, p *plan.Plan, it *plan.Item, opt Options) (*Classifier, error) {
	return replay(ctx, p, it, opt, func(_ context.Context, t *sparseTrial) (*Classifier, error) {
		r := t.run
		if r.trained == nil {
			return nil, fmt.Errorf("%s approximates no reference classifier", it.Series)
		}
		return r.classifier(&r.trained.expansion, r.trained.optimum.Iterations), nil
	})
}

// replay makes an item's run ready and calls use.
func replay(ctx context.Context, p *plan.Plan, it *plan.Item, opt Options, use func(ctx context.Context, t *sparseTrial) (*Classifier, error)) (_ *Classifier, err error) {
	if it.Algorithm.Task != registry.TaskSparse {
		return nil, fmt.Errorf("a run of the task %s has no classifier to take; the task is to be %s", it.Algorithm.Task, registry.TaskSparse)
	}
	refs, err := objective.OpenReferences(filepath.Join(opt.Dir, ReferencesFile), true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, refs.Close()) }()
	item := *it
	item.Limit.Seconds, item.Limit.Memory = 0, 0
	s := newSettings(p, opt, refs)
	t := newSparseTask([]*plan.Item{&item}, s, registry.NewSparse)
	defer t.release(&item)
	rec := newRecord(&item, s)
	ready, err := t.start(ctx, &item, &rec, new(results.Timing))
	if err != nil {
		return nil, err
	}
	return use(ctx, ready.(*sparseTrial))
}

// classifier returns an expansion with its vectors.
func (r *sparseRun) classifier(e *sparse.Expansion, iterations int64) *Classifier {
	table, order := r.it.Problem.Data.Table, r.shared.order
	c := &Classifier{
		Kernel: r.shared.kern, Dim: table.D,
		Coef: append([]float64(nil), e.Coef...), Bias: e.Bias, Iterations: iterations,
	}
	for k, i := range e.Index {
		switch {
		case i < 0:
			c.Rows, c.Vectors = append(c.Rows, -1), append(c.Vectors, nonZero(e.Vectors[k]))
		case table.Sparse():
			v := Vector{}
			indices, values := table.RowNonZero(order[i])
			for at, x := range values {
				if x != 0 {
					v.Indices, v.Values = append(v.Indices, indices[at]), append(v.Values, x)
				}
			}
			c.Rows, c.Vectors = append(c.Rows, order[i]), append(c.Vectors, v)
		default:
			c.Rows, c.Vectors = append(c.Rows, order[i]), append(c.Vectors, nonZero(table.Row(order[i])))
		}
	}
	return c
}

// nonZero returns the entries of a vector that are not 0.
func nonZero(z []float64) (v Vector) {
	for f, x := range z {
		if x != 0 {
			v.Indices, v.Values = append(v.Indices, int32(f)), append(v.Values, x)
		}
	}
	return v
}
