package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// kernelTask performs the runs of the tasks svm and svm-sparse. Runs on the same points share caches
// of kernel rows and certified optima. Kernel rows for svm span all points, so that each update keeps
// the responses on every split current. Methods of svm-sparse see only the training points; other
// kernel rows, shared by all runs, evaluate their classifiers.
type kernelTask struct {
	shares[svmKey, *svmShared]
	settings settings
	*memory
	pool   *kernel.Pool
	with   constructors
	sparse bool
	// vectorBytes bounds the kernel rows of constructed vectors that a run keeps between measurements,
	// in bytes.
	vectorBytes int64

	mu      sync.Mutex
	readers map[*plan.Item][]*kernel.Reader
	// warned contains the kinds of warnings given so far.
	warned sync.Map
}

var _ task = (*kernelTask)(nil)

// maxVectorBytes is the largest vectorBytes.
const maxVectorBytes = 128 << 20

func newKernelTask(pending []*plan.Item, s settings, with constructors) *kernelTask {
	t := &kernelTask{
		settings: s, memory: newMemory(pending, s), with: with, sparse: s.plan.Spec.Task == record.TaskSparse,
		readers: make(map[*plan.Item][]*kernel.Reader),
	}
	t.drop = (*svmShared).close
	constructing := 0
	for _, it := range pending {
		t.expect(svmKeyOf(it))
		if it.Algorithm.Needs(it.Params).Inputs {
			constructing++
		}
	}
	bytes := t.memory.rows
	if together := int64(min(constructing, s.Workers)); together > 0 {
		// At most a quarter of the memory for kernel rows is for constructed vectors.
		t.vectorBytes = min(maxVectorBytes, bytes/4/together)
		bytes -= together * t.vectorBytes
	}
	t.pool = kernel.NewPool(bytes)
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

// prepare implements task.
func (t *kernelTask) prepare(ctx context.Context, it *plan.Item) error {
	_, err := t.begin(ctx, it, new(record.Run), new(record.Timing))
	return err
}

// start implements task.
func (t *kernelTask) start(ctx context.Context, it *plan.Item, rec *record.Run, timing *record.Timing) (*trial, error) {
	r, err := t.begin(ctx, it, rec, timing)
	if err != nil {
		return nil, err
	}
	if r.needs.Kernel && r.rows == nil {
		cache, done, err := r.openCache()
		if err != nil {
			return nil, err
		}
		defer done()
		r.rows = t.open(it, cache)
	}
	if r.needs.Kernel || it.Algorithm.DependsOnReference(it.Params) {
		timing.SetupSeconds += r.cacheSeconds
	}
	rec.Facts = r.facts()
	if t.sparse {
		return newSparseTrial(ctx, r)
	}
	run, err := newSVMTrial(ctx, r)
	if errors.Is(err, svm.ErrNoSolver) {
		err = &statusError{record.StatusSkipped, err}
	}
	return run, err
}

// begin acquires the memory and the shared values of the item's run and resolves its regularisation.
func (t *kernelTask) begin(
	ctx context.Context, it *plan.Item, rec *record.Run, timing *record.Timing,
) (*kernelRun, error) {
	// Check first, so that nothing is prepared for a solver that is not installed.
	switch err := it.Algorithm.Available(); {
	case errors.Is(err, svm.ErrNoSolver):
		return nil, &statusError{record.StatusSkipped, err}
	case err != nil:
		return nil, err
	}
	if err := it.CheckLimit(); err != nil {
		return nil, &statusError{record.StatusOutOfMemory, err}
	}
	kern, err := registry.KernelOf(it.Params)
	if err != nil {
		return nil, err
	}
	if err := t.memory.acquire(ctx, it); err != nil {
		return nil, err
	}
	sh, seconds, err := t.get(svmKeyOf(it), func() (*svmShared, error) {
		return newSVMShared(t.settings.plan.Spec.Seed, it, kern)
	})
	timing.SetupSeconds += seconds
	if err != nil {
		return nil, err
	}
	rec.Rows = sh.rows
	r := &kernelRun{kernelTask: t, it: it, shared: sh, needs: it.Algorithm.Needs(it.Params), timing: timing}
	r.readRegularisation()
	r.warnOfNorms()
	if t.sparse {
		if err := r.openEvaluation(); err != nil {
			return nil, err
		}
	}
	return r, r.resolveRegularisation(ctx)
}

// open opens a reader of a cache. release closes it.
func (t *kernelTask) open(it *plan.Item, c *kernel.Cache) *kernel.Reader {
	reader := c.Reader()
	t.mu.Lock()
	t.readers[it] = append(t.readers[it], reader)
	t.mu.Unlock()
	return reader
}

// warnOnce gives a warning unless one of the same kind was given before.
func (t *kernelTask) warnOnce(kind, text string) {
	if _, known := t.warned.LoadOrStore(kind, true); !known {
		t.settings.Warn(text)
	}
}

// warnOfNorms warns if K(x, x) exceeds 1 and the analysis of the method assumes at most 1.
func (r *kernelRun) warnOfNorms() {
	if !r.it.Algorithm.AssumesUnitNorm {
		return
	}
	sh, longest := r.shared, 0.0
	for i := range sh.points.Len() {
		norm := sh.points.NormSq(i)
		longest = max(longest, sh.kern.Eval(norm, norm, norm))
	}
	if longest > 1+1e-6 {
		text := fmt.Sprintf("dataset %q: K(x, x) of %v is up to %.4g, but the analysis of %s assumes at most 1: "+
			"prepare the data with unit-norm or use another kernel", r.it.Problem.Entry.ID, sh.kern, longest, r.it.Series)
		r.warnOnce(text, text)
	}
}

// svmKey identifies a svmShared: the points, their order and the kernel.
type svmKey struct {
	// data is the content hash, and split the canonical text of the split.
	data, split string
	// repeat is -1 if the split is the same in every repeat.
	repeat int
	kernel string
}

func svmKeyOf(it *plan.Item) svmKey {
	pr := it.Problem
	key := svmKey{data: pr.Data.Hash, split: pr.Split, repeat: it.Repeat}
	if pr.FixedSplit() {
		key.repeat = -1
	}
	// Ignore the error: begin returns it for each run.
	if kern, err := registry.KernelOf(it.Params); err == nil {
		key.kernel = kern.String()
	}
	return key
}

// svmShared is shared by the runs of one split and kernel.
type svmShared struct {
	key    svmKey
	kern   kernel.Kernel
	points *kernel.Points
	// order[i] is the table row of point i: the positives of the training split, its negatives, the
	// validation split, the test split.
	order  []int
	layout objective.SVMPoints
	// rows has the number of rows of each split and, as SPLIT_of, the number before a subset was drawn.
	rows map[string]int64

	// caches has the caches of kernel rows by the first point that their columns span: 0 for the rows
	// that methods see; in svm-sparse also layout.Train, for the points outside the training split.
	caches     memo[int, *kernel.Cache]
	references memo[string, *objective.SVMReference]
	trained    memo[string, *trained]
}

// newSVMShared lays out the points of the item's split.
func newSVMShared(root uint64, it *plan.Item, kern kernel.Kernel) (*svmShared, error) {
	pr := it.Problem
	train, validation, test, err := pr.SVMRows(root, it.Repeat)
	if err != nil {
		return nil, err
	}
	s := &svmShared{key: svmKeyOf(it), kern: kern, rows: make(map[string]int64)}
	s.layout = objective.SVMPoints{Train: len(train), Validation: len(validation), Test: len(test)}
	labels := pr.Data.Table.Labels
	negative := func(row int) bool { return labels[row] < 0 }
	positives := slices.DeleteFunc(slices.Clone(train), negative)
	s.layout.Positive = len(positives)
	negatives := slices.DeleteFunc(train, func(row int) bool { return !negative(row) })
	s.order = slices.Concat(positives, negatives, validation, test)
	for _, row := range s.order {
		s.layout.Labels = append(s.layout.Labels, labels[row])
	}
	for _, split := range s.layout.Splits() {
		n := int64(split.To - split.From)
		s.rows[split.Name] = n
		if size := pr.SplitSizes[split.Name]; n < size {
			s.rows[split.Name+"_of"] = size
		}
	}
	s.points, err = kernel.NewPoints(pr.Data.Table, s.order)
	return s, err
}

// close frees the memory of the kernel rows.
func (s *svmShared) close() {
	for _, c := range s.caches.entries {
		if c.value != nil {
			c.value.Close()
		}
	}
}
