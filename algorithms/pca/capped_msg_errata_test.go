package pca

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// cappedStep is the spectrum of M' = M + eta x x^T, decreasing, for an M of rank at most bound and
// trace k with eigenvalues in [0, 1].
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

// distanceOf projects the eigenvalues in kept onto those of trace k, the others becoming
// 0, and returns the squared distance from sigma, over all of sigma.
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

// 6540-6553: M' has d eigenvalues, always more than K, and so C(d, K) sets of K, not
// at most K+1: the text means the eigenvalues that are not 0. Of all the sets, that of
// the K largest is a best one, so that there is nothing to try.
func TestErratumCappedSubsets(t *testing.T) {
	const d, k, bound = 7, 2, 3
	rng := rand.New(rand.NewPCG(37, 38))
	all := make([]int, d)
	for i := range all {
		all[i] = i
	}
	sets := subsets(all, bound)
	if len(sets) <= bound+1 {
		t.Errorf("%d sets, at most K+1 = %d: the text is right", len(sets), bound+1)
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
				worse++ // it keeps an eigenvalue of 0
			}
		}
	}
	if worse == 0 {
		t.Error("keeping an eigenvalue of 0 was never worse")
	}
}

// 6571: the constraint is tr M = k (6521), not tr M <= k, which 0 satisfies. The iterates
// would be the same: x x^T lowers no eigenvalue, so that those of M', K of them kept and
// cut at 1, sum to k at least, and the closest M of a trace of at most k has a trace of k.
func TestErratumTraceOfCapped(t *testing.T) {
	const d, k, bound = 7, 2, 3
	rng := rand.New(rand.NewPCG(39, 40))
	ones := slices.Repeat([]int{1}, bound)
	for range 200 {
		kept := cappedStep(t, rng, d, k, bound)[:bound]
		if cut := shiftedTrace(kept, ones, 0); cut < k-1e-12 {
			t.Errorf("%v, cut at 1, sums to %g", kept, cut)
		}
		if s := ProjectFrobenius(make([]float64, bound), kept, ones, k); s > 1e-12 {
			t.Errorf("%v: S = %g: the constraint pushes the trace up", kept, s)
		}
	}
	// Off the path of the iterates the two differ.
	low := []float64{0.5, 0.2, 0.1}
	if s := ProjectFrobenius(make([]float64, bound), low, ones, k); !(s > 0.1) {
		t.Errorf("%v is feasible for tr M <= k, but S = %g", low, s)
	}
}
