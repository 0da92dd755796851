package run

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/datasets"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plantest"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/record"

	"gonum.org/v1/gonum/mat"
)

func TestExecuteRecordsEveryRun(t *testing.T) {
	t.Parallel()
	p := plantest.Build(t, sweep, nil)
	var want []string
	for _, workers := range []int{1, 4} {
		f := open(t, t.TempDir())
		w := &watcher{}
		sum, err := Execute(context.Background(), p, f.store, Options{Workers: workers, Progress: w})
		if err != nil {
			t.Fatal(err)
		}
		if sum != (Summary{Planned: 27, Counts: record.Counts{Runs: 27, Finished: 27}}) {
			t.Errorf("summary is %+v", sum)
		}
		if w.total != 27 || w.done != 0 || w.iterations != 27*60 || w.runs != 27 {
			t.Errorf("progress was told %d total, %d done, %d iterations, %d runs", w.total, w.done, w.iterations, w.runs)
		}
		got := f.records(t, p)
		if want == nil {
			want = got
		}
		if len(got) != 27 || !slices.Equal(got, want) {
			t.Errorf("%d records with %d workers differ from those with 1", len(got), workers)
		}
	}
	f := open(t, t.TempDir())
	if _, err := Execute(context.Background(), p, f.store, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, r := range f.runs(t, p) {
		points := Points(60, 6, "log")
		if r.Reason != "budget of 60 iterations" || !slices.Equal(r.Measured().Cost["iterations"], points) || len(r.Measured().Spectrum) != len(points) {
			t.Errorf("%s: %s, recorded at %v", r.Name(), r.Reason, r.Measured().Cost["iterations"])
		}
		objective, gap := r.Measured().Metrics["population"]["objective"], r.Measured().Metrics["population"]["suboptimality"]
		for i := range points {
			if gap[i] < -1e-12 || math.Abs(objective[i]+gap[i]-objective[0]-gap[0]) > 1e-12 {
				t.Errorf("%s: objective %v and suboptimality %v at point %d", r.Name(), objective[i], gap[i], i)
			}
		}
		if timing, ok := r.Timing(); !ok || timing.StepSeconds <= 0 || timing.EvalSeconds <= 0 || timing.Finished == "" {
			t.Errorf("%s: timing %+v", r.Name(), timing)
		}
	}
}

// What goes wrong in one run is that run's record; the others go on. Failed
// runs are tried again, diverged ones are not.
func TestRunsThatGoWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, status, reason string
		construct            constructor
	}{
		{"panic in Step", record.StatusFailed, `^panic: boom 7 at stochopt/harness/internal/run\.TestRunsThatGoWrong\.\S+ \(execute_test\.go:\d+\)$`,
			spoil("incremental", func(h *hooked) {
				h.step = func(t int64) (algorithms.Status, bool) {
					if t == 7 {
						panic("boom 7")
					}
					return algorithms.Status{}, false
				}
			})},
		{"runtime error", record.StatusFailed, `^panic: runtime error: index out of range \[3\] with length 0 at stochopt/harness/internal/run\.\S+ \(execute_test\.go:\d+\)$`,
			spoil("incremental", func(h *hooked) {
				var empty []int
				h.state = func(*pca.State) { empty[3]++ }
			})},
		{"failed", record.StatusFailed, `^no convergence$`,
			spoil("incremental", func(h *hooked) {
				h.step = func(t int64) (algorithms.Status, bool) {
					return algorithms.Status{State: algorithms.Failed, Reason: "no convergence"}, t == 9
				}
			})},
		{"failed without a reason", record.StatusFailed, `^the algorithm gives no reason$`,
			spoil("incremental", func(h *hooked) {
				h.step = func(int64) (algorithms.Status, bool) { return algorithms.Status{State: algorithms.Failed}, true }
			})},
		{"cannot be constructed", record.StatusFailed, `^no such luck$`,
			func(a *registry.Algorithm, env registry.PCAEnv, p registry.Params) (pca.Learner, error) {
				if a.ID == "incremental" {
					return nil, errConstruct
				}
				return registry.NewPCA(a, env, p)
			}},
		{"a cost that is no cost", record.StatusFailed, `^the run's record is invalid: cost "sum_kt2" decreases from 0 to -1 at point 0; counters are cumulative$`,
			spoil("incremental", func(h *hooked) { h.cost = func(c *algorithms.Cost) { c.SumKT2 = -1 } })},
		{"diverged", record.StatusDiverged, `^too large$`,
			spoil("incremental", func(h *hooked) {
				h.step = func(t int64) (algorithms.Status, bool) {
					return algorithms.Status{State: algorithms.Diverged, Reason: "too large"}, t == 9
				}
			})},
		{"diverged without a reason", record.StatusDiverged, `^the algorithm gives no reason$`,
			spoil("incremental", func(h *hooked) {
				h.step = func(int64) (algorithms.Status, bool) { return algorithms.Status{State: algorithms.Diverged}, true }
			})},
		{"not finite", record.StatusDiverged, `^the objective on the population split at iteration 1 is not finite$`,
			spoil("incremental", func(h *hooked) {
				h.state = func(s *pca.State) {
					s.U = mat.DenseCopyOf(s.U)
					s.U.Set(0, 0, math.NaN())
				}
			})},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := plantest.Build(t, sweep, nil)
			f := open(t, t.TempDir())
			sum, err := f.execute(context.Background(), p, test.construct, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := Summary{Planned: 27, Counts: record.Counts{Runs: 27, Finished: 18, Failed: 9}}
			if test.status == record.StatusDiverged {
				want.Failed, want.Diverged = 0, 9
			}
			if sum != want {
				t.Errorf("summary is %+v, want %+v", sum, want)
			}
			reason := regexp.MustCompile(test.reason)
			for _, r := range f.runs(t, p) {
				switch {
				case r.Algorithm != "incremental" && r.Status != record.StatusFinished:
					t.Errorf("%s: %s: %s", r.Name(), r.Status, r.Reason)
				case r.Algorithm == "incremental" && (r.Status != test.status || !reason.MatchString(r.Reason)):
					t.Errorf("%s: %s: %q, want %s: %s", r.Name(), r.Status, r.Reason, test.status, test.reason)
				}
			}

			sum, err = f.execute(context.Background(), p, registry.NewPCA, nil)
			want = Summary{Planned: 27, Reused: 18, Counts: record.Counts{Runs: 9, Finished: 9}}
			if test.status == record.StatusDiverged {
				want = Summary{Planned: 27, Reused: 27}
			}
			if err != nil || sum != want {
				t.Errorf("the next time: %+v, %v, want %+v", sum, err, want)
			}
			if test.status == record.StatusFailed {
				whole := open(t, t.TempDir())
				if _, err := whole.execute(context.Background(), p, registry.NewPCA, nil); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(f.records(t, p), whole.records(t, p)) {
					t.Error("failing first changed the records")
				}
			}
		})
	}
}

