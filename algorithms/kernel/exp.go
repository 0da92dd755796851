package kernel

import "math"

// The exponential of the Gaussian kernel: e^-z = 2^k e^r with k the integer
// nearest to -z/ln 2 and |r| <= (ln 2)/2, e^r by its Taylor polynomial of
// degree 11. The truncation error is below 1e-14, relative; the value at 0 is 1
// exactly. The vector path does the same operations in the same order.
const (
	// expLimit is where the scaling by 2^k would leave the normal range. The
	// value there is far below the smallest float32.
	expLimit = 700
	// expShift, added to a number below 2^51 in magnitude, rounds it to an
	// integer, which is then in the low bits of the sum.
	expShift = 0x1.8p52
	// ln2Hi has so many trailing zeros that k*ln2Hi is exact.
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// taylor holds 1/j! at j.
var taylor = [12]float64{
	1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040,
	1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800,
}

// expNeg returns e^-z for z >= 0, and 0 where z > expLimit.
func expNeg(z float64) float64 {
	if z > expLimit {
		return 0
	}
	return expReduced(-z)
}

// expReduced returns e^x for -expLimit <= x <= 0.
func expReduced(x float64) float64 {
	t := float64(x*math.Log2E) + expShift
	k := t - expShift
	r := (x - float64(k*ln2Hi)) - float64(k*ln2Lo)
	p := taylor[11]
	p = float64(p*r) + taylor[10]
	p = float64(p*r) + taylor[9]
	p = float64(p*r) + taylor[8]
	p = float64(p*r) + taylor[7]
	p = float64(p*r) + taylor[6]
	p = float64(p*r) + taylor[5]
	p = float64(p*r) + taylor[4]
	p = float64(p*r) + taylor[3]
	p = float64(p*r) + taylor[2]
	p = float64(p*r) + taylor[1]
	p = float64(p*r) + taylor[0]
	return math.Float64frombits(math.Float64bits(p) + math.Float64bits(t)<<52)
}

// gaussRowPortable sets dst[j] to the Gaussian kernel of a point of squared
// norm xx and one of squared norm norms[j] whose inner product is dots[j].
func gaussRowPortable(dst []float32, dots, norms []float64, xx, gamma float64) {
	dots, norms = dots[:len(dst)], norms[:len(dst)]
	for j := range dst {
		z := float64(gamma * squaredDistance(dots[j], xx, norms[j]))
		dst[j] = float32(expReduced(-min(z, expLimit)))
	}
}
