package sparse

import "math"

// mergeAt returns the k in [0, 1] for which z = k x + (1-k) x' approximates
// a Phi(x) + b Phi(x') best, a, b > 0 and gap = gamma |x-x'|^2, and the coefficient
// of Phi(z) that belongs to it. With C = K(x, x') = e^-gap it maximises
//
//	h(k) = m C^((1-k)^2) + (1-m) C^(k^2),  m = a/(a+b),
//
// which has one maximum if gap <= 2. If it has two, the one nearer to the point
// with the greater coefficient is the greater. It is found by the fixed-point
// iteration of pre-images on the segment, k <- m A / (m A + (1-m) B) for A =
// C^((1-k)^2), B = C^(k^2), which raises h at every turn, from that point.
func mergeAt(a, b, gap float64) (k, coef float64) {
	if a < b {
		k, coef = mergeAt(b, a, gap)
		return 1 - k, coef
	}
	k = 1
	for range mergeTurns {
		near, far := float64(a*exponential(gap*(1-k)*(1-k))), float64(b*exponential(gap*k*k))
		next := near / (near + far)
		moved := k - next
		k = next
		if math.Abs(moved) < mergePrecision {
			break
		}
	}
	return k, float64(a*exponential(gap*(1-k)*(1-k))) + float64(b*exponential(gap*k*k))
}

const (
	mergeTurns     = 500
	mergePrecision = 1e-9
	// ln2Hi has so many trailing zeros that k ln2Hi is exact.
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// exponential returns e^-z for z >= 0: 2^-k e^r with k the integer nearest to
// z/ln 2, and e^r by its Taylor polynomial. Unlike math.Exp it has the same bits
// on every CPU.
func exponential(z float64) float64 {
	if !(z < 700) {
		if math.IsNaN(z) {
			return z
		}
		return 0
	}
	k := math.Round(z * math.Log2E)
	r := (float64(k*ln2Hi) - z) + float64(k*ln2Lo)
	sum := 1.0
	for j := 14.0; j >= 1; j-- {
		sum = 1 + float64(r*sum)/j
	}
	return math.Ldexp(sum, -int(k))
}
