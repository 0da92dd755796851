package run

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/results"
)

// A run is charged all that it needs, whoever built it, and no more: which run
// asks first makes no difference.
func TestSetupIsChargedToEachThatNeedsIt(t *testing.T) {
	p := buildSVM(t, svmSweep)
	_, f := watchTask(t, p, Options{Workers: 4})
	// By value of C, on the split that all runs share.
	own, converted := make(map[float64]float64), make(map[float64]float64)
	for id, runs := range f.byAlgorithm(p, "a") {
		for _, r := range runs {
			timing, _ := f.store.Timing(r.Key, r.Extent)
			c := registry.Params(r.Params).Float("C")
			seconds := own
			if id == "sbp" || id == "sgd" {
				seconds = converted
			}
			if before, ok := seconds[c]; ok && before != timing.SetupSeconds {
				t.Errorf("%s is charged %v s, another like it %v s", r.Name(), timing.SetupSeconds, before)
			}
			seconds[c] = timing.SetupSeconds
			if timing.SetupSeconds <= 0 {
				t.Errorf("%s is charged nothing", r.Name())
			}
		}
	}
	if len(own) != 2 || len(converted) != 2 || own[1] != own[10] {
		t.Fatalf("charged %v and %v", own, converted)
	}
	for c, seconds := range converted {
		if seconds <= own[c] {
			t.Errorf("C = %v: %v s with the reference optimum, %v s without", c, seconds, own[c])
		}
	}
}

// counter counts the runs in flight.
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

func (c *counter) Done(it *plan.Item, r results.Run) {
	c.now.Add(-1)
	c.watcher.Done(it, r)
}

// Runs that are to be alone go one at a time, however many may, are told apart
// from others by their extent, and said to be so.
func TestAloneMeansOneAtATime(t *testing.T) {
	f := open(t, t.TempDir())
	for _, test := range []struct {
		record string
		jobs   int
		note   string
	}{
		{"points: 6", 4, ""},
		{"points: 6, alone: true", 1, "record.alone: one run at a time, not 4, so that times compare"},
	} {
		p := buildSVM(t, strings.Replace(svmSweep, "points: 6", test.record, 1))
		var notes []string
		c := new(counter)
		o := Options{Workers: 4, Progress: c, Note: func(text string) { notes = append(notes, text) }}
		// What was made side by side does not serve for what is to be alone.
		if sum, err := f.executeSVM(context.Background(), p, o, registry.NewSVM); err != nil || sum.Finished != svmSweepRuns {
			t.Fatalf("%+v, %v", sum, err)
		}
		if test.jobs == 1 && c.most.Load() != 1 {
			t.Errorf("%d runs went side by side", c.most.Load())
		}
		if got := strings.Join(notes, "\n"); got != test.note {
			t.Errorf("notes are %q, want %q", got, test.note)
		}
		for _, r := range f.store.Runs(p.IDs()) {
			if timing, ok := f.store.Timing(r.Key, r.Extent); !ok || timing.Jobs != test.jobs || r.Alone() != (test.jobs == 1) {
				t.Errorf("%s, extent %s: timing %+v", r.Name(), r.Extent, timing)
			}
		}
		if test.jobs == 1 {
			notes = nil
			if sum, err := f.executeSVM(context.Background(), p, o, registry.NewSVM); err != nil || sum.Reused != svmSweepRuns || notes != nil {
				t.Errorf("again: %+v, %v, %q", sum, err, notes)
			}
		}
	}
	p := buildSVM(t, strings.Replace(svmSweep, "points: 6", "points: 6, alone: true", 1))
	var warnings []string
	o := Options{Workers: 1, Shards: 2, Warn: func(text string) { warnings = append(warnings, text) }}
	if _, err := open(t, t.TempDir()).executeSVM(context.Background(), p, o, registry.NewSVM); err != nil || len(warnings) == 0 || !strings.HasPrefix(warnings[0], "record.alone, but with shards") {
		t.Errorf("%v, warnings %q", err, warnings)
	}
}

