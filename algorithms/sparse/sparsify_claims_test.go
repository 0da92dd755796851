package sparse_test

import (
	"math"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/loss"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

// TestLowerBound: on R^2 = d orthonormal points of one class, of which each needs its own vector, the
// methods find a classifier with between R^2/2 and R^2 vectors, where the lemma says that fewer than
// R^2/2 do not do.
func TestLowerBound(t *testing.T) {
	const d = 36
	for _, z := range []float64{1, -1} {
		ref := &sparse.Reference{NormSq: d}
		positive := d
		if z < 0 {
			positive = 0
		}
		for range d {
			ref.Alpha, ref.Scores = append(ref.Alpha, 1), append(ref.Scores, z)
		}
		for _, m := range ownMethods {
			l := suite.Must(m.make(sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5}, explicit(identity(d), positive), ref))
			run(t, l, 4*d)
			if got := l.Support(); got < d/2 || got > d {
				t.Errorf("%s: %d vectors for R^2 = %d", m.name, got, d)
			}
		}
	}
}

// TestSettled: with the vectors that the next step admits a classifier counts.
func TestSettled(t *testing.T) {
	x := newExample(t, 5, true)
	for _, relearn := range []bool{false, true} {
		for _, m := range ownMethods {
			l := suite.Must(m.make(sparse.SparsifyConfig{Eta: 0.05, Epsilon: 0.05, Relearn: relearn}, x.problem(), x.ref))
			old := 0
			for {
				settled, before := l.Settled(), l.Support()
				if l.Step().Stop() {
					break
				}
				if grows := l.Support() > before; grows != settled {
					t.Fatalf("%s after %d steps: settled %t, and then %d to %d vectors",
						m.name, l.Cost().Iterations, settled, before, l.Support())
				}
				if !settled {
					old++
				}
			}
			if old == 0 {
				t.Errorf("%s: no step on old vectors", m.name)
			}
		}
	}
}

// TestProjectionForgets: where projections reduce coefficients to nothing, the
// vectors go too, and the classifier stays that of its expansion.
func TestProjectionForgets(t *testing.T) {
	t.Parallel()
	x := newExample(t, 8, true)
	ref := *x.ref
	ref.NormSq = 1e-8 // w is not in the ball, and there is no end
	l := suite.Must(sparse.NewSparsifySmooth(sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.1}, x.problem(), &ref))
	most := 0
	for range 3000 {
		if status := l.Step(); status.Stop() {
			t.Fatal(status)
		}
		most = max(most, l.Support())
		if got := x.normSq(l); math.Abs(got-1e-8) > 1e-14 {
			t.Fatalf("after %d steps: |w~|^2 = %g", l.Cost().Iterations, got)
		}
		if f := x.violation(x.classify(l)); math.Abs(f-l.Value()) > 1e-6 {
			t.Fatalf("after %d steps: f(w~) = %g, Value() = %g", l.Cost().Iterations, f, l.Value())
		}
	}
	if most > 100 {
		t.Errorf("%d vectors", most)
	}
}

// explicit returns the rows of a kernel matrix that is given.
func explicit(k [][]float64, positive int) svm.Problem {
	p := sparsetest.Points{Positive: positive}
	for i := range k {
		p.X = append(p.X, []float64{float64(i)})
	}
	return svm.Problem{Positive: positive, Rows: p.Gram(func(x, z []float64) float64 { return k[int(x[0])][int(z[0])] })}
}

func identity(n int) [][]float64 {
	k := make([][]float64, n)
	for i := range k {
		k[i] = make([]float64, n)
		k[i][i] = 1
	}
	return k
}

// With a bias the thesis redefines h_i = min(1, y_i g(x_i)) - y_i b and takes the
// maximum over h_i > 0 as before, and over y_i <w, Phi(x_i)> > 0 where the bias is
// learned again. Neither says that w classifies the point correctly, which is
// y_i g(x_i) > 0. Three points at right angles and b = 2: w is right on the first
// with <w, Phi> = -1.5, wrong on the second, a negative one, with -1.5, and right on
// the third with -3.
func TestErratumWhichPointsCountWithABias(t *testing.T) {
	const b = 2.0
	y, responses := []float64{1, -1, -1}, []float64{-1.5, -1.5, -3}
	ref := &sparse.Reference{Bias: b}
	for i, u := range responses {
		ref.Alpha = append(ref.Alpha, y[i]*u)
		ref.Scores = append(ref.Scores, u+b)
		ref.NormSq += u * u
		right := y[i]*(u+b) > 0
		h := min(1, y[i]*(u+b)) - y[i]*b
		if i < 2 && (right == (h > 0) || right == (y[i]*u > 0)) {
			t.Fatalf("point %d, classified correctly: %t, h = %g, y <w, Phi> = %g: the printed sets are right here",
				i, right, h, y[i]*u)
		}
	}
	// By the printed sets f(w~) may be at most 1/2 where the slant loss of w~ is above
	// the hinge loss of w: they let w~ do anything on the first point.
	w := []float64{-3, -1.5, -3}
	for i, u := range responses {
		h := min(1, y[i]*(u+b))
		if (h-y[i]*b > 0 || y[i]*u > 0) && h-y[i]*(w[i]+b) > 0.5 {
			t.Fatalf("point %d: w~ violates a printed constraint", i)
		}
	}
	if low, high := loss.Slant(w[0]+b), loss.Hinge(responses[0]+b); low <= high {
		t.Errorf("slant loss %g, hinge loss %g: the lemma on the slant loss holds for the printed sets",
			low, high)
	}
	for _, relearn := range []bool{false, true} {
		for _, m := range ownMethods {
			l := suite.Must(m.make(sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5, Relearn: relearn}, explicit(identity(3), 1), ref))
			run(t, l, 100)
			var e sparse.Expansion
			l.ExpansionTo(&e)
			scores := []float64{e.Bias, e.Bias, e.Bias}
			for k, i := range e.Index {
				scores[i] += e.Coef[k]
				if i == 1 {
					t.Errorf("%s, bias learned: %t: the point that w gets wrong is an expansion vector",
						m.name, relearn)
				}
			}
			for i, g := range scores {
				if low, high := loss.Slant(y[i]*g), loss.Hinge(y[i]*ref.Scores[i]); low > high {
					t.Errorf("%s, bias learned: %t: point %d has slant loss %g, and w hinge loss %g",
						m.name, relearn, i, low, high)
				}
			}
		}
	}
}
