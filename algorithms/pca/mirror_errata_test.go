package pca

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
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

// traceNorm returns the sum of the singular values of W - V.
func traceNorm(t *testing.T, w, v *mat.SymDense) float64 {
	t.Helper()
	var difference mat.Dense
	difference.Sub(w, v)
	var svd mat.SVD
	if !svd.Factorize(&difference, mat.SVDNone) {
		t.Fatal("no singular values")
	}
	return floats.Sum(svd.Values(nil))
}

// 5945: the quantum Pinsker inequality is D(W||W') >= |W - W'|^2/2 with the trace norm and
// natural logarithms, not 2 |W - W'|^2. So the negative entropy itself is 1-strongly convex
// (alpha = 1), not the negative entropy divided by 4.
func TestErratumQuantumPinsker(t *testing.T) {
	even, near := diagonal(0.5, 0.5), diagonal(0.51, 0.49)
	d, norm := quantumRelativeEntropy(t, near, even), traceNorm(t, near, even)
	if d >= 2*norm*norm {
		t.Errorf("D = %g is at least 2 |W - W'|^2 = %g: the printed inequality holds", d, 2*norm*norm)
	}
	if ratio := d / (norm * norm / 2); math.Abs(ratio-1) > 1e-3 {
		t.Errorf("D / (|W - W'|^2/2) = %g near I/2, want 1: the constant is not tight", ratio)
	}
	rng := rand.New(rand.NewPCG(35, 36))
	random := func(d int) *mat.SymDense {
		st := State{Sigma: make([]float64, d)}
		newRandomBasis(d, d, rng).stateTo(&st, d)
		for j := range st.Sigma {
			st.Sigma[j] = rng.ExpFloat64() + 1e-3
		}
		floats.Scale(1/floats.Sum(st.Sigma), st.Sigma)
		return st.Dense(d)
	}
	for range 200 {
		w, v := random(4), random(4)
		d, norm := quantumRelativeEntropy(t, w, v), traceNorm(t, w, v)
		if d < norm*norm/2-1e-12 {
			t.Fatalf("D = %g is below |W - W'|^2/2 = %g", d, norm*norm/2)
		}
	}
}

// 5664: the Hessian of D(W||W') in W is neither M^-1 nor W^-1. It is the derivative of ln at
// W. In a basis where W = diag(s), it maps E_ij to (ln s_i - ln s_j)/(s_i - s_j) E_ij, and
// E_ii to E_ii/s_i. It equals W^-1 only on matrices that commute with W. D is nevertheless
// strongly convex, because no s exceeds 1/(d-k), so that all these factors are at least d-k.
func TestErratumEntropyHessian(t *testing.T) {
	const k, h = 1, 1e-3
	s := []float64{0.5, 0.4, 0.1} // feasible for d = 3 and k = 1
	w, other := diagonal(s...), diagonal(0.3, 0.3, 0.4)
	d := len(s)
	for i := range d {
		for j := i; j < d; j++ {
			at := func(step float64) float64 { // of W + step E
				v := mat.NewSymDense(d, nil)
				v.CopySym(w)
				v.SetSym(i, j, v.At(i, j)+step)
				return quantumRelativeEntropy(t, v, other)
			}
			measured := (at(h) - 2*at(0) + at(-h)) / (h * h)
			right, printed, norm := 1/s[i], 1/s[i], 1.0 // <E, H E>, <E, W^-1 E>, <E, E>
			if i != j {
				right, printed, norm = 2*math.Log(s[i]/s[j])/(s[i]-s[j]), 1/s[i]+1/s[j], 2
			}
			if math.Abs(measured-right) > 1e-3*right {
				t.Errorf("%d, %d: second derivative %g, want %g", i, j, measured, right)
			}
			if i != j && math.Abs(measured-printed) < 10*math.Abs(measured-right) {
				t.Errorf("%d, %d: second derivative %g, close to %g of W^-1", i, j, measured, printed)
			}
			if least := float64(d-k) * norm; right < least {
				t.Errorf("%d, %d: second derivative %g, want at least %g", i, j, right, least)
			}
		}
	}
}
