package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// cacheStats is what became of a cache: its number of rows, and how many were computed.
type cacheStats struct{ rows, computed int64 }

// watchTask performs the pending runs and returns what became of the caches.
func watchTask(t *testing.T, p *plan.Plan, o Options) (map[svmKey]cacheStats, *folder) {
	t.Helper()
	f := open(t, t.TempDir())
	pending, _ := Pending(p, f.store, Options{})
	set := newSettings(p, o, references(t))
	task := newKernelTask(pending, set, constructors{svm: registry.NewSVM})
	stats := make(map[svmKey]cacheStats)
	var mu sync.Mutex
	task.drop = func(s *svmShared) {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := stats[s.key]; ok {
			t.Errorf("%+v was prepared twice", s.key)
		}
		if c := s.caches.made[0]; c != nil && c.value != nil {
			stats[s.key] = cacheStats{int64(s.layout.Train), c.value.Computed()}
		}
		s.close()
	}
	var sum Summary
	x := &execution{store: f.store, settings: set, task: task, sum: &sum}
	if err := x.all(context.Background(), pending); err != nil {
		t.Fatal(err)
	}
	if sum.Finished != len(pending) {
		t.Fatalf("%+v", sum)
	}
	return stats, f
}

// All algorithms, all repeats of a fixed split and all regularisations share
// one kernel matrix, of which each row is computed once; and what all runs
// computed is what was computed, except for the optima.
func TestKernelRowsAreComputedOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, budget string
		workers      int
		all          bool
	}{
		{"a long budget", "{passes: 3}", 4, true},
		{"a short budget", "{iterations: 5}", 3, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := buildSVM(t, strings.Replace(svmSweep, "{passes: 3}", test.budget, 1))
			stats, f := watchTask(t, p, Options{Workers: test.workers})
			if len(stats) != 1+3 {
				t.Errorf("%d kernel matrices, want one of a and one a repeat of b", len(stats))
			}
			for key, s := range stats {
				if s.computed > s.rows || s.computed == 0 || test.all && s.computed != s.rows {
					t.Errorf("%+v: %+v", key, s)
				}
			}
			var computed, charged int64
			for _, s := range stats {
				computed += 90 * s.computed
			}
			for _, r := range f.runs(t, p) {
				timing, ok := r.Timing()
				if !ok || len(timing.Seconds) != r.Points() || !slices.IsSorted(timing.Seconds) || timing.Seconds[len(timing.Seconds)-1] > timing.StepSeconds {
					t.Errorf("%s: timing %+v", r.Name(), timing)
				}
				charged += timing.KernelEvalsComputed
			}
			if charged > computed || test.all && charged == 0 {
				t.Errorf("%d kernel evaluations were computed, %d are on record", computed, charged)
			}
		})
	}
}

// Runs that are alone record the same, but each computes the rows it reads.
func TestRunsAlone(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, svmSweep)
	_, shared := watchTask(t, p, Options{Workers: 2})
	p.Spec.Record.Alone = true
	_, f := watchTask(t, p, Options{Workers: 2})
	if !slices.Equal(f.records(t, p), shared.records(t, p)) {
		t.Error("the records depend on whether kernel rows are shared")
	}
	for _, r := range f.runs(t, p) {
		timing, ok := r.Timing()
		// Most runs of three passes and more read each row at least once.
		if evals := r.Measured().Cost["kernel_evals"]; ok && evals[len(evals)-1] > 0 && timing.KernelEvalsComputed == 0 {
			t.Errorf("%s computed no kernel row of its own", r.Name())
		}
	}
}

