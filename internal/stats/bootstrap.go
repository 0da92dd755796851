package stats

import "slices"

// Bootstrap makes percentile intervals of estimates from resampled values, such as of a procedure
// that chooses anew in each resample.
type Bootstrap struct {
	// Alpha is 1 less the level of the intervals.
	Alpha float64
}

// leastResamples is the number of bootstrap resamples; there are more for a small alpha.
const leastResamples = 2000

// Draws is the number of resamples.
func (b Bootstrap) Draws() int {
	return int(min(max(leastResamples, 200/b.Alpha), 200000))
}

// Percentiles sorts resampled estimates and returns the ends of their percentile interval.
func (b Bootstrap) Percentiles(resampled []float64) (lo, hi float64) {
	k := int(b.Alpha / 2 * float64(len(resampled)))
	slices.Sort(resampled)
	return resampled[k], resampled[len(resampled)-1-k]
}
