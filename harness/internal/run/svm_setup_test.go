package run

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// The setup time of a run includes exactly the shared values that it needs, whichever run builds them.
func TestSetupTimeIncludesSharedValues(t *testing.T) {
	t.Parallel()
	p := resultsOf(t, svmSweep).plan
	f, _ := perform(t, p, Options{Workers: 4}, constructors{})
	// The setup seconds by C, on the split that all runs share.
	own, converted := make(map[float64]float64), make(map[float64]float64)
	for id, runs := range f.byAlgorithm(t, p, "a") {
		for _, r := range runs {
			timing, _ := r.Timing()
			c := registry.Params(r.Params).Float("C")
			seconds := own
			if id == "sbp" || id == "sgd" {
				seconds = converted
			}
			if before, ok := seconds[c]; ok && before != timing.SetupSeconds {
				t.Errorf("%s has %v s of setup, a similar run %v s", r.Name(), timing.SetupSeconds, before)
			}
			seconds[c] = timing.SetupSeconds
			if timing.SetupSeconds <= 0 {
				t.Errorf("%s has no setup time", r.Name())
			}
		}
	}
	if len(own) != 2 || len(converted) != 2 || own[1] != own[10] {
		t.Fatalf("setup times %v and %v", own, converted)
	}
	for c, seconds := range converted {
		if seconds <= own[c] {
			t.Errorf("C = %v: %v s with the reference optimum, %v s without", c, seconds, own[c])
		}
	}
}

// counter counts the concurrent runs.
type counter struct {
	now, most atomic.Int64
	watcher
}

func (c *counter) Begin(it *plan.Item, iterations *atomic.Int64) {
	if n := c.now.Add(1); n > c.most.Load() {
		c.most.Store(n)
	}
	c.watcher.Begin(it, iterations)
}

func (c *counter) Done(it *plan.Item, r record.Run, t record.Timing) {
	c.now.Add(-1)
	c.watcher.Done(it, r, t)
}

// With record.alone, runs are performed one at a time for any number of workers. A note reports this,
// and the extent of the runs differs.
func TestRecordAloneUsesOneWorker(t *testing.T) {
	t.Parallel()
	w := resultsOf(t, svmSweep)
	f := open(t, t.TempDir())
	var printed messages
	c := new(counter)
	f.perform(t, w.plan, Options{Workers: 4, Note: printed.add}, constructors{})
	p := buildSVM(t, strings.Replace(svmSweep, "points: 6", "points: 6, alone: true", 1))
	o := Options{Workers: 4, Progress: c, Note: printed.add}
	// A run that was performed concurrently is not reused for record.alone.
	if sum := f.perform(t, p, o, constructors{}); sum != finished(len(p.Items)) || c.most.Load() != 1 || len(printed.all) != 1 {
		t.Errorf("%+v, %d concurrent runs, notes %q", sum, c.most.Load(), printed.all)
	}
	if sum := f.perform(t, p, o, constructors{}); sum != reused(len(p.Items)) || len(printed.all) != 1 {
		t.Errorf("again: %+v, %q", sum, printed.all)
	}
	for of, jobs := range map[*plan.Plan]int{w.plan: 4, p: 1} {
		for _, r := range f.runs(t, of) {
			if timing, ok := r.Timing(); !ok || timing.Jobs != jobs || r.Alone() != (jobs == 1) {
				t.Errorf("%s, extent %s: timing %+v", r.Name(), r.Extent, timing)
			}
		}
	}
	printed.all = nil
	perform(t, p, Options{Workers: 1, Part: Part{Shards: 2}, Warn: printed.add}, constructors{})
	if len(printed.all) == 0 {
		t.Error("there is no warning for shards with record.alone")
	}
}

// The iterations of a run are reported during the run.
func TestProgressReportsIterations(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, svmSweep)
	w := &watcher{}
	var least atomic.Int64
	perform(t, p, Options{Workers: 1, Progress: w}, withHooks("sdca", hooks{step: func(n int64) (algorithms.Status, bool) {
		if n == 100 { // between the recorded points at about 32 and 180
			w.mu.Lock()
			defer w.mu.Unlock()
			for it, counted := range w.counted {
				if n := counted.Load(); it.Algorithm.ID == "sdca" && n > 0 && n < it.Budget {
					least.Add(1)
				}
			}
		}
		return algorithms.Status{}, false
	}}))
	if least.Load() != 9 {
		t.Errorf("%d of 9 runs were reported while in progress", least.Load())
	}
	for it, counted := range w.counted {
		if got := counted.Load(); it.Algorithm.ID != "smo" && got != it.Budget {
			t.Errorf("%s: %d iterations were reported, want %d", it.Series, got, it.Budget)
		}
	}
}

// If a solver is not installed, nothing is prepared for it.
func TestNothingIsPreparedForAMissingSolver(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	text := svmSweep[:svmSweepA] + "algorithms:\n  - {id: libsvm}\n  - {id: sbp}\n"
	p := buildSVM(t, strings.Replace(text, "C: [1, 10]", "C: 1, bias: true", 1))
	f := open(t, t.TempDir())
	pending, _ := Pending(p, f.store, Options{})
	task := newKernelTask(pending, newSettings(p, Options{}, references(t)), constructors{svm: registry.NewSVM})
	for _, it := range pending {
		rec, timing := record.Run{}, record.Timing{}
		_, err := task.start(context.Background(), it, &rec, &timing)
		skipped := new(statusError)
		if it.Algorithm.ID != "libsvm" {
			if err != nil || timing.SetupSeconds <= 0 {
				t.Errorf("%s: %v, setup %v s", it.Series, err, timing.SetupSeconds)
			}
		} else if !errors.As(err, &skipped) || skipped.status != record.StatusSkipped ||
			timing.SetupSeconds != 0 {
			t.Errorf("%s: %v, setup %v s", it.Series, err, timing.SetupSeconds)
		}
	}
}