// Where the rows do not fit, they are computed again, to the same records.
func TestLittleMemory(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, svmSweep)
	_, whole := watchTask(t, p, Options{Workers: 2})
	const row = 4 * 96 // 90 points, padded
	stats, f := watchTask(t, p, Options{Workers: 2, Memory: 8 * row})
	again := false
	for _, s := range stats {
		again = again || s.computed > s.rows
	}
	if !again {
		t.Error("no row was computed again")
	}
	if !slices.Equal(f.records(t, p), whole.records(t, p)) {
		t.Error("the records depend on the memory")
	}
	// Too little for a row skips every run that needs one.
	bad := open(t, t.TempDir())
	sum, err := bad.executeSVM(context.Background(), p, Options{Memory: row}, registry.NewSVM)
	if err != nil || sum.Skipped != svmSweepRuns {
		t.Errorf("%+v, %v", sum, err)
	}
	for _, r := range bad.runs(t, p) {
		if !strings.Contains(r.Reason, "--memory") && r.Reason != errUnprepared.Error() {
			t.Errorf("%s: %s", r.Name(), r.Reason)
		}
	}
}

func TestPointsAreOrderedByClassAndSplit(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, svmSweep)
	for _, it := range p.Items {
		sh, err := newSVMShared(7, it, kernel.Linear{})
		if err != nil {
			t.Fatal(err)
		}
		train, validation, test, err := it.Problem.SVMRows(7, it.Repeat)
		if err != nil {
			t.Fatal(err)
		}
		n, table := len(train), it.Problem.Data.Table
		if got := slices.Sorted(slices.Values(sh.order[:n])); !slices.Equal(got, slices.Sorted(slices.Values(train))) {
			t.Errorf("the training points are %v, want %v", got, train)
		}
		if !slices.Equal(sh.order[n:], slices.Concat(validation, test)) {
			t.Errorf("the evaluation points are %v", sh.order[n:])
		}
		for j, row := range sh.order {
			if sh.layout.Labels[j] != table.Labels[row] || j < n && (j < sh.layout.Positive) != (table.Labels[row] > 0) {
				t.Errorf("point %d, row %d, has the label %v, want %v", j, row, sh.layout.Labels[j], table.Labels[row])
			}
			x := table.Row(row, nil)
			if got := sh.points.SqNorm(j); math.Abs(got-x[0]*x[0]-x[1]*x[1]) > 1e-12 {
				t.Errorf("point %d is not row %d", j, row)
			}
		}
		v := vectors{Table: table, rows: sh.order}
		if rows, d := v.Dims(); rows != len(sh.order) || d != 2 || &v.Row(3, nil)[0] != &table.Row(sh.order[3], nil)[0] {
			t.Error("the vectors are not the points")
		}
	}
}

func TestSubsetsAreOnRecord(t *testing.T) {
	t.Parallel()
	text := strings.Replace(svmSweep, "{id: a, source: adult,", "{id: a, source: adult, subset: {train: 30, test: 30},", 1)
	text = strings.Replace(text, "test: 0.3},", "test: 0.3}, subset: {validation: 10},", 1)
	p := buildSVM(t, text)
	f := open(t, t.TempDir())
	if sum, err := f.executeSVM(context.Background(), p, Options{Workers: 2}, registry.NewSVM); err != nil || sum.Finished != svmSweepRuns {
		t.Fatalf("%+v, %v", sum, err)
	}
	for _, r := range f.runs(t, p) {
		want := map[string]int64{"train": 30, "train_of": 60, "test": 30}
		if r.Dataset == "b" {
			want = map[string]int64{"train": 45, "validation": 10, "validation_of": 18, "test": 27}
		}
		if !maps.Equal(r.Rows, want) {
			t.Errorf("%s: rows %v, want %v", r.Name(), r.Rows, want)
		}
	}
}

// Runs that share kernel rows follow one another.
func TestPendingGroupsWhatSharesKernelRows(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, strings.Replace(svmSweep, "sigma2: 0.5", "sigma2: [0.5, 2]", 1))
	f := open(t, t.TempDir())
	pending, _ := Pending(p, f.store, Options{})
	seen := make(map[svmKey]bool)
	var last svmKey
	for _, it := range pending {
		key := svmKeyOf(it)
		if key != last && seen[key] {
			t.Errorf("%+v is come back to", key)
		}
		seen[key], last = true, key
	}
	if len(seen) != 2+3 {
		t.Errorf("%d kernel matrices, want 5", len(seen))
	}
}

