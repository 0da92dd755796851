package pca

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// cappedStep returns the spectrum of M' = M + eta x x^T, decreasing, for a random M of rank at most
// bound and trace k with eigenvalues in [0, 1].
func cappedStep(t *testing.T, rng *rand.Rand, d, k, bound int) []float64 {
	t.Helper()
	values := make([]float64, d)
	for i := range bound {
		values[i] = rng.Float64() + 0.05
	}
	ones := slices.Repeat([]int{1}, bound)
	ProjectFrobenius(values[:bound], values[:bound], ones, k)
	x := mat.NewVecDense(d, nil)
	for i := range d {
		x.SetVec(i, rng.NormFloat64())
	}
	m := mat.NewSymDense(d, nil)
	m.SymRankOne(diagonal(values...), rng.Float64(), x)
	var eig mat.EigenSym
	if !eig.Factorize(m, false) {
		t.Fatal("no eigendecomposition")
	}
	out := eig.Values(nil)
	slices.Reverse(out)
	for i := range out {
		if math.Abs(out[i]) < 1e-12 {
			out[i] = 0
		}
	}
	return out
}

// distanceOf projects the kept eigenvalues to trace k, sets the others to 0, and returns the
// squared distance from sigma.
func distanceOf(sigma []float64, kept []int, k int) float64 {
	part := make([]float64, len(kept))
	for i, j := range kept {
		part[i] = sigma[j]
	}
	ProjectFrobenius(part, part, slices.Repeat([]int{1}, len(kept)), k)
	out := make([]float64, len(sigma))
	for i, j := range kept {
		out[j] = part[i]
	}
	var sum float64
	for i, s := range sigma {
		sum += (s - out[i]) * (s - out[i])
	}
	return sum
}

// subsets returns the subsets of set with n elements.
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

// 6540-6553: M' always has d > K eigenvalues, and so C(d, K) sets of K, not at most K+1. The
// text means the nonzero eigenvalues. The set of the K largest is always a best one, so no
// other set needs to be tried.
func TestErratumCappedSubsets(t *testing.T) {
	const d, k, bound = 7, 2, 3
	rng := rand.New(rand.NewPCG(37, 38))
	all := make([]int, d)
	for i := range all {
		all[i] = i
	}
	sets := subsets(all, bound)
	if len(sets) <= bound+1 {
		t.Errorf("%d sets, K+1 = %d: the text is correct", len(sets), bound+1)
	}
	worse := 0
	for range 50 {
		sigma := cappedStep(t, rng, d, k, bound)
		if sigma[bound] == 0 || sigma[bound+1] != 0 {
			t.Fatalf("the rank of M' is not K+1: %v", sigma)
		}
		largest := distanceOf(sigma, all[:bound], k)
		for _, kept := range sets {
			distance := distanceOf(sigma, kept, k)
			if distance < largest-1e-12 {
				t.Errorf("%v: keeping %v is better than keeping the largest: %g < %g",
					sigma, kept, distance, largest)
			}
			if kept[bound-1] > bound && distance > largest+1e-3 {
				worse++ // the set has an eigenvalue of 0
			}
		}
	}
	if worse == 0 {
		t.Error("keeping an eigenvalue of 0 was never worse")
	}
}

// 6571: the constraint is tr M = k (6521), not tr M <= k, which 0 satisfies. The iterates would
// be the same, because x x^T decreases no eigenvalue. The K largest eigenvalues of M', clipped
// at 1, thus sum to at least k, and the closest M with trace at most k has trace k.
func TestErratumTraceOfCapped(t *testing.T) {
	const d, k, bound = 7, 2, 3
	rng := rand.New(rand.NewPCG(39, 40))
	ones := slices.Repeat([]int{1}, bound)
	for range 200 {
		kept := cappedStep(t, rng, d, k, bound)[:bound]
		if cut := shiftedTrace(kept, ones, 0); cut < k-1e-12 {
			t.Errorf("%v, clipped at 1, sums to %g", kept, cut)
		}
		if s := ProjectFrobenius(make([]float64, bound), kept, ones, k); s > 1e-12 {
			t.Errorf("%v: S = %g: the constraint increases the trace", kept, s)
		}
	}
	// For spectra that are not iterates the constraints differ.
	low := []float64{0.5, 0.2, 0.1}
	if s := ProjectFrobenius(make([]float64, bound), low, ones, k); !(s > 0.1) {
		t.Errorf("%v is feasible for tr M <= k, but S = %g", low, s)
	}
}
