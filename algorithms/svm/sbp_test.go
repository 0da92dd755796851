package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
)

// draws are all configurations of bias and pairs.
var draws = []SBPConfig{{}, {Bias: true}, {Bias: true, Pair: true}}

func TestSBPAgainstPseudoCode(t *testing.T) {
	t.Parallel()
	negative := 0
	for _, nu := range []float64{0, 0.02, 0.2, 3} {
		for _, cfg := range draws {
			cfg.Nu = nu
			for seed := range uint64(4) {
				np := 11 + int(seed)
				if !cfg.Bias && seed >= 2 {
					np = 37 * int(seed-2) // one class
				}
				p, g := newGaussianProblem(seed, 37, np, 45)
				a, err := NewSBP(cfg, p, rand.New(rand.NewPCG(seed, 1)))
				if err != nil {
					t.Fatal(err)
				}
				naive := newNaiveSBP(p, g, cfg, rand.New(rand.NewPCG(seed, 1)))
				var s Solution
				for step := 1; step <= 700; step++ {
					steps(t, a, 1)
					naive.step()
					if step > 20 && step%50 != 0 {
						continue
					}
					a.SolutionTo(&s)
					want, scale := naive.solution()
					if scale <= 0 {
						negative++
					}
					size := 1 + math.Sqrt(want.NormSq)
					if !closeTo(s.Bias, want.Bias, 1e-10*size) || !closeTo(s.NormSq, want.NormSq, 1e-10*size*size) ||
						!allClose(s.Scores, want.Scores, 1e-10*size) || !allClose(s.Alpha, want.Alpha, 1e-10*size) {
						t.Fatalf("%+v, seed %d, step %d: the classifier differs from the plain algorithm: bias %v, want %v; "+
							"|w|^2 = %v, want %v", cfg, seed, step, s.Bias, want.Bias, s.NormSq, want.NormSq)
					}
				}
				evals := int64(700 * 37)
				if cfg.Pair {
					evals *= 2
				}
				if want := (algorithms.Cost{Iterations: 700, KernelEvals: evals, KernelEvalsMoved: evals, InnerProducts: evals}); a.Cost() != want {
					t.Fatalf("%+v: cost %+v, want %+v", cfg, a.Cost(), want)
				}
			}
		}
	}
	if negative == 0 {
		t.Error("no averaged iterate had f <= 0, which the test must cover")
	}
}

func allClose(a, b []float64, tol float64) bool {
	return len(a) == len(b) && slices.EqualFunc(a, b, func(x, y float64) bool { return closeTo(x, y, tol) })
}

// TestSBPSupergradient checks f(w+v) <= f(w) + <v, sum_i p_i y_i Phi(x_i)>, where the sampling
// distribution p is estimated by draws at a fixed w.
func TestSBPSupergradient(t *testing.T) {
	t.Parallel()
	for _, cfg := range draws {
		bias := cfg.Bias
		for _, nu := range []float64{0, 0.05, 0.5, 4} {
			rng := rand.New(rand.NewPCG(8, 8))
			const np, n, draws = 7, 20, 30000
			c := make([]float64, n)
			for i := range c {
				// Round to multiples of 1/4, for ties.
				c[i] = math.Round(4*rng.NormFloat64()) / 4
			}
			problem, _ := newGaussianProblem(8, n, np, n)
			cfg.Nu = nu
			a, err := NewSBP(cfg, problem, rng)
			if err != nil {
				t.Fatal(err)
			}
			copy(a.c, c)
			p := make([]float64, n)
			for range draws {
				points := a.draw()
				for _, i := range points {
					p[i] += 1 / float64(draws*len(points))
				}
			}
			f := func(c []float64) float64 {
				if bias {
					gamma, _, _ := WaterLevelBias(c[:np], c[np:], n*nu)
					return gamma
				}
				gamma, _ := WaterLevel(c, n*nu)
				return gamma
			}
			if bias {
				var mass float64
				for _, q := range p[:np] {
					mass += q
				}
				if !closeTo(mass, 0.5, 0.02) {
					t.Errorf("nu = %g: the positive class has mass %g, want 1/2", nu, mass)
				}
			}
			at := f(c)
			for range 500 {
				v := slices.Clone(c)
				var slope, size float64
				for i := range v {
					d := rng.NormFloat64() * rng.ExpFloat64()
					v[i] += d
					slope += p[i] * d
					size = max(size, math.Abs(d))
				}
				if over := f(v) - at - slope; over > 0.02*size {
					t.Fatalf("%+v, nu = %g: f(w+v) exceeds the tangent by %g", cfg, nu, over)
				}
			}
		}
	}
}

func TestSBPConverges(t *testing.T) {
	t.Parallel()
	const lambda = 0.02
	p, _ := newGaussianProblem(11, 24, 9, 30)
	type optimal struct{ primal, normSq, hinge float64 }
	best := map[bool]optimal{}
	for _, bias := range []bool{false, true} {
		primal, normSq, hinge := optimum(t, p, lambda, bias)
		best[bias] = optimal{primal, normSq, hinge}
	}
	for _, cfg := range draws {
		primal, normSq, hinge := best[cfg.Bias].primal, best[cfg.Bias].normSq, best[cfg.Bias].hinge
		cfg.Nu = hinge / math.Sqrt(normSq)
		if hinge < 1e-3 {
			t.Fatal("the problem is separable; the test is too weak")
		}
		var last float64
		a, err := NewSBP(cfg, p, rand.New(rand.NewPCG(2, 1)))
		if err != nil {
			t.Fatal(err)
		}
		for _, steps1 := range []int{300, 3000, 100_000} {
			steps(t, a, steps1-int(a.Cost().Iterations))
			var s Solution
			a.SolutionTo(&s)
			last = lambda/2*s.NormSq + meanHinge(p, s.Scores) - primal
			if bound := 4 * primal / math.Sqrt(float64(steps1)); !(last <= bound) || !(last > -1e-9) {
				t.Errorf("%+v: after %d steps the regularised objective is suboptimal by %g, want at most %g", cfg, steps1, last, bound)
			}
		}
		if last > 0.01*primal {
			t.Errorf("%+v: finally suboptimal by %g of %g", cfg, last, primal)
		}
	}
}
