package pca

import (
	"fmt"
	"math"

	"stochopt/algorithms"
)

// MSGTheoryStep returns the constant step size 2 sqrt(k/T) for which T
// iterations of MSG, with E[|x|^4] <= 1, are at most 2 sqrt(k/T) suboptimal in
// expectation (Cotter 2013, Lemma lem:pca-capped-msg:rate). It returns an error
// unless k and T are positive.
func MSGTheoryStep(k int, T int64) (algorithms.Constant, error) {
	if k <= 0 || T <= 0 {
		return algorithms.Constant{}, fmt.Errorf("pca: theory step of msg for k = %d, T = %d: both must be positive", k, T)
	}
	return algorithms.Constant{C: 2 * math.Sqrt(float64(k)/float64(T))}, nil
}

// WarmuthKuzminTheoryStep returns the constant step size
// (2/sqrt(T)) sqrt(k/(d-k)) for which T iterations of Warmuth & Kuzmin's
// algorithm, with |x| <= 1, are at most sqrt(k(d-k)/T) suboptimal in expectation
// (Cotter 2013, Lemma lem:pca-warmuth:convergence-vN). It returns an error
// unless 0 < k < d and T > 0.
func WarmuthKuzminTheoryStep(d, k int, T int64) (algorithms.Constant, error) {
	if k <= 0 || k >= d || T <= 0 {
		return algorithms.Constant{}, fmt.Errorf(
			"pca: theory step of warmuth-kuzmin for d = %d, k = %d, T = %d: needs 0 < k < d and T > 0", d, k, T)
	}
	return algorithms.Constant{C: 2 / math.Sqrt(float64(T)) * math.Sqrt(float64(k)/float64(d-k))}, nil
}
