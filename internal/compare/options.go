package compare

import (
	"fmt"
	"slices"
)

const (
	defaultAlpha     = 0.05
	defaultTolerance = 0.05

	// leastAlpha bounds the number of arrangements that a test takes to reject at alpha;
	// near 1 intervals have no width. mostTolerance is of no matter at all.
	leastAlpha    = 1e-4
	mostAlpha     = 0.5
	mostTolerance = 1e6
	// Values and costs of the options are from least to most.
	leastValue, mostValue = 1e-100, 1e100
)

// bounded reports whether a value of the options is in range.
func bounded(v float64) bool { return leastValue <= v && v <= mostValue }

// filled returns the options with the defaults of what is not set.
func (o Options) filled() (Options, error) {
	if o.Alpha == 0 {
		o.Alpha = defaultAlpha
	}
	if !(leastAlpha <= o.Alpha && o.Alpha <= mostAlpha) {
		return o, fmt.Errorf("compare: alpha is %v; it must be from %v to %v, such as 0.05", o.Alpha, leastAlpha, mostAlpha)
	}
	if o.NoTolerance && o.Tolerance != 0 {
		return o, fmt.Errorf("compare: the tolerance is %v, but NoTolerance is set", o.Tolerance)
	}
	if o.Tolerance == 0 && !o.NoTolerance {
		o.Tolerance = defaultTolerance
	}
	if !(o.Tolerance >= 0 && o.Tolerance <= mostTolerance) {
		return o, fmt.Errorf("compare: the tolerance is %v; it must be from 0 to %v, such as 0.05 for 5%%", o.Tolerance, mostTolerance)
	}
	if o.Floor != 0 && !bounded(o.Floor) {
		return o, fmt.Errorf("compare: the floor is %v; it must be from %v to %v, or 0 for the default", o.Floor, leastValue, mostValue)
	}
	for _, l := range []struct {
		what   string
		values []float64
	}{{"cost to compare at", o.At}, {"target", o.Targets}} {
		for i, v := range l.values {
			if !bounded(v) {
				return o, fmt.Errorf("compare: a %s is %v; it must be from %v to %v", l.what, v, leastValue, mostValue)
			}
			if slices.Contains(l.values[:i], v) {
				return o, fmt.Errorf("compare: the %s %v is there twice", l.what, v)
			}
		}
	}
	return o, nil
}
