package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
)

// naiveSBP is the algorithm as it is written down, with the sampling and the
// final division corrected: everything is scaled element by element, averages
// are sums of the iterates and water levels come from sorting.
type naiveSBP struct {
	p       Problem
	g       *fakeGram
	nu      float64
	bias    bool
	rng     *rand.Rand
	t       int
	r       float64
	alpha   []float64
	c, eval []float64
	sumA    []float64
	sumC    []float64
	sumE    []float64
}

func newNaiveSBP(p Problem, g *fakeGram, nu float64, bias bool, rng *rand.Rand) *naiveSBP {
	zeros := func(n int) []float64 { return make([]float64, n) }
	return &naiveSBP{p: p, g: g, nu: nu, bias: bias, rng: rng,
		alpha: zeros(g.n), c: zeros(g.n), eval: zeros(g.all - g.n),
		sumA: zeros(g.n), sumC: zeros(g.n), sumE: zeros(g.all - g.n)}
}

// draw returns the r-th of the points that satisfy ok.
func draw(n, r int, ok func(i int) bool) int {
	for i := range n {
		if ok(i) {
			if r == 0 {
				return i
			}
			r--
		}
	}
	return -1
}

func (a *naiveSBP) count(ok func(i int) bool) (k int) {
	for i := range a.c {
		if ok(i) {
			k++
		}
	}
	return k
}

func (a *naiveSBP) sample() int {
	n, np := a.g.n, a.p.Positive
	volume := float64(n) * a.nu
	if !a.bias {
		gamma := sortedLevel(a.c, volume)
		under := func(i int) bool { return a.c[i] < gamma }
		if a.count(under) == 0 {
			under = func(i int) bool { return a.c[i] == slices.Min(a.c) }
		}
		return draw(n, a.rng.IntN(a.count(under)), under)
	}
	gamma, b, _ := WaterLevelBias(a.c[:np], a.c[np:], volume)
	level := func(i int) float64 {
		if i < np {
			return gamma - b
		}
		return gamma + b
	}
	var below, tied [2]func(i int) bool
	m := 1
	for s := range 2 {
		class := func(i int) bool { return (i >= np) == (s == 1) }
		below[s] = func(i int) bool { return class(i) && a.c[i] < level(i)-1e-12 }
		tied[s] = func(i int) bool { return class(i) && math.Abs(a.c[i]-level(i)) <= 1e-12 }
		m = max(m, a.count(below[s]))
	}
	s, r := a.rng.IntN(2), a.rng.IntN(m)
	if k := a.count(below[s]); r < k {
		return draw(n, r, below[s])
	}
	return draw(n, a.rng.IntN(a.count(tied[s])), tied[s])
}

func (a *naiveSBP) step() int {
	a.t++
	i := a.sample()
	eta := 1 / math.Sqrt(float64(a.t))
	r2 := a.r*a.r + 2*eta*a.c[i] + eta*eta*a.g.diag[i]
	a.alpha[i] += eta
	y := a.p.Label(i)
	for j, k := range a.g.at(i) {
		if j < a.g.n {
			a.c[j] += eta * y * a.p.Label(j) * float64(k)
		} else {
			a.eval[j-a.g.n] += eta * y * float64(k)
		}
	}
	a.r = math.Sqrt(r2)
	if a.r > 1 {
		for _, x := range [][]float64{a.alpha, a.c, a.eval} {
			for i := range x {
				x[i] /= a.r
			}
		}
		a.r = 1
	}
	for i := range a.alpha {
		a.sumA[i] += a.alpha[i]
		a.sumC[i] += a.c[i]
	}
	for j := range a.eval {
		a.sumE[j] += a.eval[j]
	}
	return i
}

// solution returns the classifier; scale is its f.
func (a *naiveSBP) solution() (s Solution, scale float64) {
	n, np, t := a.g.n, a.p.Positive, float64(a.t)
	mean := func(x []float64) []float64 {
		out := slices.Clone(x)
		for i := range out {
			out[i] /= t
		}
		return out
	}
	c := mean(a.sumC)
	volume := float64(n) * a.nu
	scale = sortedLevel(c, volume)
	if a.bias {
		scale, s.Bias, _ = WaterLevelBias(c[:np], c[np:], volume)
	}
	f := 1.0
	if scale > 0 {
		f = 1 / scale
	}
	s.Bias *= f
	for i := range c {
		s.Scores = append(s.Scores, a.p.Label(i)*c[i]*f+s.Bias)
		s.Alpha = append(s.Alpha, a.sumA[i]/t*f)
		s.NormSq += c[i] * f * s.Alpha[i]
	}
	for _, e := range mean(a.sumE) {
		s.Scores = append(s.Scores, e*f+s.Bias)
	}
	return s, scale
}