func TestOrders(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"pass", "uniform"} {
		a, b := newOrder(kind, 8, newRNG(1)), newOrder(kind, 8, newRNG(1))
		var count [8]float64
		for range 1000 {
			var pass []int
			for range 8 {
				i := a.Next()
				if j := b.Next(); i != j {
					t.Fatalf("%s: the same stream gave %d and %d", kind, i, j)
				}
				pass = append(pass, i)
				count[i]++
			}
			slices.Sort(pass)
			if kind == "pass" && !slices.Equal(pass, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
				t.Fatalf("a pass is %v", pass)
			}
		}
		var chi2 float64
		for _, c := range count {
			chi2 += (c - 1000) * (c - 1000) / 1000
		}
		// 7 degrees of freedom.
		if chi2 > 30 {
			t.Errorf("%s: counts %v", kind, count)
		}
	}
}

// Without a reference nothing is solved unless a method needs it.
func TestReferencesThatAreNotWanted(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, strings.Replace(svmSweep, "points: 6", "points: 6, reference: false", 1))
	f := open(t, t.TempDir())
	if _, err := f.executeSVM(context.Background(), p, Options{Workers: 2}, registry.NewSVM); err != nil {
		t.Fatal(err)
	}
	for id, runs := range f.byAlgorithm(t, p, "a") {
		for _, r := range runs {
			_, solved := r.Facts["reference_dual"]
			_, measured := r.Measured().Metrics["state"]["suboptimality"]
			if converts := id == "sbp" || id == "sgd"; solved != converts || measured != converts {
				t.Errorf("%s: the optimum is known: %t, used: %t", r.Name(), solved, measured)
			}
			if _, ok := r.Measured().Metrics["state"]["objective"]; !ok {
				t.Errorf("%s has no objective", r.Name())
			}
		}
	}
}

// An R that no lambda has is an error of the runs that need lambda or nu.
func TestROutOfRange(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, strings.Replace(svmSweep, "kernel: polynomial, degree: 2, coef0: 1, nu: 0.5", "kernel: linear, R: 1000", 1))
	f := open(t, t.TempDir())
	sum, err := f.executeSVM(context.Background(), p, Options{Workers: 2}, registry.NewSVM)
	if err != nil || sum.Failed != 4*3 {
		t.Fatalf("%+v, %v", sum, err)
	}
	for id, runs := range f.byAlgorithm(t, p, "b") {
		for _, r := range runs {
			fine := id == "sgd" || id == "perceptron"
			if fine != (r.Status == record.StatusFinished) || !fine && !strings.HasPrefix(r.Reason, "the reference optimum: objective: R = 1000 is out of range: ") {
				t.Errorf("%s: %s: %s", r.Name(), r.Status, r.Reason)
			}
		}
	}
}

// A long search for an optimum is reported, after a while and not too often.
func TestNoteOfAnOptimumBeingSolved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var notes messages
		s := newSettings(buildSVM(t, svmSweep), Options{Note: notes.add}, nil)
		told := s.waiting(buildSVM(t, svmSweep).Items[0])
		for second := range 30 {
			told(1/float64(second+1), int64(1000*second))
			time.Sleep(time.Second)
		}
		want := []string{
			"a: solving the reference optimum (C = 1): relative gap 2.5e-01 after 3000 steps",
			"a: solving the reference optimum (C = 1): relative gap 6.7e-02 after 14000 steps",
			"a: solving the reference optimum (C = 1): relative gap 3.8e-02 after 25000 steps",
		}
		if !slices.Equal(notes.all, want) {
			t.Errorf("notes are\n%q, want\n%q", notes.all, want)
		}
	})
	// Without anyone to tell it goes well, too.
	newSettings(buildSVM(t, svmSweep), Options{}, nil).Note("")
}

