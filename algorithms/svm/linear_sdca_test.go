package svm

import (
	"math"
	"testing"

	"stochopt/algorithms"
)

// TestLinearSDCAOptimum checks that the dual objective never decreases, that Gap agrees with the
// solution, and that the final gap certifies the optimum.
func TestLinearSDCAOptimum(t *testing.T) {
	for _, c := range []struct {
		n, d   int
		lambda float64
	}{{1, 1, 0.5}, {4, 6, 0.01}, {7, 9, 0.5}, {7, 9, 1e-3}, {60, 5, 0.01}} {
		p, x := linearProblem(t, uint64(10*c.n+c.d), c.n, c.d)
		a, err := NewLinearSDCA(LinearSDCAConfig{Lambda: c.lambda, Tolerance: 1e-9}, p, newLinearOrder(3, c.n))
		if err != nil {
			t.Fatal(err)
		}
		last := math.Inf(-1)
		for !a.Step().Stop() && a.Cost().Iterations < 200_000 {
			_, dual := a.Gap()
			if dual < last-1e-14 {
				t.Fatalf("%+v: step %d: dual %v after %v", c, a.Cost().Iterations, dual, last)
			}
			last = dual
		}
		var s Solution
		a.SolutionTo(&s)
		w, sum, normSq := make([]float64, c.d), 0.0, 0.0
		for i, v := range s.Alpha {
			if v < 0 || v > 1/(c.lambda*float64(c.n))*(1+1e-15) {
				t.Errorf("%+v: alpha_%d = %v", c, i, v)
			}
			sum += v
			for k := range w {
				w[k] += v * p.Label(i) * x[i*c.d+k]
			}
		}
		for _, v := range w {
			normSq += v * v
		}
		primal, dual := linearPrimal(p, c.lambda, &s), c.lambda*(sum-normSq/2)
		if gap := primal - dual; !(math.Abs(gap) <= 2e-9*primal) {
			t.Errorf("%+v: duality gap %g of %g", c, gap, primal)
		}
		if gotP, gotD := a.Gap(); math.Abs(gotP-primal) > 1e-12*primal || math.Abs(gotD-dual) > 1e-12*primal {
			t.Errorf("%+v: Gap() = %v, %v; want %v, %v", c, gotP, gotD, primal, dual)
		}
	}
}

// TestLinearSDCAWithEmptyPoints checks that the dual variable of a point without features is at its
// bound.
func TestLinearSDCAWithEmptyPoints(t *testing.T) {
	f := denseFeatures([]float64{1, 0, 0, 0, -1, 0.5}, 2, 3)
	a, err := NewLinearSDCA(LinearSDCAConfig{Lambda: 0.1, Tolerance: 1e-12}, LinearProblem{f, 2}, newLinearOrder(4, 3))
	if err != nil {
		t.Fatal(err)
	}
	if st := runLinear(t, a, 10_000); st.State != algorithms.Converged {
		t.Fatal("no convergence")
	}
	var s Solution
	a.SolutionTo(&s)
	if s.Alpha[1] != a.upper || math.Abs(a.upper-1/0.3) > 1e-15*4 {
		t.Errorf("alpha of the empty point is %v", s.Alpha[1])
	}
}
