//go:build errata

package pca

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// printedUnrelax is Cotter 2013, Alg. "unrelax", as printed, for n = d-k. Where it
// says "any", all choices are tried, and the best is kept: it reports whether one
// of them brings sigma to 0, and the sum of the weights then.
func printedUnrelax(sigma []float64, n int) (ok bool, weights float64) {
	const eps = 1e-12
	norm := floats.Sum(sigma)
	if norm <= eps {
		return true, 0
	}
	var capped, rest []int
	for i, v := range sigma {
		switch {
		case math.Abs(v-norm/float64(n)) <= eps:
			capped = append(capped, i)
		case v > eps:
			rest = append(rest, i)
		}
	}
	if len(capped) > n || len(capped)+len(rest) < n {
		return false, 0 // there is no such set
	}
	for _, choice := range subsets(rest, n-len(capped)) {
		set := append(slices.Clone(capped), choice...)
		lambda := math.Inf(1)
		for _, j := range set {
			lambda = min(lambda, sigma[j])
		}
		next := slices.Clone(sigma)
		for _, j := range set {
			next[j] -= lambda
		}
		if ok, weights := printedUnrelax(next, n); ok {
			return true, weights + lambda
		}
	}
	return false, 0
}

// subsets returns the subsets of n elements.
func subsets(set []int, n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for i := range set {
		for _, s := range subsets(set[i+1:], n-1) {
			out = append(out, append([]int{set[i]}, s...))
		}
	}
	return out
}

// As printed, lambda is the smallest eigenvalue in the set and nothing else. From
// (0.4, 0.35, 0.25) with n = 2, every choice of the set then leaves an eigenvalue
// above the new cap, and ends where no two positive eigenvalues are left to
// choose.
func TestErratumUnrelaxWeightBound(t *testing.T) {
	sigma := []float64{0.4, 0.35, 0.25}
	if ok, _ := printedUnrelax(sigma, 2); ok {
		t.Error("the printed algorithm decomposes it")
	}
	cs, err := Unrelax(sigma, 2)
	if err != nil {
		t.Fatal(err)
	}
	checkDecomposition(t, sigma, 2, cs, 1e-15)
}

// As printed, the weights add up to 1/(d-k) and not to 1: the W_i are scaled by
// 1/(d-k), but what they take from sigma is not.
func TestErratumUnrelaxWeightScale(t *testing.T) {
	for n := 1; n <= 4; n++ {
		sigma := make([]float64, 5)
		for i := range n {
			sigma[i] = 1 / float64(n)
		}
		ok, weights := printedUnrelax(sigma, n)
		if !ok || !(math.Abs(weights-1/float64(n)) < 1e-12) {
			t.Errorf("n = %d: printed: done %t, weights add up to %g, expected %g", n, ok, weights, 1/float64(n))
		}
		cs, err := Unrelax(sigma, n)
		if err != nil {
			t.Fatal(err)
		}
		checkDecomposition(t, sigma, n, cs, 1e-15)
	}
}

// The printed test for eigenvalues at the cap is equality with |sigma|_1/(d-k),
// which rounding defeats: after one exact step of the corrected algorithm, the largest eigenvalue is
// at the new cap, mathematically.
func TestErratumUnrelaxEquality(t *testing.T) {
	missed := 0
	rng := streamRand(53)
	for range 1000 {
		sigma := mixed(6, 3, 7, 1, rng)
		slices.Sort(sigma)
		slices.Reverse(sigma)
		// The fourth reaches the cap when the first three give up this much.
		lambda := floats.Sum(sigma)/3 - sigma[3]
		if lambda >= sigma[2] {
			continue
		}
		floats.AddConst(-lambda, sigma[:3])
		if sigma[3] != floats.Sum(sigma)/3 {
			missed++
		}
	}
	if missed == 0 {
		t.Error("equality always found the eigenvalue at the cap")
	}
}
