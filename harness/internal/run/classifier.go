package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"

	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/model"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/results/record"
)

var errFound = errors.New("found")

// ClassifierOf performs a run of the task svm-sparse again, up to the classifier
// that is on its record with so many iterations, or to its last one if that is 0.
// The limits of the run do not count. Of its provenance the model has the number of steps
// that it took and the error on the test split, nil if there is none; the labels are open.
//
// The error is that of the context or of the run, or says that the run has no
// such classifier.
func ClassifierOf(ctx context.Context, p *plan.Plan, it *plan.Item, iterations int64, opt Options) (*model.Model, error) {
	which := "no classifier on record"
	if iterations > 0 {
		which += fmt.Sprintf(" with %d iterations", iterations)
	}
	return replay(ctx, p, it, opt, func(ctx context.Context, t *sparseTrial) (*model.Model, error) {
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
func ClassifierUpTo(ctx context.Context, p *plan.Plan, it *plan.Item, support int, iterations int64, opt Options) (*model.Model, error) {
	which := fmt.Sprintf("no classifier of 1 to %d expansion vectors", support)
	return replay(ctx, p, it, opt, func(ctx context.Context, t *sparseTrial) (*model.Model, error) {
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
func (t *sparseTrial) search(ctx context.Context, which string, until int64, take func(s *snapshot, recorded bool) bool) (*model.Model, error) {
	var best sparse.Expansion
	var at int64
	found := false
	t.tell = func(s *snapshot, recorded bool) {
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
	v, err := t.objective.Measure(ctx, &best)
	if err != nil {
		return nil, err
	}
	m, err := t.run.classifier(&best, at)
	if i := slices.Index(t.run.shared.layout.SplitNames(), record.SplitTest); i >= 0 && err == nil {
		m.Provenance.TestError = &v.Error[i]
	}
	return m, err
}

// ReferenceOf returns the trained classifier that a run of the task svm-sparse
// approximates, training it if that is not on record in the folder. Its error is on record
// too, and not measured.
func ReferenceOf(ctx context.Context, p *plan.Plan, it *plan.Item, opt Options) (*model.Model, error) {
	return replay(ctx, p, it, opt, func(_ context.Context, t *sparseTrial) (*model.Model, error) {
		r := t.run
		if r.trained == nil {
			return nil, fmt.Errorf("%s approximates no reference classifier", it.Series)
		}
		return r.classifier(&r.trained.expansion, r.trained.optimum.Iterations)
	})
}

// replay makes an item's run ready and calls use.
func replay(ctx context.Context, p *plan.Plan, it *plan.Item, opt Options, use func(ctx context.Context, t *sparseTrial) (*model.Model, error)) (_ *model.Model, err error) {
	if it.Algorithm.Task != registry.TaskSparse {
		return nil, fmt.Errorf("a run of the task %s has no classifier to take; the task is to be %s", it.Algorithm.Task, registry.TaskSparse)
	}
	refs, err := objective.OpenReferences(filepath.Join(opt.Dir, record.ReferencesFile), true, opt.Warn)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, refs.Close()) }()
	it = it.Within(record.Limit{})
	s := newSettings(p, opt, refs)
	t := newSparseTask([]*plan.Item{it}, s, registry.NewSparse)
	defer s.externals.close()
	defer t.release(it)
	defer s.externals.end(it)
	rec := newRecord(it, s)
	ready, err := t.start(ctx, it, &rec, new(record.Timing))
	if err != nil {
		return nil, err
	}
	return use(ctx, ready.(*sparseTrial))
}

// classifier returns an expansion with its vectors.
func (r *sparseRun) classifier(e *sparse.Expansion, iterations int64) (*model.Model, error) {
	table, order := r.it.Problem.Data.Table, r.shared.order
	kern, err := model.NewKernel(r.shared.kern)
	m := &model.Model{
		Kernel: kern, Features: table.D, Coefficients: slices.Clone(e.Coef), Bias: e.Bias,
		Provenance: model.Provenance{Iterations: iterations},
	}
	for k, i := range e.Index {
		var v model.Vector
		add := func(feature int32, x float64) {
			if x != 0 {
				v.Indices, v.Values = append(v.Indices, feature+1), append(v.Values, x)
			}
		}
		var features []int32
		var values []float64
		if i >= 0 {
			features, values = table.Entries(order[i], nil)
		} else {
			values = e.Vectors[k]
		}
		for at, x := range values {
			if features != nil {
				at = int(features[at])
			}
			add(int32(at), x)
		}
		m.Vectors = append(m.Vectors, v)
	}
	return m, err
}
