package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
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

// pairBytes is what a pair of features of the 90 points takes.
const pairBytes = 8*90 + 24

// The features of the runs side by side never take more than there is, however
// many workers there are, and all runs are made in the end.
func TestFeaturesStayWithinMemory(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, featureSpec)
	whole := open(t, t.TempDir())
	if sum, err := whole.executeSVM(context.Background(), p, Options{Workers: 2}, registry.NewSVM); err != nil || sum.Finished != 12 {
		t.Fatalf("%+v, %v", sum, err)
	}
	for _, test := range []struct {
		pairs    int64 // that there is memory for
		together int64 // most runs at a time
	}{{32, 4}, {40, 5}, {47, 5}, {1000, 8}} {
		var held, runs atomic.Int64
		count := func(a *registry.Algorithm, env registry.Env, params registry.Params) (svm.Learner, error) {
			pairs := int64(params.Int("pairs"))
			if now := held.Add(pairs); now > test.pairs {
				t.Errorf("room for %d pairs: %d are held", test.pairs, now)
			}
			if now := runs.Add(1); now > test.together {
				t.Errorf("room for %d pairs: %d runs at a time", test.pairs, now)
			}
			l, err := registry.NewSVM(a, env, params)
			return &hookedSVM{Learner: l, step: func(step int64) (algorithms.Status, bool) {
				if step == p.Items[0].Algorithm.Needs(params).Steps {
					// The memory is given back after this.
					defer held.Add(-pairs)
					defer runs.Add(-1)
				}
				return algorithms.Status{}, false
			}}, err
		}
		f := open(t, t.TempDir())
		sum, err := f.executeSVM(context.Background(), p, Options{Workers: 8, Memory: test.pairs * pairBytes}, count)
		if err != nil || sum.Finished != 12 {
			t.Fatalf("%+v, %v", sum, err)
		}
		if !slices.Equal(f.records(t, p), whole.records(t, p)) {
			t.Error("the records depend on the memory")
		}
	}
}

func TestFeaturesThatDoNotFit(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, featureSpec)
	f := open(t, t.TempDir())
	sum, err := f.executeSVM(context.Background(), p, Options{Workers: 3, Memory: 31 * pairBytes}, registry.NewSVM)
	if err != nil || sum.Skipped != 6 || sum.Finished != 6 {
		t.Fatalf("%+v, %v", sum, err)
	}
	for _, r := range f.runs(t, p) {
		if skipped := r.Status == record.StatusSkipped; skipped != (r.Params["pairs"] == int64(32)) || skipped != strings.Contains(r.Reason, "or give --memory 1MiB or more") {
			t.Errorf("%s: %s: %q", r.Name(), r.Status, r.Reason)
		}
	}
}

// A run that waits for memory when the context ends stops waiting, and needs none.
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
	m.release(p.Items[1]) // has nothing
	m.release(p.Items[0])
	if !m.free.TryAcquire(m.bytes) {
		t.Error("some memory is in use")
	}
}

// Kernel rows have what the runs leave, which have all of it where there are none.
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
		{rff, 20 * pairBytes, 8, 20 * pairBytes, 20 * pairBytes},
		{both, 1 << 30, 3, 96 * pairBytes, 1 << 30},
		{both, 200 * pairBytes, 3, 50 * pairBytes, 200 * pairBytes},
		{both, 100 * pairBytes, 3, 32 * pairBytes, 100 * pairBytes},
		{both, 32 * pairBytes, 3, 32*pairBytes - 2*4*96, 32 * pairBytes},
	} {
		p := buildSVM(t, test.spec)
		task := newKernelTask(p.Items, newSettings(p, Options{Workers: test.workers, Memory: test.memory}, references(t)), constructors{})
		if got := task.memory.bytes; got != test.features {
			t.Errorf("%d bytes, %d workers: the features get %d, want %d", test.memory, test.workers, got, test.features)
		}
		if got := task.pool.Bytes() + task.memory.bytes; got != test.total {
			t.Errorf("%d bytes, %d workers: all have %d", test.memory, test.workers, got)
		}
	}
}

// A counter that does not apply to a method, or is not known, is not recorded.
func TestCountersApply(t *testing.T) {
	t.Parallel()
	all := []string{"inner_products", "iterations", "kernel_evals", "kernel_evals_moved"}
	for _, test := range []struct {
		problem, algorithm string
		want               []string
	}{
		{"sigma2: 0.5, C: 1", "sbp", all},
		{"sigma2: 0.5", "perceptron", all},
		{"kernel: linear, C: 1", "sdca", all},
		{"sigma2: 0.5, C: 1", "rff", all[:2]},
		{"kernel: linear, C: 1", "linear-sdca", all[:2]},
		{"kernel: linear, C: 1", "linear-pegasos", all[:2]},
		{"kernel: linear, nu: 0.1", "simba", all[:2]},
		{"sigma2: 0.5, C: 1, bias: true", "libsvm", all[1:2]},
	} {
		text := strings.Replace(featureSpec, "sigma2: 0.5, C: 1", test.problem, 1)
		text = text[:strings.Index(text, "  - {id: rff")] + "  - {id: " + test.algorithm + "}\n"
		p := buildSVM(t, text)
		f := open(t, t.TempDir())
		if sum, err := f.executeSVM(context.Background(), p, Options{Workers: 2}, registry.NewSVM); err != nil || sum.Failed > 0 {
			t.Fatalf("%s: %+v, %v", test.algorithm, sum, err)
		}
		for _, r := range f.runs(t, p) {
			if r.Status == record.StatusSkipped {
				continue
			}
			var names []string
			for name, column := range r.Measured().Cost {
				names = append(names, name)
				if len(column) != r.Points() || len(column) == 0 {
					t.Errorf("%s: %d values of %s at %d points", r.Name(), len(column), name, r.Points())
				}
			}
			slices.Sort(names)
			if !slices.Equal(names, test.want) {
				t.Errorf("%s records %v, want %v", r.Name(), names, test.want)
			}
		}
	}
	var kernels int64
	for _, it := range buildSVM(t, featureSpec).Items {
		kernels += it.KernelEvals()
	}
	if kernels != 0 {
		t.Errorf("%d kernel evaluations are planned", kernels)
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

// Runs on data that do not fit are skipped with a reason, each time, and the others are made.
func TestMomentsThatDoNotFit(t *testing.T) {
	t.Parallel()
	p := plantest.Build(t, momentSpec, nil)
	small, large := p.Items[0].Need().Own(), p.Items[6].Need().Own()
	if small < 8*400*400 || large < 4*small-1<<20 {
		t.Fatalf("%d and %d bytes", small, large)
	}
	f := open(t, t.TempDir())
	for range 2 {
		sum, err := Execute(context.Background(), p, f.store, Options{Workers: 3, Memory: large + 9, Data: 10})
		if err != nil || sum.Skipped != 6 || sum.Finished+sum.Reused != 6 {
			t.Fatalf("%+v, %v", sum, err)
		}
	}
	for _, r := range f.runs(t, p) {
		if (r.Status == record.StatusSkipped) != (r.Dataset == "b") {
			t.Errorf("%s: %s: %q", r.Name(), r.Status, r.Reason)
		}
	}
}