// bomb is a distribution whose second moment panics.
type bomb struct{ datasets.Distribution }

func (bomb) SecondMomentTo(*mat.SymDense) { panic("no moment") }

// A distribution of infinite variance has no optimum.
type heavy struct{}

func (heavy) Dim() int { return 3 }
func (heavy) Sample(dst []float64, rng *rand.Rand) {
	for i := range dst {
		dst[i] = rng.NormFloat64()
	}
}
func (heavy) SecondMomentTo(dst *mat.SymDense) { dst.ReuseAsSym(3); dst.SetSym(1, 1, math.Inf(1)) }

func TestEvaluationsThatGoWrong(t *testing.T) {
	t.Parallel()
	normal := datasets.NewGaussian([]float64{3, 2, 1})
	for _, test := range []struct {
		name   string
		dist   datasets.Distribution
		reason string
	}{
		{"panic", bomb{normal}, "panic: no moment at stochopt/harness/internal/run.bomb.SecondMomentTo (execute_test.go:"},
		{"error", heavy{}, "the optimum on the population split: objective: entry (2, 2) of the second-moment matrix is +Inf: scale the data down"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := plantest.Build(t, sweep, map[string]*datasets.Data{"a": {Name: "bad", Hash: "sha256:bad", Dist: test.dist}})
			f := open(t, t.TempDir())
			for range 2 {
				sum, err := f.execute(context.Background(), p, registry.NewPCA, nil)
				if err != nil || sum.Failed != 9 || sum.Finished+sum.Reused != 18 {
					t.Errorf("summary is %+v, %v", sum, err)
				}
			}
			explained := 0
			for _, r := range f.runs(t, p) {
				if r.Dataset == "b" {
					if r.Status != record.StatusFinished {
						t.Errorf("%s: %s: %s", r.Name(), r.Status, r.Reason)
					}
					continue
				}
				if strings.HasPrefix(r.Reason, test.reason) {
					explained++
				} else if r.Reason != errUnprepared.Error() {
					t.Errorf("%s: %s", r.Name(), r.Reason)
				}
			}
			if explained == 0 {
				t.Error("no record says why")
			}
		})
	}
}

