package run

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"sync"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/record"
)

// kernelTask is what the tasks that learn labels with kernels have in common: the points, the
// caches of kernel rows with their memory, and the optima.
type kernelTask struct {
	shares[svmKey, *svmShared]
	settings settings
	*memory
	pool *kernel.Pool
	// apart: the rows over the training points and those over the other points have a cache each.
	apart bool

	mu      sync.Mutex
	readers map[*plan.Item][]*kernel.Reader
	// warned holds the kinds of warnings given.
	warned sync.Map
}

func newKernelTask(pending []*plan.Item, s settings) *kernelTask {
	t := &kernelTask{
		settings: s,
		readers:  make(map[*plan.Item][]*kernel.Reader),
	}
	t.memory = newMemory(pending, s)
	t.pool = kernel.NewPool(t.memory.rows)
	t.drop = (*svmShared).close
	return t
}

// release implements task.
func (t *kernelTask) release(it *plan.Item) {
	t.mu.Lock()
	readers := t.readers[it]
	delete(t.readers, it)
	t.mu.Unlock()
	for _, r := range readers {
		r.Close()
	}
	t.unshare(svmKeyOf(it))
	t.memory.release(it)
}

// kernelRun is a run of such a task that is being prepared.
type kernelRun struct {
	*kernelTask
	it     *plan.Item
	shared *svmShared
	needs  registry.Needs
	timing *record.Timing

	// reg is what is known of the regularisation, whose optimum is asked for in a form with a
	// value.
	reg   objective.Regularisation
	form  string
	value float64
	// optimum is the certified one that the run is compared with or depends on, nil if there is
	// none.
	optimum *objective.SVMReference
	// rows reads the kernel rows of the method, nil without them.
	rows *kernel.Reader
}

// begin acquires the memory for the item's run and what the run shares, and takes in the
// regularisation given.
func (t *kernelTask) begin(ctx context.Context, it *plan.Item, rec *record.Run, timing *record.Timing) (*kernelRun, error) {
	kern, err := registry.KernelOf(it.Params)
	if err != nil {
		return nil, err
	}
	if err := t.memory.acquire(ctx, it); err != nil {
		return nil, err
	}
	sh, err := t.share(svmKeyOf(it), &timing.SetupSeconds, func() (*svmShared, error) {
		return newSVMShared(t.settings.plan.Spec.Seed, it, kern)
	})
	if err != nil {
		return nil, err
	}
	rec.Rows = sh.rows
	r := &kernelRun{kernelTask: t, it: it, shared: sh, needs: it.Algorithm.Needs(it.Params), timing: timing}
	r.reg = objective.Regularisation{Lambda: math.NaN(), Nu: math.NaN(), R: math.NaN(), Bias: it.Params.Bool("bias")}
	r.form = registry.Regulariser(it.Params)
	r.value = it.Params.Float(r.form)
	switch r.form {
	case "C":
		r.form, r.value = "lambda", 1/(r.value*float64(sh.layout.Train))
		r.reg.Lambda = r.value
	case "lambda":
		r.reg.Lambda = r.value
	case "nu":
		r.reg.Nu = r.value
	case "R":
		r.reg.R = r.value
	}
	return r, nil
}

// problem returns the training problem as the reader shows it.
func (r *kernelRun) problem(rows *kernel.Reader) svm.Problem {
	return svm.Problem{Rows: rows, Positive: r.shared.layout.Positive}
}

// env is what any constructor is given.
func (r *kernelRun) env(ctx context.Context) registry.Env {
	return registry.Env{
		Context: ctx,
		Kern:    r.shared.kern,
		Lambda:  r.reg.Lambda, Nu: r.reg.Nu, R: r.reg.R, Bias: r.reg.Bias,
		Order: func(kind string) svm.Order {
			return newOrder(kind, r.shared.layout.Train, r.settings.stream(r.it, seed.RoleOrder))
		},
		Rand: func(role string) *rand.Rand { return r.settings.stream(r.it, role) },
		Vectors: func() (kernel.Vectors, int, int) {
			sh := r.shared
			return vectors{Table: r.it.Problem.Data.Table, rows: sh.order}, sh.layout.Train, sh.layout.Positive
		},
		External: r.settings.externals.env(ctx, r.it),
	}
}

// open opens a reader of a cache that is closed when the run is over.
func (t *kernelTask) open(it *plan.Item, c *kernel.Cache) *kernel.Reader {
	reader := c.Reader()
	t.mu.Lock()
	t.readers[it] = append(t.readers[it], reader)
	t.mu.Unlock()
	return reader
}

// openCache makes the cache of the kernel rows that methods see, once for all who share it. A run
// that is alone gets one each time, to be closed with closeOwn.
func (r *kernelRun) openCache() (*kernel.Cache, error) {
	sh := r.shared
	if r.settings.plan.Spec.Record.Alone {
		return r.newCache(sh)
	}
	return sh.cache.get(func() (*kernel.Cache, error) { return r.newCache(sh) })
}

// closeOwn closes a cache unless others share it.
func (t *kernelTask) closeOwn(c *kernel.Cache) {
	if t.settings.plan.Spec.Record.Alone {
		c.Close()
	}
}

// newCache returns an empty cache of the kernel rows that methods see.
func (t *kernelTask) newCache(sh *svmShared) (*kernel.Cache, error) {
	return kernel.NewCache(kernel.CacheConfig{Kernel: sh.kern, Points: sh.points, Train: sh.layout.Train, To: sh.seen(t.apart), Pool: t.pool})
}

// warnOnce gives the first warning of a kind.
func (t *kernelTask) warnOnce(kind, text string) {
	if _, known := t.warned.LoadOrStore(kind, true); !known {
		t.settings.Warn(text)
	}
}

// complete takes in an optimum, and with it the regularisation in all its forms.
func (r *kernelRun) complete(ref *objective.SVMReference) {
	r.optimum = ref
	r.reg.Lambda = ref.Lambda
	if r.form != "nu" {
		r.reg.Nu = ref.Nu
	}
	if r.form != "R" {
		r.reg.R = ref.Norm
	}
}

// regularisers returns the regularisation in all its forms, as far as it is known.
func (r *kernelRun) regularisers() map[string]float64 {
	n := float64(r.shared.layout.Train)
	forms := map[string]float64{"lambda": r.reg.Lambda, "C": 1 / (r.reg.Lambda * n), "nu": r.reg.Nu, "R": r.reg.R}
	if given := registry.Regulariser(r.it.Params); given != "" {
		forms[given] = r.it.Params.Float(given) // not as it comes back from another form
	}
	return forms
}

// facts returns what is known of the problem, and finite, with the facts of the method's own. Of a
// distribution with a reference classifier u these are its expected hinge loss L*, its norm, and
// its 0/1 loss.
func (r *kernelRun) facts(own map[string]float64) map[string]float64 {
	facts := r.regularisers()
	if ref := r.optimum; ref != nil {
		facts["reference_primal"], facts["reference_dual"], facts["reference_gap"] = ref.Primal, ref.Dual, ref.Gap
		facts["reference_norm"], facts["reference_hinge"] = ref.Norm, ref.Hinge
	}
	if u := r.it.Problem.Data.Reference; u != nil {
		facts["l_star"], facts["u_norm"], facts["u_error"] = u.HingeLoss, u.Norm, u.ZeroOne
	}
	maps.Copy(facts, own)
	maps.DeleteFunc(facts, func(_ string, v float64) bool { return v-v != 0 })
	return facts
}
