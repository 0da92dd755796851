package plots

import (
	"fmt"
	"math"
	"slices"
)

// axisKey identifies panels that share an axis: those of one row (for y) or
// column (for x) that show the same quantity on the same kind of scale.
type axisKey struct {
	line     int
	quantity string
	log      bool
	// apart tells axes of one quantity apart whose ends depend on the data.
	apart string
}

func (c *pane) xKey() axisKey {
	k := axisKey{line: c.col, quantity: c.spec.X + c.spec.Tuned, log: c.spec.logX()}
	if c.illustrates() {
		k = axisKey{line: c.col, quantity: c.kind().x.name}
	}
	if c.illustrates() || c.tradesOff() {
		k.apart = c.datasets()
	}
	return k
}

func (c *pane) yKey() axisKey {
	k := axisKey{line: c.row, quantity: c.spec.Y, log: c.spec.logY()}
	if c.illustrates() {
		k = axisKey{line: c.row, quantity: c.kind().y.name}
	}
	if c.illustrates() || c.spec.Y == yError {
		k.apart = c.datasets()
	}
	if c.tradesOff() {
		k.apart += DrawTradeoff
	}
	return k
}

func (c *pane) datasets() string { return fmt.Sprint(textsOf(c.runs, varDataset)) }

// setAxes gives the panels their axes. The x axes of errors depend on the y axes, and
// the room for marks on the y axes on where the x axes end.
func (l layout) setAxes() {
	xs, ys := l.sharing((*pane).xKey), l.sharing((*pane).yKey)
	for k, panes := range ys {
		a := yAxis(k, panes)
		for _, c := range panes {
			c.Y = a
		}
	}
	sparse := make(map[string]bool) // by quantity
	for k, panes := range xs {
		a := xAxis(k, panes)
		sparse[k.quantity] = sparse[k.quantity] || a.Log && decadesIn(a.Min, a.Max) > maxMinorDecades
		for _, c := range panes {
			c.X = a
		}
	}
	for c := range l.all() {
		c.X.Sparse = c.X.Log && sparse[c.xKey().quantity]
	}
	for k, panes := range ys {
		a := panes[0].Y
		if k.log && a.Floor == 0 {
			a.liftMarks(panes)
		}
		for _, c := range panes {
			c.Y = a
		}
	}
}

func (l layout) sharing(key func(*pane) axisKey) map[axisKey][]*pane {
	groups := make(map[axisKey][]*pane)
	for c := range l.all() {
		groups[key(c)] = append(groups[key(c)], c)
	}
	return groups
}

func xAxis(k axisKey, panes []*pane) ChartAxis {
	var values []float64
	for _, c := range panes {
		for _, l := range c.Lines {
			if l.X != nil {
				values = append(values, *l.X)
			}
		}
		for _, cv := range c.Curves {
			values = append(values, cv.X...)
		}
	}
	if k.log { // a logarithmic axis has no place for the zero that a counter starts at
		values = slices.DeleteFunc(values, func(x float64) bool { return !(x > 0) })
	}
	a := newScale(values, k.log)
	switch {
	case k.log:
		a.enterFrom(entry(panes))
		a.clearPoints(panes)
	case len(values) > 0 && k.quantity != quantityMargin:
		// A curve ends at the edge of its panel.
		a.Max = math.Max(a.Max-0.04/1.04*(a.Max-a.Min), a.Min+1)
	}
	return a
}

// leastEntry is the part of a logarithmic axis, as it would be otherwise, that
// has to be empty for the axis to begin later.
const leastEntry = 0.1

// entry returns where the first curve comes into view if the panels show errors that
// begin above them, and 0 if the whole axis is wanted.
func entry(panes []*pane) float64 {
	at := math.Inf(1)
	for _, c := range panes {
		for _, cv := range c.Curves {
			if c.spec.Y != yError || !c.Y.Clip {
				return 0
			}
			if !cv.Thin {
				at = math.Min(at, cv.enter(c.Y))
			}
		}
	}
	return at
}

// enterFrom makes a logarithmic axis of x begin where the first curve comes into
// view, if that is far enough from its end.
func (a *ChartAxis) enterFrom(at float64) {
	lo := at / 1.12
	if at == 0 || math.IsInf(at, 1) || math.Log(lo/a.Min) < leastEntry*math.Log(a.Max/a.Min) || a.Max/lo < 2 {
		return
	}
	a.Min, a.Clip, a.Entered = lo, true, true
}

// pointRoom is the part of an axis that is kept free beyond a lone point, markRoom
// the part below the mark at the end of a curve.
const pointRoom, markRoom = 0.05, 0.03

