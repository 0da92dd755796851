package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
)

// featureRows is the linear kernel of explicit feature vectors.
type featureRows struct {
	*suite.Matrix
	phi [][]float64
}

func newFeatureRows(phi [][]float64) *featureRows {
	return &featureRows{suite.Points{X: phi}.Gram(suite.Linear), phi}
}

// dyadic rounds v to a multiple of 1/64, so that inner products are exact in 32 bits.
func dyadic(v float64) float64 { return math.Round(64*v) / 64 }

// newCloudProblem returns two overlapping clouds of n points in total, half of them
// positive, with |x| <= stretch.
func newCloudProblem(seed uint64, n int, stretch float64) (svm.Problem, *featureRows) {
	rng := rand.New(rand.NewPCG(seed, 99))
	phi := make([][]float64, n)
	for i := range phi {
		x := []float64{0.3, 0.5 * rng.NormFloat64(), 0.4 * rng.NormFloat64(), 0.3 * rng.NormFloat64()}
		if i >= n/2 != (rng.IntN(4) == 0) { // a quarter of the labels are wrong
			x[0] = -x[0]
		}
		shrink := min(1, 0.97/floats.Norm(x, 2))
		for k := range x {
			x[k] = stretch * dyadic(shrink*x[k])
		}
		phi[i] = x
	}
	g := newFeatureRows(phi)
	return svm.Problem{Rows: g, Positive: n / 2}, g
}

func newDrawnOrder(seed uint64, n int) svm.Order {
	return suite.Uniform{Rng: rand.New(rand.NewPCG(seed, 6)), N: n}
}

// naiveBudget is a budgeted Perceptron that recomputes w for each classification.
type naiveBudget struct {
	p      svm.Problem
	g      *featureRows
	stored []mistake // coef is the coefficient in w
}

func (b *naiveBudget) w() []float64 {
	w := make([]float64, len(b.g.phi[0]))
	for _, r := range b.stored {
		for k, v := range b.g.phi[r.i] {
			w[k] += r.coef * b.p.Label(r.i) * v
		}
	}
	return w
}

func (b *naiveBudget) margin(i int) float64 { return b.p.Label(i) * suite.Linear(b.w(), b.g.phi[i]) }

func (b *naiveBudget) support() int {
	seen := map[int]bool{}
	for _, r := range b.stored {
		seen[r.i] = true
	}
	return len(seen)
}

// check compares the classifier of a with b.
func (b *naiveBudget) check(t *testing.T, a Learner) {
	t.Helper()
	want := make([]float64, len(b.g.phi))
	for _, r := range b.stored {
		want[r.i] += r.coef * b.p.Label(r.i)
	}
	var e Expansion
	a.ExpansionTo(&e)
	if len(e.Coef) != b.support() || a.Support() != b.support() || e.Bias != 0 {
		t.Fatalf("%d expansion vectors, support %d, want %d; bias %g",
			len(e.Coef), a.Support(), b.support(), e.Bias)
	}
	for k, i := range e.Index {
		if math.Abs(e.Coef[k]-want[i]) > 1e-10 {
			t.Fatalf("coefficient of %d is %.17g, want %.17g", i, e.Coef[k], want[i])
		}
	}
}

// learnBoth steps a and the naive learner b together, compares them, and returns the
// number of mistakes. It calls evict when b exceeds the budget.
func learnBoth(t *testing.T, a Learner, b *naiveBudget, order svm.Order, steps, budget int, evict func(mistakes int)) (mistakes int) {
	t.Helper()
	var want algorithms.Cost
	for step := range steps {
		i := order.Next()
		want.Iterations++
		want.KernelEvals += int64(b.support())
		want.InnerProducts = want.KernelEvals
		if m := b.margin(i); m <= 0 {
			mistakes++
			b.stored = append(b.stored, mistake{i, 1})
			if len(b.stored) > budget {
				evict(mistakes)
			}
		} else if m < 1e-9 {
			t.Fatalf("step %d: the margin %g is within rounding of 0", step, m)
		}
		if s := a.Step(); s.Stop() {
			t.Fatalf("step %d: %+v", step, s)
		}
		b.check(t, a)
		if a.Cost() != want {
			t.Fatalf("step %d: cost %+v, want %+v", step, a.Cost(), want)
		}
		if a.Support() > budget || !a.Final() {
			t.Fatalf("step %d: support %d, budget %d", step, a.Support(), budget)
		}
	}
	return mistakes
}

// TestRBPAgainstNaive compares RBP with a naive implementation. With a budget of n both
// are the Perceptron.
func TestRBPAgainstNaive(t *testing.T) {
	const n = 60
	for _, budget := range []int{1, 7, n} {
		p, g := newCloudProblem(1, n, 1)
		a := suite.Must(NewRBP(BudgetConfig{Budget: budget}, p, newDrawnOrder(2, n), rand.New(rand.NewPCG(5, 5))))
		again := rand.New(rand.NewPCG(5, 5))
		b := &naiveBudget{p: p, g: g}
		mistakes := learnBoth(t, a, b, newDrawnOrder(2, n), 500, budget, func(int) {
			k := again.IntN(budget)
			b.stored[k] = b.stored[budget] // the new mistake
			b.stored = b.stored[:budget]
		})
		if a.Mistakes() != int64(mistakes) {
			t.Errorf("budget %d: %d mistakes, want %d", budget, a.Mistakes(), mistakes)
		}
		if budget < n && mistakes < 2*budget {
			t.Errorf("budget %d: only %d mistakes; the test is too weak", budget, mistakes)
		}
	}
}
