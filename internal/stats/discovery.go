package stats

import "slices"

// DiscoveryLimit returns the largest p-value that is rejected at a false discovery rate, 0 if no
// test is. An expected share of at most that rate of them is of true hypotheses, if the tests are
// independent or depend positively (Benjamini & Hochberg 1995).
func DiscoveryLimit(p []float64, rate float64) (limit float64) {
	for i, v := range slices.Sorted(slices.Values(p)) {
		if v <= rate*float64(i+1)/float64(len(p)) {
			limit = v
		}
	}
	return limit
}
