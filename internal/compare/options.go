package compare

import (
	"fmt"
	"slices"
)

const (
	defaultAlpha     = 0.05
	defaultTolerance = 0.05

	// leastAlpha bounds the number of arrangements that a test takes to reject at alpha;
	// near 1 intervals have no width. A tolerance above 1 is taken for a percentage.
	leastAlpha    = 1e-4
	mostAlpha     = 0.5
	mostTolerance = 1.0
	// Values and costs of the options are from least to most.
	leastValue, mostValue = 1e-100, 1e100
)

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
	for i, values := range [][]float64{o.At, o.Targets} {
		out := func(v float64) bool { return !(leastValue <= v && v <= mostValue) }
		if at := slices.IndexFunc(values, out); at >= 0 {
			what := []string{"a cost to compare at", "a target"}[i]
			return o, fmt.Errorf("compare: %s is %v; it must be from %v to %v", what, values[at], leastValue, mostValue)
		}
	}
	return o, nil
}
