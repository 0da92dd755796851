package plots

import (
	"slices"
	"strings"

	"stochopt/results/record"
)

// meanRank returns the mean of k'_t over all iterations of the run: exactly if
// it counts their sum, else interpolated.
func meanRank(r *record.Run) (float64, bool) {
	if v, ok := countedRank(r); ok {
		return v, true
	}
	return interpolatedRank(r)
}

// countedRank divides the final sum of k'_t by the number of iterations. A sum
// that remains zero is that of an algorithm without k'_t.
func countedRank(r *record.Run) (float64, bool) {
	sum, ok := finalCost("sum_kt")(r)
	n, counted := finalCost("iterations")(r)
	if !ok || !counted || n <= 0 || sum <= 0 {
		return 0, false
	}
	return sum / n, true
}

// interpolatedRank returns the integral, by the trapezoidal rule, of the
// recorded ranks over the recorded range of iterations, divided by its length.
// Recorded points need not be evenly spaced.
func interpolatedRank(r *record.Run) (float64, bool) {
	t, rank := r.Curve.Cost["iterations"], r.Curve.Metrics[stateSplit][yRank]
	if len(rank) == 0 || len(rank) != len(t) {
		return 0, false
	}
	span := t[len(t)-1] - t[0]
	if span == 0 {
		return rank[len(rank)-1], true
	}
	var integral float64
	for i := 1; i < len(t); i++ {
		integral += float64(t[i]-t[i-1]) * (rank[i-1] + rank[i]) / 2
	}
	return integral / float64(span), true
}

// noteMeanRank says how the mean ranks of the runs were found.
func noteMeanRank(runs []record.Run) string {
	exact := false
	var names []string
	for i := range runs {
		r := &runs[i]
		if r.Status != record.StatusFinished {
			continue
		}
		if _, ok := countedRank(r); ok {
			exact = true
		} else if _, ok := interpolatedRank(r); ok && !slices.Contains(names, DisplayName(r.Series)) {
			names = append(names, DisplayName(r.Series))
		}
	}
	const base = "mean over all iterations, and over repeats"
	switch {
	case len(names) == 0:
		return base
	case !exact:
		return base + "; interpolated between recorded iterations"
	}
	return base + "; that of " + strings.Join(names, ", ") + " interpolated between recorded iterations"
}

// always returns a footnote that does not depend on the runs.
func always(note string) func([]record.Run) string {
	return func([]record.Run) string { return note }
}

// noteSAA returns a footnote that says more if SAA is among the runs.
func noteSAA(note, more string) func([]record.Run) string {
	return func(runs []record.Run) string {
		if slices.ContainsFunc(runs, func(r record.Run) bool { return r.Algorithm == "saa" }) {
			return note + "; " + more
		}
		return note
	}
}
