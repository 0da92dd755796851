package compare

import (
	"fmt"
	"math"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// curve is what a run measured, along a cost. Between its points it keeps the
// value of the last one, unless it is asked to go along a straight line in the
// logarithms of both.
type curve struct {
	// x does not repeat; y are the values measured, logy the logarithms of those
	// that are not below the floor.
	x, y, logy []float64
	// worst marks a run that did not finish, which is worse than any that did.
	worst bool
	// stays marks a run that converged: its last value holds for any larger cost.
	stays bool
	// spent is the cost at the end.
	spent float64
}

const convergedPrefix = "converged"

// newCurve takes the curve of a run. It is an error if a value is not a number.
func newCurve(r record.Run, l lens) (curve, error) {
	c := curve{
		worst: r.Status != record.StatusFinished,
		stays: r.Status == record.StatusFinished && strings.HasPrefix(r.Reason, convergedPrefix),
	}
	xs, ys := r.Curve.Cost[l.cost], r.Curve.Metrics[l.split][l.metric]
	if n := len(xs); n > 0 {
		c.spent = float64(xs[n-1])
	}
	if c.worst {
		return c, nil
	}
	if len(xs) != len(ys) {
		return curve{}, fmt.Errorf("compare: %s has %d values of %s at %d costs", r.Name(), len(ys), l.metric, len(xs))
	}
	for i, y := range ys {
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return curve{}, fmt.Errorf("compare: %s: %s on %s is %v at point %d; only finite values can be compared", r.Name(), l.metric, l.split, y, i)
		}
		x := float64(xs[i])
		if n := len(c.x); n > 0 && c.x[n-1] == x {
			c.y[n-1] = y
			continue
		}
		c.x, c.y = append(c.x, x), append(c.y, y)
	}
	return c, nil
}

// clamp sets the logarithms, with the floor in place of what is at or below it,
// and returns the number of those.
func (c *curve) clamp(floor float64) int {
	n := 0
	c.logy = make([]float64, len(c.y))
	for i, y := range c.y {
		if y <= floor {
			y = floor
			n++
		}
		c.logy[i] = math.Log(y)
	}
	return n
}

// start is the least positive cost at which the curve is known, 0 if it is a
// single point at none.
func (c *curve) start() float64 {
	for _, x := range c.x {
		if x > 0 {
			return x
		}
	}
	return 0
}

// end is the largest cost at which the curve is known.
func (c *curve) end() float64 {
	if c.stays {
		return math.Inf(1)
	}
	return c.x[len(c.x)-1]
}

// before returns the index of the last point that is not beyond x, which is not
// before the first.
func (c *curve) before(x float64) int {
	i := 0
	for i+1 < len(c.x) && c.x[i+1] <= x {
		i++
	}
	return i
}

// at returns the logarithm of the value at x, along the line between two points.
// A step function would give one side a whole recording interval more than the
// other if only one has a point there.
func (c *curve) at(x float64) float64 {
	i := c.before(x)
	if c.x[i] == x || c.x[i] <= 0 || i+1 == len(c.x) {
		return c.logy[i]
	}
	t := math.Log(x/c.x[i]) / math.Log(c.x[i+1]/c.x[i])
	return c.logy[i] + t*(c.logy[i+1]-c.logy[i])
}

// meanLog returns the mean of the logarithm of the value over the logarithm of the
// cost, from lo to hi.
func (c *curve) meanLog(lo, hi float64, lines bool) float64 {
	var sum float64
	x, i := lo, c.before(lo)
	for x < hi {
		next := hi
		if i+1 < len(c.x) {
			next = min(next, c.x[i+1])
		}
		y := c.logy[i]
		if lines {
			y = (c.at(x) + c.at(next)) / 2
		}
		sum += y * math.Log(next/x)
		x = next
		i++
	}
	return sum / math.Log(hi/lo)
}

// reaches returns the least cost at which the value is at or below a target.
func (c *curve) reaches(target float64, lines bool) (x float64, ok bool) {
	if c.worst {
		return 0, false
	}
	x, ok = analysis.FirstAt(c.x, c.y, target)
	if !ok || !lines {
		return x, ok
	}
	i := c.before(x)
	if i == 0 || c.x[i-1] <= 0 {
		return x, true
	}
	t := (math.Log(target) - c.logy[i-1]) / (c.logy[i] - c.logy[i-1])
	return c.x[i-1] * math.Pow(x/c.x[i-1], min(max(t, 0), 1)), true
}
