// Package finite tells finite numbers from others.
package finite

import "math"

// Is reports whether x is neither infinite nor NaN. It does no arithmetic: on arm64 Go fuses
// a product with what is subtracted from it, so that x-x may be the rounding error of the
// product x in place of 0.
func Is(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
