package run

import (
	"context"
	"fmt"
	"maps"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// sparseTask performs the runs of a search for sparse classifiers. Methods see the kernel matrix of
// the training points only; the classifiers are evaluated on the others with rows that all runs
// share, and with the training rows, both free of charge.
type sparseTask struct {
	*kernelTask
	construct sparseConstructor
	// vectorBytes bounds the kernel rows of constructed vectors that a run keeps for its
	// measurements.
	vectorBytes int64
}

var _ task = (*sparseTask)(nil)

func newSparseTask(pending []*plan.Item, s settings, construct sparseConstructor) *sparseTask {
	t := &sparseTask{kernelTask: newKernelTask(pending, s), construct: construct}
	t.apart = true
	t.setVectorsAside(pending)
	for _, it := range pending {
		t.expect(svmKeyOf(it))
	}
	return t
}

// maxVectorBytes bounds the kernel rows of constructed vectors that are kept from one measurement
// of a run to the next: they save time, and change nothing.
const maxVectorBytes = 128 << 20

// setVectorsAside takes the memory for the kernel rows of constructed vectors from that for the
// others: at most a quarter, for all that construct side by side.
func (t *sparseTask) setVectorsAside(pending []*plan.Item) {
	constructing := 0
	for _, it := range pending {
		if it.Algorithm.Needs(it.Params).Inputs {
			constructing++
		}
	}
	together := int64(min(constructing, t.settings.Workers))
	if together == 0 {
		return
	}
	t.vectorBytes = min(maxVectorBytes, t.pool.Bytes()/4/together)
	t.pool = kernel.NewPool(t.pool.Bytes() - together*t.vectorBytes)
}

// start implements task.
func (t *sparseTask) start(ctx context.Context, it *plan.Item, rec *record.Run, timing *record.Timing) (trial, error) {
	r, err := t.regularised(ctx, it, rec, timing)
	if err != nil {
		return nil, err
	}
	trial := newSparseTrial(ctx, r)
	ctx = trial.limit.bound(ctx, it.Limit.Seconds)
	trial.Learner, err = t.construct(it.Algorithm, r.env(ctx), it.Params)
	if err != nil {
		trial.limit.end()
		return nil, err
	}
	trial.steadily()
	rec.Facts = r.facts()
	return trial, nil
}

// regularised begins the item's run and finds out its regularisation, and what classifiers are
// evaluated with.
func (t *sparseTask) regularised(ctx context.Context, it *plan.Item, rec *record.Run, timing *record.Timing) (*sparseRun, error) {
	if err := it.CheckLimit(); err != nil {
		return nil, &statusError{record.StatusOutOfMemory, err}
	}
	begun, err := t.begin(ctx, it, rec, timing)
	if err != nil {
		return nil, err
	}
	r := &sparseRun{kernelRun: begun, vectorBytes: t.vectorBytes}
	cache, err := r.openCache()
	if err != nil {
		return nil, err
	}
	// Of what is the run's own, its readers keep the rows until they are closed.
	defer t.closeOwn(cache)
	timing.SetupSeconds += r.shared.cache.seconds
	r.rows = t.open(it, cache)
	if err := r.openEvaluation(cache); err != nil {
		return nil, err
	}
	return r, r.regularise(ctx)
}

// prepare implements task.
func (t *sparseTask) prepare(ctx context.Context, it *plan.Item) error {
	_, err := t.regularised(ctx, it, new(record.Run), new(record.Timing))
	return err
}

// sparseRun is a run that is being prepared.
type sparseRun struct {
	*kernelRun
	// trained is the reference classifier, nil if the run does not need it.
	trained *trained
	// seen and others have the kernel rows that classifiers are evaluated with; others is nil if
	// all points are trained on.
	seen, others *readers
	// inputs is the input space, nil unless the method constructs vectors; of these kernel rows of
	// so many bytes are kept.
	inputs      *kernel.Inputs
	vectorBytes int64
}

// openEvaluation opens what classifiers are evaluated with.
func (r *sparseRun) openEvaluation(cache *kernel.Cache) error {
	r.seen = r.openReaders(cache)
	sh := r.shared
	if sh.points.Len() > sh.layout.Train {
		others, err := sh.others.get(func() (*kernel.Cache, error) {
			return kernel.NewCache(kernel.CacheConfig{
				Kernel: sh.kern, Points: sh.points, Train: sh.layout.Train,
				From: sh.layout.Train, To: sh.points.Len(), Pool: r.pool,
			})
		})
		if err != nil {
			return err
		}
		r.others = r.openReaders(others)
	}
	if !r.needs.Inputs {
		return nil
	}
	gaussian, ok := sh.kern.(kernel.Gaussian)
	if !ok {
		return fmt.Errorf("%s works in the input space of the gaussian kernel, and the kernel is %v", r.it.Series, sh.kern)
	}
	var err error
	r.inputs, err = sh.points.Inputs(sh.layout.Train, gaussian)
	return err
}

// readers are readers of one cache that take turns, for who needs more rows to be valid than one
// keeps.
type readers struct {
	each [sparse.SumsRows / kernel.Kept]*kernel.Reader
	turn int
}

func (r *sparseRun) openReaders(cache *kernel.Cache) *readers {
	rs := new(readers)
	for k := range rs.each {
		rs.each[k] = r.open(r.it, cache)
	}
	return rs
}

// Row implements objective.Rows.
func (r *readers) Row(i int) []float32 {
	r.turn = (r.turn + 1) % len(r.each)
	return r.each[r.turn].Row(i)
}

// computed returns the number of kernel values that were computed for the readers.
func (r *readers) computed() (n int64) {
	for _, reader := range r.each {
		n += reader.Computed()
	}
	return n
}

// measure returns what measures classifiers of the run.
func (r *sparseRun) measure() *objective.Sparse {
	// Of a nil pointer no interface that is not nil.
	var others objective.Rows
	if r.others != nil {
		others = r.others
	}
	var vectors objective.Vectors
	if r.inputs != nil {
		vectors = r.inputs
	}
	return objective.NewSparse(&r.shared.layout, r.seen, others, vectors, r.vectorBytes)
}

// env is what the constructor is given.
func (r *sparseRun) env(ctx context.Context) registry.Env {
	env := r.kernelRun.env(ctx)
	env.Kernel = func() svm.Problem { return r.problem(r.rows) }
	// A classifier is not measured while the method is at work.
	env.Inputs = func() sparse.Inputs { return r.inputs }
	env.Reference = func() *sparse.Reference { return &r.trained.reference }
	env.C = r.regularisers()["C"]
	return env
}

// regularise finds out lambda, nu and R, and the trained classifier where the method approximates
// it.
func (r *sparseRun) regularise(ctx context.Context) error {
	var optimum *objective.SVMReference
	var seconds float64
	var err error
	switch {
	case r.needs.Reference:
		if r.trained, seconds, err = r.train(ctx); err != nil {
			return fmt.Errorf("the reference classifier: %w", err)
		}
		optimum, r.timing.ReferenceSeconds = r.trained.optimum, seconds
	case r.it.Algorithm.DependsOnReference(r.it.Params):
		if optimum, seconds, err = r.reference(ctx, r.wanted(), r.rows); err != nil {
			return fmt.Errorf("the reference optimum: %w", err)
		}
	default:
		return nil
	}
	r.timing.SetupSeconds += seconds
	r.complete(optimum)
	return nil
}

// facts returns what is known of the problem.
func (r *sparseRun) facts() map[string]float64 {
	own := make(map[string]float64)
	if r.trained != nil {
		maps.Copy(own, r.trained.facts)
	}
	if v, ok := r.shared.layout.ConstantError(); ok {
		own[record.FactConstantError] = v
	}
	return r.kernelRun.facts(own)
}
