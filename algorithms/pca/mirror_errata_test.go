package pca

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// quantumRelativeEntropy returns tr W (ln W - ln V) for positive definite W and V.
func quantumRelativeEntropy(t *testing.T, w, v *mat.SymDense) float64 {
	t.Helper()
	log := func(a *mat.SymDense) *mat.Dense {
		var e mat.EigenSym
		if !e.Factorize(a, true) {
			t.Fatal("no eigendecomposition")
		}
		var u mat.Dense
		e.VectorsTo(&u)
		values := e.Values(nil)
		for i, s := range values {
			values[i] = math.Log(s)
		}
		return conjugate(&u, diagonal(values...))
	}
	var difference, product mat.Dense
	difference.Sub(log(w), log(v))
	product.Mul(w, &difference)
	return mat.Trace(&product)
}

// traceNorm returns the sum of the absolute eigenvalues of W - V.
func traceNorm(t *testing.T, w, v *mat.SymDense) float64 {
	t.Helper()
	n := w.SymmetricDim()
	diff := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			diff.SetSym(i, j, w.At(i, j)-v.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(diff, false) {
		t.Fatal("no eigendecomposition")
	}
	var sum float64
	for _, s := range e.Values(nil) {
		sum += math.Abs(s)
	}
	return sum
}

// 5945: the quantum Pinsker inequality is D(W||W') >= |W - W'|^2/2 with the trace norm
// and natural logarithms, not 2 |W - W'|^2. So the negative entropy is 1-strongly
// convex as it is, alpha = 1, and not divided by 4.
func TestErratumQuantumPinsker(t *testing.T) {
	even, near := diagonal(0.5, 0.5), diagonal(0.51, 0.49)
	d, norm := quantumRelativeEntropy(t, near, even), traceNorm(t, near, even)
	if d >= 2*norm*norm {
		t.Errorf("D = %g is at least 2 |W - W'|^2 = %g: the printed inequality holds", d, 2*norm*norm)
	}
	if ratio := d / (norm * norm / 2); math.Abs(ratio-1) > 1e-3 {
		t.Errorf("D / (|W - W'|^2/2) = %g near I/2, want 1: the constant is not the best", ratio)
	}
	rng := rand.New(rand.NewPCG(35, 36))
	random := func(n int) *mat.SymDense {
		b := newRandomBasis(n, n, rng)
		u := mat.NewDense(n, n, nil)
		values, sum := make([]float64, n), 0.0
		for j := range n {
			u.SetCol(j, b.col(j))
			values[j] = rng.ExpFloat64() + 1e-3
			sum += values[j]
		}
		for j := range values {
			values[j] /= sum
		}
		a, s := conjugate(u, diagonal(values...)), mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
			}
		}
		return s
	}
	for range 200 {
		w, v := random(4), random(4)
		d, norm := quantumRelativeEntropy(t, w, v), traceNorm(t, w, v)
		if d < norm*norm/2-1e-12 {
			t.Fatalf("D = %g is below |W - W'|^2/2 = %g", d, norm*norm/2)
		}
	}
}

// 5886, 5888, 5894: the regret of the lemma is 2 sqrt(B/T), of which the stochastic bound
// has 2B/sqrt(T). For B = k/(4(d-k)) the former is the sqrt(k/(d-k))/sqrt(T) of the
// lemma on Warmuth & Kuzmin's algorithm, the latter is not.
func TestErratumMirrorStochasticBound(t *testing.T) {
	const d, k, T = 32.0, 4.0, 1000.0
	const B = k / (4 * (d - k))
	want := math.Sqrt(k/(d-k)) / math.Sqrt(T)
	if right := 2 * math.Sqrt(B/T); math.Abs(right-want) > 1e-15 {
		t.Errorf("2 sqrt(B/T) = %g, want %g", right, want)
	}
	if printed := 2 * B / math.Sqrt(T); math.Abs(printed-want) < 0.1*want {
		t.Errorf("2B/sqrt(T) = %g is %g too", printed, want)
	}
}
