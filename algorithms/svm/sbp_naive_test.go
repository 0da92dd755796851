package svm

import (
	"math"
	"math/rand/v2"
	"slices"
)

// naiveSBP is the pseudo-code of the thesis with corrected sampling and a corrected final division.
// Vectors are scaled element by element, averages are sums of the iterates, and water levels are
// found by sorting.
type naiveSBP struct {
	p       Problem
	g       *fakeGram
	nu      float64
	bias    bool
	pair    bool
	rng     *rand.Rand
	t       int
	r       float64
	alpha   []float64
	c, eval []float64
	sumA    []float64
	sumC    []float64
	sumE    []float64
}

func newNaiveSBP(p Problem, g *fakeGram, cfg SBPConfig, rng *rand.Rand) *naiveSBP {
	zeros := func(n int) []float64 { return make([]float64, n) }
	return &naiveSBP{p: p, g: g, nu: cfg.Nu, bias: cfg.Bias, pair: cfg.Pair, rng: rng,
		alpha: zeros(g.n), c: zeros(g.n), eval: zeros(g.all - g.n),
		sumA: zeros(g.n), sumC: zeros(g.n), sumE: zeros(g.all - g.n)}
}

// draw returns the rth of the points that satisfy ok.
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

// sample draws the points of a step.
func (a *naiveSBP) sample() []int {
	n, np := a.g.n, a.p.Positive
	volume := float64(n) * a.nu
	if !a.bias {
		gamma := sortedLevel(a.c, volume)
		under := func(i int) bool { return a.c[i] < gamma }
		if a.count(under) == 0 {
			under = func(i int) bool { return a.c[i] == slices.Min(a.c) }
		}
		return []int{draw(n, a.rng.IntN(a.count(under)), under)}
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
	of := func(s int) int {
		r := a.rng.IntN(m)
		if k := a.count(below[s]); r < k {
			return draw(n, r, below[s])
		}
		return draw(n, a.rng.IntN(a.count(tied[s])), tied[s])
	}
	if !a.pair {
		return []int{of(a.rng.IntN(2))}
	}
	return []int{of(0), of(1)}
}

func (a *naiveSBP) step() {
	a.t++
	points := a.sample()
	eta := 1 / math.Sqrt(float64(a.t)) / float64(len(points))
	r2 := a.r * a.r
	for _, i := range points {
		r2 += 2 * eta * a.c[i]
		for _, j := range points {
			r2 += eta * eta * a.p.Label(i) * a.p.Label(j) * float64(a.g.at(i)[j])
		}
	}
	for _, i := range points {
		a.alpha[i] += eta
		y := a.p.Label(i)
		for j, k := range a.g.at(i) {
			if j < a.g.n {
				a.c[j] += eta * y * a.p.Label(j) * float64(k)
			} else {
				a.eval[j-a.g.n] += eta * y * float64(k)
			}
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
}

// solution returns the classifier and its value of f.
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
