package pca

import "math"

// projectEntropy projects a spectrum onto that of the feasible matrices
// 0 <= W <= I/n, tr W = 1 with respect to the quantum relative entropy, where
// n = d-k (Cotter 2013, Lemma lem:pca-warmuth:projection). Everything is in the
// log domain and in units of the cap: logSigma holds ln(n sigma'_i) for the
// eigenvalues sigma'_i, in decreasing order, kappa their multiplicities, and
// dst, which may be logSigma, receives ln(n sigma_i) <= 0,
//
//	dst[i] = min(0, logSigma[i] - ln Z),  sum_i kappa[i] exp(dst[i]) = n,
//
// 0 < n <= sum_i kappa[i]. It returns ln Z. Eigenvalues that underflow keep their
// logarithm, and one that is closer to the cap than an ulp of 1 keeps its distance.
// It costs O(m log m) operations and does not allocate.
//
// If exactly the p largest eigenvalues are capped, of total multiplicity c, the
// others share n - c and so Z = sum_{i>p} kappa_i sigma_i / (n - c). Capping
// them suffices if this is no less than the greatest of the others, which is
// true from some p on: the smallest such p is found by bisection.
func projectEntropy(dst, logSigma []float64, kappa []int, n int) float64 {
	lo, hi := -1, len(logSigma)-1
	for hi-lo > 1 {
		mid := int(uint(lo+hi) >> 1)
		if excess, _ := excessMass(logSigma, kappa, mid, n); excess >= 0 {
			hi = mid
		} else {
			lo = mid
		}
	}
	p := hi
	base := logSigma[p]
	excess, share := excessMass(logSigma, kappa, p, n)
	scale := math.Log1p(excess / float64(share))
	for j, l := range logSigma {
		if j < p {
			dst[j] = 0
		} else {
			dst[j] = min(0, (l-base)-scale)
		}
	}
	return base + scale
}

// excessMass returns, in units of eigenvalue p, by how much the mass of the
// eigenvalues from p on exceeds the share of n that those before p leave to them
// when they are capped; and that share. An excess of less than one eigenvalue is
// not rounded to an ulp of the share.
func excessMass(logSigma []float64, kappa []int, p, n int) (excess float64, share int) {
	share = n
	for _, c := range kappa[:p] {
		share -= c
	}
	var rest float64
	for j := len(logSigma) - 1; j > p; j-- {
		rest += float64(kappa[j]) * detExp(logSigma[j]-logSigma[p])
	}
	return float64(kappa[p]-share) + rest, share
}