func TestInterruptedExecutionRecordsWholeRunsOnly(t *testing.T) {
	t.Parallel()
	p := plantest.Build(t, sweep, nil)
	whole := open(t, t.TempDir())
	if _, err := whole.execute(context.Background(), p, registry.NewPCA, nil); err != nil {
		t.Fatal(err)
	}
	want := whole.records(t, p)
	t.Run("before it begins", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		f := open(t, t.TempDir())
		sum, err := f.execute(ctx, p, registry.NewPCA, nil)
		if !errors.Is(err, context.Canceled) || sum != (Summary{Planned: 27}) || len(f.records(t, p)) != 0 {
			t.Errorf("%+v, %v, %d records", sum, err, len(f.records(t, p)))
		}
	})
	t.Run("again and again", func(t *testing.T) {
		dir := t.TempDir()
		total, interrupted := 0, 0
		for round := 0; total < 27; round++ {
			f := open(t, dir)
			before := len(f.records(t, p))
			ctx, cancel := context.WithCancel(context.Background())
			// In the middle of a run, and after the end of one.
			middle := spoil("msg", func(h *hooked) {
				h.step = func(n int64) (algorithms.Status, bool) {
					if n == 30 && round%2 == 1 && before < 20 {
						cancel()
					}
					return algorithms.Status{}, false
				}
			})
			w := &watcher{after: func(n int) {
				if n == 2 && round%2 == 0 {
					cancel()
				}
			}}
			sum, err := f.execute(ctx, p, middle, w)
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if err != nil {
				interrupted++
			}
			got := f.records(t, p)
			if sum.Reused != before || sum.Finished != len(got)-before || sum.Failed+sum.Diverged > 0 || w.runs != sum.Finished {
				t.Errorf("%d records before, %d after, %+v", before, len(got), sum)
			}
			for _, line := range got {
				if !slices.Contains(want, line) {
					t.Fatalf("a record differs from that of an uninterrupted execution:\n%s", line)
				}
			}
			total = len(got)
			if err := f.store.Close(); err != nil {
				t.Fatal(err)
			}
			if round > 60 {
				t.Fatalf("%d of 27 runs after %d rounds", total, round)
			}
		}
		if interrupted < 3 {
			t.Errorf("interrupted %d times only", interrupted)
		}
	})
}

// Where recording fails, the execution ends with that error, and not with that
// of the context by which it stops its workers.
func TestRecordsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	p := plantest.Build(t, sweep, nil)
	f := open(t, t.TempDir())
	w := &watcher{after: func(n int) {
		if n == 3 {
			if err := f.store.Close(); err != nil {
				t.Error(err)
			}
		}
	}}
	sum, err := f.execute(context.Background(), p, registry.NewPCA, w)
	if err == nil || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "is closed") {
		t.Errorf("error is %v, want that of the store", err)
	}
	if sum.Finished < 3 || sum.Finished > 4 {
		t.Errorf("%d runs count as finished, want those on record", sum.Finished)
	}
}

func TestReferencesAreReusedOnResume(t *testing.T) {
	t.Parallel()
	p := plantest.Build(t, sweep, nil)
	f := open(t, t.TempDir())
	if _, err := f.execute(context.Background(), p, registry.NewPCA, nil); err != nil {
		t.Fatal(err)
	}
	data := f.optima()
	if n := strings.Count(data, "\n"); n != 2 {
		t.Fatalf("%d optima are stored, want 2:\n%s", n, data)
	}
	// An optimum that is off by what counts as rounding shows where it is used.
	first := regexp.MustCompile(`"eigenvalues":\[[0-9.e-]+`)
	again := open(t, t.TempDir())
	again.putOptima(t, f, func(object string) string {
		return first.ReplaceAllStringFunc(object, func(found string) string {
			bracket := strings.Index(found, "[") + 1
			v, err := strconv.ParseFloat(found[bracket:], 64)
			if err != nil {
				t.Fatal(err)
			}
			return found[:bracket] + strconv.FormatFloat(v*(1+1e-10), 'g', -1, 64)
		})
	})
	if _, err := execute(context.Background(), p, again.store, Options{Workers: 2}, constructors{pca: registry.NewPCA}); err != nil {
		t.Fatal(err)
	}
	before := f.runs(t, p)
	for i, r := range again.runs(t, p) {
		gap, was := r.Measured().Metrics["population"]["suboptimality"][0], before[i].Measured().Metrics["population"]["suboptimality"][0]
		if gap-was < 1e-12 || gap-was > 1e-9 {
			t.Errorf("%s: suboptimality %v, before %v: the optimum was solved again", r.Name(), gap, was)
		}
	}
}

