package plots

import (
	"math"
	"slices"
)

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
	if len(cv.mean.y) == 0 {
		return e
	}
	last := cv.mean.y[len(cv.mean.y)-1]
	if !e.known {
		e.known, e.least, e.last = true, last, last
	}
	e.last = math.Max(e.last, last)
	for _, v := range cv.mean.y {
		e.least = math.Min(e.least, v)
	}
	return e
}

// withTradeoff is with for a curve of which only its least value matters, not
// where it ends.
func (e curveEnds) withTradeoff(cv curve) curveEnds {
	if len(cv.mean.y) == 0 {
		return e
	}
	e = e.withLeast(slices.Min(cv.mean.y))
	for i, m := range cv.mean.y {
		if cv.lo != nil && (e.constant == 0 || m <= e.constant) {
			e.low, e.high = math.Min(e.low, cv.lo[i]), math.Max(e.high, cv.hi[i])
		}
	}
	return e
}

// withConstant takes the error of the constant classifier into account. It comes
// before the curves.
func (e curveEnds) withConstant(v float64) curveEnds {
	e.constant = math.Max(e.constant, v)
	return e
}

// withReference takes a reference into account as a curve of one point.
func (e curveEnds) withReference(r reference) curveEnds { return e.withLeast(r.error) }

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
func errorScale(s scale, ends curveEnds) scale {
	s.percent = true
	if s.log || !ends.known {
		return s
	}
	if ends.tradeoff {
		return tradeoffScale(s, ends)
	}
	hi := math.Max(math.Min(4*ends.least, ends.least+0.1), ends.least+1.25*(ends.last-ends.least))
	if hi <= ends.least || hi >= s.max {
		return s
	}
	limited := linearScale([]float64{ends.least, hi})
	limited.percent, limited.clip = true, true
	return limited
}

// tradeoffScale is the axis of trade-offs. It begins at the least error, and ends
// a little above that of the constant classifier, where curves begin that are to be
// seen from there on. Where that error is not known, or the least, the axis ends where
// errorScale does, but no farther than the worst of many methods may press the
// others together. It holds the bands of what is to be seen.
func tradeoffScale(s scale, ends curveEnds) scale {
	near := math.Min(4*ends.least, ends.least+0.1)
	hi := math.Max(near, ends.least+1.25*(ends.last-ends.least))
	hi = math.Min(hi, ends.least+2*(near-ends.least))
	if ends.constant > ends.least {
		hi = math.Max(ends.constant+0.1*(ends.constant-ends.least), ends.high)
	}
	hi = math.Min(hi, s.max)
	if hi <= ends.least {
		return s
	}
	low := math.Min(ends.low, ends.least)
	pad := 0.07 * (hi - low)
	return scale{min: math.Max(low-pad, 0), max: hi, percent: true, clip: true}
}
