package run

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

const featureSpec = `version: 1
name: features
task: svm
seed: 7
repeats: 6
budget: {passes: 1}
record: {points: 6}
datasets:
  - {id: a, source: adult, problem: {sigma2: 0.5, C: 1}}
algorithms:
  - {id: rff, with: {pairs: [32, 8]}}
`

// pairBytes is the memory of one pair of random features on 90 points.
const pairBytes = 8*90 + 24

// The features of concurrent runs stay within the memory for any number of workers, and all runs finish.
func TestFeaturesStayWithinMemory(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	p := buildSVM(t, featureSpec)
	want, sum := perform(t, p, Options{Workers: 2}, constructors{})
	if sum.Finished != 12 {
		t.Fatalf("%+v", sum)
	}
	for _, test := range []struct {
		pairs    int64 // pairs that fit in memory
		together int64 // the largest number of concurrent runs
	}{{40, 5}, {1000, 8}} {
		var held, runs atomic.Int64
		count := func(a *registry.Algorithm, env registry.Env, params registry.Params) (svm.Learner, error) {
			pairs := int64(params.Int("pairs"))
			if now := held.Add(pairs); now > test.pairs {
				t.Errorf("memory for %d pairs: %d are in use", test.pairs, now)
			}
			if now := runs.Add(1); now > test.together {
				t.Errorf("memory for %d pairs: %d concurrent runs", test.pairs, now)
			}
			l, err := registry.NewSVM(a, env, params)
			return hookedSVM{l, &hooks{step: func(step int64) (algorithms.Status, bool) {
				if step == p.Items[0].Algorithm.Needs(params).Steps {
					// The memory is released after this step.
					defer held.Add(-pairs)
					defer runs.Add(-1)
				}
				return algorithms.Status{}, false
			}}}, err
		}
		f, sum := perform(t, p, Options{Workers: 8, Memory: test.pairs * pairBytes}, constructors{svm: count})
		if sum.Finished != 12 {
			t.Fatalf("%+v", sum)
		}
		if !slices.Equal(f.records(t, p), want.records(t, p)) {
			t.Error("the records depend on the memory")
		}
	}
}

// Runs whose features, moments or kernel rows do not fit in memory are skipped with a reason in every
// execution, and the others finish.
func TestRunsThatDoNotFitInMemory(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	moments := plantest.Build(t, momentSpec, nil)
	small, large := moments.Items[0].Need().Own(), moments.Items[6].Need().Own()
	if small < 8*400*400 || large < 4*small-1<<20 {
		t.Fatalf("%d and %d bytes", small, large)
	}
	for name, test := range map[string]struct {
		plan    *plan.Plan
		o       Options
		skipped int
		fits    func(r *record.Run) bool
	}{
		"features": {buildSVM(t, featureSpec), Options{Workers: 3, Memory: 31 * pairBytes}, 6, func(r *record.Run) bool { return r.Params["pairs"] == int64(8) }},
		"moments":  {moments, Options{Workers: 3, Memory: large + 9, Data: 10}, 6, func(r *record.Run) bool { return r.Dataset == "a" }},
		"rows":     {resultsOf(t, svmSweep).plan, Options{Memory: 4 * 96}, svmSweepRuns, func(*record.Run) bool { return false }},
	} {
		f := open(t, t.TempDir())
		for range 2 {
			if sum := f.perform(t, test.plan, test.o, constructors{}); sum.Skipped != test.skipped || sum.Finished+sum.Reused != len(test.plan.Items)-test.skipped {
				t.Fatalf("%s: %+v", name, sum)
			}
		}
		for _, r := range f.runs(t, test.plan) {
			if skipped := r.Status == record.StatusSkipped; skipped == test.fits(&r) || r.Reason == "" {
				t.Errorf("%s: %s: %q", r.Name(), r.Status, r.Reason)
			}
		}
	}
}

// A run that waits for memory stops waiting when the context ends, and holds none.
func TestWaitingForMemoryEnds(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, featureSpec)
	m := newMemory(p.Items, newSettings(p, Options{Memory: 32 * pairBytes, Workers: 2}, nil))
	if err := m.acquire(context.Background(), p.Items[0]); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- m.acquire(ctx, p.Items[1]) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	m.release(p.Items[1]) // holds no memory
	m.release(p.Items[0])
	if !m.free.TryAcquire(m.bytes) {
		t.Error("some memory is in use")
	}
}

