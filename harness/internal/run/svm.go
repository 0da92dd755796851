package run

import (
	"context"
	"errors"
	"fmt"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// svmTask performs the runs of an SVM experiment.
type svmTask struct {
	*kernelTask
	construct svmConstructor
	// available says whether the program that an algorithm runs is there.
	available func(*registry.Algorithm) error
	// unit lists the series whose analysis assumes K(x, x) <= 1.
	unit map[svmKey][]string
}

var _ task = (*svmTask)(nil)

func newSVMTask(pending []*plan.Item, s settings, construct svmConstructor) *svmTask {
	t := &svmTask{
		kernelTask: newKernelTask(pending, s), construct: construct, available: (*registry.Algorithm).Available,
		unit: make(map[svmKey][]string),
	}
	t.survey(pending)
	return t
}

// start implements task.
func (t *svmTask) start(ctx context.Context, it *plan.Item, rec *record.Run, timing *record.Timing) (trial, error) {
	r, err := t.regularised(ctx, it, rec, timing)
	if err != nil {
		return nil, err
	}
	if r.needs.Kernel {
		if r.cache, err = r.openCache(); err != nil {
			return nil, err
		}
		// Of what is the run's own, its reader keeps the rows until it is closed.
		defer r.closeOwn(r.cache)
		timing.SetupSeconds += r.shared.cache.seconds
	}
	learner, err := t.construct(it.Algorithm, r.env(ctx), it.Params)
	switch {
	case errors.Is(err, svm.ErrNoSolver):
		return nil, &statusError{record.StatusSkipped, err}
	case err != nil:
		return nil, err
	}
	rec.Facts, rec.External = r.facts(nil), externalOf(learner)
	return newSVMTrial(r, learner), nil
}

// regularised begins the item's run and finds out its regularisation.
func (t *svmTask) regularised(ctx context.Context, it *plan.Item, rec *record.Run, timing *record.Timing) (*svmRun, error) {
	// A solver that is not there needs no preparation.
	switch err := t.available(it.Algorithm); {
	case errors.Is(err, svm.ErrNoSolver):
		return nil, &statusError{record.StatusSkipped, err}
	case err != nil:
		return nil, err
	}
	begun, err := t.begin(ctx, it, rec, timing)
	if err != nil {
		return nil, err
	}
	r := &svmRun{kernelRun: begun}
	t.warnOfNorms(it, r.shared)
	return r, r.regularise(ctx)
}

// prepare implements task.
func (t *svmTask) prepare(ctx context.Context, it *plan.Item) error {
	_, err := t.regularised(ctx, it, new(record.Run), new(record.Timing))
	return err
}

// svmRun is a run that is being prepared.
type svmRun struct {
	*kernelRun
	// cache has the kernel rows, nil if the run reads none.
	cache *kernel.Cache
}

// comparable reports whether the method solves the problem itself, so that the certified optimum is
// a bound on its objective, and not an approximation of it.
func (r *svmRun) comparable() bool {
	return !r.it.Algorithm.Approximates(r.it.Params)
}

// regularise finds out lambda, nu and R: one is given, and the certified optimum tells the others.
// It is asked where the method needs another than the one given, or where the record is to hold the
// suboptimality.
func (r *svmRun) regularise(ctx context.Context) error {
	if !wantsOptimum(r.it) {
		return nil
	}
	converts := r.it.Algorithm.Converts(r.it.Params)
	ref, seconds, err := r.solve(ctx)
	switch {
	case err == nil:
	case !converts && errors.Is(err, objective.ErrNotCertified):
		r.warnOfReference(err)
		return nil
	default:
		return r.explain(err)
	}
	if converts {
		// Those that are only compared with the optimum do not depend on it.
		r.timing.SetupSeconds += seconds
		if !r.needs.Kernel {
			r.timing.SetupSeconds += r.shared.cache.seconds
		}
	}
	r.complete(ref)
	return nil
}

// solve returns the certified optimum and the seconds that it has taken.
func (r *svmRun) solve(ctx context.Context) (*objective.SVMReference, float64, error) {
	cache, err := r.openCache()
	if err != nil {
		return nil, 0, err
	}
	// Its memory is for the run itself.
	defer r.closeOwn(cache)
	rows := cache.Reader()
	defer rows.Close()
	return r.reference(ctx, r.wanted(), rows)
}

// explain says of a reference optimum that cannot be had what would do without.
func (r *svmRun) explain(err error) error {
	err = fmt.Errorf("the reference optimum: %w", err)
	switch {
	case !errors.Is(err, objective.ErrNotCertified):
		return err
	case r.needs.Nu:
		return fmt.Errorf("%w, or give nu, which %s takes, in place of %s", err, r.it.Series, registry.Regulariser(r.it.Params))
	case r.needs.R:
		return fmt.Errorf("%w, or give R, which %s takes, in place of %s", err, r.it.Series, registry.Regulariser(r.it.Params))
	}
	return err
}
