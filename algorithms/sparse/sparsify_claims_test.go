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

// TestLowerBound uses R^2 = d orthonormal points of one class, each of which needs its own vector.
// By the lemma, at least R^2/2 vectors are necessary. The methods must find at most R^2.
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
		for _, m := range thesisMethods {
			l := suite.Must(m.make(sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5}, explicit(identity(d), positive), ref))
			run(t, l, 4*d)
			if got := l.Support(); got < d/2 || got > d {
				t.Errorf("%s: %d vectors for R^2 = %d", m.name, got, d)
			}
		}
	}
}

// TestFinal checks that Final is true if and only if the next step adds a vector.
func TestFinal(t *testing.T) {
	x := newExample(t, 5, true)
	for _, relearn := range []bool{false, true} {
		for _, m := range thesisMethods {
			l := suite.Must(m.make(sparse.SparsifyConfig{Eta: 0.05, Epsilon: 0.05, Relearn: relearn}, x.problem(), x.ref))
			old := 0
			for {
				final, before := l.Final(), l.Support()
				if l.Step().Stop() {
					break
				}
				if grows := l.Support() > before; grows != final {
					t.Fatalf("%s after %d steps: final %t, then from %d to %d vectors",
						m.name, l.Cost().Iterations, final, before, l.Support())
				}
				if !final {
					old++
				}
			}
			if old == 0 {
				t.Errorf("%s: no steps on old vectors", m.name)
			}
		}
	}
}

// TestProjectionDropsVectors checks that vectors with vanishing coefficients are dropped, and
// that the classifier then still matches its expansion.
func TestProjectionDropsVectors(t *testing.T) {
	t.Parallel()
	x := newExample(t, 8, true)
	ref := *x.ref
	ref.NormSq = 1e-8 // w is outside the ball, so the method never converges
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

// explicit returns the problem with the kernel matrix k.
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

// With a bias, the thesis redefines h_i = min(1, y_i g(x_i)) - y_i b and takes the maximum over
// h_i > 0 as before, or over y_i <w, Phi(x_i)> > 0 if the bias is relearned. Neither condition
// means that w classifies the point correctly, y_i g(x_i) > 0. The example has three orthogonal
// points and b = 2. On the first, w is correct with <w, Phi> = -1.5. On the second, a negative
// point, it is wrong with -1.5. On the third it is correct with -3.
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
	// With the printed sets, f(w~) <= 1/2 does not bound the slant loss of w~ by the hinge
	// loss of w, because the first point has no constraint.
	w := []float64{-3, -1.5, -3}
	for i, u := range responses {
		h := min(1, y[i]*(u+b))
		if (h-y[i]*b > 0 || y[i]*u > 0) && h-y[i]*(w[i]+b) > 0.5 {
			t.Fatalf("point %d: w~ violates a printed constraint", i)
		}
	}
	if low, high := loss.Slant(w[0]+b), loss.Hinge(responses[0]+b); low <= high {
		t.Errorf("slant loss %g, hinge loss %g: the printed sets satisfy the lemma on the slant loss",
			low, high)
	}
	for _, relearn := range []bool{false, true} {
		for _, m := range thesisMethods {
			l := suite.Must(m.make(sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5, Relearn: relearn}, explicit(identity(3), 1), ref))
			run(t, l, 100)
			var e sparse.Expansion
			l.ExpansionTo(&e)
			scores := []float64{e.Bias, e.Bias, e.Bias}
			for k, i := range e.Index {
				scores[i] += e.Coef[k]
				if i == 1 {
					t.Errorf("%s, bias learned: %t: a point that w misclassifies is an expansion vector",
						m.name, relearn)
				}
			}
			for i, g := range scores {
				if low, high := loss.Slant(y[i]*g), loss.Hinge(y[i]*ref.Scores[i]); low > high {
					t.Errorf("%s, bias learned: %t: point %d: slant loss of w~ %g, hinge loss of w %g",
						m.name, relearn, i, low, high)
				}
			}
		}
	}
}
