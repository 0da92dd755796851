package pca

import (
	"slices"
	"testing"

	"stochopt/algorithms/internal/suite"

	"gonum.org/v1/gonum/floats"
)

// As printed, lambda is only the smallest eigenvalue in the set. For (0.4, 0.35, 0.25) and
// n = 2, every choice of the set then leaves an eigenvalue above the new cap, which is
// infeasible.
func TestErratumUnrelaxWeightBound(t *testing.T) {
	const n = 2
	sigma := []float64{0.4, 0.35, 0.25}
	for j, out := range sigma {
		lambda := slices.Min(slices.Delete(slices.Clone(sigma), j, j+1))
		if limit := (floats.Sum(sigma) - n*lambda) / n; out <= limit {
			t.Errorf("without %g the printed weight %g leaves nothing above %g", out, lambda, limit)
		}
	}
	cs := suite.Must(Unrelax(sigma, n))
	checkDecomposition(t, sigma, n, cs, 1e-15)
}

// As printed, the weights add up to 1/(d-k), not 1: the W_i are scaled by 1/(d-k), but the amount
// subtracted from sigma is not. For n equal eigenvalues, the only set has the weight 1/n.
func TestErratumUnrelaxWeightScale(t *testing.T) {
	for n := 1; n <= 4; n++ {
		sigma := append(slices.Repeat([]float64{1 / float64(n)}, n), 0)
		cs, err := Unrelax(sigma, n)
		if err != nil || len(cs) != 1 || cs[0].Weight != 1 {
			t.Errorf("n = %d: components %v, error %v", n, cs, err)
		}
	}
}

// The printed test for eigenvalues at the cap is equality with |sigma|_1/(d-k), which fails because
// of rounding. After one step of the corrected algorithm, the largest eigenvalue equals the new cap
// in exact arithmetic.
func TestErratumUnrelaxEquality(t *testing.T) {
	missed := 0
	rng := streamRand(53)
	for range 1000 {
		sigma := mixed(6, 3, 7, 1, rng)
		slices.Sort(sigma)
		slices.Reverse(sigma)
		// The fourth eigenvalue is at the cap once lambda is subtracted from the first three.
		lambda := floats.Sum(sigma)/3 - sigma[3]
		if lambda >= sigma[2] {
			continue
		}
		floats.AddConst(-lambda, sigma[:3])
		if sigma[3] != floats.Sum(sigma)/3 {
			missed++
		}
	}
	if missed == 0 {
		t.Error("equality always found the eigenvalue at the cap")
	}
}
