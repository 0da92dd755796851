package plots

import "math"

// inView reports whether a point, or the line between two neighbours, is within
// the ends of the axes.
func (l polyline) inView(x, y scale) bool {
	for i := range l.x {
		u, _, okX := x.place(l.x[i])
		v, _, okY := y.place(l.y[i])
		if !okX || !okY || x.beyond(u) {
			continue
		}
		if !y.beyond(v) {
			return true
		}
		if i == 0 || math.IsNaN(l.y[i-1]) || x.beyond(l.x[i-1]) {
			continue
		}
		if below, above := math.Min(l.y[i-1], v), math.Max(l.y[i-1], v); below < y.min && above > y.max {
			return true
		}
	}
	return false
}

// inView reports whether any of the curve is to be seen in a panel with these
// axes.
func (cv curve) inView(x, y scale) bool {
	if cv.mean.inView(x, y) {
		return true
	}
	for _, l := range cv.thin {
		if l.inView(x, y) {
			return true
		}
	}
	return false
}

// leastEntry is the part of a logarithmic axis, as it would be otherwise, that
// has to be empty for the axis to begin later.
const leastEntry = 0.1

// enter returns where on a logarithmic x axis the curve, or its band, comes into
// view, +Inf if it never does: the last point before that where there is one.
func (cv curve) enter(y scale) float64 {
	before := math.Inf(1)
	for i, x := range cv.mean.x {
		if x <= 0 {
			continue
		}
		seen := !y.beyond(cv.mean.y[i]) || cv.lo != nil && cv.lo[i] <= y.max && cv.hi[i] >= y.min
		if seen {
			return math.Min(before, x)
		}
		before = x
	}
	return math.Inf(1)
}

// enterFrom makes a logarithmic axis of x begin where the first curve comes into
// view, if that is far enough from its end.
func (s scale) enterFrom(at float64) scale {
	lo := at / 1.12
	if !s.log || math.IsInf(at, 1) || math.Log(lo/s.min) < leastEntry*math.Log(s.max/s.min) || s.max/lo < 2 {
		return s
	}
	s.min, s.clip, s.entered = lo, true, true
	return s
}

// enterAll makes the x axes of errors, whose curves begin above their panels,
// begin where the first of them comes into view.
func enterAll(cells [][]cell, contents [][]content, xs, ys map[axisKey]scale, limits map[axisKey][]float64) {
	at := make(map[axisKey]float64)
	for i := range cells {
		for j := range cells[i] {
			c := &cells[i][j]
			k, y := c.xKey(), ys[c.yKey()]
			if limits[k] != nil || !k.log || c.illustrates() {
				continue
			}
			if _, ok := at[k]; !ok {
				at[k] = math.Inf(1)
			}
			for _, cv := range contents[i][j].curves {
				if c.panel.Y != yError || !y.clip {
					at[k] = 0 // all of it is wanted
				}
				at[k] = math.Min(at[k], cv.enter(y))
			}
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
func clearPoints(cells [][]cell, contents [][]content, xs map[axisKey]scale, limits map[axisKey][]float64) {
	for i := range cells {
		for j := range cells[i] {
			c := &cells[i][j]
			k := c.xKey()
			s := xs[k]
			if !s.log || limits[k] != nil || c.illustrates() {
				continue
			}
			for _, cv := range contents[i][j].curves {
				if cv.lone() && cv.end().x > s.min && s.norm(cv.end().x) > 1-pointRoom {
					s.max = cv.end().x * math.Pow(cv.end().x/s.min, pointRoom/(1-pointRoom))
				}
			}
			xs[k] = s
		}
	}
}

// markRoom is the part of an axis that is kept free below the mark at the end of
// a curve.
const markRoom = 0.03

// liftMarks makes room on logarithmic y axes for marks that would be on the x
// axis.
func liftMarks(cells [][]cell, contents [][]content, xs, ys map[axisKey]scale, limits map[axisKey][]float64) {
	for i := range cells {
		for j := range cells[i] {
			c := &cells[i][j]
			k := c.yKey()
			s := ys[k]
			if !s.log || s.floor > 0 || limits[k] != nil || c.illustrates() {
				continue
			}
			for _, cv := range contents[i][j].curves {
				if cv.endsBefore(xs[c.xKey()].max) && s.norm(cv.end().y) < markRoom {
					s.min = cv.end().y / math.Pow(s.max/cv.end().y, markRoom/(1-markRoom))
				}
			}
			ys[k] = s
		}
	}
}

// alike makes the x axes of one quantity have the same kind of marks.
func alike(xs map[axisKey]scale) {
	long := make(map[string]bool)
	for k, s := range xs {
		long[k.quantity] = long[k.quantity] || s.isSparse()
	}
	for k, s := range xs {
		s.sparse = s.log && long[k.quantity]
		xs[k] = s
	}
}
