package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func randomMoment(rng *rand.Rand, d, n int) *mat.SymDense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64()/float64(1+j))
		}
	}
	var s mat.SymDense
	s.SymOuterK(1/float64(n), x.T())
	return &s
}

func TestOptimumIsCertified(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, d := range []int{2, 5, 40} {
		s := randomMoment(rng, d, 3*d)
		m := NewMoment(s)
		o, err := m.Leading(d)
		if err != nil {
			t.Fatal(err)
		}
		// The oracle is the singular values of the symmetric matrix.
		var svd mat.SVD
		if !svd.Factorize(s, mat.SVDNone) {
			t.Fatal("svd failed")
		}
		var want float64
		for i, v := range svd.Values(nil)[:d/2] {
			want += v
			if i > 0 && o.Eigenvalues[i] > o.Eigenvalues[i-1] {
				t.Fatalf("d=%d: eigenvalues not in decreasing order: %v", d, o.Eigenvalues)
			}
		}
		bound := float64(d/2) * o.ErrorBound
		if got, ok := o.Value(d / 2); !ok || math.Abs(got-want) > bound+1e-12 {
			t.Errorf("d=%d: Value(%d) = %v, want %v within %v", d, d/2, got, want, bound)
		}
		if bound > 1e-11 {
			t.Errorf("d=%d: error bound %v is not small", d, bound)
		}
		if got, _ := o.Value(d); math.Abs(got-mat.Trace(s)) > 1e-12 {
			t.Errorf("d=%d: Value(d) = %v, want the trace %v", d, got, mat.Trace(s))
		}
	}
}

func TestOptimumOfMatrixThatIsNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		s := mat.NewSymDense(3, []float64{1, 0, 0, 0, 1, v, 0, v, 1})
		if o, err := NewMoment(s).Leading(2); err == nil {
			t.Errorf("a matrix with %v has the optimum %+v", v, o)
		}
	}
}

// The order of the sums must not change, because records depend on it.
func TestCapturedAddsInTheOrderOfAMatrixProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, size := range [][2]int{{1, 1}, {5, 2}, {64, 7}, {130, 1}, {200, 21}} {
		s, u := randomMoment(rng, size[0], 2*size[0]), orthonormal(rng, size[0], size[1])
		s.SetSym(0, size[0]-1, 0)
		var product mat.Dense
		product.Mul(mat.DenseCopyOf(s), u)
		var want float64
		for i := range size[0] {
			for j := range size[1] {
				want += u.At(i, j) * product.At(i, j)
			}
		}
		if got := NewMoment(s).Captured(u); got != want {
			t.Errorf("d x k = %v: Captured = %v, by the matrix product %v", size, got, want)
		}
	}
}
