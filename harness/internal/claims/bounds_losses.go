package claims

import (
	"math"

	"stochopt/results/record"
)

// boundsLosses lists what chapters 1 and 3 say of loss functions, as bounds on a run
// that puts the values of one on record.
var boundsLosses = onTask("loss", []bound{
	lossBound("psi", "psi-above-zero-one", "zero-one loss / psi",
		"[z <= 0] <= psi(z) (Cotter 2013, Lemma lem:svm-introduction:generalization-from-empirical-loss)",
		inequality(0, func(z, psi float64) (float64, float64) { return zeroOneAt(z), psi })),
	lossBound("psi", "psi-below-hinge", "psi / hinge loss",
		"psi(z) <= max(0, 1 - z) (ibid.)",
		inequality(0, func(z, psi float64) (float64, float64) { return psi, hingeAt(z) })),
	lossBound("psi", "psi-bounded", "psi / bound",
		"psi(z) <= 5/4 (ibid.)",
		inequality(0, func(_, psi float64) (float64, float64) { return psi, 1.25 })),
	lossBound("psi", "psi-smooth", "second difference / bound",
		"|psi(z+h) - 2 psi(z) + psi(z-h)| <= 4 h^2, as 4-smoothness has it (ibid.)",
		smoothOf4),

	lossBound("slant", "slant-shifted-below-hinge", "shifted slant loss / hinge loss",
		"slant(z - 1/2) <= max(0, 1 - z) (Cotter 2013, section 3.3.1)",
		inequality(0.5, func(z, slant float64) (float64, float64) { return slant, hingeAt(z) })),
	lossBound("smooth", "smooth-above-slant", "slant loss / smooth loss",
		"slant(z) <= smooth(z) (Cotter 2013, section 3.3.4)",
		inequality(0, func(z, smooth float64) (float64, float64) { return slantAt(z), smooth })),
	lossBound("smooth", "smooth-below-slant", "smooth loss / shifted slant loss",
		"smooth(z) <= slant(z - 1/6) (ibid.)",
		inequality(0, func(z, smooth float64) (float64, float64) { return smooth, slantAt(z - 1.0/6) })),
	lossBound("smooth", "smooth-below-hinge", "smooth loss / shifted hinge loss",
		"smooth(z) <= max(0, 1 - (z + 1/3)) (ibid.)",
		inequality(0, func(z, smooth float64) (float64, float64) { return smooth, hingeAt(z + 1.0/3) })),
	lossBound("smooth", "smooth-bounded", "smooth loss / bound",
		"smooth(z) <= 1 (ibid.)",
		inequality(0, func(_, smooth float64) (float64, float64) { return smooth, 1 })),
	lossBound("smooth", "smooth-smooth", "second difference / bound",
		"|smooth(z+h) - 2 smooth(z) + smooth(z-h)| <= 4 h^2, as 4-smoothness has it (ibid.)",
		smoothOf4),
})

func lossBound(loss, name, judged, doc string, along func(*bounded)) bound {
	return bound{name: name, judged: judged, about: []string{loss}, doc: doc, form: everyRun, along: along}
}

// lossRounding is what rounding is granted in the values of a loss function.
const lossRounding = 1e-12

func zeroOneAt(z float64) float64 {
	if z <= 0 {
		return 1
	}
	return 0
}

func hingeAt(z float64) float64 { return max(0, 1-z) }
func slantAt(z float64) float64 { return min(1, max(0, 0.5-z)) }

// loss returns the points and the values of a loss function that is shifted by so much.
func (b *bounded) loss(shift float64) (z, value []float64) {
	by, _ := record.Number(b.Params["shift"])
	b.require(by == shift, "%s is shifted by %v, the bound is for %v", b.Algorithm, by, shift)
	z, value = b.Curve.Vectors["z"], b.Curve.Vectors["value"]
	b.require(len(z) >= 3 && len(z) == len(value), "no values of %s at three points or more", b.Algorithm)
	return z, value
}

// inequality bounds the left side of an inequality by the right one, at the point where it
// exceeds that by most.
func inequality(shift float64, sides func(z, value float64) (left, right float64)) func(*bounded) {
	return func(b *bounded) {
		z, values := b.loss(shift)
		if b.lacks != nil {
			return
		}
		left, right := sides(z[0], values[0])
		for i := range z {
			if l, u := sides(z[i], values[i]); l-u > left-right {
				left, right = l, u
			}
		}
		b.end(left, right+lossRounding)
	}
}

// smoothOf4 bounds the greatest second difference, divided by the square of the distance
// h. A differentiable function whose derivative is 4-Lipschitz has none above 4.
func smoothOf4(b *bounded) {
	z, value := b.loss(0)
	var steepest, rounding float64
	for i := 1; i+1 < len(z) && b.lacks == nil; i++ {
		h, g := z[i]-z[i-1], z[i+1]-z[i]
		b.require(h > 0 && math.Abs(h-g) <= 1e-9*h, "the points are not at equal distances")
		steepest = max(steepest, math.Abs(value[i+1]-2*value[i]+value[i-1])/(h*h))
		rounding = max(rounding, 8*lossRounding/(h*h))
	}
	b.end(steepest, 4+rounding)
}
