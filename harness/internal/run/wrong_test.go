package run

import (
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
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"

	"gonum.org/v1/gonum/mat"
)

// status returns a step function that gives a status at step n.
func status(n int64, state algorithms.State, reason string) func(int64) (algorithms.Status, bool) {
	return func(t int64) (algorithms.Status, bool) {
		return algorithms.Status{State: state, Reason: reason}, t == n
	}
}

// boom is a step function that panics at step 7.
func boom(t int64) (algorithms.Status, bool) {
	if t == 7 {
		panic("boom 7")
	}
	return algorithms.Status{}, false
}

// What goes wrong in one run is that run's record; the others go on. Failed and skipped runs are tried
// again, diverged ones are not. That a run has failed leaves nothing in the records of the next time.
func TestRunsThatGoWrong(t *testing.T) {
	t.Parallel()
	onPCA := func(change func(*hooked)) constructors { return constructors{pca: spoil("incremental", change)} }
	onSVM := func(change func(*hookedSVM)) constructors { return constructors{svm: spoilSVM("sdca", change)} }
	cannot := func(err error) constructors {
		return constructors{pca: func(a *registry.Algorithm, env registry.Env, p registry.Params) (pca.Learner, error) {
			if a.ID == "incremental" {
				return nil, err
			}
			return registry.NewPCA(a, env, p)
		}, svm: func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error) {
			l, ok := registry.NewSVM(a, env, p)
			if a.ID == "sdca" {
				return nil, err
			}
			return l, ok
		}}
	}
	for _, test := range []struct {
		name, text, status string
		reason             string // a pattern of all of it; "" allows any
		with               constructors
	}{
		{"panic in Step", sweep, record.StatusFailed, `panic: boom 7 at stochopt/harness/internal/run\.boom \(wrong_test\.go:\d+\)`, onPCA(func(h *hooked) { h.step = boom })},
		{"panic in Step", svmSweep, record.StatusFailed, `panic: boom 7 at stochopt/harness/internal/run\.boom \(wrong_test\.go:\d+\)`, onSVM(func(h *hookedSVM) { h.step = boom })},
		{"runtime error", sweep, record.StatusFailed, `panic: runtime error: .* at stochopt/harness/internal/run\.\S+ \(wrong_test\.go:\d+\)`,
			onPCA(func(h *hooked) { h.state = func(*pca.State) { var empty []int; empty[3]++ } })},
		{"failed", sweep, record.StatusFailed, `no convergence`, onPCA(func(h *hooked) { h.step = status(9, algorithms.Failed, "no convergence") })},
		{"failed without a reason", sweep, record.StatusFailed, "", onPCA(func(h *hooked) { h.step = status(1, algorithms.Failed, "") })},
		{"cannot be constructed", sweep, record.StatusFailed, errConstruct.Error(), cannot(errConstruct)},
		{"no solver", svmSweep, record.StatusSkipped, "", cannot(svm.ErrNoSolver)},
		{"a cost that is no cost", sweep, record.StatusFailed, "", onPCA(func(h *hooked) { h.cost = func(c *algorithms.Cost) { c.SumKT2 = -1 } })},
		{"a cost that is no cost", svmSweep, record.StatusFailed, "", onSVM(func(h *hookedSVM) { h.cost = func(c *algorithms.Cost) { c.KernelEvals = -1 } })},
		{"diverged", sweep, record.StatusDiverged, `too large`, onPCA(func(h *hooked) { h.step = status(9, algorithms.Diverged, "too large") })},
		{"diverged without a reason", svmSweep, record.StatusDiverged, "", onSVM(func(h *hookedSVM) { h.step = status(1, algorithms.Diverged, "") })},
		{"not finite", sweep, record.StatusDiverged, "", onPCA(func(h *hooked) {
			h.state = func(s *pca.State) {
				s.U = mat.DenseCopyOf(s.U)
				s.U.Set(0, 0, math.NaN())
			}
		})},
		{"not finite", svmSweep, record.StatusDiverged, `the score of point (30|27) of the test split is NaN at iteration 1: not finite`, onSVM(func(h *hookedSVM) {
			h.solution = func(s *svm.Solution) { s.Scores[len(s.Scores)-1] = math.NaN() }
		})},
		{"too large to be squared", svmSweep, record.StatusDiverged, "", onSVM(func(h *hookedSVM) {
			h.solution = func(s *svm.Solution) { s.Scores[0], s.Scores[1], s.NormSq = -1e308, -1e308, 1.7e308 }
		})},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const bad = 9 // runs of either algorithm
			w := wholeOf(t, test.text)
			all := len(w.plan.Items)
			f, sum := perform(t, w.plan, Options{Workers: 2}, test.with)
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
				wrong := r.Algorithm == "incremental" || test.text == svmSweep && r.Algorithm == "sdca"
				if !wrong && r.Status != record.StatusFinished || wrong && r.Status != test.status {
					t.Errorf("%s: %s: %s", r.Name(), r.Status, r.Reason)
				}
				if wrong && (r.Reason == "" || test.reason != "" && !reason.MatchString(r.Reason)) {
					t.Errorf("%s: %q, want %s", r.Name(), r.Reason, test.reason)
				}
			}
			if sum := f.perform(t, w.plan, Options{Workers: 2}, constructors{}); sum != next {
				t.Errorf("the next time: %+v, want %+v", sum, next)
			}
			if test.status != record.StatusDiverged && !slices.Equal(f.records(t, w.plan), w.records) {
				t.Error("failing first changed the records")
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

// Data that cannot be evaluated fail their own runs; one of them says why, and the others refer to it.
func TestEvaluationsThatGoWrong(t *testing.T) {
	t.Parallel()
	for _, dist := range []datasets.Distribution{bomb{datasets.NewGaussian([]float64{3, 2, 1})}, heavy{}} {
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
			t.Error("no record says why")
		}
	}
}
