package run

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// Every run is recorded up to its budget at the specified points, and its objective never exceeds the optimum.
func TestExecuteRecordsEveryRun(t *testing.T) {
	t.Parallel()
	w := resultsOf(t, sweep)
	if w.sum != finished(27) || len(w.runs) != 27 {
		t.Errorf("summary is %+v, %d records", w.sum, len(w.runs))
	}
	for _, r := range w.runs {
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

// Records and optima depend neither on the number of workers nor on the memory limit.
func TestExecutionIsDeterministic(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text   string
		optima int
		// rows is the number of kernel rows, of 90 points each, that fit in memory in addition to the largest run.
		rows int64
	}{
		{sweep, 2, 0},
		{svmSweep, 2 + 3, 7},    // dataset a: one per C; dataset b, with nu given: one per repeat
		{sparseSweep, 1 + 4, 9}, // dataset b: one per C and repeat
	} {
		w := resultsOf(t, test.text)
		if w.sum != finished(len(w.plan.Items)) || strings.Count(w.optima, "\n") != test.optima {
			t.Errorf("%+v, and the optima are\n%s", w.sum, w.optima)
		}
		options := []Options{{Workers: 4}}
		if test.rows > 0 {
			own := int64(0)
			for _, it := range w.plan.Items {
				own = max(own, it.Memory())
			}
			options = append(options, Options{Workers: 3, Memory: own + 4*96*test.rows})
		}
		for _, o := range options {
			progress := &watcher{}
			o.Progress = progress
			f, sum := perform(t, w.plan, o, constructors{})
			if sum != w.sum || progress.total != len(w.plan.Items) || progress.runs != progress.total || progress.done != 0 {
				t.Errorf("%+v: %+v, progress of %d runs of %d", o, sum, progress.runs, progress.total)
			}
			if got := f.optima(); !slices.Equal(f.records(t, w.plan), w.records) || got != w.optima {
				t.Errorf("%+v: the records or the optima differ from those of one worker", o)
			}
		}
	}
}

// An execution is interrupted repeatedly, both during runs and between them. It records only complete
// runs, repeats none, and ends with the same records as an uninterrupted execution.
func TestInterruptedExecutionsResume(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	for _, test := range []struct {
		text, middle string
		at           int64 // odd rounds are interrupted in this step of the algorithm middle
		each         int   // even rounds are interrupted after this number of runs
	}{{sweep, "msg", 30, 2}, {svmSweep, "sdca", 100, 9}, {sparseSweep, "spsvm", 3, 5}} {
		w := resultsOf(t, test.text)
		dir := t.TempDir()
		interrupted := 0
		for round := 0; ; round++ {
			f := open(t, dir)
			before := len(f.records(t, w.plan))
			ctx, cancel := context.WithCancel(context.Background())
			if round == 0 {
				cancel()
			}
			step := func(n int64) (algorithms.Status, bool) {
				if n == test.at && round%2 == 1 && before < len(w.plan.Items)*2/3 {
					cancel()
				}
				return algorithms.Status{}, false
			}
			progress := &watcher{after: func(n int) {
				if n == test.each && round%2 == 0 {
					cancel()
				}
			}}
			with := withHooks(test.middle, hooks{step: step})
			with.sparse = func(a *registry.Algorithm, env registry.Env, p registry.Params) (sparse.Learner, error) {
				if a.ID == test.middle {
					step(test.at)
				}
				return registry.NewSparse(a, env, p)
			}
			sum, err := f.execute(ctx, w.plan, Options{Workers: 2, Progress: progress}, with)
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			got := f.records(t, w.plan)
			if sum.Reused != before || sum.Finished != len(got)-before || sum.Failed+sum.Diverged > 0 || progress.runs != sum.Finished {
				t.Errorf("%d records before, %d after, %+v", before, len(got), sum)
			}
			if round == 0 && len(got) > 0 {
				t.Errorf("%d runs are on record, although the context ended before the execution began", len(got))
			}
			for _, line := range got {
				if !slices.Contains(w.records, line) {
					t.Fatalf("the uninterrupted execution has no record like this:\n%s", line)
				}
			}
			if err := f.store.Close(); err != nil {
				t.Fatal(err)
			}
			if err == nil {
				if !slices.Equal(got, w.records) || interrupted < 4 {
					t.Errorf("after %d interruptions there are %d records of %d", interrupted, len(got), len(w.records))
				}
				break
			}
			if interrupted++; interrupted > 60 {
				t.Fatalf("%d of %d runs after %d rounds", len(got), len(w.records), interrupted)
			}
		}
	}
}

// Shards, executed in any order, give the same records and optima as one execution.
func TestExecutionInShards(t *testing.T) {
	t.Parallel()
	for _, text := range []string{sweep, svmSweep, sparseSweep} {
		w := resultsOf(t, text)
		dir := t.TempDir()
		for _, shard := range []int{1, 0} {
			store, err := record.Open(dir, record.Options{Part: "shard"})
			if err != nil {
				t.Fatal(err)
			}
			sum, err := Execute(context.Background(), w.plan, store, Options{Part: Part{Shard: shard, Shards: 2}})
			if want := len(Shards(w.plan, 2)[shard]); err != nil || sum != finished(want) {
				t.Errorf("shard %d: %+v, %v", shard, sum, err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		f := open(t, dir)
		if sum := f.perform(t, w.plan, Options{}, constructors{}); sum != reused(len(w.plan.Items)) {
			t.Errorf("assembling: %+v", sum)
		}
		if got := f.optima(); got != w.optima || !slices.Equal(f.records(t, w.plan), w.records) {
			t.Errorf("records or optima of shards differ from those of one execution:\n%s\nwant\n%s", got, w.optima)
		}
	}
}

// If the store fails, the execution returns the store's error, not the error of its own context.
func TestRecordsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	progress := &watcher{after: func(n int) {
		if n == 3 {
			if err := f.store.Close(); err != nil {
				t.Error(err)
			}
		}
	}}
	sum, err := f.execute(context.Background(), resultsOf(t, sweep).plan, Options{Workers: 2, Progress: progress}, constructors{})
	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want the error of the store", err)
	}
	if sum.Finished < 3 || sum.Finished > 4 {
		t.Errorf("%d runs count as finished, want the 3 or 4 on record", sum.Finished)
	}
}

// The stored optima cover all runs of the plan, pending or not.
func TestOptimaServeTheWholePlan(t *testing.T) {
	t.Parallel()
	w := resultsOf(t, sweep)
	f := open(t, t.TempDir())
	for _, r := range w.runs {
		if timing, ok := r.Timing(); ok && r.Params["k"] == int64(2) {
			if err := f.store.Add(r, timing); err != nil {
				t.Fatal(err)
			}
		}
	}
	if sum := f.perform(t, w.plan, Options{}, constructors{}); sum.Finished != 9 {
		t.Fatalf("%+v", sum)
	}
	if got := f.optima(); got == "" || !slices.Contains(strings.SplitAfter(w.optima, "\n"), got) {
		t.Errorf("with only k = 1 pending, the optima are\n%s\nwant one of\n%s", got, w.optima)
	}
}

// Runs that share an evaluation or kernel rows are adjacent.
func TestPendingGroupsWhatIsShared(t *testing.T) {
	t.Parallel()
	for text, groups := range map[string]int{sweep: 2, strings.Replace(svmSweep, "sigma2: 0.5", "sigma2: [0.5, 2]", 1): 2 + 3} {
		p := planOf(t, text)
		pending, planned := Pending(p, open(t, t.TempDir()).store, Options{})
		if len(pending) != len(p.Items) || planned != len(pending) {
			t.Fatalf("%d pending of %d", len(pending), planned)
		}
		seen := make(map[any][]*plan.Item)
		for i, it := range pending {
			key := shareKey(it)
			if seen[key] != nil && shareKey(pending[i-1]) != key {
				t.Errorf("%s repeat %d: its runs are not adjacent", it.Problem.Entry.ID, it.Repeat)
			}
			seen[key] = append(seen[key], it)
		}
		if len(seen) != groups {
			t.Errorf("%d groups, want %d", len(seen), groups)
		}
	}
}