// If an optimum is needed only for the suboptimality and cannot be certified, its runs are performed
// without it, with one warning.
func TestRunsWithoutACertifiedOptimum(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	text := strings.Replace(svmSweep[:svmSweepA], "sigma2: 0.5, C: [1, 10]", "sigma2: 0.5, C: 1e12", 1)
	p := buildSVM(t, text+"algorithms:\n  - {id: sdca}\n  - {id: smo}\n")
	var warnings messages
	o := Options{Workers: 1, Warn: warnings.add}
	f, sum := perform(t, p, o, constructors{})
	if sum.Finished != 3+1 || len(warnings.all) != 1 {
		t.Fatalf("%+v, warnings %q", sum, warnings.all)
	}
	plain := buildSVM(t, strings.Replace(text, "points: 6", "points: 6, reference: false", 1)+"algorithms:\n  - {id: sdca}\n  - {id: smo}\n")
	g, _ := perform(t, plain, o, constructors{})
	if len(warnings.all) != 1 {
		t.Fatalf("without a reference: warnings %q", warnings.all)
	}
	want := g.runs(t, plain)
	for i, r := range f.runs(t, p) {
		if r.Extent != want[i].Extent+"+reference1" {
			t.Errorf("%s: extent %s", r.Name(), r.Extent)
		}
		if r.Extent = want[i].Extent; encoded(t, r) != encoded(t, want[i]) {
			t.Errorf("%s differs from the run without a reference:\n%s\n%s", r.Name(), encoded(t, r), encoded(t, want[i]))
		}
	}
}

// With record.alone, the kernel rows for solving the optimum are freed before the run starts.
func TestRecordAloneStartsWithAnEmptyPool(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, strings.Replace(svmSweep, "points: 6", "points: 6, alone: true", 1))
	f := open(t, t.TempDir())
	var of *kernelTask
	performTask(t, f, p, Options{}, func(pending []*plan.Item, s settings) task {
		of = newKernelTask(pending, s, constructors{svm: func(a *registry.Algorithm, env registry.Env, params registry.Params) (svm.Learner, error) {
			if used := of.pool.Used(); used != 0 {
				t.Errorf("%s: %d bytes are in use before it starts", a.ID, used)
			}
			return registry.NewSVM(a, env, params)
		}})
		return of
	})
	if !slices.ContainsFunc(f.runs(t, p), func(r record.Run) bool { return r.Facts["reference_dual"] != 0 }) {
		t.Error("no optimum was solved")
	}
}

// ownTime is a method that reports the time of its steps: 1000 s per step, half of it CPU time.
type ownTime struct {
	svm.Learner
	seconds float64
}

func (o *ownTime) Step() algorithms.Status      { o.seconds += 1000; return o.Learner.Step() }
func (o *ownTime) Seconds() (wall, cpu float64) { return o.seconds, o.seconds / 2 }

func TestTimesReportedBySolvers(t *testing.T) {
	t.Parallel()
	text := svmSweep[:svmSweepA] + "algorithms:\n  - {id: smo}\n  - {id: sdca}\n"
	p := buildSVM(t, strings.Replace(text, "{passes: 3}", "{iterations: 4}", 1))
	f, sum := perform(t, p, Options{Workers: 1}, constructors{svm: func(a *registry.Algorithm, env registry.Env, params registry.Params) (svm.Learner, error) {
		l, err := registry.NewSVM(a, env, params)
		if a.ID == "sdca" {
			l = &ownTime{Learner: l}
		}
		return l, err
	}})
	if sum.Finished != 2+2*3 {
		t.Fatalf("%+v", sum)
	}
	for _, r := range f.runs(t, p) {
		timing, _ := r.Timing()
		if r.Algorithm == "smo" {
			if timing.StepSeconds >= 1000 {
				t.Errorf("%s took %v s", r.Name(), timing.StepSeconds)
			}
			known := runtime.GOOS == "linux"
			if cpu := timing.CPUSeconds; known != (len(cpu) == r.Points()) || known && (cpu[0] < 0 || !slices.IsSorted(cpu)) {
				t.Errorf("%s: CPU seconds %v", r.Name(), cpu)
			}
			continue
		}
		if timing.StepSeconds != 4000 || len(timing.Seconds) != r.Points() || len(timing.CPUSeconds) != r.Points() {
			t.Errorf("%s: timing %+v", r.Name(), timing)
		}
		for i, n := range r.Measured().Cost["iterations"] {
			if timing.Seconds[i] != 1000*float64(n) || timing.CPUSeconds[i] != 500*float64(n) {
				t.Errorf("%s: %v s after %d iterations", r.Name(), timing.Seconds[i], n)
			}
		}
	}
}

// The CPU time of PCA is on record where the products of its matrices use one thread.
func TestCPUTimeOfPCA(t *testing.T) {
	t.Parallel()
	const text = `version: 1
name: timed
task: pca
seed: 1
repeats: 1
budget: {iterations: 20}
record: {points: 4}
datasets:
  - {id: small, source: simulated-gaussian, with: {dim: 64, gap: 2}, problem: {k: 2}}
  - {id: large, source: simulated-gaussian, with: {dim: 65, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: incremental}
select: {by: none}
`
	p := planOf(t, text)
	f, _ := perform(t, p, Options{Workers: 1}, constructors{})
	for _, r := range f.runs(t, p) {
		if _, ok := r.CPUSeconds(); ok != (r.Dataset == "small" && runtime.GOOS == "linux") {
			t.Errorf("%s: CPU seconds are on record: %v", r.Name(), ok)
		}
	}
}
