package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/results/record"
)

// Classifier is g(x) = sum_k Coef[k] K(z_k, x) + Bias on the prepared features of
// a dataset.
type Classifier struct {
	Kernel kernel.Kernel
	// Dim is the number of features.
	Dim int
	// Vectors holds the z_k.
	Vectors []Vector
	// Coef holds the coefficients, signs of labels included.
	Coef []float64
	Bias float64
	// Iterations is the number of steps that it took, of the reference those of
	// its solver.
	Iterations int64
	// TestError is the error on the test split, nil if there is none, or if it is
	// not measured: that of the reference is on record.
	TestError *float64
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
	which := "no classifier on record"
	if iterations > 0 {
		which += fmt.Sprintf(" with %d iterations", iterations)
	}
	return replay(ctx, p, it, opt, func(ctx context.Context, t *sparseTrial) (*Classifier, error) {
		return t.search(ctx, which, iterations, func(s *snapshot, recorded bool) bool {
			return recorded && (iterations == 0 || s.cost.Iterations == iterations)
		})
	})
}

// ClassifierUpTo performs a run of the task svm-sparse again, up to the classifier
// that is on its record with so many iterations, or to its end if that is 0. It
// returns, of all settled classifiers on the way and the one that the run ends
// with, the largest of at most so many expansion vectors, the latest of several.
// The limits of the run do not count. The errors are those of ClassifierOf.
func ClassifierUpTo(ctx context.Context, p *plan.Plan, it *plan.Item, support int, iterations int64, opt Options) (*Classifier, error) {
	which := fmt.Sprintf("no classifier of 1 to %d expansion vectors", support)
	return replay(ctx, p, it, opt, func(ctx context.Context, t *sparseTrial) (*Classifier, error) {
		var most int64
		return t.search(ctx, which, iterations, func(s *snapshot, _ bool) bool {
			k := s.support()
			if k < max(most, 1) || k > int64(support) {
				return false
			}
			most = k
			return true
		})
	})
}

// search steps up to the classifier that is on record with so many iterations, or
// to the end if that is 0, and returns the last one that is taken. take is asked
// for each settled classifier, and again, or for the first time, when it is on
// record.
func (t *sparseTrial) search(ctx context.Context, which string, until int64, take func(s *snapshot, recorded bool) bool) (*Classifier, error) {
	var best sparse.Expansion
	var at int64
	found := false
	t.watch = func(s *snapshot, recorded bool) {
		if until > 0 && s.cost.Iterations > until || !take(s, recorded) {
			return
		}
		e := s.expansion
		best = sparse.Expansion{Index: slices.Clone(e.Index), Vectors: slices.Clone(e.Vectors), Coef: slices.Clone(e.Coef), Bias: e.Bias}
		at, found = s.cost.Iterations, true
	}
	var steps atomic.Int64
	status, _, err := loop(ctx, t, t.points(), &steps, func(took) error {
		if err := t.observe(); err != nil {
			return err
		}
		if until > 0 && t.observed >= until {
			return errFound
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, errFound):
		return nil, err
	case !found:
		if status.Reason != "" {
			which += ": " + status.Reason
		}
		return nil, fmt.Errorf("%s has %s", t.run.it.Series, which)
	}
	c := t.run.classifier(&best, at)
	v, err := t.objective.Measure(ctx, &best)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(t.run.shared.layout.SplitNames(), record.SplitTest); i >= 0 {
		c.TestError = &v.Error[i]
	}
	return c, nil
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
	it = it.Within(record.Limit{})
	s := newSettings(p, opt, refs)
	t := newSparseTask([]*plan.Item{it}, s, registry.NewSparse)
	defer t.release(it)
	rec := newRecord(it, s)
	ready, err := t.start(ctx, it, &rec, new(record.Timing))
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
			c.Vectors = append(c.Vectors, nonZero(e.Vectors[k]))
		case table.Sparse():
			v := Vector{}
			indices, values := table.RowNonZero(order[i])
			for at, x := range values {
				if x != 0 {
					v.Indices, v.Values = append(v.Indices, indices[at]), append(v.Values, x)
				}
			}
			c.Vectors = append(c.Vectors, v)
		default:
			c.Vectors = append(c.Vectors, nonZero(table.Row(order[i])))
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
