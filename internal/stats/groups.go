package stats

// Groups detects two groups in six or more sorted values, for example of runs that got stuck and runs
// that did not. A gap must be more than five times as wide as the range of the values on either side.
// Groups returns the number of values below the gap, or 0. For normal, uniform and exponential samples
// the false alarm rate is at most 5 %, and 1 % for ten or more values.
func Groups(sorted []float64) (below int) {
	last := len(sorted) - 1
	gap := 0.0
	for i := 1; i <= last; i++ {
		if d := sorted[i] - sorted[i-1]; d > gap {
			below, gap = i, d
		}
	}
	if last < 5 || below == 0 || gap <= 5*max(sorted[below-1]-sorted[0], sorted[last]-sorted[below]) {
		return 0
	}
	return below
}
