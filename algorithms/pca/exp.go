package pca

import "math"

// detExp returns e^x with an error below 1 ulp for normal results.
//
// It replaces math.Exp, which on amd64 has one path for CPUs with fused
// multiply-add and another for those without, so that the last bit of a result
// would depend on the machine. math.Expm1 is plain Go there.
func detExp(x float64) float64 {
	const (
		// ln2Hi has so many trailing zeros that n*ln2Hi is exact.
		ln2Hi = 6.93147180369123816490e-01
		ln2Lo = 1.90821492927058770002e-10

		overflow  = 7.09782712893383973096e+02
		underflow = -7.45133219101941108420e+02
	)
	switch {
	case math.IsNaN(x):
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	}
	// x = n ln 2 + r + c, |r| <= (ln 2)/2, and c is the rounding error of r.
	n := int(x*math.Log2E + math.Copysign(0.5, x))
	hi := x - float64(n)*ln2Hi
	lo := float64(n) * ln2Lo
	r := hi - lo
	c := (hi - r) - lo
	e := math.Expm1(r)
	y := 1 + (e + c*(1+e))
	if n < -1021 || n > 1023 {
		return math.Ldexp(y, n)
	}
	return y * math.Float64frombits(uint64(n+1023)<<52)
}
