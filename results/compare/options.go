package compare

import (
	"fmt"
	"math"
	"slices"
)

const (
	defaultAlpha     = 0.05
	defaultTolerance = 0.05
)

// filled returns the options with the defaults of what is not set.
func (o Options) filled() (Options, error) {
	if o.Alpha == 0 {
		o.Alpha = defaultAlpha
	}
	if !(0 < o.Alpha && o.Alpha < 1) {
		return o, fmt.Errorf("compare: alpha is %v; it must be between 0 and 1, such as 0.05", o.Alpha)
	}
	if o.NoTolerance && o.Tolerance != 0 {
		return o, fmt.Errorf("compare: the tolerance is %v, but NoTolerance is set", o.Tolerance)
	}
	if o.Tolerance == 0 && !o.NoTolerance {
		o.Tolerance = defaultTolerance
	}
	if !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 0) {
		return o, fmt.Errorf("compare: the tolerance is %v; it must be 0 or more, such as 0.05 for 5%%", o.Tolerance)
	}
	if !(o.Floor >= 0) || math.IsInf(o.Floor, 0) {
		return o, fmt.Errorf("compare: the floor is %v; it must be positive, or 0 for the default", o.Floor)
	}
	for _, l := range []struct {
		what   string
		values []float64
	}{{"cost to compare at", o.At}, {"target", o.Targets}} {
		for i, v := range l.values {
			if !(v > 0) || math.IsInf(v, 0) {
				return o, fmt.Errorf("compare: a %s is %v; it must be positive", l.what, v)
			}
			if slices.Contains(l.values[:i], v) {
				return o, fmt.Errorf("compare: the %s %v is there twice", l.what, v)
			}
		}
	}
	return o, nil
}

// margin is the tolerance as a difference of logarithms.
func (o Options) margin() float64 { return math.Log1p(o.Tolerance) }
