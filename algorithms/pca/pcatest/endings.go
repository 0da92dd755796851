package pcatest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
)

// stopsWith makes n good steps and then one that must end the run with the given
// state and nothing else changed.
func stopsWith(t *testing.T, spec Spec, src pca.Source, k, n int, want algorithms.State) {
	t.Helper()
	l, _ := fresh(t, spec, src, k)
	before := run(t, l, n, nil)
	cost, rank := l.Cost(), l.Rank()
	status := l.Step()
	if status.State != want || status.Reason == "" {
		t.Errorf("step %d: status %v, reason %q; want %v and a reason", n+1, status.State, status.Reason, want)
	}
	var after pca.State
	l.StateTo(&after)
	if !sameBits(before, &after) {
		t.Error("the last good iterate was not kept")
	}
	checkState(t, spec, &after, src.Dim(), k, int64(n))
	checkStatus(t, l, status)
	if l.Cost() != cost || l.Rank() != rank {
		t.Errorf("a step that was not made changed the cost from %+v to %+v, or the rank from %d to %d", cost, l.Cost(), rank, l.Rank())
	}
}

func testExhausted(t *testing.T, spec Spec) {
	const d, k = 5, 2
	for _, n := range []int{0, 1, 7} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			src := NewLimit(NewGaussian(decaying(d), newRand(9)), n)
			stopsWith(t, spec, src, k, n, algorithms.Exhausted)
		})
	}
}

func testNotFinite(t *testing.T, spec Spec) {
	const d, k = 5, 2
	for _, n := range []int{0, 6} {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			t.Run(fmt.Sprintf("%g after %d", v, n), func(t *testing.T) {
				src := NewGaussian(decaying(d), newRand(10))
				var rows [][]float64
				for range n {
					x, _ := src.Next()
					rows = append(rows, slices.Clone(x))
				}
				bad := make([]float64, d)
				bad[d-1] = v
				stopsWith(t, spec, NewList(d, append(rows, bad)...), k, n, algorithms.Diverged)
			})
		}
	}
}

func testStepSizes(t *testing.T, spec Spec) {
	if spec.NewStep == nil {
		t.Skip("no step size")
	}
	const d, k = 6, 2
	with := func(eta float64) pca.Learner {
		src := &guard{src: NewLimit(NewGaussian(decaying(d), newRand(11)), 100)}
		l, err := spec.NewStep(src, k, newRand(1), algorithms.Constant{C: eta})
		if err != nil {
			t.Fatalf("step size %g: %v", eta, err)
		}
		return l
	}
	if !spec.Output {
		l := with(0)
		before := run(t, l, 0, nil)
		after := run(t, l, 50, nil)
		if e := distance(before, after, d); !(e < 1e-12) {
			t.Errorf("50 steps of size 0 moved M by %g", e)
		}
	}
	for _, eta := range []float64{1e-300, 1e-12, 1, 100, 1e6, 1e20, 1e150, 1e308} {
		t.Run(fmt.Sprint(eta), func(t *testing.T) { follow(t, spec, with(eta), d, k) })
	}
}

func testLongRun(t *testing.T, spec Spec) {
	const d, k = 6, 2
	n := 20000
	if testing.Short() {
		n = 2000
	}
	l, _ := fresh(t, spec, NewGaussian(decaying(d), newRand(12)), k)
	checkState(t, spec, run(t, l, n, nil), d, k, int64(n))
}

func testConverges(t *testing.T, spec Spec) {
	if spec.Suboptimality == 0 {
		t.Skip("not expected of it")
	}
	const d, k = 8, 3
	std := []float64{0.6, 0.5, 0.4, 0.08, 0.07, 0.06, 0.05, 0.04}
	second := mat.NewSymDense(d, nil)
	for i, s := range std {
		second.SetSym(i, i, s*s)
	}
	steps := spec.Steps
	if steps == 0 {
		steps = 3000
	}
	for seed := range uint64(3) {
		src := &guard{src: NewGaussian(std, newRand(100+seed))}
		l, err := spec.New(src, k, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		st := run(t, l, steps, nil)
		got := Suboptimality(st, second, k)
		if !(got >= -1e-9) || !(got <= spec.Suboptimality) {
			t.Errorf("seed %d: relative suboptimality %g after %d steps, want at most %g", seed, got, steps, spec.Suboptimality)
		}
	}
}
