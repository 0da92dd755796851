package compare

import "fmt"

const (
	defaultAlpha     = 0.05
	defaultTolerance = 0.05

	// leastAlpha bounds the number of arrangements that a test takes to reject at alpha;
	// near 1 intervals have no width. mostTolerance is of no matter at all.
	leastAlpha    = 1e-4
	mostAlpha     = 0.5
	mostTolerance = 1e6
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
	return o, nil
}