// The stored optima depend neither on what was pending nor on who solved them.
func TestReferencesOfShardsAndOfResumedExecutions(t *testing.T) {
	t.Parallel()
	p := plantest.Build(t, sweep, nil)
	whole := open(t, t.TempDir())
	if _, err := whole.execute(context.Background(), p, registry.NewPCA, nil); err != nil {
		t.Fatal(err)
	}
	want := whole.optima()
	dir := t.TempDir()
	done := 0
	for _, shard := range []int{1, 0} {
		store, err := record.Open(dir, record.Options{Part: "shard"})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := Execute(context.Background(), p, store, Options{Part: Part{Shard: shard, Shards: 2}})
		if err != nil || sum.Planned != 18-9*shard || sum.Finished != sum.Planned {
			t.Errorf("shard %d: %+v, %v", shard, sum, err)
		}
		done += sum.Finished
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	f := open(t, dir)
	if sum, err := Execute(context.Background(), p, f.store, Options{}); err != nil || done != 27 || sum != (Summary{Planned: 27, Reused: 27}) {
		t.Errorf("assembling: %+v, %v", sum, err)
	}
	if got := f.optima(); got != want {
		t.Errorf("the optima of shards are\n%s\nwant\n%s", got, want)
	}
	if !slices.Equal(f.records(t, p), whole.records(t, p)) {
		t.Error("the records of shards differ from those of one execution")
	}
}

// An optimum that another shard stored meanwhile is not overwritten.
func TestShardsSideBySideKeepEachOthersOptima(t *testing.T) {
	t.Parallel()
	p := plantest.Build(t, sweep, nil)
	dir := t.TempDir()
	shard := func(ctx context.Context, i int, progress Progress) error {
		store, err := record.Open(dir, record.Options{Part: "shard"})
		if err != nil {
			t.Error(err)
			return nil
		}
		defer store.Close()
		_, err = Execute(ctx, p, store, Options{Workers: 1, Part: Part{Shard: i, Shards: 2}, Progress: progress})
		return err
	}
	// The second shard runs while the first has solved one of the two
	// problems, and no more is to come from the first.
	ctx, cancel := context.WithCancel(context.Background())
	first := shard(ctx, 0, &watcher{after: func(n int) {
		if n == 1 {
			if err := shard(context.Background(), 1, nil); err != nil {
				t.Error(err)
			}
			cancel()
		}
	}})
	if !errors.Is(first, context.Canceled) {
		t.Errorf("error is %v, want that of the context", first)
	}
	refs := objective.NewReferences(open(t, dir).store, nil)
	for _, pr := range p.Problems {
		want := objective.Solved{DatasetHash: pr.Data.Hash, Split: "population", Repeat: -1, Protocol: seed.Protocol}
		// There is nothing to solve it from: it must be stored.
		if ref, err := refs.Get(want, 2, nil); err != nil || len(ref.Eigenvalues) != 2 {
			t.Errorf("%s: %+v, %v", pr.Entry.ID, ref, err)
		}
	}
}

// What is stored is enough for all runs of the plan, pending or not.
func TestOptimaServeTheWholePlan(t *testing.T) {
	t.Parallel()
	p := plantest.Build(t, sweep, nil)
	f := open(t, t.TempDir())
	only2 := func(a *registry.Algorithm, env registry.PCAEnv, params registry.Params) (pca.Learner, error) {
		if params.Int("k") == 1 {
			return nil, errConstruct
		}
		return registry.NewPCA(a, env, params)
	}
	if _, err := f.execute(context.Background(), p, only2, nil); err != nil {
		t.Fatal(err)
	}
	want := f.optima()
	without := open(t, t.TempDir())
	for _, r := range f.runs(t, p) {
		if timing, ok := r.Timing(); ok && r.Completed() {
			if err := without.store.Add(r, timing); err != nil {
				t.Fatal(err)
			}
		}
	}
	if sum, err := without.execute(context.Background(), p, registry.NewPCA, nil); err != nil || sum.Finished != 9 {
		t.Fatalf("%+v, %v", sum, err)
	}
	got := without.optima()
	if got == "" || !strings.Contains(want, got) {
		t.Errorf("for k = 1 alone\n%s\nis stored; for all\n%s", got, want)
	}
}

func TestPendingGroupsWhatSharesAnEvaluation(t *testing.T) {
	t.Parallel()
	p := plantest.Build(t, sweep, nil)
	f := open(t, t.TempDir())
	pending, planned := Pending(p, f.store, Options{})
	if len(pending) != 27 || planned != 27 {
		t.Fatalf("%d pending of %d", len(pending), planned)
	}
	seen := make(map[evaluationKey]bool)
	var last evaluationKey
	for _, it := range pending {
		key := evaluationKeyOf(it)
		if key != last && seen[key] {
			t.Errorf("%s repeat %d is come back to", it.Problem.Entry.ID, it.Repeat)
		}
		seen[key], last = true, key
	}
}