func TestSBPAgainstPseudoCode(t *testing.T) {
	negative := 0
	for _, nu := range []float64{0, 0.02, 0.2, 3} {
		for _, bias := range []bool{false, true} {
			for seed := range uint64(4) {
				np := 11 + int(seed)
				if !bias && seed >= 2 {
					np = 37 * int(seed-2) // one class only
				}
				p, g := newGaussianProblem(seed, 37, np, 45)
				a, err := NewSBP(SBPConfig{Nu: nu, Bias: bias}, p, rand.New(rand.NewPCG(seed, 1)))
				if err != nil {
					t.Fatal(err)
				}
				naive := newNaiveSBP(p, g, nu, bias, rand.New(rand.NewPCG(seed, 1)))
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
						t.Fatalf("nu = %g, bias %v, seed %d, step %d: not the classifier of the plain algorithm: bias %v, want %v; |w|^2 = %v, want %v", nu, bias, seed, step, s.Bias, want.Bias, s.NormSq, want.NormSq)
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

// TestErratumSBPScale: the algorithm divides by gamma, which is not positive
// for the average of the first iterates of a problem that is not separable
// enough. The division would turn every prediction round.
func TestErratumSBPScale(t *testing.T) {
	// Three points with one image, two of them of one class.
	g := &fakeGram{n: 3, all: 3, k: []float32{1, 1, 1, 1, 1, 1, 1, 1, 1}, diag: []float64{1, 1, 1}}
	p := Problem{Rows: g, Positive: 2}
	turned := 0
	for seed := range uint64(20) {
		a, err := NewSBP(SBPConfig{}, p, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		steps(t, a, 1)
		var s Solution
		a.SolutionTo(&s)
		u := g.responses(p, a.alpha)
		c := []float64{u[0], u[1], -u[2]}
		gamma, _ := WaterLevel(c, 0)
		if gamma >= 0 {
			t.Fatalf("f = %g for w of norm 1, want -1", gamma)
		}
		if u[0]/gamma*u[0] < 0 {
			turned++
		}
		if !(s.Scores[0]*u[0] > 0) {
			t.Errorf("the classifier predicts %g where w does %g", s.Scores[0], u[0])
		}
	}
	if turned != 20 {
		t.Errorf("the printed division turns %d of 20 classifiers round, expected all", turned)
	}
}

// TestErratumSBPNoSlack: without slack no response is below gamma, and there is
// nothing to sample from; those equal to it are meant.
func TestErratumSBPNoSlack(t *testing.T) {
	c := []float64{0, 0, 3}
	gamma, under := WaterLevel(c, 0)
	if countBelow(c, gamma) != 0 || under != 2 {
		t.Errorf("%d points below gamma, p* on %d; want 0 and 2", countBelow(c, gamma), under)
	}
}

// TestSBPSupergradient: f(w+v) <= f(w) + <v, sum_i p_i y_i Phi(x_i)>, with p the
// distribution that is sampled from, estimated by sampling at a fixed w.
func TestSBPSupergradient(t *testing.T) {
	for _, bias := range []bool{false, true} {
		for _, nu := range []float64{0, 0.05, 0.5, 4} {
			rng := rand.New(rand.NewPCG(8, 8))
			const np, n, draws = 7, 20, 100000
			u := make([]float64, n)
			for i := range u {
				// Ties: levels of 1/4.
				u[i] = math.Round(4*rng.NormFloat64()) / 4
			}
			w := newWater(u[:np], u[np:], bias)
			w.basins[0].guess = rng.NormFloat64()
			p := make([]float64, n)
			for range draws {
				p[w.sample(n*nu, rng)] += 1.0 / draws
			}
			f := func(u []float64) float64 {
				c := slices.Clone(u)
				for i := np; i < n; i++ {
					c[i] = -c[i]
				}
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
			at := f(u)
			for range 500 {
				v := slices.Clone(u)
				var slope, size float64
				for i := range v {
					d := rng.NormFloat64() * rng.ExpFloat64()
					v[i] += d
					if i >= np {
						d = -d
					}
					slope += p[i] * d
					size = max(size, math.Abs(d))
				}
				if over := f(v) - at - slope; over > 0.02*size {
					t.Fatalf("bias %v, nu = %g: f(w+v) exceeds the tangent by %g", bias, nu, over)
				}
			}
		}
	}
}

func TestSBPConverges(t *testing.T) {
	const lambda = 0.02
	for _, bias := range []bool{false, true} {
		p, g := newGaussianProblem(11, 24, 9, 30)
		primal, normSq, hinge, _ := optimum(t, p, g, lambda, bias)
		nu := hinge / math.Sqrt(normSq)
		if hinge < 1e-3 {
			t.Fatal("a separable problem is not much of a test")
		}
		var last float64
		for _, steps1 := range []int{300, 30000, 600000} {
			a, err := NewSBP(SBPConfig{Nu: nu, Bias: bias}, p, rand.New(rand.NewPCG(2, 1)))
			if err != nil {
				t.Fatal(err)
			}
			steps(t, a, steps1)
			var s Solution
			a.SolutionTo(&s)
			last = lambda/2*s.NormSq + meanHinge(p, s.Scores) - primal
			if bound := 4 * primal / math.Sqrt(float64(steps1)); !(last <= bound) || !(last > -1e-9) {
				t.Errorf("bias %v: after %d steps the regularized objective is suboptimal by %g, want at most %g", bias, steps1, last, bound)
			}
		}
		if last > 0.002*primal {
			t.Errorf("bias %v: suboptimal by %g of %g in the end", bias, last, primal)
		}
	}
}

func TestSBPCounts(t *testing.T) {
	p, g := newGaussianProblem(1, 30, 10, 40)
	a, _ := NewSBP(SBPConfig{Nu: 0.1}, p, rand.New(rand.NewPCG(1, 1)))
	steps(t, a, 250)
	want := algorithms.Cost{Iterations: 250, KernelEvals: 30 * g.calls, KernelEvalsMoved: 30 * g.calls, InnerProducts: 30 * g.calls}
	if g.calls != 250 || a.Cost() != want {
		t.Errorf("cost %+v after %d rows, want %+v", a.Cost(), g.calls, want)
	}
}

func TestSBPArguments(t *testing.T) {
	good, _ := newGaussianProblem(1, 6, 3, 6)
	one, _ := newGaussianProblem(1, 6, 6, 6)
	zero := Problem{Rows: &fakeGram{n: 1, all: 1, k: []float32{0}, diag: []float64{0}}}
	bad := Problem{Rows: &fakeGram{n: 1, all: 1, k: []float32{0}, diag: []float64{math.NaN()}}}
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
		{SBPConfig{}, good, nil, "random"},
		{SBPConfig{Bias: true}, one, rng, "one class only"},
		{SBPConfig{Bias: true}, Problem{Rows: one.Rows}, rng, "one class only"},
		{SBPConfig{}, zero, rng, "empty rows"},
		{SBPConfig{}, bad, rng, "K(x, x)"},
		{SBPConfig{}, Problem{}, rng, "rows"},
		{SBPConfig{}, Problem{Rows: good.Rows, Positive: 7}, rng, "positive"},
		{SBPConfig{}, Problem{Rows: &fakeGram{}}, rng, "training points"},
		{SBPConfig{}, Problem{Rows: &fakeGram{n: 1, all: 2, diag: []float64{1}}}, rng, "diagonal"},
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
	for _, bias := range []bool{false, true} {
		p, g := newGaussianProblem(1, 6, 3, 7)
		a, err := NewSBP(SBPConfig{Nu: 0.5, Bias: bias}, p, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		b, _ := NewSBP(SBPConfig{Nu: 0.5, Bias: bias}, p, rand.New(rand.NewPCG(1, 1)))
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
			if s.State != algorithms.Diverged || !strings.Contains(s.Reason, "sbp") || !strings.Contains(s.Reason, "row") {
				t.Errorf("bias %v: status %+v", bias, s)
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
			t.Errorf("bias %v: the iterate is not the last good one", bias)
		}
	}
}
