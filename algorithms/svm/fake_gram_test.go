package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
)

// fakeGram is a kernel matrix in memory that counts fetched rows.
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

// gramOf returns the kernel matrix with the given rows, without evaluation points.
func gramOf(rows ...[]float32) *fakeGram {
	return &fakeGram{Matrix: suite.NewMatrix(rows), n: len(rows), all: len(rows)}
}

// responses computes <w, Phi(x_j)> for all points.
func (g *fakeGram) responses(p Problem, alpha []float64) []float64 {
	u := make([]float64, g.all)
	for i, a := range alpha {
		for j, k := range g.at(i) {
			u[j] += a * p.Label(i) * float64(k)
		}
	}
	return u
}

// newGaussianProblem returns two overlapping clouds of all points in the plane with a Gaussian
// kernel. The first n are training points, of which np are positive.
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

// optimum solves the regularised problem to a duality gap of 1e-9. It returns the primal value, and
// the squared norm and the mean hinge loss of w.
func optimum(t *testing.T, p Problem, lambda float64, bias bool) (primal, normSq, hinge float64) {
	t.Helper()
	a, err := NewSMO(SMOConfig{Lambda: lambda, Bias: bias}, p)
	if err != nil {
		t.Fatal(err)
	}
	suite.Advance(a, 1_000_000)
	var s Solution
	a.SolutionTo(&s)
	hinge = meanHinge(p, s.Scores)
	primal = lambda/2*s.NormSq + hinge
	if gap := primal - lambda*a.DualObjective(); !(gap < 1e-9) {
		t.Fatalf("the reference optimum has the duality gap %g", gap)
	}
	return primal, s.NormSq, hinge
}
