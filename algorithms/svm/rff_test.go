package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/kernel"
)

// rffRings draws train + test points from two rings, of which the inner one is positive. One in three
// coordinates is 0.
func rffRings(seed uint64, train, test, d int) (x suite.Points, positive int) {
	rng := rand.New(rand.NewPCG(seed, 77))
	n := train + test
	positive = train / 2
	x = suite.Points{Positive: positive, Eval: test}
	for i := range n {
		row := make([]float64, d)
		radius := 2.0
		if i < positive || i >= train && (i-train)%2 == 0 {
			radius = 1
		}
		norm := 0.0
		for k := range row {
			if rng.IntN(3) > 0 || k == i%d {
				row[k] = rng.NormFloat64()
			}
			norm += row[k] * row[k]
		}
		r := (radius + 0.35*rng.NormFloat64()) / math.Sqrt(norm)
		for k := range row {
			row[k] *= r
		}
		x.X = append(x.X, row)
	}
	return x, positive
}

// newTestRFF returns RFF with generators derived from seed.
func newTestRFF(t testing.TB, cfg RFFConfig, x kernel.Vectors, train, positive int, seed uint64) *RFF {
	t.Helper()
	a, err := NewRFF(t.Context(), cfg, x, train, positive, rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func rffGaussian(gamma float64, a, b []float64) float64 {
	s := 0.0
	for k := range a {
		s += (a[k] - b[k]) * (a[k] - b[k])
	}
	return math.Exp(-gamma * s)
}

func TestRFFSolvesTheLinearSVM(t *testing.T) {
	t.Parallel()
	const n, test, d, lambda = 150, 50, 4, 0.003
	x, positive := rffRings(5, n, test, d)
	cfg := RFFConfig{Gamma: 0.5, MaxPairs: 50, Lambda: lambda, Tolerance: 1e-6}
	a := newTestRFF(t, cfg, x, n, positive, 7)
	want := []int{1, 2, 4, 8, 16, 32, 50}
	if got := RFFSteps(50); got != len(want) {
		t.Errorf("RFFSteps(50) = %d, want %d", got, len(want))
	}
	p := LinearProblem{a.features, positive}
	for step, k := range want {
		st := a.Step()
		if wantState := step == len(want)-1; st.Stop() != wantState || wantState && st.State != algorithms.Exhausted {
			t.Fatalf("step %d: status %+v", step+1, st)
		}
		if got, want := a.Cost(), (algorithms.Cost{Iterations: int64(step + 1), InnerProducts: int64(k * n)}); got != want || a.Pairs() != k {
			t.Errorf("%d pairs: cost %+v, want %+v", a.Pairs(), got, want)
		}
		var s Solution
		a.SolutionTo(&s)
		primal, dual := a.Gap()
		if got := linearPrimal(p, lambda, &s); math.Abs(got-primal) > 1e-9*primal || primal-dual > cfg.Tolerance*primal {
			t.Errorf("%d pairs: primal objective %v; Gap() = %v, %v", k, got, primal, dual)
		}
	}
}

// TestShrinkingPassMeasuresTheGap checks the gap returned by pass. With one point it is the duality
// gap before the pass.
func TestShrinkingPassMeasuresTheGap(t *testing.T) {
	for _, x := range []float64{0.1, 1, 3} {
		f := denseFeatures([]float64{x}, 1, 1)
		for _, share := range []float64{0, 0.3, 1} {
			a := newLinearSDCA(0.25, LinearProblem{f, 1})
			a.alpha[0] = share * a.upper
			a.restart()
			primal, dual := a.Gap()
			gap, violation := newShrinkingAscent(a, rand.New(rand.NewPCG(1, 1))).pass(math.Inf(1))
			if math.Abs(gap-(primal-dual)) > 1e-14*primal {
				t.Errorf("x = %v, alpha = %v C: gap %v, want %v", x, share, gap, primal-dual)
			}
			want := math.Abs(x*x*share*4 - 1)
			if gap == 0 {
				want = 0
			}
			if math.Abs(violation-want) > 1e-14*(1+want) {
				t.Errorf("x = %v, alpha = %v C: violation %v, want %v", x, share, violation, want)
			}
		}
	}
}

func TestRFFSteps(t *testing.T) {
	for pairs, want := range map[int]int{1: 1, 2: 2, 3: 3, 4: 3, 5: 4, 1024: 11, 1025: 12} {
		if got := RFFSteps(pairs); got != want {
			t.Errorf("RFFSteps(%d) = %d, want %d", pairs, got, want)
		}
	}
}
