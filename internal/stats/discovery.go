package stats

import "slices"

// DiscoveryLimit returns the largest p-value rejected at a false discovery rate, or 0 if no test is
// rejected. The expected fraction of true hypotheses among the rejected ones is at most rate, if the
// tests are independent or positively dependent (Benjamini & Hochberg 1995).
func DiscoveryLimit(p []float64, rate float64) (limit float64) {
	for i, v := range slices.Sorted(slices.Values(p)) {
		if v <= rate*float64(i+1)/float64(len(p)) {
			limit = v
		}
	}
	return limit
}
