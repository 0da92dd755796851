package pcatest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// stopsWith makes n good steps and then one that must end the run with the given
// state and nothing else changed.
func stopsWith(t suite.Reporter, spec Spec, src pca.Source, k, n int, want algorithms.State) {
	t.Helper()
	l, _ := fresh(t, spec, src, k)
	before := run(t, l, n)
	cost, rank := l.Cost(), l.Rank()
	status := l.Step()
	if status.State != want || status.Reason == "" {
		t.Errorf("step %d: status %v, reason %q; want %v and a reason", n+1, status.State, status.Reason, want)
	}
	after := state.Of(l)
	if !state.Same(before, after) {
		t.Errorf("after %d steps: the last good iterate was not kept", n)
	}
	checkState(t, spec, after, src.Dim(), k, int64(n))
	if l.Cost() != cost || l.Rank() != rank {
		t.Errorf("a step that was not made changed the cost from %+v to %+v, or the rank from %d to %d", cost, l.Cost(), rank, l.Rank())
	}
}

func checkExhausted(t suite.Reporter, spec Spec) {
	const d, k = 5, 2
	for _, n := range []int{0, 1, 7} {
		src := NewLimit(NewGaussian(decaying(d), suite.NewRand(9)), n)
		stopsWith(t, spec, src, k, n, algorithms.Exhausted)
	}
}

func checkNotFinite(t suite.Reporter, spec Spec) {
	const d, k = 5, 2
	for _, n := range []int{0, 6} {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			bad := make([]float64, d)
			bad[d-1] = v
			rows := append(samples(NewGaussian(decaying(d), suite.NewRand(10)), n), bad)
			stopsWith(t, spec, NewList(d, rows...), k, n, algorithms.Diverged)
		}
	}
}

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
			t.Errorf("50 steps of size 0 moved M by %g", e)
		}
	}
	for _, eta := range []float64{1e-300, 1e-12, 1, 100, 1e6, 1e20, 1e150, 1e308} {
		follow(suite.Named(t, fmt.Sprintf("step size %g", eta)), spec, with(eta), d, k)
	}
}

func checkLongRun(t suite.Reporter, spec Spec) {
	const d, k = 6, 2
	n := 20000
	if testing.Short() || spec.Output { // the iterates of an output are another learner's
		n = 2000
	}
	l, _ := fresh(t, spec, NewGaussian(decaying(d), suite.NewRand(12)), k)
	checkState(t, spec, run(t, l, n), d, k, int64(n))
}

func checkConverges(t suite.Reporter, spec Spec) {
	if spec.Suboptimality == 0 {
		return
	}
	const d, k = 8, 3
	std := []float64{0.6, 0.5, 0.4, 0.08, 0.07, 0.06, 0.05, 0.04}
	second := mat.NewSymDense(d, nil)
	for i, s := range std {
		second.SetSym(i, i, s*s)
	}
	steps := cmp.Or(spec.Steps, 3000)
	for seed := range uint64(3) {
		src := &guard{src: NewGaussian(std, suite.NewRand(100+seed))}
		l, err := spec.New(src, k, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		st := run(t, l, steps)
		got := Suboptimality(st, second, k)
		if !(got >= -1e-9) || !(got <= spec.Suboptimality) {
			t.Errorf("seed %d: relative suboptimality %g after %d steps, want at most %g", seed, got, steps, spec.Suboptimality)
		}
	}
}
