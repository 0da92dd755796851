package sparse

import (
	"math"

	"stochopt/algorithms/internal/exp"
)

// mergeAt returns the k in [0, 1] that maximises the coefficient of k x + (1-k) x',
//
//	h(k) = a K(x, z) + b K(x', z) = a C^((1-k)^2) + b C^(k^2),  C = K(x, x') = e^-gap,
//
// and h(k); a, b > 0 and gap = gamma |x-x'|^2. There is one maximum if gap <= 2. Of two,
// the one nearer to the point with the greater coefficient is the greater. It is found
// from that point by the fixed-point iteration of pre-images on the segment, whose every
// turn increases h.
func mergeAt(a, b, gap float64) (k, coef float64) {
	const turns, precision = 500, 1e-9
	if a >= b {
		k = 1
	}
	for range turns {
		near, far := float64(a*exp.Neg(gap*(1-k)*(1-k))), float64(b*exp.Neg(gap*k*k))
		last := k
		k, coef = near/(near+far), near+far
		if math.Abs(last-k) < precision {
			break
		}
	}
	return k, coef
}
