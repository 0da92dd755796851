package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/results"
)

// svmTask performs the runs of an SVM experiment.
type svmTask struct {
	shares[svmKey, *svmShared]
	settings  settings
	construct svmConstructor
	// available says whether the program that an algorithm runs is there.
	available func(id string) error
	features  *featureMemory
	pool      *kernel.Pool
	// rows estimates how often the pending runs read kernel rows.
	rows map[svmKey]int64
	// unit lists the series whose analysis assumes K(x, x) <= 1.
	unit map[svmKey][]string

	mu      sync.Mutex
	readers map[*plan.Item][]*kernel.Reader
	// warned holds the kinds of warnings given.
	warned map[string]bool
}

var _ task = (*svmTask)(nil)

func newSVMTask(pending []*plan.Item, s settings, construct svmConstructor) *svmTask {
	t := &svmTask{
		shares: newShares[svmKey, *svmShared](), settings: s, construct: construct, available: registry.AvailableSVM,
		rows:    make(map[svmKey]int64),
		unit:    make(map[svmKey][]string),
		readers: make(map[*plan.Item][]*kernel.Reader),
		warned:  make(map[string]bool),
	}
	t.features = newFeatureMemory(pending, s)
	t.pool = kernel.NewPool(s.memory - t.features.bytes)
	t.drop = (*svmShared).close
	t.survey(pending)
	return t
}

// start implements task.
func (t *svmTask) start(ctx context.Context, it *plan.Item, rec *results.Run, timing *results.Timing) (trial, error) {
	// A solver that is not there needs no preparation.
	switch err := t.available(it.Algorithm.ID); {
	case errors.Is(err, svm.ErrNoSolver):
		return nil, &skippedError{err}
	case err != nil:
		return nil, err
	}
	kern, err := registry.KernelOf(it.Params)
	if err != nil {
		return nil, err
	}
	sh, err := t.share(svmKeyOf(it), &timing.SetupSeconds, func() (*svmShared, error) {
		return newSVMShared(t.settings.seed, it, kern)
	})
	if err != nil {
		return nil, err
	}
	rec.Rows = sh.rows
	t.warnOfNorms(it, sh)
	r := &svmRun{svmTask: t, it: it, shared: sh, needs: registry.NeedsOfSVM(it.Algorithm.ID, it.Params), timing: timing}
	if err := r.regularise(ctx); err != nil {
		return nil, err
	}
	if r.needs.Kernel {
		if r.cache, err = r.openCache(ctx); err != nil {
			return nil, err
		}
		// Of what is the run's own, its reader keeps the rows until it is closed.
		defer r.closeOwn(r.cache)
		timing.SetupSeconds += sh.cache.seconds
	}
	if err := t.features.acquire(ctx, it); err != nil {
		return nil, err
	}
	learner, err := t.construct(it.Algorithm.ID, r.env(ctx), it.Params)
	switch {
	case errors.Is(err, svm.ErrNoSolver):
		return nil, &skippedError{err}
	case err != nil:
		return nil, err
	}
	rec.Facts = r.facts()
	return newSVMTrial(r, learner), nil
}

// release implements task.
func (t *svmTask) release(it *plan.Item) {
	t.mu.Lock()
	readers := t.readers[it]
	delete(t.readers, it)
	t.mu.Unlock()
	for _, r := range readers {
		r.Close()
	}
	t.features.release(it)
	t.unshare(svmKeyOf(it))
}

// svmRun is a run that is being prepared.
type svmRun struct {
	*svmTask
	it     *plan.Item
	shared *svmShared
	needs  registry.SVMNeeds
	timing *results.Timing

	reg       objective.Regularisation
	reference *objective.SVMReference
	// rows is the reader of the run's kernel rows, nil if it has none;
	// computed counts the kernel evaluations done before it.
	rows     *kernel.Reader
	computed int64
	// cache has the kernel rows, nil if the run reads none.
	cache *kernel.Cache
}

// comparable reports whether the method solves the problem itself, so that the
// certified optimum is a bound on its objective, and not an approximation of
// it.
func (r *svmRun) comparable() bool {
	return !registry.Approximates(r.it.Algorithm.ID, r.it.Params)
}

