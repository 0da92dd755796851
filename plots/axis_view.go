package plots

import (
	"math"
)

// leastEntry is the part of a logarithmic axis, as it would be otherwise, that
// has to be empty for the axis to begin later.
const leastEntry = 0.1

// enterFrom makes a logarithmic axis of x begin where the first curve comes into
// view, if that is far enough from its end.
func (a ChartAxis) enterFrom(at float64) ChartAxis {
	lo := at / 1.12
	if !a.Log || math.IsInf(at, 1) || math.Log(lo/a.Min) < leastEntry*math.Log(a.Max/a.Min) || a.Max/lo < 2 {
		return a
	}
	a.Min, a.Clip, a.Entered = lo, true, true
	return a
}

// enterAll makes the x axes of errors, whose curves begin above their panels,
// begin where the first of them comes into view.
func enterAll(panes layout, xs, ys map[axisKey]ChartAxis) {
	at := make(map[axisKey]float64)
	for c := range panes.all() {
		k, y := c.xKey(), ys[c.yKey()]
		if c.panel.Xlim != nil || !k.log || c.illustrates() {
			continue
		}
		if _, ok := at[k]; !ok {
			at[k] = math.Inf(1)
		}
		for _, cv := range c.curves {
			if c.panel.Y != yError || !y.Clip {
				at[k] = 0 // all of it is wanted
			}
			at[k] = math.Min(at[k], cv.enter(y))
		}
	}
	for k, x := range at {
		if x > 0 {
			xs[k] = xs[k].enterFrom(x)
		}
	}
}

// pointRoom is the part of an axis that is kept free beyond a lone point.
const pointRoom = 0.05

// clearPoints keeps lone points off the right edge of logarithmic x axes.
func clearPoints(panes layout, xs map[axisKey]ChartAxis) {
	for c := range panes.all() {
		a := xs[c.xKey()]
		if !a.Log || c.panel.Xlim != nil || c.illustrates() {
			continue
		}
		for _, cv := range c.curves {
			if !cv.lone() {
				continue
			}
			if x, _ := cv.end(); x > a.Min && a.Norm(x) > 1-pointRoom {
				a.Max = x * math.Pow(x/a.Min, pointRoom/(1-pointRoom))
			}
		}
		xs[c.xKey()] = a
	}
}

// markRoom is the part of an axis that is kept free below the mark at the end of
// a curve.
const markRoom = 0.03

// liftMarks makes room on logarithmic y axes for marks that would be on the x
// axis.
func liftMarks(panes layout, xs, ys map[axisKey]ChartAxis) {
	for c := range panes.all() {
		a := ys[c.yKey()]
		if !a.Log || a.Floor > 0 || c.panel.Ylim != nil || c.illustrates() {
			continue
		}
		for _, cv := range c.curves {
			if !cv.endsBefore(xs[c.xKey()].Max) {
				continue
			}
			if _, y := cv.end(); a.Norm(y) < markRoom {
				a.Min = y / math.Pow(a.Max/y, markRoom/(1-markRoom))
			}
		}
		ys[c.yKey()] = a
	}
}

// alike makes the x axes of one quantity have the same kind of marks.
func alike(xs map[axisKey]ChartAxis) {
	long := make(map[string]bool)
	for k, s := range xs {
		long[k.quantity] = long[k.quantity] || s.isSparse()
	}
	for k, s := range xs {
		s.Sparse = s.Log && long[k.quantity]
		xs[k] = s
	}
}
