package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
)

// draws are the ways to draw, with and without a bias.
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
					np = 37 * int(seed-2) // one class only
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
						t.Fatalf("%+v, seed %d, step %d: not the classifier of the plain algorithm: bias %v, want %v; |w|^2 = %v, want %v", cfg, seed, step, s.Bias, want.Bias, s.NormSq, want.NormSq)
					}
				}
			}
		}
	}
	if negative == 0 {
		t.Error("no averaged iterate had f <= 0; the test does not reach that case")
	}
}

func allClose(a, b []float64, tol float64) bool {
	return len(a) == len(b) && slices.EqualFunc(a, b, func(x, y float64) bool { return closeTo(x, y, tol) })
}

// TestSBPSupergradient: f(w+v) <= f(w) + <v, sum_i p_i y_i Phi(x_i)>, with p the
// distribution that is sampled from, estimated by sampling at a fixed w.
func TestSBPSupergradient(t *testing.T) {
	t.Parallel()
	for _, cfg := range draws {
		bias := cfg.Bias
		for _, nu := range []float64{0, 0.05, 0.5, 4} {
			rng := rand.New(rand.NewPCG(8, 8))
			const np, n, draws = 7, 20, 30000
			c := make([]float64, n)
			for i := range c {
				// Ties: levels of 1/4.
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
	p, g := newGaussianProblem(11, 24, 9, 30)
	type optimal struct{ primal, normSq, hinge float64 }
	best := map[bool]optimal{}
	for _, bias := range []bool{false, true} {
		primal, normSq, hinge, _ := optimum(t, p, g, lambda, bias)
		best[bias] = optimal{primal, normSq, hinge}
	}
	for _, cfg := range draws {
		primal, normSq, hinge := best[cfg.Bias].primal, best[cfg.Bias].normSq, best[cfg.Bias].hinge
		cfg.Nu = hinge / math.Sqrt(normSq)
		if hinge < 1e-3 {
			t.Fatal("a separable problem is not much of a test")
		}
		var last float64
		a, err := NewSBP(cfg, p, rand.New(rand.NewPCG(2, 1)))
		if err != nil {
			t.Fatal(err)
		}
		stages := []int{300, 10000, 200000}
		if cfg.Pair { // which takes longer, and is there sooner
			stages[2] = 40000
		}
		for _, steps1 := range stages {
			steps(t, a, steps1-int(a.Cost().Iterations))
			var s Solution
			a.SolutionTo(&s)
			last = lambda/2*s.NormSq + meanHinge(p, s.Scores) - primal
			if bound := 4 * primal / math.Sqrt(float64(steps1)); !(last <= bound) || !(last > -1e-9) {
				t.Errorf("%+v: after %d steps the regularized objective is suboptimal by %g, want at most %g", cfg, steps1, last, bound)
			}
		}
		if last > 0.004*primal {
			t.Errorf("%+v: suboptimal by %g of %g in the end", cfg, last, primal)
		}
	}
}

func TestSBPCounts(t *testing.T) {
	for _, cfg := range draws {
		cfg.Nu = 0.1
		p, g := newGaussianProblem(1, 30, 10, 40)
		a, err := NewSBP(cfg, p, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		steps(t, a, 250)
		rows := int64(250)
		if cfg.Pair {
			rows *= 2
		}
		want := algorithms.Cost{Iterations: 250, KernelEvals: 30 * rows, KernelEvalsMoved: 30 * rows, InnerProducts: 30 * rows}
		if g.calls != rows || a.Cost() != want {
			t.Errorf("%+v: cost %+v after %d rows, want %+v", cfg, a.Cost(), g.calls, want)
		}
	}
}

func TestSBPArguments(t *testing.T) {
	good, _ := newGaussianProblem(1, 6, 3, 6)
	one, _ := newGaussianProblem(1, 6, 6, 6)
	zero := Problem{Rows: gramOf([]float32{0})}
	bad := Problem{Rows: &suite.Matrix{K: [][]float32{{0}}, D: []float64{math.NaN()}}}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, test := range []struct {
		cfg  SBPConfig
		p    Problem
		rng  *rand.Rand
		want string
	}{
		{SBPConfig{Nu: -1}, good, rng, "nu"},
		{SBPConfig{Nu: math.NaN()}, good, rng, "nu"},
		{SBPConfig{Nu: math.Inf(1)}, good, rng, "nu"},
		{SBPConfig{Nu: math.MaxFloat64}, good, rng, "nu"},
		{SBPConfig{Pair: true}, good, rng, "without a bias"},
		{SBPConfig{}, good, nil, "random"},
		{SBPConfig{Bias: true}, one, rng, "both classes"},
		{SBPConfig{Bias: true}, Problem{Rows: one.Rows}, rng, "both classes"},
		{SBPConfig{}, zero, rng, "empty rows"},
		{SBPConfig{}, bad, rng, "K(x, x)"},
		{SBPConfig{}, Problem{}, rng, "rows"},
		{SBPConfig{}, Problem{Rows: good.Rows, Positive: 7}, rng, "positive"},
		{SBPConfig{}, Problem{Rows: gramOf()}, rng, "training points"},
		{SBPConfig{}, Problem{Rows: shortDiagonal{gramOf([]float32{1})}}, rng, "diagonal"},
	} {
		if _, err := NewSBP(test.cfg, test.p, test.rng); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "sbp") {
			t.Errorf("%+v: error %v, want one about %q", test.cfg, err, test.want)
		}
	}
	if _, err := NewSBP(SBPConfig{}, one, rng); err != nil {
		t.Errorf("one class without a bias: %v", err)
	}
}

func TestSBPDiverges(t *testing.T) {
	for _, cfg := range draws {
		cfg.Nu = 0.5
		p, g := newGaussianProblem(1, 6, 3, 7)
		a, err := NewSBP(cfg, p, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		b, _ := NewSBP(cfg, p, rand.New(rand.NewPCG(1, 1)))
		for i := range 6 {
			if i%2 == 0 {
				// Of an evaluation point, which no response of the others shows.
				g.at(i)[6] = float32(math.Inf(1))
			}
		}
		good := 0
		for good < 100 {
			s := a.Step()
			if !s.Stop() {
				good++
				continue
			}
			if s.State != algorithms.Diverged || !strings.Contains(s.Reason, "sbp") || !strings.Contains(s.Reason, "not finite") {
				t.Errorf("%+v: status %+v", cfg, s)
			}
			break
		}
		if good == 100 {
			t.Fatal("an infinite kernel was not noticed")
		}
		steps(t, b, good)
		var got, want Solution
		a.SolutionTo(&got)
		b.SolutionTo(&want)
		if a.Cost() != b.Cost() || !allClose(got.Scores, want.Scores, 0) || !allClose(got.Alpha, want.Alpha, 0) {
			t.Errorf("%+v: the iterate is not the last good one", cfg)
		}
	}
}

// shortDiagonal is a matrix without a diagonal.
type shortDiagonal struct{ *fakeGram }

func (shortDiagonal) Diag() []float64 { return nil }