// Kernel rows get the memory that runs do not need. Without kernel rows, runs get all of it.
func TestMemoryIsDivided(t *testing.T) {
	t.Parallel()
	const rff, both = featureSpec, featureSpec + "  - {id: sbp}\n"
	for _, test := range []struct {
		spec            string
		memory          int64
		workers         int
		features, total int64
	}{
		{svmSweep, 1 << 20, 8, 0, 1 << 20},
		{rff, 1 << 30, 1, 1 << 30, 1 << 30},
		{both, 1 << 30, 3, 96 * pairBytes, 1 << 30},
		{both, 200 * pairBytes, 3, 50 * pairBytes, 200 * pairBytes},
		{both, 32 * pairBytes, 3, 32*pairBytes - 2*4*96, 32 * pairBytes},
	} {
		p := buildSVM(t, test.spec)
		task := newKernelTask(p.Items, newSettings(p, Options{Workers: test.workers, Memory: test.memory}, references(t)), constructors{})
		if got := task.memory.bytes; got != test.features {
			t.Errorf("%d bytes, %d workers: the features get %d, want %d", test.memory, test.workers, got, test.features)
		}
		if got := task.pool.Bytes() + task.memory.bytes; got != test.total {
			t.Errorf("%d bytes, %d workers: %d bytes are allotted", test.memory, test.workers, got)
		}
	}
}

// A counter is not recorded if it does not apply to the method or is unknown.
func TestCountersApply(t *testing.T) {
	t.Parallel()
	all := []string{"inner_products", "iterations", "kernel_evals", "kernel_evals_moved"}
	for _, test := range []struct {
		problem, algorithm string
		want               []string
	}{
		{"sigma2: 0.5, C: 1", "sbp", all},
		{"kernel: linear, C: 1", "sdca", all},
		{"sigma2: 0.5, C: 1", "rff", all[:2]},
		{"kernel: linear, C: 1", "linear-sdca", all[:2]},
		{"kernel: linear, nu: 0.1", "simba", all[:2]},
		{"sigma2: 0.5, C: 1, bias: true", "libsvm", all[1:2]},
	} {
		text := strings.NewReplacer("sigma2: 0.5, C: 1", test.problem, "rff, with: {pairs: [32, 8]}", test.algorithm).Replace(featureSpec)
		p := buildSVM(t, text)
		f, sum := perform(t, p, Options{Workers: 2}, constructors{})
		if sum.Failed > 0 {
			t.Fatalf("%s: %+v", test.algorithm, sum)
		}
		for _, r := range f.runs(t, p) {
			names := slices.Sorted(maps.Keys(r.Measured().Cost))
			if r.Status != record.StatusSkipped && !slices.Equal(names, test.want) {
				t.Errorf("%s records %v, want %v", r.Name(), names, test.want)
			}
		}
	}
}

const momentSpec = `version: 1
name: moments
task: pca
seed: 7
repeats: 3
budget: {iterations: 12}
datasets:
  - {id: a, source: simulated-gaussian, with: {dim: 400, gap: 3}, problem: {k: 2}}
  - {id: b, source: simulated-gaussian, with: {dim: 800, gap: 3}, problem: {k: 2}}
algorithms:
  - {id: grouse, step: {schedule: inverse-sqrt, c: [1, 2]}}
`

// Kernel rows of constructed vectors get at most a quarter of the memory, and none if no method
// constructs vectors.
func TestMemoryForVectors(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	p := resultsOf(t, sparseSweep).plan
	constructing := slices.DeleteFunc(slices.Clone(p.Items), func(it *plan.Item) bool { return it.Algorithm.ID != "reduced-set" })
	for _, test := range []struct {
		workers       int
		memory, bytes int64 // of a run
	}{{1, 1 << 30, maxVectorBytes}, {4, 1 << 30, 1 << 26}, {2, 1 << 20, 1 << 17}} {
		set := newSettings(p, Options{Workers: test.workers, Memory: test.memory}, references(t))
		task := newKernelTask(p.Items, set, constructors{sparse: registry.NewSparse})
		together := int64(min(test.workers, len(constructing)))
		slack := task.memory.bytes // the memory of the methods themselves
		if task.vectorBytes > test.bytes || task.vectorBytes < test.bytes-slack {
			t.Errorf("%d workers, %d bytes: %d for vectors, want %d", test.workers, test.memory, task.vectorBytes, test.bytes)
		}
		if all := task.pool.Bytes() + together*task.vectorBytes + slack; all != test.memory {
			t.Errorf("%d workers: %d bytes are allotted, want %d", test.workers, all, test.memory)
		}
	}
	task := newKernelTask(p.Items[:1], newSettings(p, Options{}, references(t)), constructors{sparse: registry.NewSparse})
	if p.Items[0].Algorithm.ID == "reduced-set" || task.vectorBytes != 0 {
		t.Errorf("%d bytes for constructed vectors without a method that constructs any", task.vectorBytes)
	}
}
