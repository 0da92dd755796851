package plots

import (
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"

	"gonum.org/v1/gonum/integrate"
)

// reading is a number that a run may have.
type reading func(r *record.Run) (float64, bool)

// each returns the values of the finished runs that have one.
func each(runs []record.Run, value reading) []float64 {
	var values []float64
	for i := range runs {
		if runs[i].Status != record.StatusFinished {
			continue
		}
		if v, ok := value(&runs[i]); ok {
			values = append(values, v)
		}
	}
	return values
}

func maxRank(r *record.Run) (float64, bool) {
	rank := r.Measured().Metrics[record.SplitState][yRank]
	if len(rank) == 0 {
		return 0, false
	}
	return slices.Max(rank), true
}

func finalCost(counter string) reading {
	return func(r *record.Run) (float64, bool) {
		if counter == record.CostIterations {
			return float64(r.End()), r.Points() > 0
		}
		c := r.Measured().Cost[counter]
		if len(c) == 0 {
			return 0, false
		}
		return float64(c[len(c)-1]), true
	}
}

// counted is finalCost of a counter that applies to the method.
func counted(counter string) reading {
	return func(r *record.Run) (float64, bool) {
		if !r.Counts(counter) {
			return 0, false
		}
		return finalCost(counter)(r)
	}
}

// finalMetric is the last value along the curve, leastMetric the least.
func finalMetric(metric string) reading {
	return ofCurve(metric, func(v []float64) float64 { return v[len(v)-1] })
}

func leastMetric(metric string) reading {
	return ofCurve(metric, slices.Min[[]float64])
}

func ofCurve(metric string, of func([]float64) float64) reading {
	return func(r *record.Run) (float64, bool) {
		split, ok := observe.UnseenSplit(r, "", metric)
		if !ok {
			return 0, false
		}
		values := r.Measured().Metrics[split][metric]
		if len(values) == 0 {
			return 0, false
		}
		return of(values), true
	}
}

func stepSeconds(r *record.Run) (float64, bool) {
	t, ok := r.Timing()
	return t.StepSeconds, ok
}

func setupSeconds(r *record.Run) (float64, bool) {
	t, ok := r.Timing()
	return t.SetupSeconds, ok && t.SetupSeconds > 0
}

func computed(r *record.Run) (float64, bool) {
	t, ok := r.Timing()
	return float64(t.KernelEvalsComputed), ok && t.KernelEvalsComputed > 0
}

func secondsPerIteration(r *record.Run) (float64, bool) {
	t, ok := r.Timing()
	n, counted := finalCost(record.CostIterations)(r)
	if !ok || !counted || n == 0 {
		return 0, false
	}
	return t.StepSeconds / n, true
}

// longest returns the longest of a time of any of the runs, finished or not.
func longest(runs []record.Run, of func(record.Timing) float64) (longest float64) {
	for i := range runs {
		if t, ok := runs[i].Timing(); ok {
			longest = max(longest, of(t))
		}
	}
	return longest
}

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
	sum, ok := finalCost(record.CostSumKT)(r)
	n, counted := finalCost(record.CostIterations)(r)
	if !ok || !counted || n <= 0 || sum <= 0 {
		return 0, false
	}
	return sum / n, true
}

// interpolatedRank returns the integral, by the trapezoidal rule, of the
// recorded ranks over the recorded range of iterations, divided by its length.
// Recorded points need not be evenly spaced.
func interpolatedRank(r *record.Run) (float64, bool) {
	t, rank := floats(r.Measured().Cost[record.CostIterations]), r.Measured().Metrics[record.SplitState][yRank]
	if len(rank) == 0 || len(rank) != len(t) {
		return 0, false
	}
	last := len(t) - 1
	if t[last] == t[0] {
		return rank[last], true
	}
	return integrate.Trapezoidal(t, rank) / (t[last] - t[0]), true
}

// meanRankCaveat names the series whose mean ranks are interpolated.
func meanRankCaveat(c Catalog, runs []record.Run) string {
	exact := false
	var names []string
	for i := range runs {
		r := &runs[i]
		if r.Status != record.StatusFinished {
			continue
		}
		if _, ok := countedRank(r); ok {
			exact = true
		} else if _, ok := interpolatedRank(r); ok && !slices.Contains(names, c.Name(r.Series)) {
			names = append(names, c.Name(r.Series))
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case !exact:
		return "interpolated between recorded iterations"
	}
	return strings.Join(names, ", ") + " interpolated between recorded iterations"
}
