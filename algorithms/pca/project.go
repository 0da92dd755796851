package pca

import (
	"math"
	"sort"

	"stochopt/algorithms/internal/exp"
)

// projectFrobenius projects a spectrum onto that of the feasible matrices
// 0 <= M <= I, tr M = k in the Frobenius norm (Cotter 2013, Lemma
// lem:pca-capped-msg:projection). The spectrum is given by its eigenvalues sigma,
// in decreasing order, the last with its multiplicity and the others simple. dst,
// which may be sigma, receives the projected eigenvalues,
//
//	dst[i] = max(0, min(1, sigma[i] + S)),  sum_i dst[i] = k (by multiplicity),
//
// 0 <= k <= d. It returns the shift S: where an interval of shifts satisfies this,
// its upper end, or its lower end if k = d and it has no other. The sum is exact to
// a few ulps of k however large or spread out the eigenvalues are. It costs
// O(m log m) operations and does not allocate.
//
// The trace g(S) = sum_i clip(sigma_i + S) is piecewise linear and non-decreasing;
// its slope changes at the shifts -sigma_i and 1 - sigma_i, where an eigenvalue
// leaves 0 and reaches 1. Bisection finds the greatest of these with g <= k; from
// there on g is linear up to the solution. The differences sigma_j - sigma_i are
// formed first, so that large eigenvalues do not cancel and g is monotone in S in
// floating point too.
func projectFrobenius(dst, sigma []float64, multiplicity, k int) float64 {
	target := float64(k)
	i, offset := lastBelow(sigma, multiplicity, 0, target), 0.0 // i >= 0: at -sigma[0] the trace is 0.
	if j := lastBelow(sigma, multiplicity, 1, target); j >= 0 && sigma[i]-sigma[j] >= -1 {
		i, offset = j, 1
	}
	base := sigma[i]
	sum, slope := clippedTrace(sigma, multiplicity, base, offset)
	var further float64
	if slope > 0 {
		further = max(0, (target-sum)/slope)
	}
	for j, s := range sigma {
		dst[j] = clip01(((s - base) + offset) + further)
	}
	return (offset - base) + further
}

// projectTraceAtMost is projectFrobenius onto 0 <= M <= I, tr M <= k: with S = 0 where that
// is feasible.
func projectTraceAtMost(dst, sigma []float64, multiplicity, k int) float64 {
	if sum, _ := clippedTrace(sigma, multiplicity, 0, 0); sum > float64(k) {
		return projectFrobenius(dst, sigma, multiplicity, k)
	}
	for j, s := range sigma {
		dst[j] = clip01(s)
	}
	return 0
}

// lastBelow returns the greatest i for which the shift offset - sigma[i] gives a
// trace of at most target, or -1.
func lastBelow(sigma []float64, multiplicity int, offset, target float64) int {
	return sort.Search(len(sigma), func(i int) bool {
		sum, _ := clippedTrace(sigma, multiplicity, sigma[i], offset)
		return sum > target
	}) - 1
}

// clippedTrace returns g(S) and its slope to the right of S = offset - base.
func clippedTrace(sigma []float64, multiplicity int, base, offset float64) (sum, slope float64) {
	for j, s := range sigma {
		v := (s - base) + offset
		if v < 0 {
			break
		}
		count := 1.0
		if j == len(sigma)-1 {
			count = float64(multiplicity)
		}
		if v < 1 {
			slope += count
		}
		sum += count * min(1, v)
	}
	return sum, slope
}

func clip01(v float64) float64 { return max(0, min(1, v)) }

// projectEntropy projects a spectrum onto that of the feasible matrices
// 0 <= W <= I/n, tr W = 1 with respect to the quantum relative entropy, where
// n = d-k (Cotter 2013, Lemma lem:pca-warmuth:projection). Everything is in the
// log domain and in units of the cap: g holds -ln(n sigma'_i) for the eigenvalues
// sigma'_i of W', in decreasing order, the last with its multiplicity and the
// others simple, and dst, which may be g, receives -ln(n sigma_i) >= 0,
//
//	dst[i] = max(0, g[i] + ln Z),  sum_i exp(-dst[i]) = n (by multiplicity),
//
// 0 < n <= d. It returns ln Z. Eigenvalues that underflow keep their logarithm, and
// one that is closer to the cap than an ulp of 1 keeps its distance. It costs
// O(m log m) operations and does not allocate.
//
// If exactly the eigenvalues of W after the pth are capped, c of them by
// multiplicity, those up to it share n - c and so Z = sum_{i<=p} sigma_i / (n - c).
// Capping them suffices if this is no less than sigma_p, the greatest of the
// others, which is true up to some p: the greatest such p is found by bisection.
func projectEntropy(dst, g []float64, multiplicity, n int) float64 {
	most := len(g) - 1
	p := most - sort.Search(most, func(capped int) bool {
		excess, _ := excessMass(g, multiplicity, most-capped, n)
		return excess >= 0
	})
	base := g[p]
	excess, share := excessMass(g, multiplicity, p, n)
	scale := math.Log1p(excess / float64(share))
	for j, v := range g {
		if j > p {
			dst[j] = 0
		} else {
			dst[j] = max(0, (v-base)+scale)
		}
	}
	return scale - base
}

// excessMass returns, in units of eigenvalue p, by how much the mass of the
// eigenvalues up to p exceeds the share of n that those after p leave to them
// when they are capped; and that share. An excess of less than one eigenvalue is
// not rounded to an ulp of the share.
func excessMass(g []float64, multiplicity, p, n int) (excess float64, share int) {
	count, share := multiplicity, n
	if after := len(g) - 1 - p; after > 0 {
		count, share = 1, n-multiplicity-(after-1)
	}
	var rest float64
	for _, v := range g[:p] {
		rest += exp.Exp(g[p] - v)
	}
	return float64(count-share) + rest, share
}