// clearPoints keeps lone points off the right edge of a logarithmic x axis.
func (a *ChartAxis) clearPoints(panes []*pane) {
	for _, c := range panes {
		for _, cv := range c.Curves {
			if cv.Thin || !cv.lone() {
				continue
			}
			if x := cv.X[0]; x > a.Min && a.Norm(x) > 1-pointRoom {
				a.Max = x * math.Pow(x/a.Min, pointRoom/(1-pointRoom))
			}
		}
	}
}

// liftMarks makes room on a logarithmic y axis for marks that would be on the x axis.
func (a *ChartAxis) liftMarks(panes []*pane) {
	for _, c := range panes {
		for _, cv := range c.Curves {
			if !cv.endsBefore(c.X.Max) {
				continue
			}
			if y := cv.Y[len(cv.Y)-1]; a.Norm(y) < markRoom {
				a.Min = y / math.Pow(a.Max/y, markRoom/(1-markRoom))
			}
		}
	}
}

func yAxis(k axisKey, panes []*pane) ChartAxis {
	var values []float64
	for _, c := range panes {
		for _, l := range c.Lines {
			if l.Y != nil {
				values = append(values, *l.Y)
			}
		}
		for _, l := range c.Levels {
			values = append(values, l.Y)
		}
		for _, cv := range c.Curves {
			values = append(append(append(values, cv.Y...), cv.Lo...), cv.Hi...)
		}
	}
	a := newScale(values, k.log)
	switch {
	case k.quantity == yError:
		a.Percent = true
		if ends := endsOf(panes); ends.known && !k.log {
			a = ends.errorAxis(a, panes[0].tradesOff())
		}
	case k.quantity == quantityLoss:
		a.Min = math.Min(a.Min, -0.03*a.Max) // a loss of 0 is seen above the axis
	case k.quantity == ySpectrum && !k.log:
		a = ChartAxis{Min: -0.02, Max: 1.02}
	}
	return a
}

// curveEnds says where the mean curves of errors that share an axis go.
type curveEnds struct {
	known bool
	// least is the least value of all, last the largest final one, or, of trade-offs, the
	// largest of their least values.
	least, last float64
	// constant is the error of the constant classifier, 0 if it is not known. low and
	// high are the ends of the bands where the means are no more than that.
	constant, low, high float64
}

func (e *curveEnds) add(least, last float64) {
	if !e.known {
		*e = curveEnds{known: true, least: least, last: last, constant: e.constant, low: least}
	}
	e.least, e.last, e.low = math.Min(e.least, least), math.Max(e.last, last), math.Min(e.low, least)
}

func endsOf(panes []*pane) (e curveEnds) {
	for _, c := range panes {
		e.constant = math.Max(e.constant, c.constant)
	}
	for _, c := range panes {
		for _, l := range c.Lines {
			if l.Y != nil {
				e.add(*l.Y, *l.Y)
			}
		}
		for _, cv := range c.Curves {
			if cv.Thin {
				continue
			}
			least, last := slices.Min(cv.Y), cv.Y[len(cv.Y)-1]
			if c.tradesOff() {
				last = least
			}
			e.add(least, last)
			for i, m := range cv.Y {
				if cv.Lo != nil && (e.constant == 0 || m <= e.constant) {
					e.low, e.high = math.Min(e.low, cv.Lo[i]), math.Max(e.high, cv.Hi[i])
				}
			}
		}
	}
	return e
}

// errorAxis is a linear axis of classification errors; all is the one that holds all
// values. Curves begin near the error of guessing, and the differences of interest are
// far below: the axis ends where all curves end below, at 4 times the least error or 10
// percentage points above it, whichever is less.
//
// The axis of trade-offs begins at the least error and ends a little above that of the
// constant classifier, and it holds the bands below. Where that error is not known, or
// the least, the axis ends no farther than the worst of many methods may press the
// others together.
func (e curveEnds) errorAxis(all ChartAxis, tradeoff bool) ChartAxis {
	near := math.Min(4*e.least, e.least+0.1)
	hi := math.Max(near, e.least+1.25*(e.last-e.least))
	if !tradeoff {
		if hi <= e.least || hi >= all.Max {
			return all
		}
		all = linearScale([]float64{e.least, hi})
		all.Percent, all.Clip = true, true
		return all
	}
	hi = math.Min(hi, e.least+2*(near-e.least))
	if e.constant > e.least {
		hi = math.Max(e.constant+0.1*(e.constant-e.least), e.high)
	}
	if hi = math.Min(hi, all.Max); hi <= e.least {
		return all
	}
	low := math.Min(e.low, e.least)
	return ChartAxis{Min: math.Max(low-0.07*(hi-low), 0), Max: hi, Percent: true, Clip: true}
}
