package pca

import "sort"

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

// lastBelow returns the greatest i for which the shift offset - sigma[i] gives a
// trace of at most target, -1 if there is none.
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
