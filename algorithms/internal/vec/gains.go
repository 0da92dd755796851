package vec

// A gain is the increase of the dual objective 1'alpha - |w|^2/2 by the best change of one coordinate
// with the others fixed. With c = sign*u[j] and g = 1-c, the unconstrained step is g/diag[j], or 0 if
// g = 0. It is clipped to delta in [-alpha[j], upper-alpha[j]], and the gain is
//
//	delta * (g - (0.5*delta)*diag[j]).

// ArgMaxGain returns the coordinate with the greatest gain, with ties to the smallest j, and the gain.
// It returns (-1, -Inf) for empty slices. It requires 0 <= alpha[j] <= upper < +Inf and
// 0 <= diag[j] < +Inf.
func ArgMaxGain(u []float64, sign float64, alpha []float64, upper float64, diag []float64) (j int, gain float64) {
	checkSign(sign)
	if len(u) != len(alpha) || len(u) != len(diag) {
		panic(badLength)
	}
	i, j, gain := argMaxGainBlocks(u, sign, alpha, upper, diag)
	enough := enoughFor(gain, upper)
	for ; i < len(u); i++ {
		g, lo, hi := 1-sign*u[i], -alpha[i], upper-alpha[i]
		if !promising(gain, enough, g, lo, hi, diag[i]) {
			continue
		}
		if f := gainOf(g, lo, hi, diag[i]); f > gain {
			j, gain = i, f
			enough = enoughFor(gain, upper)
		}
	}
	return j, gain
}

// promising reports whether the gain may exceed t. It is a cheap necessary condition.
func promising(t, enough, g, lo, hi, diag float64) bool {
	return !(float64(g*g) < enough*diag) && !(lo*g <= t && hi*g <= t)
}

func gainOf(g, lo, hi, diag float64) float64 {
	var delta float64
	if g != 0 {
		delta = g / diag
	}
	if delta < lo {
		delta = lo
	}
	if delta > hi {
		delta = hi
	}
	return delta * (g - float64(float64(0.5*delta)*diag))
}

// The gain of a step delta, lo <= delta <= hi, exceeds another gain only if
//
//	max(lo*g, hi*g) > gain  and  g*g > 2*gain*diag.
//
// The first condition is exact in floating point, the second up to a relative error of a few 2^-53. Only
// the few elements that satisfy both need a division.
const (
	slightlyLessThan2 = 2 * (1 - 0x1p-48)
	// Within these bounds underflow does not invalidate the second condition.
	leastGain    = 1e-100
	largestUpper = 1e200
)

// enoughFor returns a lower bound on g*g/diag for elements whose gain exceeds the given gain.
func enoughFor(gain, upper float64) float64 {
	if gain > leastGain && upper <= largestUpper {
		return gain * slightlyLessThan2
	}
	return least
}
