package pca

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// rank1Dense returns diag(d) + rho z z^T.
func rank1Dense(d, z []float64, rho float64) *mat.SymDense {
	a := mat.NewSymDense(len(d), nil)
	for i := range d {
		for j := i; j < len(d); j++ {
			v := rho * z[i] * z[j]
			if i == j {
				v += d[i]
			}
			a.SetSym(i, j, v)
		}
	}
	return a
}

// rank1Errors returns the largest entries of A V - V diag(values), relative to |A|, and of
// V^T V - I.
func rank1Errors(e *rank1Eigen, d, z []float64, rho float64) (residual, orthogonality float64) {
	n := len(d)
	a := rank1Dense(d, z, rho)
	scale := mat.Norm(a, math.Inf(1))
	if scale == 0 {
		scale = 1
	}
	v := mat.NewDense(n, n, append([]float64(nil), e.vectors...)) // rows
	var av, vv mat.Dense
	av.Mul(v, a)
	vv.Mul(v, v.T())
	for i := range n {
		for j := range n {
			residual = max(residual, math.Abs(av.At(i, j)-e.values[i]*v.At(i, j))/scale)
			want := 0.0
			if i == j {
				want = 1
			}
			orthogonality = max(orthogonality, math.Abs(vv.At(i, j)-want))
		}
	}
	return residual, orthogonality
}

func checkRank1(t *testing.T, name string, d, z []float64, rho float64) {
	t.Helper()
	var e rank1Eigen
	if !e.factorise(d, z, rho) {
		t.Fatalf("%s: factorise failed for d=%v z=%v rho=%v", name, d, z, rho)
	}
	n := len(d)
	tol := 1e-14 * math.Sqrt(float64(n))
	residual, orthogonality := rank1Errors(&e, d, z, rho)
	if !(residual <= tol) || !(orthogonality <= tol) {
		t.Fatalf("%s: n=%d residual %g orthogonality %g, want below %g (d=%v z=%v rho=%v)",
			name, n, residual, orthogonality, tol, d, z, rho)
	}
	var dense mat.EigenSym
	if !dense.Factorize(rank1Dense(d, z, rho), true) {
		t.Fatalf("%s: the dense eigendecomposition failed", name)
	}
	want := dense.Values(nil)
	scale := max(math.Abs(want[0]), math.Abs(want[n-1]))
	for i, v := range e.values {
		if i > 0 && v > e.values[i-1] {
			t.Fatalf("%s: values not decreasing: %v", name, e.values)
		}
		if diff := math.Abs(v - want[n-1-i]); diff > 4*tol*scale {
			t.Fatalf("%s: eigenvalue %d is %v, want %v", name, i, v, want[n-1-i])
		}
	}
}

