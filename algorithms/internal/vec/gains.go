package vec

// The gains are those of the dual 1'alpha - |w|^2/2 by one coordinate, with the
// others held. With c = sign*u[j] and g = 1-c the unconstrained step is
// g/diag[j] (infinite if diag[j] = 0 and g != 0, none if g = 0), clipped to
// delta in [-alpha[j], upper-alpha[j]], and the gain is
//
//	delta * (g - (0.5*delta)*diag[j]).
//
// ArgMaxGain requires 0 <= alpha[j] <= upper < +Inf and
// 0 <= diag[j] < +Inf.

// ArgMaxGain returns the coordinate of the greatest gain, the smallest j of
// equals, and the gain; (-1, -Inf) for empty slices.
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

// promising reports whether the gain may be greater than t.
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

// The gain of a step delta, lo <= delta <= hi, is greater than another only if
//
//	max(lo*g, hi*g) > gain  and  g*g > 2*gain*diag,
//
// the first in floating point, the second up to a few 2^-53 of it. Few elements
// pass both, and only they are divided.
const (
	slightlyLessThan2 = 2 * (1 - 0x1p-48)
	// Within these bounds underflow does not spoil the second condition.
	leastGain    = 1e-100
	largestUpper = 1e200
)

// enoughFor returns what g*g/diag must reach to be worth a closer look.
func enoughFor(gain, upper float64) float64 {
	if gain > leastGain && upper <= largestUpper {
		return gain * slightlyLessThan2
	}
	return least
}