// The iterations of a run are told while it goes on.
func TestProgressIsToldOfIterations(t *testing.T) {
	p := buildSVM(t, svmSweep)
	w := &watcher{}
	var least atomic.Int64
	construct := spoilSVM("sdca", func(h *hookedSVM) {
		h.step = func(n int64) (algorithms.Status, bool) {
			if n == 100 { // between the points of the record at 32 or so and 180
				w.mu.Lock()
				defer w.mu.Unlock()
				for it, counted := range w.counted {
					if n := counted.Load(); it.Algorithm.ID == "sdca" && n > 0 && n < it.Budget {
						least.Add(1)
					}
				}
			}
			return algorithms.Status{}, false
		}
	})
	f := open(t, t.TempDir())
	if _, err := f.executeSVM(context.Background(), p, Options{Workers: 1, Progress: w}, construct); err != nil {
		t.Fatal(err)
	}
	if least.Load() != 9 {
		t.Errorf("%d of 9 runs were seen on their way", least.Load())
	}
	for it, counted := range w.counted {
		if got := counted.Load(); it.Algorithm.ID != "smo" && got != it.Budget {
			t.Errorf("%s: %d iterations were told of, want %d", it.Series, got, it.Budget)
		}
	}
}

// Nothing is prepared for a solver that is not there.
func TestMissingSolverIsFoundFirst(t *testing.T) {
	text := svmSweep[:strings.Index(svmSweep, "  - {id: b")] + "algorithms:\n  - {id: sbp}\n"
	p := buildSVM(t, text)
	f := open(t, t.TempDir())
	pending, _ := Pending(p, f.store, Options{})
	task := newSVMTask(pending, newSettings(p, Options{}, references(t)), registry.NewSVM)
	task.available = func(id string) error { return fmt.Errorf("%s: %w", id, svm.ErrNoSolver) }
	var sum Summary
	x := &execution{settings: task.settings, task: task, sum: &sum}
	if err := x.all(context.Background(), pending, f.store, 2); err != nil || sum.Skipped != len(pending) {
		t.Errorf("%+v, %v", sum, err)
	}
	task.available = registry.AvailableSVM
	rec, timing := results.Run{}, results.Timing{}
	if _, err := task.start(context.Background(), pending[0], &rec, &timing); err != nil || timing.SetupSeconds <= 0 {
		t.Errorf("the solver that is there: %v, setup %v s", err, timing.SetupSeconds)
	}
	task.release(pending[0])
	t.Setenv("PATH", t.TempDir())
	if err := registry.AvailableSVM("libsvm"); err == nil || !strings.Contains(err.Error(), "svm-train is not installed") {
		t.Errorf("without svm-train: %v", err)
	}
	if err := registry.AvailableSVM("sbp"); err != nil {
		t.Error(err)
	}
}

// What would help is said to those whom it would help.
func TestAdviceOnOptimaThatCannotBeHad(t *testing.T) {
	text := strings.Replace(svmSweep[:strings.Index(svmSweep, "  - {id: b")], "sigma2: 0.5, C: [1, 10]", "sigma2: 0.5, C: 1e12", 1)
	text += "algorithms:\n  - {id: sbp}\n  - {id: sgd}\n  - {id: smo}\n"
	p := buildSVM(t, strings.Replace(text, "repeats: 3", "repeats: 1", 1))
	f := open(t, t.TempDir())
	sum, err := f.executeSVM(context.Background(), p, Options{Workers: 1}, registry.NewSVM)
	if err != nil || sum.Failed != 3 {
		t.Fatalf("%+v, %v", sum, err)
	}
	want := map[string]string{
		"sbp": "use a larger lambda (a smaller C), or give nu, which sbp takes, in place of C",
		"sgd": "use a larger lambda (a smaller C), or give R, which sgd takes, in place of C",
		"smo": "use a larger lambda (a smaller C), or set record.reference to false",
	}
	for _, r := range f.store.Runs(p.IDs()) {
		if !strings.HasPrefix(r.Reason, "the reference optimum: objective: ") || !strings.HasSuffix(r.Reason, ": "+want[r.Series]) {
			t.Errorf("%s: %s", r.Name(), r.Reason)
		}
	}
}
