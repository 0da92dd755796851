package claims

import (
	"math"

	"stochopt/results/record"
)

// boundsLosses lists what chapters 1 and 3 say of loss functions, as bounds on a run
// that puts the values of one on record.
var boundsLosses = []bound{
	{record.TaskLoss, "psi-above-zero-one", "zero-one loss / psi", everyRun, []string{"psi"},
		inequality(0, func(z, psi float64) (float64, float64) { return zeroOneAt(z), psi }),
		"[z <= 0] <= psi(z) (Cotter 2013, Lemma lem:svm-introduction:generalization-from-empirical-loss)"},
	{record.TaskLoss, "psi-below-hinge", "psi / hinge loss", everyRun, []string{"psi"},
		inequality(0, func(z, psi float64) (float64, float64) { return psi, hingeAt(z) }),
		"psi(z) <= max(0, 1 - z) (ibid.)"},
	{record.TaskLoss, "psi-bounded", "psi / bound", everyRun, []string{"psi"},
		inequality(0, func(_, psi float64) (float64, float64) { return psi, 1.25 }),
		"psi(z) <= 5/4 (ibid.)"},
	{record.TaskLoss, "psi-smooth", "second difference / bound", everyRun, []string{"psi"}, smoothOf4,
		"|psi(z+h) - 2 psi(z) + psi(z-h)| <= 4 h^2, as 4-smoothness has it (ibid.)"},

	{record.TaskLoss, "slant-shifted-below-hinge", "shifted slant loss / hinge loss", everyRun, []string{"slant"},
		inequality(0.5, func(z, slant float64) (float64, float64) { return slant, hingeAt(z) }),
		"slant(z - 1/2) <= max(0, 1 - z) (Cotter 2013, section 3.3.1)"},
	{record.TaskLoss, "smooth-above-slant", "slant loss / smooth loss", everyRun, []string{"smooth"},
		inequality(0, func(z, smooth float64) (float64, float64) { return slantAt(z), smooth }),
		"slant(z) <= smooth(z) (Cotter 2013, section 3.3.4)"},
	{record.TaskLoss, "smooth-below-slant", "smooth loss / shifted slant loss", everyRun, []string{"smooth"},
		inequality(0, func(z, smooth float64) (float64, float64) { return smooth, slantAt(z - 1.0/6) }),
		"smooth(z) <= slant(z - 1/6) (ibid.)"},
	{record.TaskLoss, "smooth-below-hinge", "smooth loss / shifted hinge loss", everyRun, []string{"smooth"},
		inequality(0, func(z, smooth float64) (float64, float64) { return smooth, hingeAt(z + 1.0/3) }),
		"smooth(z) <= max(0, 1 - (z + 1/3)) (ibid.)"},
	{record.TaskLoss, "smooth-bounded", "smooth loss / bound", everyRun, []string{"smooth"},
		inequality(0, func(_, smooth float64) (float64, float64) { return smooth, 1 }),
		"smooth(z) <= 1 (ibid.)"},
	{record.TaskLoss, "smooth-smooth", "second difference / bound", everyRun, []string{"smooth"}, smoothOf4,
		"|smooth(z+h) - 2 smooth(z) + smooth(z-h)| <= 4 h^2, as 4-smoothness has it (ibid.)"},
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
