package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
)

// fakeGram is a whole kernel matrix in memory, which counts the rows asked for.
type fakeGram struct {
	*suite.Matrix
	n, all int
	calls  int64
}

func (g *fakeGram) Row(i int) []float32 {
	g.calls++
	return g.at(i)
}

func (g *fakeGram) at(i int) []float32 { return g.K[i] }

// newFakeGram returns the problem of the points with a kernel.
func newFakeGram(x suite.Points, kernel func(x, y []float64) float64) (Problem, *fakeGram) {
	g := &fakeGram{Matrix: x.Gram(kernel), n: x.Train(), all: len(x.X)}
	return Problem{Rows: g, Positive: x.Positive}, g
}

// gramOf returns the kernel matrix of these rows, of the training points alone.
func gramOf(rows ...[]float32) *fakeGram {
	return &fakeGram{Matrix: suite.NewMatrix(rows), n: len(rows), all: len(rows)}
}

// responses returns <w, Phi(x_j)> for all points from scratch.
func (g *fakeGram) responses(p Problem, alpha []float64) []float64 {
	u := make([]float64, g.all)
	for i, a := range alpha {
		for j, k := range g.at(i) {
			u[j] += a * p.Label(i) * float64(k)
		}
	}
	return u
}

// newGaussianProblem returns a problem of two overlapping clouds in the plane
// with a Gaussian kernel: n training points of which np are positive, and
// some more.
func newGaussianProblem(seed uint64, n, np, all int) (Problem, *fakeGram) {
	rng := rand.New(rand.NewPCG(seed, 77))
	x := suite.Points{Positive: np, Eval: all - n}
	for j := range all {
		shift := 0.9
		if j >= np && (j < n || j%2 == 0) {
			shift = -0.9
		}
		x.X = append(x.X, []float64{rng.NormFloat64() + shift, rng.NormFloat64()})
	}
	return newFakeGram(x, func(x, y []float64) float64 { return rffGaussian(0.5, x, y) })
}

func newUniformOrder(seed uint64, n int) suite.Uniform {
	return suite.Uniform{Rng: rand.New(rand.NewPCG(seed, 5)), N: n}
}

// listOrder repeats a list.
type listOrder struct {
	list []int
	next int
}

func (o *listOrder) Next() int {
	i := o.list[o.next%len(o.list)]
	o.next++
	return i
}

func steps(t *testing.T, l Learner, n int) {
	t.Helper()
	for i := range n {
		if s := l.Step(); s.Stop() {
			t.Fatalf("step %d: %v: %s", i+1, s.State, s.Reason)
		}
	}
}

func closeTo(a, b, tol float64) bool { return math.Abs(a-b) <= tol }

// meanHinge returns the mean hinge loss of scores on the training points.
func meanHinge(p Problem, scores []float64) (loss float64) {
	n := p.Rows.Train()
	for i := range n {
		loss += max(0, 1-p.Label(i)*scores[i]) / float64(n)
	}
	return loss
}

// optimum solves the regularized problem by cyclic ascent in the dual, without
// a bias by coordinates and with one by pairs, and returns its primal value,
// w's squared norm and mean hinge loss, and the bias. It fails the test unless
// the duality gap is below 1e-9.
func optimum(t *testing.T, p Problem, g *fakeGram, lambda float64, bias bool) (primal, normSq, hinge, b float64) {
	t.Helper()
	n := g.n
	upper := 1 / (lambda * float64(n))
	alpha, u := make([]float64, n), make([]float64, n)
	move := func(i int, d float64) {
		alpha[i] += d
		for j, k := range g.at(i)[:n] {
			u[j] += d * p.Label(i) * float64(k)
		}
	}
	for sweep := range 20000 {
		for i := range n {
			if !bias {
				d := (1 - p.Label(i)*u[i]) / g.D[i]
				move(i, max(-alpha[i], min(upper-alpha[i], d)))
				continue
			}
			for j := range i {
				// alpha_i += y_i d, alpha_j -= y_j d keeps y'alpha.
				yi, yj := p.Label(i), p.Label(j)
				q := g.D[i] + g.D[j] - 2*float64(g.at(i)[j])
				d := (yi - u[i] - yj + u[j]) / q
				lo, hi := math.Inf(-1), math.Inf(1)
				clip := func(a, s float64) {
					x, y := -a/s, (upper-a)/s
					lo, hi = max(lo, min(x, y)), min(hi, max(x, y))
				}
				clip(alpha[i], yi)
				clip(alpha[j], -yj)
				d = max(lo, min(hi, d))
				move(i, yi*d)
				move(j, -yj*d)
			}
		}
		if sweep%20 != 0 {
			continue
		}
		var sum float64
		normSq = 0
		for i, a := range alpha {
			sum += a
			normSq += a * p.Label(i) * u[i]
		}
		scores := append([]float64(nil), u...)
		b = 0
		if bias {
			// The mean hinge loss is piecewise linear in b: try every kink.
			best := math.Inf(1)
			for i := range n {
				at := p.Label(i) - u[i]
				for j := range scores {
					scores[j] = u[j] + at
				}
				if h := meanHinge(p, scores); h < best {
					best, b = h, at
				}
			}
			for j := range scores {
				scores[j] = u[j] + b
			}
		}
		hinge = meanHinge(p, scores)
		primal = lambda/2*normSq + hinge
		if primal-lambda*(sum-normSq/2) < 1e-9 {
			return primal, normSq, hinge, b
		}
	}
	t.Fatal("the reference optimum did not converge")
	return
}
