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

// bandLevels holds the quantile levels of the ends of a band over repeats.
var bandLevels = map[string][2]float64{BandQuantiles: {0.1, 0.9}, BandMinMax: {0, 1}}

// along returns a cost of a run at its recorded points. ok is false if the run does not record it.
func along(r *record.Run, cost string) (values []float64, ok bool) {
	if cost == record.CostSeconds {
		return r.Seconds()
	}
	return r.Measured().Along(cost)
}

// average returns the mean over runs of the metric of the panel on a split, with its band. A single run has no band.
// Runs of one point each, at different x, are not averaged but returned as points.
//
// If all runs have the same x values, the mean has them, too. Otherwise the curves are interpolated linearly (see
// observe.Curve.LineAt) at values from the union of all x in the range that all runs cover. The union is thinned evenly
// to the length of the longest curve, which preserves logarithmic or linear spacing. If a curve has several points at
// one x, the last counts.
//
// Warnings report truncated curves and runs of different experiments.
func (p Panel) average(runs []record.Run, split string) (mean ChartCurve, warnings []string, err error) {
	var curves []observe.Curve
	for i := range runs {
		r := &runs[i]
		x, _ := along(r, p.X)
		y := r.Measured().Metrics[split][p.Y]
		if len(y) != len(x) || len(y) == 0 {
			return mean, nil, fmt.Errorf("run %s has %d values of %q and %d of %q", r.Name(), len(y), p.Y, len(x), p.X)
		}
		curves = append(curves, observe.Curve{X: x, Y: y})
	}
	differs := func(r record.Run) bool { return r.Seed != runs[0].Seed || r.DatasetHash != runs[0].DatasetHash }
	if slices.ContainsFunc(runs, differs) {
		warnings = append(warnings, fmt.Sprintf("the runs on %s differ in seed or data, so their mean is meaningless: "+
			"give each experiment its own folder with --out", runs[0].Dataset))
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
			const text = "the runs differ in length; the mean ends at %s = %v: %s ends at iteration %d, %s at %d"
			warnings = append(warnings, fmt.Sprintf(text, p.X, mean.X[len(mean.X)-1], a.Name(), a.End(), b.Name(), b.End()))
		}
	}
	levels, banded := bandLevels[p.Band]
	values := make([]float64, len(curves))
	for i, x := range mean.X {
		for j, c := range curves {
			if same {
				values[j] = c.Y[i]
			} else {
				values[j] = c.LineAt(x)
			}
		}
		m := stats.Mean(values)
		slices.Sort(values)
		// The mean of equal values must not leave the band because of rounding.
		mean.Y = append(mean.Y, min(max(m, values[0]), values[len(values)-1]))
		if banded && len(curves) > 1 {
			mean.Lo = append(mean.Lo, stats.Quantile(values, levels[0]))
			mean.Hi = append(mean.Hi, stats.Quantile(values, levels[1]))
		}
	}
	return mean, warnings, nil
}

// scatter returns the points of curves with one point each as one curve, in order of x.
func scatter(curves []observe.Curve) ChartCurve {
	slices.SortFunc(curves, func(a, b observe.Curve) int { return cmp.Compare(a.X[0], b.X[0]) })
	points := ChartCurve{N: 1, Points: true, Label: "single runs"}
	for _, c := range curves {
		points.X, points.Y = append(points.X, c.X[0]), append(points.Y, c.Y[0])
	}
	return points
}

// commonGrid returns the x values at which curves of different points are averaged.
func commonGrid(curves []observe.Curve, cost string) (grid []float64, err error) {
	lo, hi := math.Inf(-1), math.Inf(1)
	for _, c := range curves {
		lo, hi = max(lo, c.X[0]), min(hi, c.X[len(c.X)-1])
	}
	if lo > hi {
		return nil, fmt.Errorf("the runs do not overlap in %s: one begins at %v, another ends at %v", cost, lo, hi)
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
	for _, i := range evenIndices(len(pool), points) {
		grid = append(grid, pool[i])
	}
	return grid, nil
}

// Texts of axes and notes on costs that are summed over the grid.
const (
	gridCostLabel = "summed over the grid"
	gridCostNote  = "cost summed over the grid: what all candidates of a repeat had cost when each had run as far " +
		"as the chosen one, or had ended; a method without a grid has its own cost"
)

// withGridCost returns the runs of the selected candidates with the costs of the whole grid. At each point that is the
// sum over all candidates of the same repeat, at the same iteration. A candidate that ended earlier counts with its
// last costs, a candidate without points counts zero. Repeats without runs of all candidates are left out. There are no
// runs if the choice is made at each support size, because it then selects no candidates.
func withGridCost(choice *selection.Choice) []record.Run {
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
				out = append(out, withSummedCosts(*r, all))
			}
		}
	}
	return out
}

// withSummedCosts returns a run with the sum of the costs of all runs, at its own points.
func withSummedCosts(chosen record.Run, all []*record.Run) record.Run {
	curve := chosen.Measured()
	iterations := curve.Cost[record.CostIterations]
	sums := make(map[string][]int64, len(curve.Cost))
	for cost := range curve.Cost {
		sums[cost] = make([]int64, len(iterations))
	}
	for _, r := range all {
		costs := r.Measured().Cost
		for i, n := range iterations {
			last, exact := slices.BinarySearch(costs[record.CostIterations], n)
			if !exact {
				last-- // the last point before n
			}
			for cost, sum := range sums {
				if column := costs[cost]; last >= 0 && last < len(column) {
					sum[i] += column[last]
				}
			}
		}
	}
	curve.Cost = sums
	return chosen.With(curve)
}
