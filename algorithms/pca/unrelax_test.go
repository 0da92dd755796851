package pca

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// checkDecomposition checks that the weights are positive and add up to 1, that the components
// are at most d n-subsets, and that they recompose to sigma.
func checkDecomposition(t *testing.T, sigma []float64, n int, cs []Component, tol float64) {
	t.Helper()
	d := len(sigma)
	if len(cs) == 0 || len(cs) > d {
		t.Fatalf("%d components from %d eigenvalues", len(cs), d)
	}
	total, weights := floats.Sum(sigma), 0.0
	back := make([]float64, d)
	for _, c := range cs {
		if !(c.Weight > 0) {
			t.Fatalf("weight %g", c.Weight)
		}
		weights += c.Weight
		if len(c.Indices) != n {
			t.Fatalf("component %v, want %d indices", c.Indices, n)
		}
		for i, j := range c.Indices {
			if j < 0 || j >= d || i > 0 && j <= c.Indices[i-1] {
				t.Fatalf("component %v: want increasing indices below %d", c.Indices, d)
			}
			back[j] += c.Weight * total / float64(n)
		}
	}
	if e := math.Abs(weights - 1); !(e <= tol) {
		t.Errorf("the sum of the weights differs from 1 by %g", e)
	}
	for i, v := range sigma {
		if e := math.Abs(back[i]-v) / total; !(e <= tol) {
			t.Errorf("eigenvalue %d: differs from %g by %g of the sum", i, v, e)
		}
	}
}

// mixed returns a feasible sigma with the given sum: a random convex combination of the
// indicators of terms n-subsets.
func mixed(d, n, terms int, sum float64, rng *rand.Rand) []float64 {
	sigma := make([]float64, d)
	for range terms {
		w := rng.Float64() + 1e-3
		for _, j := range rng.Perm(d)[:n] {
			sigma[j] += w
		}
	}
	floats.Scale(sum/floats.Sum(sigma), sigma)
	return sigma
}

func TestUnrelaxRandom(t *testing.T) {
	t.Parallel()
	rng := streamRand(50)
	for i := range 1000 {
		d := 1 + rng.IntN(30)
		if i%200 == 0 {
			d = 200
		}
		n := 1 + rng.IntN(d)
		sum := []float64{1, float64(n), 1e-200, 1e200}[rng.IntN(4)]
		sigma := mixed(d, n, 1+rng.IntN(2*d), sum, rng)
		cs, err := Unrelax(sigma, n)
		if err != nil {
			t.Fatalf("d = %d, n = %d, sigma = %v: %v", d, n, sigma, err)
		}
		checkDecomposition(t, sigma, n, cs, 1e-13)
	}
}

// TestUnrelaxIntegers uses small integers, which have many ties and eigenvalues on their bounds.
func TestUnrelaxIntegers(t *testing.T) {
	rng := streamRand(51)
	for range 3000 {
		sigma := make([]float64, 1+rng.IntN(6))
		sigma[0] = 1
		for i := range sigma[1:] {
			sigma[i+1] = float64(rng.IntN(5))
		}
		n := 1 + rng.IntN(len(sigma))
		cs, err := Unrelax(sigma, n)
		if feasible := floats.Max(sigma)*float64(n) <= floats.Sum(sigma); feasible != (err == nil) {
			t.Fatalf("sigma = %v, n = %d: error %v, feasible %t", sigma, n, err, feasible)
		}
		if err == nil {
			checkDecomposition(t, sigma, n, cs, 1e-14)
		}
	}
}

func TestUnrelaxRefusals(t *testing.T) {
	for _, test := range []struct {
		name  string
		sigma []float64
		n     int
	}{
		{"n = 0", []float64{1}, 0},
		{"n > d", []float64{1, 1}, 3},
		{"NaN", []float64{1, math.NaN()}, 1},
		{"Inf", []float64{math.Inf(1), 1}, 1},
		{"zero", []float64{0, 0}, 1},
		{"above the cap", []float64{0.2, 0.8}, 2},
		{"negative", []float64{1, -0.5, 0.5}, 1},
	} {
		if _, err := Unrelax(test.sigma, test.n); err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
	if _, err := Unrelax([]float64{0.5 + 1e-12, 0.5, -1e-12}, 2); err != nil {
		t.Errorf("rounding error: %v", err)
	}
}

func TestSampleComponent(t *testing.T) {
	cs := []Component{{Weight: 0.5}, {Weight: 0.2}, {Weight: 0.3}}
	const n = 20000
	rng := streamRand(52)
	var counts [3]float64
	for range n {
		counts[SampleComponent(cs, rng)]++
	}
	for i, c := range cs {
		if z := (counts[i] - n*c.Weight) / math.Sqrt(n*c.Weight*(1-c.Weight)); !(math.Abs(z) < 4) {
			t.Errorf("component %d: drawn %g times of %d, %.1f standard deviations off", i, counts[i], n, z)
		}
	}
}
