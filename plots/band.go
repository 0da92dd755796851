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

// What axes and figures say of costs that are summed over the grid.
const (
	wholeGridLabel = "summed over the grid"
	wholeGridNote  = "cost summed over the grid: what all candidates of a repeat had cost when each had run as far as the chosen one, " +
		"or had ended; a method without a grid has its own cost"
)

// wholeGrid returns the runs of the chosen candidates with the cost of the whole grid: at each point,
// what all candidates had cost in the same repeat when they were there, by their iterations. A candidate
// that ended before counts up to where it ended, one without a record of anything counts nothing. A run is
// left out if the repeat lacks the record of a candidate; a choice without one candidate for a whole curve
// gives no runs.
func wholeGrid(choice *selection.Choice) []record.Run {
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
		for _, r := range s.Candidates[chosen].Records {
			var all []*record.Run
			for _, c := range s.Candidates {
				if k := slices.IndexFunc(c.Records, func(o *record.Run) bool { return o.Repeat == r.Repeat }); k >= 0 {
					all = append(all, c.Records[k])
				}
			}
			if len(all) == len(s.Candidates) {
				out = append(out, summed(*r, all))
			}
		}
	}
	return out
}

// summed returns a run with the sum of the costs of several at its points.
func summed(chosen record.Run, all []*record.Run) record.Run {
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
