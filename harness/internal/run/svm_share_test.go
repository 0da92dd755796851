package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// cacheStats has the number of rows of a cache and how many of them were computed.
type cacheStats struct{ rows, computed int64 }

// watchTask performs the pending runs and returns statistics of their caches.
func watchTask(t *testing.T, p *plan.Plan, o Options) (map[svmKey]cacheStats, *folder) {
	t.Helper()
	f := open(t, t.TempDir())
	stats := make(map[svmKey]cacheStats)
	var mu sync.Mutex
	sum := performTask(t, f, p, o, func(pending []*plan.Item, set settings) task {
		task := newKernelTask(pending, set, constructors{svm: registry.NewSVM})
		task.drop = func(s *svmShared) {
			mu.Lock()
			defer mu.Unlock()
			if _, ok := stats[s.key]; ok {
				t.Errorf("%+v was prepared twice", s.key)
			}
			if c := s.caches.entries[0]; c != nil && c.value != nil {
				stats[s.key] = cacheStats{int64(s.layout.Train), c.value.Computed()}
			}
			s.close()
		}
		return task
	})
	if sum.Finished != len(p.Items) {
		t.Fatalf("%+v", sum)
	}
	return stats, f
}

// All algorithms, all repeats of a fixed split and all regularisations share one kernel matrix, and
// each of its rows is computed once. The timings add up to at most the values computed; the optima
// need the rest.
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
				t.Errorf("%d kernel matrices, want one for dataset a and one for each repeat of b", len(stats))
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

// With record.alone the records are the same, but each run computes the rows that it reads.
func TestRecordAloneRecomputesRows(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, svmSweep)
	p.Spec.Record.Alone = true
	_, f := watchTask(t, p, Options{Workers: 2})
	if !slices.Equal(f.records(t, p), resultsOf(t, svmSweep).records) {
		t.Error("the records depend on whether kernel rows are shared")
	}
	for _, r := range f.runs(t, p) {
		timing, ok := r.Timing()
		// Most runs of at least three passes read each row.
		if evals := r.Measured().Cost["kernel_evals"]; ok && evals[len(evals)-1] > 0 && timing.KernelEvalsComputed == 0 {
			t.Errorf("%s computed no kernel row of its own", r.Name())
		}
	}
}

// The memory of kernel rows is released after the last run that needs them, even if runs fail.
func TestKernelRowsAreReleased(t *testing.T) {
	t.Parallel()
	for _, text := range []string{svmSweep, sparseSweep} {
		p := resultsOf(t, text).plan
		var of *kernelTask
		sum := performTask(t, open(t, t.TempDir()), p, Options{Workers: 2}, func(pending []*plan.Item, s settings) task {
			with := withHooks("sgd", hooks{step: panicAtStep7})
			with.sparse = registry.NewSparse
			of = newKernelTask(pending, s, with)
			return of
		})
		if want := map[string]int{svmSweep: 9}[text]; sum.Failed != want || sum.Finished != len(p.Items)-want {
			t.Errorf("%+v", sum)
		}
		if len(of.entries) != 0 || len(of.readers) != 0 || of.pool.Used() != 0 {
			t.Errorf("%d shared values, %d readers and %d bytes are left", len(of.entries), len(of.readers), of.pool.Used())
		}
	}
}