func TestWarningOfLongPoints(t *testing.T) {
	t.Parallel()
	text := strings.Replace(svmSweep, "kernel: polynomial, degree: 2, coef0: 1", "kernel: linear", 1)
	for _, scale := range []float64{1, 0.01} {
		data := clouds(t, 60, 30, scale)
		p := plantest.Build(t, text, map[string]*datasets.Data{"a": data, "b": data})
		f := open(t, t.TempDir())
		var warnings messages
		if _, err := f.executeSVM(context.Background(), p, Options{Workers: 2, Warn: warnings.add}, registry.NewSVM); err != nil {
			t.Fatal(err)
		}
		if scale < 1 && len(warnings.all) > 0 {
			t.Errorf("warnings: %q", warnings.all)
		}
		about := func(series string) bool {
			return slices.ContainsFunc(warnings.all, func(text string) bool {
				return strings.Contains(text, `dataset "b": K(x, x) of linear is up to `) && strings.Contains(text, series)
			})
		}
		if scale == 1 && (len(warnings.all) != 2 || !about("sgd") || !about("pegasos")) {
			t.Errorf("warnings: %q", warnings.all)
		}
	}
}

// fixed is a method with three iterations of its own.
type fixed struct{ steps int64 }

func (f *fixed) Step() algorithms.Status { f.steps++; return algorithms.Status{} }
func (f *fixed) Cost() algorithms.Cost   { return algorithms.Cost{Iterations: f.steps} }
func (f *fixed) SolutionTo(s *svm.Solution) {
	*s = svm.Solution{Scores: make([]float64, 90), NormSq: float64(f.steps)}
}

// A method that knows its own number of iterations is recorded at all of them.
func TestMethodsWithStepsOfTheirOwn(t *testing.T) {
	t.Parallel()
	text := svmSweep[:strings.Index(svmSweep, "  - {id: b")] + "algorithms:\n  - {id: rff, with: {pairs: 16}}\n"
	p := buildSVM(t, text)
	f := open(t, t.TempDir())
	sum, err := f.executeSVM(context.Background(), p, Options{Workers: 2}, func(a *registry.Algorithm, env registry.Env, params registry.Params) (svm.Learner, error) {
		x, train, positive := env.Vectors()
		n, d := x.Dims()
		if n != 90 || d != 2 || train != 60 || positive != 20 || env.Context == nil || env.Linear().Positive != 20 || env.Linear().Features.Train() != 60 {
			return nil, fmt.Errorf("the environment has %d points, %d for training, %d positive", n, train, positive)
		}
		return &fixed{}, nil
	})
	if err != nil || sum.Finished != 6 {
		t.Fatalf("%+v, %v", sum, err)
	}
	for _, r := range f.runs(t, p) {
		if !slices.Equal(r.Measured().Cost["iterations"], []int64{1, 2, 3, 4, 5}) || r.Reason != "budget of 5 iterations" {
			t.Errorf("%s is recorded at %v: %s", r.Name(), r.Measured().Cost["iterations"], r.Reason)
		}
		// It approximates the problem: the optimum is no bound for it.
		if _, ok := r.Measured().Metrics["state"]["suboptimality"]; ok || r.Measured().Metrics["state"]["objective"] == nil {
			t.Errorf("%s measures %v", r.Name(), slices.Sorted(maps.Keys(r.Measured().Metrics["state"])))
		}
	}
}

// An external solver that is killed by the context has not failed.
func TestInterruptedSolver(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, svmSweep)
	f := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	sum, err := f.executeSVM(ctx, p, Options{Workers: 1}, spoilSVM("sgd", func(h *hookedSVM) {
		h.step = func(int64) (algorithms.Status, bool) {
			cancel()
			return algorithms.Status{State: algorithms.Failed, Reason: "killed"}, true
		}
	}))
	if !errors.Is(err, context.Canceled) || sum.Failed > 0 || len(f.records(t, p)) != sum.Finished {
		t.Errorf("%+v, %v", sum, err)
	}
	// Nor has one whose optimum was being solved.
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	f = open(t, t.TempDir())
	if sum, err := f.executeSVM(ctx, p, Options{Workers: 1}, registry.NewSVM); !errors.Is(err, context.Canceled) || sum != (Summary{Planned: svmSweepRuns}) {
		t.Errorf("%+v, %v", sum, err)
	}
}
