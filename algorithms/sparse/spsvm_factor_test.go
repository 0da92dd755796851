package sparse

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestFactor follows a matrix through borders and changes of rank one, and
// compares the factor with that of gonum.
func TestFactor(t *testing.T) {
	rng := basisRand(13)
	var f factor
	var h [][]float64
	for m := 1; m <= 25; m++ {
		row := make([]float64, m)
		for k := range row {
			row[k] = 0.2 * rng.NormFloat64()
		}
		row[m-1] = 6
		h = append(h, row)
		if !f.border(row) {
			t.Fatal("not positive definite")
		}
		for _, w := range []float64{2, 0.5, -0.5} {
			x := make([]float64, m)
			for k := range x {
				x[k] = rng.NormFloat64()
				if w < 0 {
					x[k] *= 0.3
				}
			}
			for j := range h {
				for k := range h[j] {
					h[j][k] += w * x[j] * x[k]
				}
			}
			if !f.addOuter(w, x) {
				t.Fatal("not positive definite")
			}
		}
		sym := mat.NewSymDense(m, nil)
		for j := range h {
			for k, v := range h[j] {
				sym.SetSym(j, k, v)
			}
		}
		var want mat.Cholesky
		if !want.Factorize(sym) {
			t.Fatal("not positive definite")
		}
		var u mat.TriDense
		want.UTo(&u)
		for k := range m {
			for j := k; j < m; j++ {
				if got := f.u[k*f.stride+j]; math.Abs(got-u.At(k, j)) > 1e-12 {
					t.Fatalf("m = %d: U[%d][%d] = %v, want %v", m, k, j, got, u.At(k, j))
				}
			}
		}
	}
	if f.border(append(slices.Clone(h[24]), h[24][24])) {
		t.Error("a second equal row was taken for independent")
	}
	if f.m != 25 {
		t.Errorf("m = %d after a border that failed", f.m)
	}
	x := make([]float64, 25)
	x[3] = 100
	if f.addOuter(-1, x) {
		t.Error("an indefinite matrix has a factor")
	}
}

// TestFactorTakesNoMore: what is known of the final order bounds the memory.
func TestFactorTakesNoMore(t *testing.T) {
	const most = 21
	f := factor{most: most}
	for m := range most {
		h := make([]float64, m+1)
		h[m] = 2
		if !f.border(h) || f.m != m+1 || f.stride > most || len(f.u) != f.stride*f.stride {
			t.Fatalf("order %d: stride %d, %d elements", f.m, f.stride, len(f.u))
		}
	}
}
