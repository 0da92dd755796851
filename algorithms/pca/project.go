package pca

import (
	"math"
	"sort"

	"stochopt/algorithms/internal/exp"
)

// projectFrobenius projects a spectrum in the Frobenius norm onto the spectra of the feasible matrices
// 0 <= M <= I, tr M = k (Cotter 2013, Lemma lem:pca-capped-msg:projection). sigma holds the eigenvalues
// in decreasing order. The last has the given multiplicity, the others are simple. projectFrobenius sets
// dst, which may be sigma, to the projected eigenvalues,
//
//	dst[i] = max(0, min(1, sigma[i] + S)),  sum_i dst[i] = k (by multiplicity),
//
// for 0 <= k <= d, and returns the shift S. If an interval of shifts satisfies this, S is its upper end,
// or its lower end if k = d and the interval is unbounded. The sum is exact to a few ulps of k, for
// eigenvalues of any size and spread. projectFrobenius costs O(m log m) and does not allocate.
//
// The trace g(S) = sum_i clip(sigma_i + S) is piecewise linear and non-decreasing. Its slope changes at
// the shifts -sigma_i and 1 - sigma_i, where an eigenvalue leaves 0 or reaches 1. Bisection finds the
// greatest of these shifts with g <= k. From there g is linear up to the solution. The differences
// sigma_j - sigma_i are computed first, so that large eigenvalues do not cancel and g is also monotone
// in floating point.
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

// projectTraceAtMost is projectFrobenius with the constraint tr M <= k. S is 0 if that is feasible.
func projectTraceAtMost(dst, sigma []float64, multiplicity, k int) float64 {
	if sum, _ := clippedTrace(sigma, multiplicity, 0, 0); sum > float64(k) {
		return projectFrobenius(dst, sigma, multiplicity, k)
	}
	for j, s := range sigma {
		dst[j] = clip01(s)
	}
	return 0
}

// lastBelow returns the greatest i for which the trace at the shift offset - sigma[i] is at most target,
// or -1.
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

// projectEntropy projects a spectrum with respect to the quantum relative entropy onto the spectra of
// the feasible matrices 0 <= W <= I/n, tr W = 1, where n = d-k (Cotter 2013,
// Lemma lem:pca-warmuth:projection). It works with logarithms, in units of the cap. g holds
// -ln(n sigma'_i) for the eigenvalues sigma'_i of W', in decreasing order. The last has the given
// multiplicity, the others are simple. projectEntropy sets dst, which may be g, to -ln(n sigma_i) >= 0,
//
//	dst[i] = max(0, g[i] + ln Z),  sum_i exp(-dst[i]) = n (by multiplicity),
//
// for 0 < n <= d, and returns ln Z. Eigenvalues that underflow keep their logarithms, and eigenvalues
// within an ulp of the cap keep their distance to it. projectEntropy costs O(m log m) and does not
// allocate.
//
// Suppose that exactly the eigenvalues of W after the pth are capped, c of them by multiplicity. The
// others then have the mass n - c, so that Z = sum_{i<=p} sigma_i / (n - c). This is feasible if
// Z >= sigma_p, the greatest of the others, which holds up to some p. Bisection finds the greatest such
// p.
func projectEntropy(dst, g []float64, multiplicity, n int) float64 {
	last := len(g) - 1
	p := last - sort.Search(last, func(capped int) bool {
		excess, _ := excessMass(g, multiplicity, last-capped, n)
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

// excessMass returns the share of n that remains for the eigenvalues up to p if those after p are
// capped. excess is the mass of the eigenvalues up to p in units of eigenvalue p, minus the share. It is
// computed so that a small excess is not rounded to an ulp of the share.
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
