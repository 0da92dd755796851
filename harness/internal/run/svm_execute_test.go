package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// The records depend neither on the number of workers nor on the memory.
func TestSVMExecutionIsDeterministic(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, svmSweep)
	var want []string
	var optima string
	for _, o := range []Options{{Workers: 1}, {Workers: 4}, {Workers: 3, Memory: 4 * 90 * 7}} {
		f := open(t, t.TempDir())
		sum, err := f.executeSVM(context.Background(), p, o, registry.NewSVM)
		if err != nil || sum != (Summary{Planned: svmSweepRuns, Counts: record.Counts{Runs: svmSweepRuns, Finished: svmSweepRuns}}) {
			t.Fatalf("%+v: summary is %+v, %v", o, sum, err)
		}
		data := f.optima()
		got := f.records(t, p)
		if want == nil {
			want, optima = got, data
		}
		if len(got) != svmSweepRuns || !slices.Equal(got, want) {
			t.Errorf("%+v: %d records differ from those of one worker", o, len(got))
		}
		if data != optima {
			t.Errorf("%+v: the optima are\n%s\nwant\n%s", o, data, optima)
		}
	}
	// Of dataset a one for each C, of b, where nu is given, one a repeat.
	if n := strings.Count(optima, "\n"); n != 2+3 {
		t.Errorf("%d optima are stored, want 5:\n%s", n, optima)
	}
}

func TestSVMExecutionResumes(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, svmSweep)
	whole := open(t, t.TempDir())
	if _, err := whole.executeSVM(context.Background(), p, Options{Workers: 2}, registry.NewSVM); err != nil {
		t.Fatal(err)
	}
	want := whole.records(t, p)
	dir := t.TempDir()
	interrupted := 0
	for round := 0; ; round++ {
		f := open(t, dir)
		before := len(f.records(t, p))
		ctx, cancel := context.WithCancel(context.Background())
		middle := spoilSVM("sdca", func(h *hookedSVM) {
			h.step = func(n int64) (algorithms.Status, bool) {
				if n == 100 && round%2 == 1 && before < 40 {
					cancel()
				}
				return algorithms.Status{}, false
			}
		})
		w := &watcher{after: func(n int) {
			if n == 9 && round%2 == 0 {
				cancel()
			}
		}}
		sum, err := f.executeSVM(ctx, p, Options{Workers: 2, Progress: w}, middle)
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		got := f.records(t, p)
		if sum.Reused != before || sum.Finished != len(got)-before {
			t.Errorf("%d records before, %d after, %+v", before, len(got), sum)
		}
		if err := f.store.Close(); err != nil {
			t.Fatal(err)
		}
		if err == nil {
			if !slices.Equal(got, want) {
				t.Error("the records differ from those of an uninterrupted execution")
			}
			break
		}
		interrupted++
		if round > 40 {
			t.Fatalf("%d of %d runs after %d rounds", len(got), svmSweepRuns, round)
		}
	}
	if interrupted < 3 {
		t.Errorf("interrupted %d times only", interrupted)
	}
}