func TestSubsetsAreRecorded(t *testing.T) {
	t.Parallel()
	text := strings.Replace(svmSweep, "{id: a, source: adult,", "{id: a, source: adult, subset: {train: 30, test: 30},", 1)
	text = strings.Replace(text, "test: 0.3},", "test: 0.3}, subset: {validation: 10},", 1)
	p := buildSVM(t, text)
	f, sum := perform(t, p, Options{Workers: 2}, constructors{})
	if sum.Finished != svmSweepRuns {
		t.Fatalf("%+v", sum)
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

// With record.reference: false, an optimum is solved only for methods that need it.
func TestRecordReferenceFalse(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, strings.Replace(svmSweep, "points: 6", "points: 6, reference: false", 1))
	f, _ := perform(t, p, Options{Workers: 2}, constructors{})
	for id, runs := range f.byAlgorithm(t, p, "a") {
		for _, r := range runs {
			_, solved := r.Facts["reference_dual"]
			_, measured := r.Measured().Metrics["state"]["suboptimality"]
			if converts := id == "sbp" || id == "sgd"; solved != converts || measured != converts {
				t.Errorf("%s: optimum solved: %t, suboptimality recorded: %t; want both %t", r.Name(), solved, measured, converts)
			}
			if _, ok := r.Measured().Metrics["state"]["objective"]; !ok {
				t.Errorf("%s has no objective", r.Name())
			}
		}
	}
}

// If no lambda gives the norm R, the runs that need lambda or nu fail.
func TestNormOutOfRange(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	p := buildSVM(t, strings.Replace(svmSweep, "kernel: polynomial, degree: 2, coef0: 1, nu: 0.5", "kernel: linear, R: 1000", 1))
	f, sum := perform(t, p, Options{Workers: 2}, constructors{})
	if sum.Failed != 4*3 {
		t.Fatalf("%+v", sum)
	}
	for id, runs := range f.byAlgorithm(t, p, "b") {
		for _, r := range runs {
			fine := id == "sgd" || id == "perceptron"
			if fine != (r.Status == record.StatusFinished) {
				t.Errorf("%s: %s: %s", r.Name(), r.Status, r.Reason)
			}
		}
	}
}

// The progress of a reference optimum is reported after 2 s, and then every 10 s.
func TestProgressOfSolvingAnOptimum(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var notes messages
		s := newSettings(buildSVM(t, svmSweep), Options{Note: notes.add}, nil)
		report := s.reportSolving(buildSVM(t, svmSweep).Items[0])
		for second := range 30 {
			report(1/float64(second+1), int64(1000*second))
			time.Sleep(time.Second)
		}
		if len(notes.all) != 3 || notes.all[0] == notes.all[1] {
			t.Errorf("notes are %q, want one after 3, 14 and 25 s", notes.all)
		}
	})
	// Note may be nil.
	newSettings(buildSVM(t, svmSweep), Options{}, nil).Note("")
}

func TestWarningOfLargeNorms(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	text := strings.Replace(svmSweep, "kernel: polynomial, degree: 2, coef0: 1", "kernel: linear", 1)
	for _, scale := range []float64{1, 0.01} {
		data := clouds(t, 60, 30, scale)
		p := plantest.Build(t, text, map[string]*datasets.Data{"a": data, "b": data})
		var warnings messages
		perform(t, p, Options{Workers: 2, Warn: warnings.add}, constructors{})
		// One warning for sgd and one for pegasos.
		if want := map[float64]int{1: 2}[scale]; len(warnings.all) != want || want > 0 && warnings.all[0] == warnings.all[1] {
			t.Errorf("points of scale %v: warnings %q", scale, warnings.all)
		}
	}
}

// fixed is a method whose norm is the square root of its number of steps.
type fixed struct{ steps int64 }

func (f *fixed) Step() algorithms.Status { f.steps++; return algorithms.Status{} }
func (f *fixed) Cost() algorithms.Cost   { return algorithms.Cost{Iterations: f.steps} }
func (f *fixed) SolutionTo(s *svm.Solution) {
	*s = svm.Solution{Scores: make([]float64, 90), NormSq: float64(f.steps)}
}

// A method that determines its number of iterations is recorded at each of them.
func TestMethodsThatSetTheirIterations(t *testing.T) {
	t.Parallel()
	text := svmSweep[:svmSweepA] + "algorithms:\n  - {id: rff, with: {pairs: 16}}\n"
	p := buildSVM(t, text)
	f, sum := perform(t, p, Options{Workers: 2}, constructors{svm: func(a *registry.Algorithm, env registry.Env, params registry.Params) (svm.Learner, error) {
		x, train, positive := env.Vectors()
		n, d := x.Dims()
		if n != 90 || d != 2 || train != 60 || positive != 20 || env.Context == nil || env.Linear().Positive != 20 || env.Linear().Features.Train() != 60 {
			return nil, fmt.Errorf("the environment has %d points, %d for training, %d positive", n, train, positive)
		}
		return &fixed{}, nil
	}})
	if sum.Finished != 6 {
		t.Fatalf("%+v", sum)
	}
	for _, r := range f.runs(t, p) {
		if !slices.Equal(r.Measured().Cost["iterations"], []int64{1, 2, 3, 4, 5}) || r.Reason != "budget of 5 iterations" {
			t.Errorf("%s is recorded at %v: %s", r.Name(), r.Measured().Cost["iterations"], r.Reason)
		}
		// The method approximates the problem, so the optimum does not bound its objective.
		if _, ok := r.Measured().Metrics["state"]["suboptimality"]; ok || r.Measured().Metrics["state"]["objective"] == nil {
			t.Errorf("%s measures %v", r.Name(), slices.Sorted(maps.Keys(r.Measured().Metrics["state"])))
		}
	}
}
