package run

import (
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
	"stochopt/harness/internal/plantest"
	"stochopt/internal/record"

	"gonum.org/v1/gonum/mat"
)

// status returns a step function that returns a status at step n.
func status(n int64, state algorithms.State, reason string) func(int64) (algorithms.Status, bool) {
	return func(t int64) (algorithms.Status, bool) {
		return algorithms.Status{State: state, Reason: reason}, t == n
	}
}

// panicAtStep7 is a step function that panics at step 7.
func panicAtStep7(t int64) (algorithms.Status, bool) {
	if t == 7 {
		panic("step 7")
	}
	return algorithms.Status{}, false
}

// A failure of one run is recorded and does not affect the others. The next execution repeats failed
// and skipped runs, but not diverged ones, and its records show no trace of the failure.
func TestFailedRuns(t *testing.T) {
	t.Parallel()
	const panicked = `panic: .* at stochopt/harness/internal/run\.\S+ \(failures_test\.go:\d+\)`
	for _, test := range []struct {
		name, status string
		reason       string // a pattern for the whole reason; "" allows any
		hooks        hooks
	}{
		{"panic during Step", record.StatusFailed, panicked, hooks{step: panicAtStep7}},
		{"runtime error", record.StatusFailed, panicked, hooks{cost: func(*algorithms.Cost) { var empty []int; empty[3]++ }}},
		{"failed", record.StatusFailed, "no convergence", hooks{step: status(9, algorithms.Failed, "no convergence")}},
		{"failed without a reason", record.StatusFailed, "", hooks{step: status(1, algorithms.Failed, "")}},
		{"cannot be constructed", record.StatusFailed, "no such luck", hooks{err: errors.New("no such luck")}},
		{"no solver", record.StatusSkipped, "", hooks{err: svm.ErrNoSolver}},
		{"negative cost", record.StatusFailed, "", hooks{cost: func(c *algorithms.Cost) { c.SumKT2, c.KernelEvals = -1, -1 }}},
		{"diverged", record.StatusDiverged, "too large", hooks{step: status(9, algorithms.Diverged, "too large")}},
		{"diverged without a reason", record.StatusDiverged, "", hooks{step: status(1, algorithms.Diverged, "")}},
		{"not finite", record.StatusDiverged, ".*iteration 1.*", hooks{
			state:    func(s *pca.State) { s.U = mat.NewDense(6, 1, slices.Repeat([]float64{math.NaN()}, 6)) },
			solution: func(s *svm.Solution) { s.Scores[len(s.Scores)-1] = math.NaN() },
		}},
		{"too large to be squared", record.StatusDiverged, ".*iteration 1.*", hooks{
			state:    func(s *pca.State) { s.U = mat.NewDense(6, 1, slices.Repeat([]float64{1e200}, 6)) },
			solution: func(s *svm.Solution) { s.Scores[0], s.Scores[1], s.NormSq = -1e308, -1e308, 1.7e308 },
		}},
	} {
		for text, id := range map[string]string{sweep: "incremental", svmSweep: "sdca"} {
			if text == sweep && test.status == record.StatusSkipped {
				continue // PCA needs no solver
			}
			t.Run(test.name+" of "+id, func(t *testing.T) {
				t.Parallel()
				const bad = 9 // the number of runs of each of the two algorithms
				w := resultsOf(t, text)
				all := len(w.plan.Items)
				f, sum := perform(t, w.plan, Options{Workers: 2}, withHooks(id, test.hooks))
				want := Summary{Planned: all, Counts: record.Counts{Runs: all, Finished: all - bad}}
				next := Summary{Planned: all, Reused: all - bad, Counts: record.Counts{Runs: bad, Finished: bad}}
				switch test.status {
				case record.StatusDiverged:
					want.Diverged, next = bad, reused(all)
				case record.StatusSkipped:
					want.Skipped = bad
				default:
					want.Failed = bad
				}
				if sum != want {
					t.Errorf("summary is %+v, want %+v", sum, want)
				}
				reason := regexp.MustCompile("^(" + test.reason + ")$")
				for _, r := range f.runs(t, w.plan) {
					if want := map[bool]string{true: test.status, false: record.StatusFinished}[r.Algorithm == id]; r.Status != want {
						t.Errorf("%s: %s: %s", r.Name(), r.Status, r.Reason)
					}
					if r.Algorithm == id && (r.Reason == "" || test.reason != "" && !reason.MatchString(r.Reason)) {
						t.Errorf("%s: %q, want %s", r.Name(), r.Reason, test.reason)
					}
				}
				if sum := f.perform(t, w.plan, Options{Workers: 2}, constructors{}); sum != next {
					t.Errorf("the next execution: %+v, want %+v", sum, next)
				}
				if test.status != record.StatusDiverged && !slices.Equal(f.records(t, w.plan), w.records) {
					t.Error("the failure changed the records of the next execution")
				}
			})
		}
	}
}

// panickingMoment is a distribution whose second moment panics.
type panickingMoment struct{ datasets.Distribution }

func (panickingMoment) SecondMomentTo(*mat.SymDense) { panic("no moment") }

// infiniteVariance is a distribution with infinite variance, which has no optimum.
type infiniteVariance struct{}

func (infiniteVariance) Dim() int { return 3 }
func (infiniteVariance) Sample(dst []float64, rng *rand.Rand) {
	for i := range dst {
		dst[i] = rng.NormFloat64()
	}
}
func (infiniteVariance) SecondMomentTo(dst *mat.SymDense) {
	dst.ReuseAsSym(3)
	dst.SetSym(1, 1, math.Inf(1))
}

// If a dataset cannot be evaluated, its runs fail. One record has the reason and the others refer to it.
func TestDatasetsThatCannotBeEvaluated(t *testing.T) {
	t.Parallel()
	for _, dist := range []datasets.Distribution{panickingMoment{datasets.NewGaussian([]float64{3, 2, 1})}, infiniteVariance{}} {
		p := plantest.Build(t, sweep, map[string]*datasets.Data{"a": {Name: "bad", Hash: "sha256:bad", Dist: dist}})
		f := open(t, t.TempDir())
		for range 2 {
			if sum := f.perform(t, p, Options{Workers: 2}, constructors{}); sum.Failed != 9 || sum.Finished+sum.Reused != 18 {
				t.Errorf("summary is %+v", sum)
			}
		}
		explained := 0
		for _, r := range f.runs(t, p) {
			if (r.Status == record.StatusFailed) != (r.Dataset == "a") {
				t.Errorf("%s: %s: %s", r.Name(), r.Status, r.Reason)
			}
			if r.Dataset == "a" && r.Reason != errUnprepared.Error() {
				explained++
			}
		}
		if explained == 0 {
			t.Error("no record has the reason")
		}
	}
}
