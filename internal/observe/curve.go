package observe

import (
	"math"
	"slices"
	"sort"
)

// Curve is what a run, or the mean of several, measured along a cost. Its readings are
// the only ones of the module; each is for a purpose:
//
//   - FirstAt, what it costs to reach a target: a step function. Only recorded points
//     count, for that a curve was there in between is not on record.
//   - ValueAt, what was known at a cost: a step function, the last value measured.
//   - LineAt, the value at a cost in statements about one experiment and in its figures:
//     the line between points, on the axes of the records. Means over runs that were
//     recorded at other costs are of these too.
//   - LogCurve.At, FirstAt and Mean, the same in comparisons of two experiments and in means
//     of logarithms: the line in the logarithms of both.
type Curve struct {
	// X does not decrease; X and Y are of equal length. Where a curve has several points
	// at one x the last counts.
	X, Y []float64
	// Floor is the least value that can be distinguished from 0.
	Floor float64
	// Finished says that the run did not fail, diverge or meet a limit.
	Finished bool
	// Stays says that the last value holds for any larger cost.
	Stays bool
	// End is the cost that was paid in all.
	End float64
}

// FirstAt returns the least x at which the curve is at or below a target: that of
// the first point that is, as between points a curve keeps the value of the last
// one. ok is false if no point is.
func (c Curve) FirstAt(target float64) (x float64, ok bool) {
	if i := slices.IndexFunc(c.Y, func(v float64) bool { return v <= target }); i >= 0 {
		return c.X[i], true
	}
	return 0, false
}

// last returns the index of the last point that is not beyond x, -1 if x is before the first or NaN.
func (c Curve) last(x float64) int {
	return sort.Search(len(c.X), func(i int) bool { return !(c.X[i] <= x) }) - 1
}

// ValueAt returns the value of the curve at x, that of the last point not beyond
// it. ok is false if x is before the first point.
func (c Curve) ValueAt(x float64) (y float64, ok bool) {
	if i := c.last(x); i >= 0 {
		return c.Y[i], true
	}
	return 0, false
}

// LineAt returns the value at x on the line between two points. Beyond the ends the curve is what it is there.
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

// Within returns the points from lo to hi, and the ends of that range on the lines between points.
func (c Curve) Within(lo, hi float64) (x, y []float64) {
	x, y = []float64{lo}, []float64{c.LineAt(lo)}
	for i, at := range c.X {
		if at >= lo && at <= hi {
			x, y = append(x, at), append(y, c.Y[i])
		}
	}
	return append(x, hi), append(y, c.LineAt(hi))
}

// MeanOver returns the mean over the cost, from lo to hi.
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

// MeanOverSteps returns the mean over the iterations 1, 2, …, T of the curve that is
// linear between recorded points; that over the recorded points would give the
// early iterations of a logarithmic recording most of the weight. The starting
// point, iteration 0, takes part in the interpolation only. Iterations before
// the first point are not known and are left out.
//
// On a segment of n iterations from a, exclusive, to b, inclusive, the sum is n y_a + (y_b - y_a) (n+1) / 2.
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

// LogCurve is a curve with the logarithms of its values. Its x does not repeat.
type LogCurve struct {
	Curve
	logY []float64
	// Raised counts the values at or below the floor.
	Raised int
}

// NewLogCurve takes the logarithms of a curve, those of the floor in place of what is at or below it.
func NewLogCurve(c Curve) LogCurve {
	l := LogCurve{Curve: c}
	l.X, l.Y = nil, nil
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

// Start is the least positive cost at which the curve is known, 0 if there is none.
func (c LogCurve) Start() float64 {
	if i := slices.IndexFunc(c.X, func(x float64) bool { return x > 0 }); i >= 0 {
		return c.X[i]
	}
	return 0
}

// KnownTo is the largest cost at which the curve is known.
func (c LogCurve) KnownTo() float64 {
	if c.Stays {
		return math.Inf(1)
	}
	return c.X[len(c.X)-1]
}

// At returns the logarithm of the value at x, not before the first point, along the line
// between two points in the logarithms of both. A step function would give one side of a
// comparison a whole recording interval more than the other if only one has a point there.
func (c LogCurve) At(x float64) float64 {
	i := max(c.last(x), 0)
	if c.X[i] == x || c.X[i] <= 0 || i+1 == len(c.X) {
		return c.logY[i]
	}
	t := math.Log(x/c.X[i]) / math.Log(c.X[i+1]/c.X[i])
	return c.logY[i] + t*(c.logY[i+1]-c.logY[i])
}

// Mean returns the mean of the logarithm of the value over the logarithm of the
// cost, from lo to hi, along the lines of At.
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

// FirstAt returns the least cost at which the value is at or below a target, along the lines of At.
func (c LogCurve) FirstAt(target float64) (x float64, ok bool) {
	x, ok = c.Curve.FirstAt(target)
	i := c.last(x)
	if !ok || i == 0 || c.X[i-1] <= 0 {
		return x, ok
	}
	t := (math.Log(target) - c.logY[i-1]) / (c.logY[i] - c.logY[i-1])
	return c.X[i-1] * math.Pow(x/c.X[i-1], min(max(t, 0), 1)), true
}