func TestRank1Special(t *testing.T) {
	tests := []struct {
		name string
		d, z []float64
		rho  float64
	}{
		{"one", []float64{2}, []float64{3}, 0.5},
		{"one, zero", []float64{0}, []float64{0}, 1},
		{"two", []float64{2, 1}, []float64{1, 1}, 1},
		{"no coupling", []float64{3, 2, 1}, []float64{0, 0, 0}, 1},
		{"no step", []float64{3, 2, 1}, []float64{1, 3, 2}, 0},
		{"all equal", []float64{1, 1, 1, 1}, []float64{1, 2, 3, 4}, 1},
		{"all zero", make([]float64, 4), []float64{1, 2, 3, 4}, 1},
		{"pairs", []float64{1, 1, 0.5, 0.5, 0}, []float64{1, -2, 3, 1e-9, 4}, 0.1},
		{"one coupled", []float64{1, 0.5, 0}, []float64{0, 1, 0}, 0.25},
		{"crossing without coupling", []float64{1, 0.5, 0}, []float64{0, 0, 1}, 2},
		{"nearly equal", []float64{1 + 4e-16, 1 + 2e-16, 1, 0}, []float64{1, 1, 1, 1}, 1},
		{"close and weak", []float64{1 + 1e-12, 1, 1 - 1e-12, 0}, []float64{1, 1e-7, 1, 1e-9}, 1e-3},
		{"tiny entries", []float64{3, 2, 1, 0}, []float64{1e-8, 1, 1e-13, 1e-17}, 1},
		{"minute entries", []float64{3, 2, 1, 0}, []float64{1e-200, 1, 1e-300, 5e-324}, 1},
		{"huge step", []float64{3, 2, 1, 0}, []float64{1, 2, 3, 4}, 1e12},
		{"minute step", []float64{3, 2, 1, 0}, []float64{1, 2, 3, 4}, 1e-14},
		{"large numbers", []float64{3e200, 2e200, 1e200, 0}, []float64{1e100, 2e100, 3e100, 4e100}, 1},
		{"largest numbers", []float64{8e307, 2e307, 1e200, 0}, []float64{1e153, 2e153, 3e100, 4e100}, 1},
		{"small numbers", []float64{3e-200, 2e-200, 1e-200, 0}, []float64{1e-100, 2e-100, 3e-100, 4e-100}, 1},
		{"logarithms", []float64{700, 30, 1e-9, 0, 0}, []float64{0.2, 1, 0.5, 0.1, 0.3}, 0.5},
		{"geometric", []float64{1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0}, []float64{1, 1, 1, 1, 1, 1, 1}, 1e-6},
		{"graded coupling", []float64{6, 5, 4, 3, 2, 1, 0}, []float64{1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12}, 1},
	}
	for _, test := range tests {
		checkRank1(t, test.name, test.d, test.z, test.rho)
	}
}

// rank1Problem draws a problem with properties that updates produce: repeated and nearly
// repeated entries, tiny couplings, very different scales. d decreases.
func rank1Problem(rng *rand.Rand, n int) (d, z []float64, rho float64) {
	d, z = make([]float64, n), make([]float64, n)
	kind := rng.IntN(5)
	for i := range d {
		switch kind {
		case 0:
			d[i] = rng.Float64()
		case 1:
			d[i] = float64(rng.IntN(3)) / 2
		case 2:
			d[i] = 1 - float64(rng.IntN(4))*math.Pow(10, -float64(rng.IntN(17)))
		case 3:
			d[i] = math.Pow(10, -float64(rng.IntN(20)))
		case 4:
			d[i] = float64(i) + 1e-14*rng.NormFloat64()
		}
		z[i] = rng.NormFloat64()
		switch rng.IntN(6) {
		case 0:
			z[i] = 0
		case 1:
			z[i] *= math.Pow(10, -float64(rng.IntN(20)))
		}
	}
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(b, a) })
	return d, z, math.Pow(10, 2-float64(rng.IntN(12)))
}

func TestRank1AgainstDense(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		d, z, rho := rank1Problem(rng, 1+rng.IntN(14))
		checkRank1(t, fmt.Sprint("problem ", i), d, z, rho)
	}
	for i, n := range []int{40, 100} {
		d, z, rho := rank1Problem(rng, n)
		checkRank1(t, fmt.Sprint("large problem ", i), d, z, rho)
	}
}

func TestRank1NotFinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct {
		d, z []float64
		rho  float64
	}{
		{[]float64{nan, 0}, []float64{1, 1}, 1},
		{[]float64{1, 0}, []float64{1, nan}, 1},
		{[]float64{1, 0}, []float64{1, inf}, 1},
		{[]float64{inf, 0}, []float64{1, 1}, 1},
		{[]float64{1, 0}, []float64{1, 1}, nan},
		{[]float64{1, 0}, []float64{1, 1}, inf},
		{[]float64{1, 0}, []float64{1e200, 1}, 1},
		{[]float64{1.5e308, 0}, []float64{1e154, 1}, 1},
	}
	for _, test := range tests {
		var e rank1Eigen
		if e.factorise(test.d, test.z, test.rho) {
			t.Errorf("d=%v z=%v rho=%v: factorise returned %v, want false",
				test.d, test.z, test.rho, e.values)
		}
	}
}