// regularise finds out lambda, nu and R: one is given, and the certified
// optimum tells the others. It is asked where the method needs another than
// the one given, or where the record is to hold the suboptimality.
func (r *svmRun) regularise(ctx context.Context) error {
	p, n := r.it.Params, float64(r.shared.layout.Train)
	r.reg = objective.Regularisation{Lambda: math.NaN(), Nu: math.NaN(), R: math.NaN(), Bias: p.Bool("bias")}
	given := registry.Regulariser(p)
	value := p.Float(given)
	switch given {
	case "C":
		given, value = "lambda", 1/(value*n)
		r.reg.Lambda = value
	case "lambda":
		r.reg.Lambda = value
	case "nu":
		r.reg.Nu = value
	case "R":
		r.reg.R = value
	}
	converts := registry.Converts(r.it.Algorithm.ID, p)
	if !converts && !(r.settings.reference && registry.Compares(r.it.Algorithm.ID, p)) {
		return nil
	}
	ref, seconds, err := r.solve(ctx, given, value)
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
	r.reference = ref
	r.reg.Lambda = ref.Lambda
	if given != "nu" {
		r.reg.Nu = ref.Nu
	}
	if given != "R" {
		r.reg.R = ref.Norm
	}
	return nil
}

// solve returns the certified optimum and the seconds that it has taken.
func (r *svmRun) solve(ctx context.Context, given string, value float64) (*objective.SVMReference, float64, error) {
	cache, err := r.openCache(ctx)
	if err != nil {
		return nil, 0, err
	}
	// Its memory is for the run itself.
	defer r.closeOwn(cache)
	rows := cache.Reader()
	defer rows.Close()
	return r.shared.reference(ctx, r.settings, r.it, given, value, svm.Problem{Rows: rows, Positive: r.shared.layout.Positive})
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

// openCache makes the cache of kernel rows, once for all who share it, and
// fills it if the pending runs will read most of the rows anyway. A run that is
// alone gets an empty one each time, to be closed with closeOwn.
func (r *svmRun) openCache(ctx context.Context) (*kernel.Cache, error) {
	if r.settings.alone {
		return r.newCache()
	}
	return r.shared.cache.get(func() (*kernel.Cache, error) {
		sh := r.shared
		cache, err := r.newCache()
		if err != nil {
			return nil, err
		}
		if r.svmTask.rows[sh.key] >= 2*int64(sh.layout.Train) {
			if err := cache.Fill(ctx, r.settings.workers); err != nil {
				cache.Close()
				return nil, err
			}
			r.computed = cache.Stats().Computed * int64(sh.points.Len())
		}
		return cache, nil
	})
}

// closeOwn closes a cache unless others share it.
func (r *svmRun) closeOwn(c *kernel.Cache) {
	if r.settings.alone {
		c.Close()
	}
}

// newCache returns an empty cache of the rows of the run's kernel.
func (r *svmRun) newCache() (*kernel.Cache, error) {
	sh := r.shared
	return kernel.NewCache(kernel.CacheConfig{Kernel: sh.kern, Points: sh.points, Train: sh.layout.Train, Pool: r.pool})
}

// facts returns what is known of the problem.
func (r *svmRun) facts() map[string]float64 {
	p := r.it.Params
	facts := map[string]float64{"lambda": r.reg.Lambda, "C": 1 / (r.reg.Lambda * float64(r.shared.layout.Train)), "nu": r.reg.Nu, "R": r.reg.R}
	if given := registry.Regulariser(p); given != "" {
		facts[given] = p.Float(given) // not as it comes back from another form
	}
	if ref := r.reference; ref != nil {
		facts["reference_primal"], facts["reference_dual"], facts["reference_gap"] = ref.Primal, ref.Dual, ref.Gap
		facts["reference_norm"], facts["reference_hinge"] = ref.Norm, ref.Hinge
	}
	maps.Copy(facts, classifierFacts(r.it.Problem.Data.Reference))
	return onlyFinite(facts)
}

// onlyFinite removes what is not known or not finite.
func onlyFinite(facts map[string]float64) map[string]float64 {
	for name, v := range facts {
		if v-v != 0 {
			delete(facts, name)
		}
	}
	return facts
}
