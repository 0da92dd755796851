// Package stagnation detects when rounding prevents an optimiser from improving its objective.
package stagnation

import "math"

// Test observes an objective that never decreases. It is stuck when the total gain of a window of many
// steps is within the rounding error of the objective.
type Test struct {
	// Stuck reports whether the objective cannot be improved. Callers may also set it.
	Stuck bool

	window, left int64
	gain         float64
}

// New returns a test of a method with n coordinates.
func New(n int) Test {
	w := 2*int64(n) + 1000
	return Test{window: w, left: w}
}

// Add adds the gain of a step. At the end of a window it calls objective.
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
