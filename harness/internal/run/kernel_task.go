package run

import (
	"context"
	"math"
	"slices"
	"sync"

	"stochopt/algorithms/kernel"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/results/record"
)

// kernelTask is what the tasks that learn labels with kernels have in common:
// the points, the caches of kernel rows with their memory, and the optima.
type kernelTask struct {
	shares[svmKey, *svmShared]
	settings settings
	features *featureMemory
	pool     *kernel.Pool
	// rows estimates how often the pending runs read kernel rows.
	rows map[svmKey]int64
	// apart: the rows over the training points and those over the other points
	// have a cache each.
	apart bool

	mu      sync.Mutex
	readers map[*plan.Item][]*kernel.Reader
	// warned holds the kinds of warnings given.
	warned map[string]bool
}

func newKernelTask(pending []*plan.Item, s settings) *kernelTask {
	t := &kernelTask{
		shares: newShares[svmKey, *svmShared](), settings: s,
		rows:    make(map[svmKey]int64),
		readers: make(map[*plan.Item][]*kernel.Reader),
		warned:  make(map[string]bool),
	}
	t.features = newFeatureMemory(pending, s)
	t.pool = kernel.NewPool(s.memory - t.features.bytes)
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
	t.features.release(it)
	t.unshare(svmKeyOf(it))
}

// points returns what the item's run shares.
func (t *kernelTask) points(it *plan.Item, timing *record.Timing) (*svmShared, error) {
	kern, err := registry.KernelOf(it.Params)
	if err != nil {
		return nil, err
	}
	return t.share(svmKeyOf(it), &timing.SetupSeconds, func() (*svmShared, error) {
		return newSVMShared(t.settings.seed, it, kern)
	})
}

// open opens a reader of a cache that is closed when the run is over.
func (t *kernelTask) open(it *plan.Item, c *kernel.Cache) *kernel.Reader {
	reader := c.Reader()
	t.mu.Lock()
	t.readers[it] = append(t.readers[it], reader)
	t.mu.Unlock()
	return reader
}

// openCache makes the cache of the kernel rows that methods see, once for all who
// share it, and fills it if the pending runs will read most of the rows anyway;
// the kernel evaluations of that are added to computed. A run that is alone gets
// an empty one each time, to be closed with closeOwn.
func (t *kernelTask) openCache(ctx context.Context, sh *svmShared, computed *int64) (*kernel.Cache, error) {
	if t.settings.alone {
		return t.newCache(sh)
	}
	return sh.cache.get(func() (*kernel.Cache, error) {
		cache, err := t.newCache(sh)
		if err != nil {
			return nil, err
		}
		if t.rows[sh.key] >= 2*int64(sh.layout.Train) {
			if err := cache.Fill(ctx, t.settings.workers); err != nil {
				cache.Close()
				return nil, err
			}
			*computed = cache.Stats().Computed * int64(sh.seen(t.apart))
		}
		return cache, nil
	})
}

// closeOwn closes a cache unless others share it.
func (t *kernelTask) closeOwn(c *kernel.Cache) {
	if t.settings.alone {
		c.Close()
	}
}

// newCache returns an empty cache of the kernel rows that methods see.
func (t *kernelTask) newCache(sh *svmShared) (*kernel.Cache, error) {
	return kernel.NewCache(kernel.CacheConfig{Kernel: sh.kern, Points: sh.points, Train: sh.layout.Train, To: sh.seen(t.apart), Pool: t.pool})
}

// warnOnce gives the first warning of a kind.
func (t *kernelTask) warnOnce(kind, text string) {
	t.mu.Lock()
	known := t.warned[kind]
	t.warned[kind] = true
	t.mu.Unlock()
	if !known {
		t.settings.warn(text)
	}
}

// given returns the regularisation that the parameters give for n training
// points, and the form and value in which its optimum is asked for.
func given(p registry.Params, n int) (reg objective.Regularisation, form string, value float64) {
	reg = objective.Regularisation{Lambda: math.NaN(), Nu: math.NaN(), R: math.NaN(), Bias: p.Bool("bias")}
	form = registry.Regulariser(p)
	value = p.Float(form)
	switch form {
	case "C":
		form, value = "lambda", 1/(value*float64(n))
		reg.Lambda = value
	case "lambda":
		reg.Lambda = value
	case "nu":
		reg.Nu = value
	case "R":
		reg.R = value
	}
	return reg, form, value
}

// completed returns a regularisation in all its forms, given in one of them and
// with its optimum.
func completed(reg objective.Regularisation, form string, ref *objective.SVMReference) objective.Regularisation {
	reg.Lambda = ref.Lambda
	if form != "nu" {
		reg.Nu = ref.Nu
	}
	if form != "R" {
		reg.R = ref.Norm
	}
	return reg
}

// problemFacts returns what is known of a problem.
func problemFacts(p registry.Params, reg objective.Regularisation, n int, ref *objective.SVMReference) map[string]float64 {
	facts := map[string]float64{"lambda": reg.Lambda, "C": 1 / (reg.Lambda * float64(n)), "nu": reg.Nu, "R": reg.R}
	if given := registry.Regulariser(p); given != "" {
		facts[given] = p.Float(given) // not as it comes back from another form
	}
	if ref != nil {
		facts["reference_primal"], facts["reference_dual"], facts["reference_gap"] = ref.Primal, ref.Dual, ref.Gap
		facts["reference_norm"], facts["reference_hinge"] = ref.Norm, ref.Hinge
	}
	return facts
}

// withinLimit reports whether a run takes no more memory than its limit.
func withinLimit(it *plan.Item) bool {
	return it.Limit.Memory == 0 || it.Memory() <= int64(it.Limit.Memory)
}

// makeable returns the items that are within their limits of memory.
func makeable(pending []*plan.Item) []*plan.Item {
	return slices.DeleteFunc(slices.Clone(pending), func(it *plan.Item) bool { return !withinLimit(it) })
}
