// Package stagnation tells when an optimiser cannot improve its objective any more in
// floating point.
package stagnation

import "math"

// Test watches an objective that never falls. It is stuck when all that a window
// of many steps has added to it is less than its rounding error.
type Test struct {
	// Stuck says that the objective cannot be improved. Who knows it by other means
	// may set it.
	Stuck bool

	window, left int64
	gain         float64
}

// New returns a test of a method with n coordinates.
func New(n int) Test {
	w := 2*int64(n) + 1000
	return Test{window: w, left: w}
}

// Add notes a step that raised the objective by gain. At the end of a window it
// calls objective for its value.
func (t *Test) Add(gain float64, objective func() float64) {
	t.gain += gain
	t.left--
	if t.left > 0 {
		return
	}
	const ulp = 0x1p-53
	t.Stuck = t.gain <= ulp*math.Abs(objective())
	t.left, t.gain = t.window, 0
}
