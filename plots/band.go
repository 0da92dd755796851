package plots

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
)

// levels returns the levels of the quantiles that are the ends of a band over repeats; ok
// is false if there is none.
func (p Panel) levels() (low, high float64, ok bool) {
	switch p.Band {
	case BandQuantiles:
		return 0.1, 0.9, true
	case BandMinMax:
		return 0, 1, true
	}
	return 0, 0, false
}

// runCurve is the curve of a run.
type runCurve struct {
	observe.Curve
	run *record.Run
}

// along returns a cost of a run at its points, such as its seconds.
func along(r *record.Run, cost string) ([]float64, bool) {
	if cost == xSeconds {
		return r.Seconds()
	}
	return r.Measured().Along(cost)
}

// average returns the mean over runs of the metric that the panel shows, measured on a
// split, with its band, which a single run has not.
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
	var curves []runCurve
	for i := range runs {
		r := &runs[i]
		x, _ := along(r, p.X)
		y := r.Measured().Metrics[split][p.Y]
		if len(y) != len(x) || len(y) == 0 {
			return mean, nil, fmt.Errorf("results: %s has %d values of %q and %d of %q", r.Name(), len(y), p.Y, len(x), p.X)
		}
		curves = append(curves, runCurve{observe.Curve{X: x, Y: y}, r})
	}
	if slices.ContainsFunc(runs, func(r record.Run) bool { return r.Seed != runs[0].Seed || r.DatasetHash != runs[0].DatasetHash }) {
		warnings = append(warnings, fmt.Sprintf("cannot average the runs on %s: they differ in seed or data, so they are of different experiments; give each its own --out", runs[0].Dataset))
	}
	same := !slices.ContainsFunc(curves, func(c runCurve) bool { return !slices.Equal(c.X, curves[0].X) })
	mean = ChartCurve{X: slices.Clone(curves[0].X), N: len(curves)}
	if !same {
		grid, cut, err := commonGrid(curves, p.X)
		if err != nil {
			return mean, nil, err
		}
		if mean.X = grid; cut != "" {
			warnings = append(warnings, cut)
		}
	}
	low, high, banded := p.levels()
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
			mean.Lo, mean.Hi = append(mean.Lo, stats.Quantile(column, low)), append(mean.Hi, stats.Quantile(column, high))
		}
	}
	return mean, warnings, nil
}

// commonGrid returns where curves of different points are averaged; cut says where they
// end because of the shortest.
func commonGrid(curves []runCurve, x string) (grid []float64, cut string, err error) {
	begin, end := func(c runCurve) float64 { return c.X[0] }, func(c runCurve) float64 { return c.X[len(c.X)-1] }
	first := slices.MaxFunc(curves, func(a, b runCurve) int { return cmp.Compare(begin(a), begin(b)) })
	last := slices.MinFunc(curves, func(a, b runCurve) int { return cmp.Compare(end(a), end(b)) })
	byLength := func(a, b runCurve) int { return cmp.Compare(a.run.End(), b.run.End()) }
	shortest, longest := slices.MinFunc(curves, byLength), slices.MaxFunc(curves, byLength)
	lo, hi := begin(first), end(last)
	if lo > hi {
		return nil, "", fmt.Errorf("results: the runs do not overlap in %s: %s begins at %v, %s ends at %v", x, first.run.Name(), lo, last.run.Name(), hi)
	}
	if a, b := shortest.run, longest.run; a.End() < b.End() {
		cut = fmt.Sprintf("the runs differ in length and are cut at %s = %v: %s ends at iteration %d, %s at %d", x, hi, a.Name(), a.End(), b.Name(), b.End())
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
	if pool = slices.Compact(pool); len(pool) <= points {
		return pool, cut, nil
	}
	grid = make([]float64, points)
	for i := range grid { // evenly by rank, the first and the last included
		grid[i] = pool[i*(len(pool)-1)/(points-1)]
	}
	return grid, cut, nil
}
