package pcatest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// stopsWith takes n steps, and checks that the next ends the run with the state want. The learner must
// then keep its last iterate and take neither steps nor samples.
func stopsWith(t suite.Reporter, spec Spec, src pca.Source, k, n int, want algorithms.State) {
	t.Helper()
	l, g := fresh(t, spec, src, k)
	before := run(t, l, n)
	cost, rank := l.Cost(), l.Rank()
	status := l.Step()
	if status.State != want || status.Reason == "" {
		t.Errorf("step %d: status %v, reason %q; want %v and a reason",
			n+1, status.State, status.Reason, want)
	}
	taken := g.taken
	for range 3 {
		if again := l.Step(); again != status {
			t.Errorf("Step after a stop with %+v returned %+v", status, again)
		}
	}
	if g.taken != taken {
		t.Errorf("Step after a stop with %v took a sample", status.State)
	}
	after := state.Of(l)
	if !state.Same(before, after) {
		t.Errorf("after %d steps: the last valid iterate was not kept", n)
	}
	checkState(t, spec, after, src.Dim(), k, int64(n))
	if l.Cost() != cost || l.Rank() != rank {
		t.Errorf("after a stop: cost %+v and rank %d, want %+v and %d", l.Cost(), l.Rank(), cost, rank)
	}
}

// checkStopped checks that the end of the source, an invalid sample and an invalid step size end a run.
func checkStopped(t suite.Reporter, spec Spec) {
	const d, k = 5, 2
	for _, n := range []int{0, 1, 6} {
		good := samples(NewGaussian(decaying(d), suite.NewRand(10)), n)
		stop := func(name string, want algorithms.State, bad ...[]float64) {
			t := suite.Named(t, name)
			stopsWith(t, spec, NewList(d, slices.Concat(good, bad, good)...), k, n, want)
		}
		stopsWith(suite.Named(t, "no sample"), spec, NewList(d, good...), k, n, algorithms.Exhausted)
		stop("a short sample", algorithms.Failed, make([]float64, d-1))
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			bad := make([]float64, d)
			bad[d-1] = v
			stop(fmt.Sprint("a sample with ", v), algorithms.Diverged, bad)
		}
	}
	if spec.NewStep == nil {
		return
	}
	for _, eta := range invalidSteps {
		bad := spec
		bad.New = func(src pca.Source, k int, rng *rand.Rand) (pca.Learner, error) {
			return spec.NewStep(src, k, rng, invalidStep{eta})
		}
		src := NewGaussian(decaying(d), suite.NewRand(10))
		stopsWith(suite.Named(t, fmt.Sprint("step size ", eta)), bad, src, k, 2, algorithms.Failed)
	}
}

// invalidStep is a schedule with an invalid third step size.
type invalidStep struct{ third float64 }

func (s invalidStep) At(t int64) float64 {
	if t == 3 {
		return s.third
	}
	return 0.1
}

func (s invalidStep) String() string { return "invalid" }

func checkStepSizes(t suite.Reporter, spec Spec) {
	if spec.NewStep == nil {
		return
	}
	const d, k = 6, 2
	with := func(eta float64) pca.Learner {
		src := &guard{src: NewLimit(NewGaussian(decaying(d), suite.NewRand(11)), 100)}
		l, err := spec.NewStep(src, k, suite.NewRand(1), algorithms.Constant{C: eta})
		if err != nil {
			t.Fatalf("step size %g: %v", eta, err)
		}
		return l
	}
	if !spec.Output {
		l := with(0)
		before := run(t, l, 0)
		after := run(t, l, 50)
		if e := distance(before, after, d); !(e < 1e-12) {
			t.Errorf("50 steps of size 0 changed M by %g", e)
		}
	}
	for _, eta := range []float64{1e-300, 1e-12, 1, 100, 1e6, 1e20, 1e150, 1e308} {
		follow(suite.Named(t, fmt.Sprintf("step size %g", eta)), spec, with(eta), d, k)
	}
}

func checkLongRun(t suite.Reporter, spec Spec) {
	const d, k, n = 6, 2, 3000
	l, _ := fresh(t, spec, NewGaussian(decaying(d), suite.NewRand(12)), k)
	checkState(t, spec, run(t, l, n), d, k, int64(n))
}

func checkConverges(t suite.Reporter, spec Spec) {
	if spec.Suboptimality == 0 {
		return
	}
	const d, k, steps = 8, 3, 3000
	std := []float64{0.6, 0.5, 0.4, 0.08, 0.07, 0.06, 0.05, 0.04}
	second := mat.NewSymDense(d, nil)
	for i, s := range std {
		second.SetSym(i, i, s*s)
	}
	for seed := range uint64(2) {
		src := &guard{src: NewGaussian(std, suite.NewRand(100+seed))}
		l, err := spec.New(src, k, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		st := run(t, l, steps)
		got := Suboptimality(st, second, k)
		if !(got >= -1e-9) || !(got <= spec.Suboptimality) {
			t.Errorf("seed %d: relative suboptimality %g after %d steps, want at most %g",
				seed, got, steps, spec.Suboptimality)
		}
	}
}
