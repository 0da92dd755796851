package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
	"stochopt/internal/whole"
)

// bandLevels are the levels of the quantiles that are the ends of a band over repeats.
var bandLevels = map[string][2]float64{BandQuantiles: {0.1, 0.9}, BandMinMax: {0, 1}}

// along returns a cost of a run at its points, such as its seconds.
func along(r *record.Run, cost string) ([]float64, bool) {
	if cost == xSeconds {
		return r.Seconds()
	}
	return r.Measured().Along(cost)
}

// average returns the mean over runs of the metric that the panel shows, measured on a
// split, with its band; a single run has no band. Runs of one point each, at different values of x,
// are not averaged.
//
// If all runs were recorded at the same values of x, these are the grid and
// nothing is interpolated. Otherwise the curves are read on the lines between their
// points (see observe.Curve.LineAt), and the grid is drawn from the union of the
// recorded values, thinned evenly by rank to the length of the longest curve, so
// that it is spaced as the recording is (logarithmic or linear), and restricted
// to the range that all runs cover: no curve is ever extrapolated. Where a curve
// jumps, having several points at one x, the last counts.
//
// Warnings say where the curves were cut, and that the runs are of different experiments.
func (p Panel) average(runs []record.Run, split string) (mean ChartCurve, warnings []string, err error) {
	var curves []observe.Curve
	for i := range runs {
		r := &runs[i]
		x, _ := along(r, p.X)
		y := r.Measured().Metrics[split][p.Y]
		if len(y) != len(x) || len(y) == 0 {
			return mean, nil, fmt.Errorf("results: %s has %d values of %q and %d of %q", r.Name(), len(y), p.Y, len(x), p.X)
		}
		curves = append(curves, observe.Curve{X: x, Y: y})
	}
	if slices.ContainsFunc(runs, func(r record.Run) bool { return r.Seed != runs[0].Seed || r.DatasetHash != runs[0].DatasetHash }) {
		warnings = append(warnings, fmt.Sprintf("cannot average the runs on %s: they differ in seed or data, so they are of different experiments; give each its own --out", runs[0].Dataset))
	}
	same := !slices.ContainsFunc(curves, func(c observe.Curve) bool { return !slices.Equal(c.X, curves[0].X) })
	mean = ChartCurve{X: slices.Clone(curves[0].X), N: len(curves)}
	if !same && !slices.ContainsFunc(curves, func(c observe.Curve) bool { return len(c.X) > 1 }) {
		return scatter(curves), warnings, nil
	}
	if !same {
		if mean.X, err = commonGrid(curves, p.X); err != nil {
			return mean, nil, err
		}
		byLength := func(a, b record.Run) int { return cmp.Compare(a.End(), b.End()) }
		a, b := slices.MinFunc(runs, byLength), slices.MaxFunc(runs, byLength)
		if a.End() < b.End() {
			const text = "the runs differ in length and are cut at %s = %v: %s ends at iteration %d, %s at %d"
			warnings = append(warnings, fmt.Sprintf(text, p.X, mean.X[len(mean.X)-1], a.Name(), a.End(), b.Name(), b.End()))
		}
	}
	levels, banded := bandLevels[p.Band]
	column := make([]float64, len(curves))
	for i, x := range mean.X {
		for j, c := range curves {
			if same {
				column[j] = c.Y[i]
			} else {
				column[j] = c.LineAt(x)
			}
		}
		m := stats.Mean(column)
		slices.Sort(column)
		// Rounding must not push the mean of equal values out of the band.
		mean.Y = append(mean.Y, min(max(m, column[0]), column[len(column)-1]))
		if banded && len(curves) > 1 {
			mean.Lo, mean.Hi = append(mean.Lo, stats.Quantile(column, levels[0])), append(mean.Hi, stats.Quantile(column, levels[1]))
		}
	}
	return mean, warnings, nil
}

