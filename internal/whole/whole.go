// Package whole converts floating-point numbers to integers. The result of Go's conversion of values
// out of range depends on the architecture, so it must not be applied to user input.
package whole

import (
	"math"
	"time"
)

// Most is the largest result of Of. A float64 cannot represent all larger integers.
const Most = 1<<53 - 1

// Of returns x as an integer. ok is false if x is not whole, is NaN, or exceeds Most in magnitude.
func Of(x float64) (n int64, ok bool) {
	if !(math.Abs(x) <= Most) || x != math.Trunc(x) {
		return 0, false
	}
	return int64(x), true
}

// Within truncates x to an integer and clamps it to [least, most]. It returns least for NaN.
func Within(x float64, least, most int) int {
	switch {
	case !(x > float64(least)):
		return least
	case x >= float64(most):
		return most
	}
	return int(x)
}

// Seconds returns s seconds as a time.Duration, clamped to [0, math.MaxInt64] ns.
func Seconds(s float64) time.Duration {
	return time.Duration(Within(s*float64(time.Second), 0, math.MaxInt64))
}
