package svm

import (
	"math"
	"testing"

	"stochopt/algorithms"

	"gonum.org/v1/gonum/mat"
)

// exactDual solves min |w|^2/2 - 1'alpha, 0 <= alpha <= c, by trying every set
// of coordinates at a bound: the Gram matrix must be positive definite.
func exactDual(t testing.TB, p LinearProblem, x []float64, d int, c float64) []float64 {
	t.Helper()
	n := p.Features.Train()
	q := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			s := 0.0
			for k := range d {
				s += x[i*d+k] * x[j*d+k]
			}
			q.Set(i, j, s*p.Label(i)*p.Label(j))
		}
	}
	states := 1
	for range n {
		states *= 3
	}
	for state := range states {
		alpha := make([]float64, n)
		var free []int
		for i, s := 0, state; i < n; i, s = i+1, s/3 {
			switch s % 3 {
			case 1:
				alpha[i] = c
			case 2:
				free = append(free, i)
			}
		}
		if m := len(free); m > 0 {
			a, b := mat.NewDense(m, m, nil), mat.NewVecDense(m, nil)
			for r, i := range free {
				v := 1.0
				for j := range n {
					v -= q.At(i, j) * alpha[j]
				}
				b.SetVec(r, v)
				for s, j := range free {
					a.Set(r, s, q.At(i, j))
				}
			}
			var z mat.VecDense
			if z.SolveVec(a, b) != nil {
				continue
			}
			for r, i := range free {
				alpha[i] = z.AtVec(r)
			}
		}
		optimal := true
		for i := range n {
			g := -1.0
			for j := range n {
				g += q.At(i, j) * alpha[j]
			}
			optimal = optimal && alpha[i] >= 0 && alpha[i] <= c &&
				(g >= -1e-9 || alpha[i] == c) && (g <= 1e-9 || alpha[i] == 0)
		}
		if optimal {
			return alpha
		}
	}
	t.Fatal("no optimal state found")
	return nil
}

func TestLinearSDCAFindsTheExactOptimum(t *testing.T) {
	for _, c := range []struct {
		n, d   int
		lambda float64
	}{{1, 1, 0.5}, {4, 6, 0.01}, {6, 8, 0.1}, {7, 9, 0.5}, {7, 9, 1e-3}} {
		p, x := linearProblem(t, uint64(10*c.n+c.d), c.n, c.d)
		want := exactDual(t, p, x, c.d, 1/(c.lambda*float64(c.n)))
		a, err := NewLinearSDCA(LinearSDCAConfig{Lambda: c.lambda, Tolerance: 1e-14}, p, newLinearOrder(3, c.n))
		if err != nil {
			t.Fatal(err)
		}
		runLinear(t, a, 200_000)
		var s Solution
		a.SolutionTo(&s)
		for i, v := range want {
			if math.Abs(s.Alpha[i]-v) > 1e-5*(1+v) {
				t.Errorf("%+v: alpha = %v, want %v", c, s.Alpha, want)
				break
			}
		}
		primal, dual := a.Gap()
		if got := linearPrimal(p, c.lambda, &s); math.Abs(got-primal) > 1e-12*primal {
			t.Errorf("%+v: the primal objective is %v, Gap says %v", c, got, primal)
		}
		if dual > primal*(1+1e-13) {
			t.Errorf("%+v: dual %v above primal %v", c, dual, primal)
		}
	}
}

// The thesis's example of section 1.2: x = y = 1, lambda = 1/2, optimum w = 1.
func TestLinearSDCAOnTheOnePointExample(t *testing.T) {
	f := denseFeatures([]float64{1}, 1, 1)
	a, err := NewLinearSDCA(LinearSDCAConfig{Lambda: 0.5, Tolerance: 1e-15}, LinearProblem{f, 1}, newLinearOrder(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	st := a.Step()
	var s Solution
	a.SolutionTo(&s)
	if s.Alpha[0] != 1 || s.Scores[0] != 1 || s.NormSq != 1 {
		t.Errorf("the solution is %+v", s)
	}
	if st.State != algorithms.Converged {
		t.Errorf("status %v after the optimum", st)
	}
	if primal, dual := a.Gap(); primal != 0.25 || dual != 0.25 {
		t.Errorf("the objectives are %v and %v, want 1/4", primal, dual)
	}
}

func TestLinearSDCADualNeverDecreases(t *testing.T) {
	p, _ := linearProblem(t, 8, 60, 5)
	a, err := NewLinearSDCA(LinearSDCAConfig{Lambda: 0.01}, p, newLinearOrder(2, 60))
	if err != nil {
		t.Fatal(err)
	}
	last := math.Inf(-1)
	for range 2000 {
		a.Step()
		primal, dual := a.Gap()
		if dual < last-1e-14 || dual > primal+1e-14 {
			t.Fatalf("step %d: dual %v after %v, primal %v", a.Cost().Iterations, dual, last, primal)
		}
		last = dual
	}
}

// Points without features count: their dual variable is at its bound.
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