// scatter returns the only points of curves, in order of x, as points of one curve.
func scatter(curves []observe.Curve) ChartCurve {
	slices.SortFunc(curves, func(a, b observe.Curve) int { return cmp.Compare(a.X[0], b.X[0]) })
	points := ChartCurve{N: 1, Points: true, Label: "single runs"}
	for _, c := range curves {
		points.X, points.Y = append(points.X, c.X[0]), append(points.Y, c.Y[0])
	}
	return points
}

// commonGrid returns where curves of different points are averaged.
func commonGrid(curves []observe.Curve, x string) (grid []float64, err error) {
	lo, hi := math.Inf(-1), math.Inf(1)
	for _, c := range curves {
		lo, hi = max(lo, c.X[0]), min(hi, c.X[len(c.X)-1])
	}
	if lo > hi {
		return nil, fmt.Errorf("results: the runs do not overlap in %s: one begins at %v, another ends at %v", x, lo, hi)
	}
	points := 2
	var pool []float64
	for _, c := range curves {
		points = max(points, len(c.X))
		for _, v := range c.X {
			if lo <= v && v <= hi {
				pool = append(pool, v)
			}
		}
	}
	slices.Sort(pool)
	pool = slices.Compact(pool)
	for _, i := range evenly(len(pool), points) {
		grid = append(grid, pool[i])
	}
	return grid, nil
}

// A tuning is a way to include the search for parameters in the cost of a method, for any
// counted cost. A series whose grid has at most one candidate has no cost of search, which
// is the advantage of a method without a step size.
type tuning struct {
	// name is what specifications call it, label what axes add to the label of a cost, and
	// note what figures say of it.
	name, label, note string

	// search returns the chosen run with the curve of the search, from the runs of all
	// candidates in its repeat. ranked are the indices of the candidates that are in the
	// race, the best first.
	search func(chosen record.Run, all []*record.Run, ranked []int) record.Run
}

var tunings = []tuning{
	// The cost at each point of the chosen run is what all candidates of its grid had
	// cost in the same repeat when they were there, by their iterations: what it takes to
	// run the whole grid that far. A candidate that ended before counts up to where it
	// ended, one that diverged too; one without a record of anything counts nothing.
	{
		name: "grid", label: "summed over the grid", search: wholeGrid,
		note: "cost summed over the grid: what all candidates of a repeat had cost when each had run as far as the chosen one, " +
			"or had ended; a method without a grid has its own cost",
	},
	// The curve has a point for each number m of candidates, drawn from the grid without
	// replacement, each equally likely: at m times the mean cost of a whole run, which is
	// what they cost on average, stands the metric that the best of them, by the scores
	// that selection is by, ends with on average. Numbers so small that all m may be out
	// of the race have no point.
	{
		name: "random", label: "of random candidates", search: randomSearch,
		note: "random candidates: a point for each number of candidates drawn from the grid, at the average cost of their whole runs " +
			"and the average final value of the one that selection would choose; a method without a grid is one point",
	},
}

func tuningOf(name string) tuning {
	if i := slices.IndexFunc(tunings, func(t tuning) bool { return t.name == name }); i >= 0 {
		return tunings[i]
	}
	return tuning{}
}

// runs returns the runs of the chosen candidates as the tuning sees them: with costs that
// include the search, and the metrics that it led to. A run is left out if the repeat lacks
// the record of a candidate, since the cost of the search is then unknown. A choice
// without one candidate for a whole curve gives no runs.
func (t tuning) runs(choice *selection.Choice) []record.Run {
	if choice == nil {
		return nil
	}
	var out []record.Run
	for i := range choice.Series {
		s := &choice.Series[i]
		chosen := slices.IndexFunc(s.Candidates, func(c selection.Candidate) bool { return c.Selected })
		if chosen < 0 {
			continue
		}
		runs := make([][]*record.Run, len(s.Candidates))
		for k, c := range s.Candidates {
			runs[k] = c.Records
		}
		ranked := rank(s.Candidates, observe.MetricOf(runs[chosen][0].Task, choice.Metric).MoreIsBetter)
		for _, r := range runs[chosen] {
			var all []*record.Run
			for _, own := range runs {
				if k := slices.IndexFunc(own, func(o *record.Run) bool { return o.Repeat == r.Repeat }); k >= 0 {
					all = append(all, own[k])
				}
			}
			if len(all) == len(runs) {
				out = append(out, t.search(*r, all, ranked))
			}
		}
	}
	return out
}

