// Package finite tests floating-point numbers for finiteness.
package finite

import (
	"math"
	"slices"
)

// Is reports whether x is neither infinite nor NaN. It does not test x-x == 0: if x is a product, Go
// may fuse it with the subtraction on arm64, and x-x is the rounding error of x instead of 0.
func Is(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// infinity holds the bits of +Inf without the sign bit. Those of finite numbers are smaller.
const infinity = 0x7ff << 53

// Index returns the index of the first element of x that is infinite or NaN, or -1.
func Index(x []float64) int {
	rest := x
	var a, b, c, d uint64
	for ; len(rest) >= 4; rest = rest[4:] {
		a = max(a, math.Float64bits(rest[0])<<1)
		b = max(b, math.Float64bits(rest[1])<<1)
		c = max(c, math.Float64bits(rest[2])<<1)
		d = max(d, math.Float64bits(rest[3])<<1)
	}
	for _, v := range rest {
		a = max(a, math.Float64bits(v)<<1)
	}
	if max(a, b, c, d) < infinity {
		return -1
	}
	return slices.IndexFunc(x, func(v float64) bool { return !Is(v) })
}
