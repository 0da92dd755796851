package pca

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// Component is a term of the decomposition of a feasible point of a relaxed problem into projections.
type Component struct {
	// Weight is the coefficient lambda of the term, positive.
	Weight float64
	// Indices holds the indices of the n eigenvectors of the projection, in increasing order.
	Indices []int
}

// infeasible is the largest violation of the bounds of an eigenvalue that Unrelax accepts, relative to
// the cap |sigma|_1/n. Unrelax clips such eigenvalues.
const infeasible = 1e-9

// Unrelax decomposes a symmetric matrix with the eigenvalues sigma,
//
//	0 <= sigma_i <= |sigma|_1/n,
//
// into a convex combination of at most d = len(sigma) multiples of projections of rank n in the same
// eigenbasis,
//
//	sigma_j = (|sigma|_1/n) sum_i lambda_i [j in K_i],  sum_i lambda_i = 1.
//
// For the W of Warmuth & Kuzmin, n = d-k and |sigma|_1 = 1. For the M of MSG, n = k = |sigma|_1. The
// weights add up to 1 up to rounding. Unrelax costs O(d^2 log d).
//
// Let R be the remaining weight, and let every sigma_j be in units of the cap |sigma|_1/n, between 0 and
// R. A term takes the n largest eigenvalues, with the largest weight for which the rest is feasible: no
// eigenvalue of the term may fall below 0, and no other may exceed the new cap. So each term moves one
// more eigenvalue to 0 or to the cap, where it stays.
//
// Source: Cotter 2013, Alg. "unrelax" of section 5.2 (Warmuth & Kuzmin 2006, Alg. 1). Corrections: the
// second condition also bounds the weight, and the weights are in units of the cap; as printed they add
// up to 1/(d-k).
//
// Unrelax returns an error unless 0 < n <= d and sigma is feasible.
func Unrelax(sigma []float64, n int) ([]Component, error) {
	sigma, err := inUnitsOfCap(sigma, n)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(sigma))
	for i := range order {
		order[i] = i
	}
	var cs []Component
	for left := 1.0; ; {
		slices.SortFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(sigma[j], sigma[i]), i-j)
		})
		in, out := order[:n], order[n:]
		least := sigma[in[n-1]]
		// The rest is a multiple of one projection if and only if, up to rounding, the least eigenvalue
		// of the term is at the cap, and all others are 0.
		last := least >= left || len(out) == 0 || sigma[out[0]] == 0
		lambda := left
		if !last {
			lambda = min(least, left-sigma[out[0]])
		}
		cs = append(cs, Component{Weight: lambda, Indices: slices.Sorted(slices.Values(in))})
		if last {
			return cs, nil
		}
		for _, j := range in {
			sigma[j] -= lambda
		}
		for _, j := range out {
			if left-sigma[j] <= lambda {
				sigma[j] = left - lambda
			}
		}
		left -= lambda
	}
}

// inUnitsOfCap returns sigma in units of |sigma|_1/n. It returns an error if sigma is not feasible.
func inUnitsOfCap(sigma []float64, n int) ([]float64, error) {
	d := len(sigma)
	if n <= 0 || n > d {
		return nil, fmt.Errorf("pca: unrelax: n = %d and d = %d eigenvalues; n must satisfy 0 < n <= d", n, d)
	}
	if i := finite.Index(sigma); i >= 0 {
		return nil, fmt.Errorf("pca: unrelax: eigenvalue %d is %g; it must be finite", i, sigma[i])
	}
	total := floats.SumCompensated(sigma)
	if total <= 0 {
		return nil, fmt.Errorf("pca: unrelax: the %d eigenvalues sum to %g; the sum must be positive", d, total)
	}
	units := make([]float64, d)
	for i, v := range sigma {
		v = v / total * float64(n)
		if v < -infeasible || v > 1+infeasible {
			return nil, fmt.Errorf("pca: unrelax: eigenvalue %d is %g; it must be in [0, |sigma|_1/n = %g]; "+
				"project the matrix first", i, sigma[i], total/float64(n))
		}
		units[i] = clip01(v)
	}
	return units, nil
}

// SampleComponent draws the index of a component with probability proportional to its weight. It draws
// one number from rng.
func SampleComponent(cs []Component, rng *rand.Rand) int {
	var total float64
	for _, c := range cs {
		total += c.Weight
	}
	left := rng.Float64() * total
	for i, c := range cs {
		left -= c.Weight
		if left < 0 {
			return i
		}
	}
	return len(cs) - 1
}
