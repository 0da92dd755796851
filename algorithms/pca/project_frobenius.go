package pca

import (
	"fmt"
	"math"
	"slices"
)

// ProjectFrobenius projects a spectrum onto that of the feasible matrices
// 0 <= M <= I, tr M = k in the Frobenius norm (Cotter 2013, Lemma
// lem:pca-capped-msg:projection). The spectrum is given by its distinct
// eigenvalues sigma, in any order, with their multiplicities kappa. dst, which
// may be sigma, receives the projected eigenvalues in the same order,
//
//	dst[i] = max(0, min(1, sigma[i] + S)),  sum_i kappa[i] dst[i] = k,
//
// and the shift S is returned. Where an interval of shifts satisfies this, S is
// its upper end, or its lower end if k = sum_i kappa[i] and it has no other. The
// sum is exact to a few ulps of k however large or spread out the eigenvalues
// are. It costs O(m log m) operations.
//
// It returns an error, and leaves dst alone, if the lengths differ, an
// eigenvalue is not finite, a multiplicity is negative, or k is outside
// 0 <= k <= sum_i kappa[i].
func ProjectFrobenius(dst, sigma []float64, kappa []int, k int) (shift float64, err error) {
	if err := checkSpectrum("ProjectFrobenius", dst, sigma, kappa, k); err != nil {
		return 0, err
	}
	if len(sigma) == 0 {
		return 0, nil
	}
	sorted, mult, order := sortSpectrum(sigma, kappa)
	shift = projectFrobeniusSorted(sorted, sorted, mult, k)
	for i, j := range order {
		dst[j] = sorted[i]
	}
	return shift, nil
}

// projectFrobeniusSorted is ProjectFrobenius for sigma in decreasing order and
// arguments known to be good. It does not allocate.
//
// The trace g(S) = sum_i kappa_i clip(sigma_i + S) is piecewise linear and
// non-decreasing; its slope changes at the shifts -sigma_i, where an eigenvalue
// leaves 0, and 1 - sigma_i, where it reaches 1. The greatest of these with
// g <= k is found by bisection; from there on g is linear up to the solution.
// Everything is computed from the differences sigma_j - sigma_i, so that no
// large eigenvalues cancel, and each g is monotone in S in floating point too.
func projectFrobeniusSorted(dst, sigma []float64, kappa []int, k int) float64 {
	target := float64(k)
	i, offset := lastBelow(sigma, kappa, 0, target), 0.0 // i >= 0: at -sigma[0] the trace is 0.
	if j := lastBelow(sigma, kappa, 1, target); j >= 0 && sigma[i]-sigma[j] >= -1 {
		i, offset = j, 1
	}
	base := sigma[i]
	var (
		sum   float64
		slope int
	)
	for j, s := range sigma {
		v := (s - base) + offset
		if v < 0 {
			break
		}
		if v < 1 {
			slope += kappa[j]
		}
		sum += float64(kappa[j]) * min(1, v)
	}
	var rise float64
	if slope > 0 {
		rise = max(0, (target-sum)/float64(slope))
	}
	for j, s := range sigma {
		dst[j] = clip01(((s - base) + offset) + rise)
	}
	return (offset - base) + rise
}

// lastBelow returns the greatest i for which the shift offset - sigma[i] gives a
// trace of at most target, -1 if there is none.
func lastBelow(sigma []float64, kappa []int, offset, target float64) int {
	lo, hi := -1, len(sigma)
	for hi-lo > 1 {
		mid := int(uint(lo+hi) >> 1)
		if clippedTrace(sigma, kappa, sigma[mid], offset) <= target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// clippedTrace returns sum_j kappa_j clip(sigma_j - base + offset).
func clippedTrace(sigma []float64, kappa []int, base, offset float64) float64 {
	var sum float64
	for j, s := range sigma {
		v := (s - base) + offset
		if v <= 0 {
			break
		}
		sum += float64(kappa[j]) * min(1, v)
	}
	return sum
}

func clip01(v float64) float64 { return max(0, min(1, v)) }

// checkSpectrum returns an error if a projection cannot have these arguments.
func checkSpectrum(name string, dst, sigma []float64, kappa []int, target int) error {
	if len(dst) != len(sigma) || len(kappa) != len(sigma) {
		return fmt.Errorf("pca: %s: %d eigenvalues with %d multiplicities and room for %d results: the lengths must agree", name, len(sigma), len(kappa), len(dst))
	}
	total := 0
	for i, s := range sigma {
		if !isFinite(s) {
			return fmt.Errorf("pca: %s: eigenvalue %d is %g: eigenvalues must be finite", name, i, s)
		}
		if kappa[i] < 0 {
			return fmt.Errorf("pca: %s: eigenvalue %d has the multiplicity %d: multiplicities must not be negative", name, i, kappa[i])
		}
		if kappa[i] > math.MaxInt-total {
			return fmt.Errorf("pca: %s: the multiplicities do not fit into an int", name)
		}
		total += kappa[i]
	}
	if target < 0 || target > total {
		return fmt.Errorf("pca: %s: no feasible spectrum: the trace %d is outside 0 to %d, the sum of the multiplicities", name, target, total)
	}
	return nil
}

// sortSpectrum returns copies of sigma and kappa with sigma in decreasing order,
// and the index in sigma of each.
func sortSpectrum(sigma []float64, kappa []int) (sorted []float64, mult, order []int) {
	order = make([]int, len(sigma))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case sigma[i] > sigma[j]:
			return -1
		case sigma[i] < sigma[j]:
			return 1
		}
		return 0
	})
	sorted = make([]float64, len(sigma))
	mult = make([]int, len(sigma))
	for i, j := range order {
		sorted[i], mult[i] = sigma[j], kappa[j]
	}
	return sorted, mult, order
}
