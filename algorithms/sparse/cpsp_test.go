package sparse

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func newTestCPSP(t testing.TB, cfg CPSPConfig, p *gaussianPoints) *CPSP {
	t.Helper()
	a := suite.Must(NewCPSP(context.Background(), cfg, p.problem(), p, rand.New(rand.NewPCG(5, 5))))
	return a
}

// objective computes |w|^2/2 + b^2/2 + C sum hinge by brute force.
func (p *gaussianPoints) objective(e *Expansion, c float64) float64 {
	z, sum := p.vectors(e), e.Bias*e.Bias/2
	for k, b := range e.Coef {
		for l, d := range e.Coef {
			sum += 0.5 * b * d * p.kernel(z[k], z[l])
		}
	}
	for i, x := range p.x {
		s := e.Bias
		for k, b := range e.Coef {
			s += b * p.kernel(z[k], x)
		}
		sum += c * max(0, 1-p.problem().Label(i)*s)
	}
	return sum
}

// TestCPSP checks that the bounds are valid, that the gap closes to the tolerance and that
// every kernel evaluation is charged.
func TestCPSP(t *testing.T) {
	for _, cfg := range []CPSPConfig{
		{C: 1, Basis: 6, Tolerance: 1e-4, Starts: 3, Plane: true, Every: 1},
		{C: 3, Basis: 8, Tolerance: 1e-4, Starts: 2, Every: 2},
		{C: 10, Basis: 9, Tolerance: 1e-4, Starts: 1, Bias: true, Every: 5},
		{C: 0.1, Basis: 1, Tolerance: 1e-4, Starts: 1, Bias: true, Plane: true, Every: 2},
	} {
		p := gaussianCloud(12, 60, 3, 0.3)
		a := newTestCPSP(t, cfg, p)
		n := float64(len(p.x))
		var e Expansion
		for step := 0; ; step++ {
			if step > 3000 {
				t.Fatalf("%+v: no end", cfg)
			}
			p.evals = 0
			charged := a.Cost().KernelEvals
			status := a.Step()
			if got := a.Cost().KernelEvals - charged; got != p.evals {
				t.Fatalf("%+v: step %d: %d kernel evaluations charged, %d made", cfg, step+1, got, p.evals)
			}
			primal, dual := a.Bounds()
			a.ExpansionTo(&e)
			if want := p.objective(&e, cfg.C); !closeTo(primal, want, 1e-4) {
				t.Fatalf("%+v: step %d: objective %v, want %v", cfg, step+1, primal, want)
			}
			if dual > primal+1e-9 {
				t.Fatalf("%+v: step %d: dual %v above primal %v", cfg, step+1, dual, primal)
			}
			if a.Support() > cfg.Basis || a.Final() != (status.State == algorithms.Converged) {
				t.Fatalf("%+v: step %d: %d vectors, final %v, %v",
					cfg, step+1, a.Support(), a.Final(), status)
			}
			if status.Stop() {
				if status.State != algorithms.Converged || primal-dual > 1.2*cfg.C*n*cfg.Tolerance {
					t.Fatalf("%+v: %v with a gap of %v", cfg, status, primal-dual)
				}
				break
			}
		}
	}
}

// TestCPSPReachesTheSVM checks that CPSP with as many vectors as points solves the SVM.
func TestCPSPReachesTheSVM(t *testing.T) {
	for square, bias := range []bool{false, true} {
		const c = 2
		p := gaussianCloud(13, 30, 2, 1)
		n := len(p.x)
		// The kernel K + 1 adds a constant feature.
		m := suite.Points{X: p.x}.Gram(func(x, y []float64) float64 { return p.kernel(x, y) + float64(square) })
		ref := svmOn(t, svm.Problem{Rows: m, Positive: n / 2}, c, false)
		want := ref.NormSq / 2
		for i, s := range ref.Scores {
			want += c * max(0, 1-p.problem().Label(i)*s)
		}
		a := newTestCPSP(t, CPSPConfig{C: c, Basis: n, Tolerance: 1e-5, Starts: 5, Bias: bias, Every: 5}, p)
		suite.Advance(a, 5000)
		if primal, _ := a.Bounds(); !a.Final() || primal < want*(1-1e-4) || primal > want*1.02 {
			t.Errorf("bias %v: objective %v with %d vectors, final %v; the objective of the SVM is %v",
				bias, primal, a.Support(), a.Final(), want)
		}
	}
}

