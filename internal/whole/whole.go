// Package whole turns floating point numbers into integers. Go's own conversion gives an
// arbitrary integer, which depends on the architecture, for values out of range; nothing that a
// user can write may reach it.
package whole

import (
	"math"
	"time"
)

// Most is the greatest integer that Of gives: above it a float64 does not tell one
// integer from the next.
const Most = 1<<53 - 1

// Of returns x as an integer; ok is false if x has a fraction, is not a number, or is more
// than Most in size.
func Of(x float64) (n int64, ok bool) {
	if !(math.Abs(x) <= Most) || x != math.Trunc(x) {
		return 0, false
	}
	return int64(x), true
}

// Within returns x, without its fraction, as an integer from least to most: the nearer end
// where x is outside, and least if it is not a number.
func Within(x float64, least, most int) int {
	switch {
	case !(x > float64(least)):
		return least
	case x >= float64(most):
		return most
	}
	return int(x)
}

// Seconds returns a time of s seconds, at most the longest time.Duration.
func Seconds(s float64) time.Duration {
	return time.Duration(Within(s*float64(time.Second), 0, math.MaxInt64))
}
