package stats

const (
	// leastGrouped is the number of values from which on groups are told apart.
	leastGrouped = 6
	// gapOfGroups is how many times wider the gap between groups is than either.
	gapOfGroups = 5
)

// Groups reports whether sorted values are in two groups, such as those of runs that got stuck and of
// runs that did not: one gap is five times as wide as all that is below it, and as all that is above
// it. It returns the number of values below, or 0. Of 6 or more values of a normal, uniform or
// exponential distribution it finds groups in at most 5 of 100 samples, of 10 or more in 1.
func Groups(sorted []float64) (below int) {
	last := len(sorted) - 1
	if last+1 < leastGrouped {
		return 0
	}
	gap := 0.0
	for i := 1; i <= last; i++ {
		if d := sorted[i] - sorted[i-1]; d > gap {
			below, gap = i, d
		}
	}
	if below == 0 || gap <= gapOfGroups*max(sorted[below-1]-sorted[0], sorted[last]-sorted[below]) {
		return 0
	}
	return below
}

// Skewed reports whether a few of the values, which are not negative, carry their mean: the largest is
// more than ten times the median. An interval of Student's t is then too short.
func Skewed(sorted []float64) bool {
	return sorted[0] >= 0 && sorted[len(sorted)-1] > 10*Quantile(sorted, 0.5)
}
