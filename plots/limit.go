package plots

import "math"

// curveEnds says where the mean curves that share an axis go.
type curveEnds struct {
	known bool
	// least is the least value of all, last the largest final one.
	least, last float64
}

func (e curveEnds) with(cv curve) curveEnds {
	if len(cv.mean.y) == 0 {
		return e
	}
	last := cv.mean.y[len(cv.mean.y)-1]
	if !e.known {
		e = curveEnds{known: true, least: last, last: last}
	}
	e.last = math.Max(e.last, last)
	for _, v := range cv.mean.y {
		e.least = math.Min(e.least, v)
	}
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
	hi := math.Max(math.Min(4*ends.least, ends.least+0.1), ends.least+1.25*(ends.last-ends.least))
	if hi <= ends.least || hi >= s.max {
		return s
	}
	limited := linearScale([]float64{ends.least, hi})
	limited.percent, limited.clip = true, true
	return limited
}
