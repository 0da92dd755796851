package plots

import (
	"math"
	"slices"
)

// shared is what the panels that share an axis show along it.
type shared struct {
	values []float64
	ends   curveEnds
	// limits are those that the panels were given.
	limits []float64
}

// sharedAxes returns what is shown along each axis of all panels.
func sharedAxes(panes layout) (xs, ys map[axisKey]*shared) {
	xs, ys = make(map[axisKey]*shared), make(map[axisKey]*shared)
	of := func(axes map[axisKey]*shared, k axisKey) *shared {
		if axes[k] == nil {
			axes[k] = new(shared) // an empty panel has axes too
		}
		return axes[k]
	}
	for c := range panes.all() {
		x, y := of(xs, c.xKey()), of(ys, c.yKey())
		x.limits, y.limits = c.panel.Xlim, c.panel.Ylim
		for _, r := range c.references {
			x.values, y.values = append(x.values, r.support), append(y.values, r.error)
			y.ends = y.ends.withLeast(r.error)
		}
		// before the curves
		y.ends.constant = math.Max(y.ends.constant, c.constant)
		for _, cv := range c.curves {
			if c.tradesOff() {
				y.ends = y.ends.withTradeoff(cv)
			} else {
				y.ends = y.ends.with(cv)
			}
			for _, l := range append([]ChartCurve{cv.mean}, cv.thin...) {
				x.values = append(x.values, l.X...)
				y.values = append(append(append(y.values, l.Y...), l.Lo...), l.Hi...)
			}
			if cv.water != nil {
				y.values = append(y.values, cv.water.level)
			}
		}
	}
	return xs, ys
}

// setAxes gives the panels their axes.
func (l layout) setAxes() {
	xs, ys := scales(l)
	for c := range l.all() {
		c.x, c.y = xs[c.xKey()], ys[c.yKey()]
	}
}

// scales returns the axes of all panels.
func scales(panes layout) (xs, ys map[axisKey]ChartAxis) {
	ofX, ofY := sharedAxes(panes)
	xs, ys = make(map[axisKey]ChartAxis), make(map[axisKey]ChartAxis)
	for k, s := range ofX {
		xs[k] = s.xAxis(k)
	}
	for k, s := range ofY {
		ys[k] = s.yAxis(k)
	}
	enterAll(panes, xs, ys)
	clearPoints(panes, xs)
	liftMarks(panes, xs, ys)
	alike(xs)
	return xs, ys
}

func (s *shared) xAxis(k axisKey) ChartAxis {
	if s.limits != nil {
		return ChartAxis{Log: k.log, Min: s.limits[0], Max: s.limits[1], Clip: true}
	}
	v := s.values
	if k.log { // which has no place for the zero that a counter starts at
		v = slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return !(x > 0) })
	}
	a := newScale(v, k.log)
	if !k.log && len(v) > 0 && k.quantity != quantityMargin {
		// A curve ends at the edge of its panel.
		a.Max = math.Max(a.Max-0.04/1.04*(a.Max-a.Min), a.Min+1)
	}
	return a
}

func (s *shared) yAxis(k axisKey) ChartAxis {
	a := newScale(s.values, k.log)
	switch {
	case k.quantity == yError:
		a = errorScale(a, s.ends)
	case k.quantity == quantityLoss:
		a.Min = math.Min(a.Min, -0.03*a.Max) // a loss of 0 is seen above the axis
	case k.quantity == ySpectrum && !k.log:
		a = ChartAxis{Min: -0.02, Max: 1.02}
	}
	if s.limits != nil {
		a = ChartAxis{Log: k.log, Min: s.limits[0], Max: s.limits[1], Percent: a.Percent, Clip: true}
	}
	return a
}

// curveEnds says where the mean curves that share an axis go.
type curveEnds struct {
	known bool
	// least is the least value of all, last the largest final one.
	least, last float64
	// tradeoff: the curves are trade-offs, and last is the largest of their least
	// values. constant is the error of the classifier that always says the same, 0 if
	// it is not known; low and high are the ends of the bands where the means are no
	// more than that.
	tradeoff            bool
	constant, low, high float64
}

func (e curveEnds) with(cv curve) curveEnds {
	if len(cv.mean.Y) == 0 {
		return e
	}
	last := cv.mean.Y[len(cv.mean.Y)-1]
	if !e.known {
		e.known, e.least, e.last = true, last, last
	}
	e.last = math.Max(e.last, last)
	for _, v := range cv.mean.Y {
		e.least = math.Min(e.least, v)
	}
	return e
}

// withTradeoff is with for a curve of which only its least value matters, not
// where it ends.
func (e curveEnds) withTradeoff(cv curve) curveEnds {
	if len(cv.mean.Y) == 0 {
		return e
	}
	e = e.withLeast(slices.Min(cv.mean.Y))
	for i, m := range cv.mean.Y {
		if cv.mean.Lo != nil && (e.constant == 0 || m <= e.constant) {
			e.low, e.high = math.Min(e.low, cv.mean.Lo[i]), math.Max(e.high, cv.mean.Hi[i])
		}
	}
	return e
}

// withLeast takes a trade-off into account by its least value, a reference by its only
// one.
func (e curveEnds) withLeast(v float64) curveEnds {
	if !e.known {
		e.known, e.least, e.last, e.low = true, v, v, v
	}
	e.tradeoff = true
	e.least, e.last, e.low = math.Min(e.least, v), math.Max(e.last, v), math.Min(e.low, v)
	return e
}

// errorScale is an axis of classification errors. All curves begin near the
// error of guessing, and what there is to see is far below: a linear axis ends
// where all curves end below, at 4 times the least error or 10 percentage points
// above it, whichever is less.
func errorScale(s ChartAxis, ends curveEnds) ChartAxis {
	s.Percent = true
	if s.Log || !ends.known {
		return s
	}
	if ends.tradeoff {
		return tradeoffScale(s, ends)
	}
	hi := math.Max(math.Min(4*ends.least, ends.least+0.1), ends.least+1.25*(ends.last-ends.least))
	if hi <= ends.least || hi >= s.Max {
		return s
	}
	limited := linearScale([]float64{ends.least, hi})
	limited.Percent, limited.Clip = true, true
	return limited
}

// tradeoffScale is the axis of trade-offs. It begins at the least error, and ends
// a little above that of the constant classifier, where curves begin that are to be
// seen from there on. Where that error is not known, or the least, the axis ends where
// errorScale does, but no farther than the worst of many methods may press the
// others together. It holds the bands of what is to be seen.
func tradeoffScale(s ChartAxis, ends curveEnds) ChartAxis {
	near := math.Min(4*ends.least, ends.least+0.1)
	hi := math.Max(near, ends.least+1.25*(ends.last-ends.least))
	hi = math.Min(hi, ends.least+2*(near-ends.least))
	if ends.constant > ends.least {
		hi = math.Max(ends.constant+0.1*(ends.constant-ends.least), ends.high)
	}
	hi = math.Min(hi, s.Max)
	if hi <= ends.least {
		return s
	}
	low := math.Min(ends.low, ends.least)
	pad := 0.07 * (hi - low)
	return ChartAxis{Min: math.Max(low-pad, 0), Max: hi, Percent: true, Clip: true}
}