// rank returns the indices of the candidates that are in the race, the best first: the
// selected one, and then by score.
func rank(candidates []selection.Candidate, moreIsBetter bool) []int {
	var ranked []int
	for i, c := range candidates {
		if c.Scored {
			ranked = append(ranked, i)
		}
	}
	value := func(i int) float64 {
		switch c := candidates[i]; {
		case c.Selected:
			return math.Inf(-1)
		case moreIsBetter:
			return -c.Score
		default:
			return c.Score
		}
	}
	slices.SortStableFunc(ranked, func(i, j int) int { return cmp.Compare(value(i), value(j)) })
	return ranked
}

func wholeGrid(chosen record.Run, all []*record.Run, _ []int) record.Run {
	curve := chosen.Measured()
	iterations := curve.Cost[record.CostIterations]
	sums := make(map[string][]int64, len(curve.Cost))
	for cost := range curve.Cost {
		sums[cost] = make([]int64, len(iterations))
	}
	for _, r := range all {
		costs := r.Measured().Cost
		own := costs[record.CostIterations]
		for i, n := range iterations {
			reached, exact := slices.BinarySearch(own, n)
			if !exact {
				reached-- // the last point before
			}
			for cost, sum := range sums {
				if column := costs[cost]; reached >= 0 && reached < len(column) {
					sum[i] += column[reached]
				}
			}
		}
	}
	curve.Cost = sums
	return chosen.With(curve)
}

// randomSearch returns the curve of random search as that of a run, which does not converge.
func randomSearch(chosen record.Run, all []*record.Run, ranked []int) record.Run {
	n := len(all)
	least := n - len(ranked) + 1 // so many are sure to have one that is in the race
	curve := record.Curve{Cost: map[string][]int64{}, Metrics: map[string]map[string][]float64{}}
	for cost := range chosen.Measured().Cost {
		var total float64
		for _, r := range all {
			if column := r.Measured().Cost[cost]; len(column) > 0 {
				total += float64(column[len(column)-1])
			}
		}
		for m := least; m <= n; m++ {
			mean := math.Round(float64(m) * total / float64(n))
			curve.Cost[cost] = append(curve.Cost[cost], int64(whole.Within(mean, 0, math.MaxInt64)))
		}
	}
	for split, metrics := range chosen.Measured().Metrics {
		curve.Metrics[split] = map[string][]float64{}
		for metric := range metrics {
			var ends []float64
			for _, i := range ranked {
				if values := all[i].Measured().Metrics[split][metric]; len(values) > 0 {
					ends = append(ends, values[len(values)-1])
				}
			}
			if len(ends) < len(ranked) {
				continue // not recorded of each
			}
			for m := least; m <= n; m++ {
				curve.Metrics[split][metric] = append(curve.Metrics[split][metric], expectedBest(ends, n, m))
			}
		}
	}
	chosen.Reason = ""
	return chosen.With(curve)
}

// expectedBest returns the mean, over all sets of m of n candidates, of the value of the
// best in the set. values are those of the best candidates of all, the best first; the
// others, of which there are less than m, are worse and have none.
//
// The best in the set is the j-th of all, from 0, in C(n-1-j, m-1) of the C(n, m) sets.
func expectedBest(values []float64, n, m int) float64 {
	share, mean := float64(m)/float64(n), 0.0
	for j, v := range values {
		mean += share * v
		share *= float64(n-j-m) / float64(n-j-1)
		if share == 0 { // the best of all sets is among those before
			break
		}
	}
	return mean
}
