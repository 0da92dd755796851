package model

import (
	"math/rand/v2"

	"stochopt/algorithms/loss"
	"stochopt/algorithms/sparse"
)

// Randomised returns the values whose signs the randomised rule decides by: each
// with a number of its own drawn uniformly from [-1/2, 1/2] added to it (Cotter
// 2013, section 3.3).
func Randomised(decisions []float64, rng *rand.Rand) []float64 {
	out := make([]float64, len(decisions))
	for i, g := range decisions {
		out[i] = sparse.Randomised(g, rng)
	}
	return out
}

// RandomisedError returns the expected error of the randomised rule on rows whose
// labels have the signs given: the mean slant loss.
func RandomisedError(signs, decisions []float64) float64 {
	sum := 0.0
	for i, y := range signs {
		sum += loss.Slant{}.Value(y * decisions[i])
	}
	return sum / float64(len(signs))
}
