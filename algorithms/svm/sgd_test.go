package svm

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"stochopt/algorithms"
)

// denseIterate is w with its responses, scaled element by element, and an explicit sum of the
// iterates.
type denseIterate struct {
	p                    Problem
	g                    *fakeGram
	alpha, u, sumA, sumU []float64
	t, moved, weight     int
}

func newDenseIterate(p Problem, g *fakeGram) *denseIterate {
	zeros := func(n int) []float64 { return make([]float64, n) }
	return &denseIterate{p: p, g: g, alpha: zeros(g.n), u: zeros(g.all), sumA: zeros(g.n), sumU: zeros(g.all)}
}

func (a *denseIterate) response(i int) float64 { return a.p.Label(i) * a.u[i] }

func (a *denseIterate) add(i int, d float64) {
	a.moved++
	a.alpha[i] += d
	for j, k := range a.g.at(i) {
		a.u[j] += d * a.p.Label(i) * float64(k)
	}
}

func (a *denseIterate) multiply(f float64) {
	for _, x := range [][]float64{a.alpha, a.u} {
		for i := range x {
			x[i] *= f
		}
	}
}

func (a *denseIterate) normSq() (sum float64) {
	for i, x := range a.alpha {
		sum += x * a.response(i)
	}
	return sum
}

func (a *denseIterate) average() {
	a.weight++
	for i, x := range a.alpha {
		a.sumA[i] += x
	}
	for j, x := range a.u {
		a.sumU[j] += x
	}
}

// check compares a solution with w or with the average.
func (a *denseIterate) check(t *testing.T, l Learner, average bool) {
	t.Helper()
	var s Solution
	l.SolutionTo(&s)
	alpha, u, f := a.alpha, a.u, 1.0
	if average {
		alpha, u, f = a.sumA, a.sumU, 1/float64(max(1, a.weight))
	}
	alpha, u = slices.Clone(alpha), slices.Clone(u)
	var norm, size float64
	for i := range alpha {
		norm += alpha[i] * f * u[i] * f * a.p.Label(i)
		alpha[i] *= f
		size = max(size, math.Abs(alpha[i]))
	}
	for j := range u {
		u[j] *= f
		size = max(size, math.Abs(u[j]))
	}
	if !allClose(s.Alpha, alpha, 1e-10*size) || !allClose(s.Scores, u, 1e-10*size) || !closeTo(s.NormSq, norm, 1e-10*(norm+size)) || s.Bias != 0 {
		t.Fatalf("step %d, average %v: the classifier differs from the plain algorithm", a.t, average)
	}
}

// TestAgainstPlain compares each method and its cost with a plain form that scales and averages all
// vectors element by element.
func TestAgainstPlain(t *testing.T) {
	const n = 25
	type method struct {
		name    string
		average bool
		open    func(p Problem, order Order) (Learner, error)
		step    func(w *denseIterate, i int)
	}
	var methods []method
	for _, last := range []bool{false, true} {
		for _, r := range []float64{0.3, 1, 40} {
			open := func(p Problem, order Order) (Learner, error) { return NewSGD(SGDConfig{R: r, Last: last}, p, order) }
			methods = append(methods, method{fmt.Sprint("sgd, R = ", r), !last, open, func(w *denseIterate, i int) {
				if w.response(i) < 1 {
					w.add(i, r*math.Sqrt(2/float64(w.t)))
					if norm := math.Sqrt(w.normSq()); norm > r {
						w.multiply(r / norm)
					}
				}
			}})
		}
		for _, lambda := range []float64{1e-4, 0.01, 0.7} {
			open := func(p Problem, order Order) (Learner, error) {
				return NewPegasos(PegasosConfig{Lambda: lambda, Last: last}, p, order)
			}
			methods = append(methods, method{fmt.Sprint("pegasos, lambda = ", lambda), !last, open, func(w *denseIterate, i int) {
				violated := w.response(i) < 1
				w.multiply(1 - 1/float64(w.t))
				if violated {
					w.add(i, 1/(lambda*float64(w.t)))
				}
			}})
		}
	}
	for _, m := range methods {
		p, g := newGaussianProblem(3, n, 10, 31)
		again := newUniformOrder(1, n)
		a, err := m.open(p, newUniformOrder(1, n))
		if err != nil {
			t.Fatal(err)
		}
		plain := newDenseIterate(p, g)
		plain.check(t, a, m.average)
		for plain.t = 1; plain.t <= 2000; plain.t++ {
			steps(t, a, 1)
			m.step(plain, again.Next())
			plain.average()
			if plain.t < 10 || plain.t%100 == 0 {
				plain.check(t, a, m.average)
			}
		}
		want := algorithms.Cost{Iterations: 2000, KernelEvals: 2000 * n, InnerProducts: 2000 * n, KernelEvalsMoved: int64(n * plain.moved)}
		if a.Cost() != want || g.calls != int64(plain.moved) {
			t.Errorf("%s: cost %+v after %d rows, want %+v", m.name, a.Cost(), g.calls, want)
		}
	}
}

// TestSGDBound checks that the excess mean hinge loss of the averaged iterate, averaged over orders,
// satisfies the bound R sqrt(8/T) + R/T and tends to zero. The term R/T is for averaging w_1, …, w_T
// instead of w_0, …, w_{T-1}.
func TestSGDBound(t *testing.T) {
	p, _ := newGaussianProblem(11, 24, 9, 30)
	_, normSq, hinge := optimum(t, p, 0.02, false)
	r := math.Sqrt(normSq)
	for _, n := range []int{10, 100, 1000, 100000} {
		repeats := max(1, min(50, 100000/n))
		var excess float64
		for k := range repeats {
			a, err := NewSGD(SGDConfig{R: r}, p, newUniformOrder(uint64(k), 24))
			if err != nil {
				t.Fatal(err)
			}
			steps(t, a, n)
			var s Solution
			a.SolutionTo(&s)
			if s.NormSq > r*r*(1+1e-9) {
				t.Fatalf("|w| = %g, R = %g", math.Sqrt(s.NormSq), r)
			}
			excess += (meanHinge(p, s.Scores) - hinge) / float64(repeats)
		}
		if bound := r*math.Sqrt(8/float64(n)) + r/float64(n); !(excess <= bound) || excess < -1e-6 {
			t.Errorf("T = %d: the mean excess loss is %g, the bound %g", n, excess, bound)
		}
		if n == 100000 && excess > 0.01*hinge {
			t.Errorf("T = %d: the excess loss is %g of %g", n, excess, hinge)
		}
	}
}

// coin returns a problem of two points with opposite labels and the same image, of norm 1.
func coin() Problem {
	return Problem{Rows: gramOf([]float32{1, 1}, []float32{1, 1}), Positive: 1}
}

func TestSGDDiverges(t *testing.T) {
	a, err := NewSGD(SGDConfig{R: 1e200}, coin(), &listOrder{list: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	if s := a.Step(); s.State != algorithms.Diverged {
		t.Errorf("R = 1e200: status %+v", s)
	}
	var s Solution
	a.SolutionTo(&s)
	if s.Scores[0] != 0 || a.Cost().Iterations != 0 {
		t.Errorf("the iterate is not the last valid one: %+v", s)
	}
}