// TestMaximiseRounding checks that maximise ends when rounding empties the set F.
func TestMaximiseRounding(t *testing.T) {
	alpha := []float64{100, 0}
	maximise(mat.NewSymDense(2, nil), []float64{0, 1}, alpha, 100, 1e-10)
	if !(alpha[0] >= 0 && alpha[1] >= 0 && alpha[0]+alpha[1] <= 100*(1+1e-6)) {
		t.Errorf("weights %v", alpha)
	}
}

// TestMaximise checks, from random starts, that the solution satisfies the optimality
// conditions and that the objective does not decrease.
func TestMaximise(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	for _, c := range []float64{0.5, 100, 1e5} {
		const tolerance = 1e-5
		for trial := range 60 {
			m, d := 1+rng.IntN(30), 1+rng.IntN(10)
			p, delta, alpha, h := mat.NewDense(m, d, nil), make([]float64, m), make([]float64, m), &mat.SymDense{}
			for i := range m {
				for k := range d {
					p.Set(i, k, 0.3*rng.NormFloat64())
				}
				delta[i] = rng.Float64()
				alpha[i] = c * float64(rng.IntN(2)) / float64(m)
			}
			alpha[rng.IntN(m)] += c - floats.Sum(alpha)
			h.SymOuterK(1, p)
			objective := func() (f float64, gradient []float64) {
				gradient = slices.Clone(delta)
				for i, a := range alpha {
					for j := range gradient {
						gradient[j] -= a * floats.Dot(p.RawRowView(i), p.RawRowView(j))
					}
				}
				return (floats.Dot(alpha, delta) + floats.Dot(alpha, gradient)) / 2, gradient
			}
			before, _ := objective()
			if !maximise(h, delta, alpha, c, tolerance) {
				t.Fatalf("c = %v: trial %d is not solved", c, trial)
			}
			after, gradient := objective()
			if after < before-1e-8*(1+math.Abs(before)) {
				t.Fatalf("c = %v: trial %d: the objective decreased from %v to %v", c, trial, before, after)
			}
			sum, gap := floats.Sum(alpha), floats.Max(gradient)*c-floats.Dot(alpha, gradient)
			if floats.Min(alpha) < 0 || math.Abs(sum-c) > 1e-9*c || gap > 3*tolerance*c {
				t.Fatalf("c = %v: trial %d: the sum of weights is %v, the duality gap %v, alpha = %v",
					c, trial, sum, gap, alpha)
			}
		}
	}
}

// TestCPSPEndsInFloatingPoint checks that CPSP ends when C is so large that rounding
// prevents it from reaching the tolerance.
func TestCPSPEndsInFloatingPoint(t *testing.T) {
	inexact := 0
	for _, cfg := range []CPSPConfig{
		{C: 1e8, Basis: 1, Tolerance: 1e-3, Starts: 10, Every: 5},
		{C: 1e8, Basis: 1, Tolerance: 1e-3, Starts: 10, Every: 5, Bias: true},
		{C: 1e8, Basis: 5, Tolerance: 1e-12, Starts: 10, Plane: true, Every: 1},
		{C: 1, Basis: 60, Tolerance: 1e-3, Starts: 10, Every: 5},
	} {
		a := newTestCPSP(t, cfg, gaussianCloud(3, 60, 3, 0.5))
		status := suite.Advance(a, 4000)
		if status.State != algorithms.Converged {
			t.Errorf("%+v: %v after %d iterations: %s", cfg, status.State, a.Cost().Iterations, status.Reason)
		}
		if primal, dual := a.Bounds(); primal-dual > cfg.C*60*cfg.Tolerance {
			inexact++
		}
	}
	if inexact == 0 {
		t.Error("all problems were solved to the tolerance; the test is too weak")
	}
}
