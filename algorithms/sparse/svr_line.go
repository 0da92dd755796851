package sparse

import "math"

// The dual of a regression is piecewise quadratic along a line: its slope falls at
// the rate of the curvature, and by 2 epsilon at once where a coefficient changes
// its sign.

// lineAscent is the objective along a line, from where it starts.
type lineAscent struct {
	slope     float64 // > 0, of the first piece
	curvature float64 // >= 0
	limit     float64 // >= 0, how far the box lets it go
	drop      float64 // >= 0, by how much the slope falls at a kink
	// kinks are where a coefficient becomes 0, +Inf for none.
	kinks [2]float64
}

// noKink is where the kink of a line is that has none.
var noKink = math.Inf(1)

// climb returns the maximiser and by how much the objective is greater there.
func (a lineAscent) climb() (at, gain float64) {
	if a.kinks[0] > a.kinks[1] {
		a.kinks[0], a.kinks[1] = a.kinks[1], a.kinks[0]
	}
	slope := a.slope
	for k := 0; slope > 0; k++ {
		end := a.limit
		if k < len(a.kinks) {
			end = min(end, a.kinks[k])
		}
		length := end - at
		if best := slope / a.curvature; best < length {
			return at + best, gain + 0.5*float64(slope*best)
		}
		gain += length * (slope - 0.5*float64(a.curvature*length))
		at = end
		if end >= a.limit {
			break
		}
		slope = slope - float64(a.curvature*length) - a.drop
	}
	return at, gain
}
