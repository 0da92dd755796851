// Package exp implements exponentials whose bits, unlike those of math.Exp, do not depend on the CPU.
// AVX2 and portable paths give the same bits.
package exp

import "math"

// e^x is computed as 2^k e^r, where k is the integer nearest to x/ln 2 and |r| <= (ln 2)/2. e^r is its
// Taylor polynomial of degree 11. The relative truncation error is below 1e-14, and the value at 0 is
// exactly 1. The vector path performs the same operations in the same order.
const (
	// limit is the largest z for which scaling by 2^k stays in the normal range.
	limit = 700
	// shift, added to a number below 2^51 in magnitude, rounds it to an integer in the low bits of the
	// sum.
	shift = 0x1.8p52
	// ln2Hi has enough trailing zeros for k*ln2Hi to be exact.
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// taylor[j] is 1/j!.
var taylor = [12]float64{
	1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040,
	1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800,
}

// Neg returns e^-z for z >= 0, up to rounding of z. It returns 0 for z > 700 and NaN for NaN.
func Neg(z float64) float64 {
	switch {
	case z > limit:
		return 0
	case math.IsNaN(z):
		return z
	}
	return reduced(-z)
}

// reduced returns e^x for -limit <= x <= 0.
func reduced(x float64) float64 {
	t := float64(x*math.Log2E) + shift
	k := t - shift
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

// NegTo sets dst[j] to e^-z[j], rounded to float32, for z[j] >= 0.
func NegTo(dst []float32, z []float64) {
	z = z[:len(dst)]
	for j := negBlocks(dst, z); j < len(dst); j++ {
		dst[j] = float32(reduced(-min(z[j], limit)))
	}
}
