package sparse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/loss"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
)

// thesisMethods are the three methods of chapter 3.
var thesisMethods = []struct {
	name string
	make func(sparse.SparsifyConfig, svm.Problem, *sparse.Reference) (sparsifier, error)
}{
	{"sparsify", func(c sparse.SparsifyConfig, p svm.Problem, r *sparse.Reference) (sparsifier, error) {
		return sparse.NewSparsify(c, p, r)
	}},
	{"sparsify-aggressive", func(c sparse.SparsifyConfig, p svm.Problem, r *sparse.Reference) (sparsifier, error) {
		return sparse.NewSparsifyAggressive(c, p, r)
	}},
	{"sparsify-smooth", func(c sparse.SparsifyConfig, p svm.Problem, r *sparse.Reference) (sparsifier, error) {
		return sparse.NewSparsifySmooth(c, p, r)
	}},
}

type sparsifier interface {
	sparse.Learner
	Value() float64
}

// example is a random problem and its SVM.
type example struct {
	points sparsetest.Points
	gamma  float64
	rows   *suite.Matrix
	ref    *sparse.Reference
}

func (x example) problem() svm.Problem {
	return svm.Problem{Rows: x.rows, Positive: x.points.Positive}
}

// newExample draws a problem and trains its SVM.
func newExample(t testing.TB, seed uint64, bias bool) example {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 31))
	x := example{gamma: 0.1 + rng.Float64()}
	x.points = sparsetest.Blobs(rng, 15+rng.IntN(30), 15+rng.IntN(30), 2+rng.IntN(3), 1+2*rng.Float64(), rng.NormFloat64())
	x.rows = x.points.GaussianGram(x.gamma)
	ref := suite.Must(sparsetest.Train(x.rows, x.points.Positive, []float64{0.3, 1, 10}[rng.IntN(3)], bias))
	x.ref = ref
	return x
}

// classify returns the scores of an expansion on the training points.
func (x example) classify(l sparse.Learner) []float64 {
	var e sparse.Expansion
	l.ExpansionTo(&e)
	return sparsetest.Scores(x.points, &e, x.gamma)
}

// violation returns f for the given scores g~: the maximum of min(1, y g) - y g~ over the
// points with y g > 0.
func (x example) violation(scores []float64) float64 {
	f := math.Inf(-1)
	for i, g := range x.ref.Scores {
		if y := x.points.Label(i); y*g > 0 {
			f = max(f, min(1, y*g)-y*scores[i])
		}
	}
	return f
}

// normSq returns |w~|^2.
func (x example) normSq(l sparse.Learner) float64 {
	var e sparse.Expansion
	l.ExpansionTo(&e)
	var sum float64
	for k, i := range e.Index {
		for m, j := range e.Index {
			sum += e.Coef[k] * e.Coef[m] * float64(x.rows.Row(i)[j])
		}
	}
	return sum
}

// run steps l until it converges, in at most maxSteps steps.
func run(t testing.TB, l sparse.Learner, maxSteps int) {
	t.Helper()
	for range maxSteps {
		if status := l.Step(); status.Stop() {
			if status.State != algorithms.Converged {
				t.Fatalf("%v: %s", status.State, status.Reason)
			}
			return
		}
	}
	t.Fatalf("no convergence in %d steps", maxSteps)
}

// stepBound returns the bound on the number of steps for 0 <= K <= 1. A step on one point
// decreases |w~ - w|^2 by at least eta (2 epsilon - eta), and a step on a pair by at least
// eta (4 epsilon - 2 eta).
func stepBound(cfg sparse.SparsifyConfig, normSq float64) float64 {
	if cfg.Relearn {
		return normSq / (2 * cfg.Eta * (2*cfg.Epsilon - cfg.Eta))
	}
	return normSq / (cfg.Eta * (2*cfg.Epsilon - cfg.Eta))
}

// TestSparsifyConverges checks the lemma on the convergence rate for each method, with kept and
// learned biases and several step sizes. It also checks the lemma on the slant loss, or the claim
// on the smooth loss for thresholds up to 1/3.
func TestSparsifyConverges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		bias := seed%3 > 0
		x := newExample(t, seed, bias)
		for _, cfg := range []sparse.SparsifyConfig{
			{Eta: 0.5, Epsilon: 0.5},
			{Eta: 1.0 / 3, Epsilon: 1.0 / 3},
			{Eta: 0.05, Epsilon: 0.1},
			{Eta: 0.3, Epsilon: 0.2},
		} {
			cfg.Relearn = seed%3 > 1
			for _, m := range thesisMethods {
				name := fmt.Sprintf("seed %d, bias %t, %s %+v", seed, bias, m.name, cfg)
				l := suite.Must(m.make(cfg, x.problem(), x.ref))
				run(t, l, int(stepBound(cfg, x.ref.NormSq)*(1+1e-6))+1)
				scores := x.classify(l)
				if f := x.violation(scores); !(f <= cfg.Epsilon+1e-6) {
					t.Fatalf("%s: f(w~) = %g", name, f)
				}
				surrogate := loss.Slant
				if cfg.Epsilon <= 1.0/3 {
					surrogate = loss.Smooth
				}
				for i, g := range x.ref.Scores {
					y := x.points.Label(i)
					if low, high := surrogate(y*scores[i]), loss.Hinge(y*g); low > high+1e-6 {
						t.Fatalf("%s: point %d: the loss of w~ is %g, the hinge loss of w %g",
							name, i, low, high)
					}
				}
				if m.name == "sparsify-smooth" {
					if got := x.normSq(l); got > x.ref.NormSq*(1+1e-6) {
						t.Fatalf("%s: |w~|^2 = %g, |w|^2 = %g", name, got, x.ref.NormSq)
					}
				}
			}
		}
	}
}

// checkValue checks f(w~), the bias and |w~|^2 of l against its expansion, and that a learned bias is
// optimal. Between steps on old vectors, the value of the aggressive method is the maximum over its
// expansion vectors only.
func (x example) checkValue(t *testing.T, l sparsifier, relearn bool) {
	t.Helper()
	scores := x.classify(l)
	f, over := x.violation(scores), math.Inf(-1)
	if _, ok := l.(*sparse.SparsifyAggressive); ok && !l.Final() {
		var e sparse.Expansion
		l.ExpansionTo(&e)
		for _, i := range e.Index {
			y := x.points.Label(i)
			over = max(over, min(1, y*x.ref.Scores[i])-y*scores[i])
		}
	} else {
		over = f
		for _, by := range []float64{-1e-3, 1e-3} {
			moved := slices.Clone(scores)
			floats.AddConst(by, moved)
			if g := x.violation(moved); relearn && g < f {
				t.Fatalf("after %d steps: f(w~) = %g, but %g if b~ changes by %g",
					l.Cost().Iterations, f, g, by)
			}
		}
	}
	if math.Abs(over-l.Value()) > 1e-6*(1+math.Abs(over)) {
		t.Fatalf("%T after %d steps: f(w~) = %g, Value() = %g", l, l.Cost().Iterations, over, l.Value())
	}
	if s, ok := l.(*sparse.SparsifySmooth); ok {
		if got, want := s.NormSq(), x.normSq(l); math.Abs(got-want) > 1e-6*(1+want) {
			t.Fatalf("after %d steps: |w~|^2 = %g, NormSq() = %g", l.Cost().Iterations, want, got)
		}
	}
}
