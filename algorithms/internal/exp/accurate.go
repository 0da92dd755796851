package exp

import "math"

// Exp returns e^x with an error below 1 ulp for normal results. Neg is faster, with errors up to 30 ulp.
// Exp uses math.Expm1, which has a single path on amd64, unlike math.Exp, whose path depends on whether
// the CPU has fused multiply-add.
func Exp(x float64) float64 {
	const (
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
	hi := x - float64(float64(n)*ln2Hi)
	lo := float64(float64(n) * ln2Lo)
	r := hi - lo
	c := (hi - r) - lo
	e := math.Expm1(r)
	y := 1 + (e + float64(c*(1+e)))
	if n < -1021 || n > 1023 {
		return math.Ldexp(y, n)
	}
	return y * math.Float64frombits(uint64(n+1023)<<52)
}