func TestSVMExecutionInShards(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, svmSweep)
	whole := open(t, t.TempDir())
	if _, err := whole.executeSVM(context.Background(), p, Options{Workers: 2}, registry.NewSVM); err != nil {
		t.Fatal(err)
	}
	optima := whole.optima()
	dir := t.TempDir()
	for _, shard := range []int{2, 0, 1} {
		store, err := record.Open(dir, record.Options{Part: "shard"})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := Execute(context.Background(), p, store, Options{Part: Part{Shard: shard, Shards: 3}})
		if want := len(Cut(p, 3)[shard]); err != nil || sum.Finished != want {
			t.Errorf("shard %d: %+v, %v", shard, sum, err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	f := open(t, dir)
	if sum, err := Execute(context.Background(), p, f.store, Options{}); err != nil || sum != (Summary{Planned: svmSweepRuns, Reused: svmSweepRuns}) {
		t.Errorf("assembling: %+v, %v", sum, err)
	}
	if !slices.Equal(f.records(t, p), whole.records(t, p)) {
		t.Error("the records of shards differ from those of one execution")
	}
	if got := f.optima(); got != optima {
		t.Errorf("the optima of shards are\n%s\nwant\n%s", got, optima)
	}
}

// What goes wrong in one run is that run's record; the others go on, and no
// reader or kernel row is left behind.
func TestSVMRunsThatGoWrong(t *testing.T) {
	t.Parallel()
	const runs = 9 // of one algorithm
	for _, test := range []struct {
		name, status, reason string
		construct            svmConstructor
	}{
		{"panic in Step", record.StatusFailed, `^panic: boom 7 at stochopt/harness/internal/run\.\S+ \(svm_execute_test\.go:\d+\)$`,
			spoilSVM("sdca", func(h *hookedSVM) {
				h.step = func(n int64) (algorithms.Status, bool) {
					if n == 7 {
						panic("boom 7")
					}
					return algorithms.Status{}, false
				}
			})},
		{"cannot be constructed", record.StatusFailed, `^no such luck$`,
			func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error) {
				l, err := registry.NewSVM(a, env, p)
				if a.ID == "sdca" {
					return nil, errConstruct
				}
				return l, err
			}},
		{"no solver", record.StatusSkipped, `^sdca: svm-train is not installed`,
			func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error) {
				if a.ID == "sdca" {
					return nil, fmt.Errorf("%s: %w", a.ID, svm.ErrNoSolver)
				}
				return registry.NewSVM(a, env, p)
			}},
		{"a cost that is no cost", record.StatusFailed, `^the run's record is invalid: cost "kernel_evals" decreases from 0 to -1 at point 0; counters are cumulative$`,
			spoilSVM("sdca", func(h *hookedSVM) { h.cost = func(c *algorithms.Cost) { c.KernelEvals = -1 } })},
		{"diverged", record.StatusDiverged, `^too large$`,
			spoilSVM("sdca", func(h *hookedSVM) {
				h.step = func(n int64) (algorithms.Status, bool) {
					return algorithms.Status{State: algorithms.Diverged, Reason: "too large"}, n == 9
				}
			})},
		{"not finite", record.StatusDiverged, `^the score of point (30|27) of the test split is NaN at iteration 1: not finite$`,
			spoilSVM("sdca", func(h *hookedSVM) {
				h.solution = func(s *svm.Solution) { s.Scores[len(s.Scores)-1] = math.NaN() }
			})},
		{"too large to be squared", record.StatusDiverged, `^the norm at iteration 1 is not finite$|^the objective at iteration 1 is not finite$`,
			spoilSVM("sdca", func(h *hookedSVM) {
				h.solution = func(s *svm.Solution) { s.Scores[0] = -1e308; s.Scores[1] = -1e308; s.NormSq = 1.7e308 }
			})},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := buildSVM(t, strings.Replace(svmSweep, "points: 6", "points: 6, vectors: true", 1))
			f := open(t, t.TempDir())
			sum, err := f.executeSVM(context.Background(), p, Options{Workers: 3}, test.construct)
			if err != nil {
				t.Fatal(err)
			}
			want := Summary{Planned: svmSweepRuns, Counts: record.Counts{Runs: svmSweepRuns, Finished: svmSweepRuns - runs}}
			switch test.status {
			case record.StatusDiverged:
				want.Diverged = runs
			case record.StatusSkipped:
				want.Skipped = runs
			default:
				want.Failed = runs
			}
			if sum != want {
				t.Errorf("summary is %+v, want %+v", sum, want)
			}
			reason := regexp.MustCompile(test.reason)
			for _, r := range f.runs(t, p) {
				if r.Algorithm == "sdca" && (r.Status != test.status || !reason.MatchString(r.Reason)) {
					t.Errorf("%s: %s: %q, want %s: %s", r.Name(), r.Status, r.Reason, test.status, test.reason)
				}
				if r.Algorithm != "sdca" && r.Status != record.StatusFinished {
					t.Errorf("%s: %s: %s", r.Name(), r.Status, r.Reason)
				}
			}
			if test.status == record.StatusDiverged {
				return
			}
			// The others are repeated.
			sum, err = f.executeSVM(context.Background(), p, Options{Workers: 3}, registry.NewSVM)
			if err != nil || sum != (Summary{Planned: svmSweepRuns, Reused: svmSweepRuns - runs, Counts: record.Counts{Runs: runs, Finished: runs}}) {
				t.Errorf("the next time: %+v, %v", sum, err)
			}
		})
	}
}

// When nobody needs them any more the kernel rows are given back, whatever
// became of the runs.
func TestKernelRowsAreGivenBack(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, svmSweep)
	f := open(t, t.TempDir())
	boom := spoilSVM("sgd", func(h *hookedSVM) {
		h.step = func(n int64) (algorithms.Status, bool) {
			if n == 50 {
				panic("boom")
			}
			return algorithms.Status{}, false
		}
	})
	pending, _ := Pending(p, f.store, Options{})
	set := newSettings(p, Options{Workers: 2}, references(t))
	task := newKernelTask(pending, set, constructors{svm: boom})
	var sum Summary
	x := &execution{store: f.store, settings: set, task: task, sum: &sum}
	if err := x.all(context.Background(), pending); err != nil {
		t.Fatal(err)
	}
	if sum.Failed != 9 || sum.Finished != svmSweepRuns-9 {
		t.Errorf("%+v", sum)
	}
	if len(task.made) != 0 || len(task.readers) != 0 || task.pool.Used() != 0 {
		t.Errorf("%d shares, %d readers and %d bytes are left", len(task.made), len(task.readers), task.pool.Used())
	}
}
