package sparse

import "math/rand/v2"

// Randomised returns score + Z with Z uniform on [-1/2, 1/2): the sign of it is the
// prediction of the randomised rule, whose expected 0/1 loss is the slant loss of
// the score. It takes one number of rng.
//
// Source: Cotter 2013, section 3.3.1.
func Randomised(score float64, rng *rand.Rand) float64 { return score + (rng.Float64() - 0.5) }
