package pca

import (
	"math"
	"sort"

	"stochopt/algorithms/internal/exp"
)

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
