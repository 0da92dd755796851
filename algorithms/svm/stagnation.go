package svm

import "math"

// stagnation tells when the dual objective cannot be improved any more in
// floating point: when all that a window of many steps has added to it is less
// than its rounding error.
type stagnation struct {
	window, left int64
	gain         float64
	stuck        bool
}

func newStagnation(n int) stagnation {
	w := 2*int64(n) + 1000
	return stagnation{window: w, left: w}
}

// add notes a step that raised the objective by gain. At the end of a window it
// calls objective for its value.
func (s *stagnation) add(gain float64, objective func() float64) {
	s.gain += gain
	s.left--
	if s.left > 0 {
		return
	}
	const ulp = 0x1p-53
	s.stuck = s.gain <= ulp*math.Abs(objective())
	s.left, s.gain = s.window, 0
}
