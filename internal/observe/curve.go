package observe

import (
	"math"
	"slices"
	"sort"
)

// Curve is a measurement along a cost, of a run or of the mean of several runs. Its methods differ in what they assume
// between recorded points:
//
//   - FirstAt and ValueAt assume nothing: they return the first point that reaches a target, and the last point up
//     to a cost.
//   - LineAt, Within and the means interpolate linearly. Figures and statements about one experiment use them, and
//     so do means over runs that were recorded at different costs.
//   - The methods of LogCurve interpolate in the logarithms of cost and value. Comparisons of two experiments and
//     means of logarithms use them.
type Curve struct {
	// X does not decrease. X and Y have equal length. If several points have the same x, the last one counts.
	X, Y []float64
	// Floor is the smallest value that can be distinguished from 0.
	Floor float64
	// Finished is true if the run did not fail, diverge or reach a limit.
	Finished bool
	// Stays is true if the last value holds for any larger cost.
	Stays bool
	// End is the total cost.
	End float64
}

// FirstAt returns the x of the first point at or below a target. ok is false if there is no such point.
func (c Curve) FirstAt(target float64) (x float64, ok bool) {
	if i := slices.IndexFunc(c.Y, func(v float64) bool { return v <= target }); i >= 0 {
		return c.X[i], true
	}
	return 0, false
}

// Start returns the smallest positive cost at which the curve is known, or 0.
func (c Curve) Start() float64 {
	if i := slices.IndexFunc(c.X, func(x float64) bool { return x > 0 }); i >= 0 {
		return c.X[i]
	}
	return 0
}

// last returns the index of the last point at or before x. It is -1 if x is before the first point or NaN.
func (c Curve) last(x float64) int {
	return sort.Search(len(c.X), func(i int) bool { return !(c.X[i] <= x) }) - 1
}

// ValueAt returns the value of the last point at or before x. ok is false if x is before the first point.
func (c Curve) ValueAt(x float64) (y float64, ok bool) {
	if i := c.last(x); i >= 0 {
		return c.Y[i], true
	}
	return 0, false
}

// LineAt returns the linear interpolation at x. Beyond its ends the curve is constant.
func (c Curve) LineAt(x float64) float64 {
	i := c.last(x)
	switch {
	case i < 0:
		return c.Y[0]
	case c.X[i] == x || i+1 == len(c.X):
		return c.Y[i]
	}
	t := (x - c.X[i]) / (c.X[i+1] - c.X[i])
	return c.Y[i] + t*(c.Y[i+1]-c.Y[i])
}

// Within returns the points from lo to hi, with interpolated points at lo and hi.
func (c Curve) Within(lo, hi float64) (x, y []float64) {
	x, y = []float64{lo}, []float64{c.LineAt(lo)}
	for i, at := range c.X {
		if at >= lo && at <= hi {
			x, y = append(x, at), append(y, c.Y[i])
		}
	}
	return append(x, hi), append(y, c.LineAt(hi))
}

// MeanOver returns the mean of the linear interpolation over the cost from lo to hi.
func (c Curve) MeanOver(lo, hi float64) float64 {
	x, y := c.Within(lo, hi)
	if hi == lo {
		return y[0]
	}
	var sum float64
	for i := range x[1:] {
		sum += (x[i+1] - x[i]) * (y[i] + y[i+1]) / 2
	}
	return sum / (hi - lo)
}

// MeanOverSteps returns the mean of the linear interpolation over the iterations 1, 2, …, T. X must be iterations. A
// mean over recorded points with logarithmic spacing would give too much weight to early iterations. Iteration 0 is
// used only for interpolation. Iterations before the first point are unknown and omitted.
//
// Between points at iterations s and t, the sum over the n = t - s iterations after s is n y_s + (y_t - y_s) (n+1) / 2.
func (c Curve) MeanOverSteps() float64 {
	var sum, count float64
	if c.X[0] > 0 || len(c.X) == 1 {
		sum, count = c.Y[0], 1
	}
	for i := 1; i < len(c.Y); i++ {
		n := c.X[i] - c.X[i-1]
		a, b := c.Y[i-1], c.Y[i]
		sum += n*a + (b-a)*(n+1)/2
		count += n
	}
	return sum / count
}

// LogCurve is a curve with the logarithms of its values, which are at least that of the floor. Its x are distinct.
type LogCurve struct {
	Curve
	logY []float64
	// Raised is the number of values at or below the floor.
	Raised int
}

// NewLogCurve returns the LogCurve of a curve.
func NewLogCurve(c Curve) LogCurve {
	l := LogCurve{Curve: c, logY: make([]float64, 0, len(c.X))}
	l.X, l.Y = make([]float64, 0, len(c.X)), make([]float64, 0, len(c.X))
	for i, x := range c.X {
		if i+1 < len(c.X) && c.X[i+1] == x {
			continue
		}
		if c.Y[i] <= c.Floor {
			l.Raised++
		}
		l.X, l.Y, l.logY = append(l.X, x), append(l.Y, c.Y[i]), append(l.logY, math.Log(max(c.Y[i], c.Floor)))
	}
	return l
}

// KnownTo returns the largest cost at which the curve is known.
func (c LogCurve) KnownTo() float64 {
	if c.Stays {
		return math.Inf(1)
	}
	return c.X[len(c.X)-1]
}

// At returns the logarithm of the value at x, which must not be before the first point. It interpolates, because with a
// step function one side of a comparison could gain a whole recording interval.
func (c LogCurve) At(x float64) float64 {
	i := max(c.last(x), 0)
	if c.X[i] == x || c.X[i] <= 0 || i+1 == len(c.X) {
		return c.logY[i]
	}
	t := math.Log(x/c.X[i]) / math.Log(c.X[i+1]/c.X[i])
	return c.logY[i] + t*(c.logY[i+1]-c.logY[i])
}

// Mean returns the mean of the logarithm of the value over the logarithm of the cost from lo to hi.
func (c LogCurve) Mean(lo, hi float64) float64 {
	var sum float64
	x, i := lo, max(c.last(lo), 0)
	for x < hi {
		next := hi
		if i+1 < len(c.X) {
			next = min(next, c.X[i+1])
		}
		sum += (c.At(x) + c.At(next)) / 2 * math.Log(next/x)
		x = next
		i++
	}
	return sum / math.Log(hi/lo)
}

// FirstAt returns the smallest cost at which the interpolated value is at or below a target.
func (c LogCurve) FirstAt(target float64) (x float64, ok bool) {
	x, ok = c.Curve.FirstAt(target)
	i := c.last(x)
	if !ok || i == 0 || c.X[i-1] <= 0 {
		return x, ok
	}
	t := (math.Log(target) - c.logY[i-1]) / (c.logY[i] - c.logY[i-1])
	return c.X[i-1] * math.Pow(x/c.X[i-1], min(max(t, 0), 1)), true
}
