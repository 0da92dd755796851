package selection

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// Band is the spread of a metric over runs, along a cost counter. Its slices
// have equal length, at least 1.
type Band struct {
	// X is the common grid.
	X []float64
	// Mean is the arithmetic mean over runs, Lo and Hi are the 10% and the 90%
	// quantiles, Min and Max the extremes.
	Mean, Lo, Hi, Min, Max []float64
	// N is the number of runs in the band.
	N int
	// Warnings names the runs left out, and says where the band was cut.
	Warnings []string
}

// The levels of the quantiles of a Band.
const (
	lowQuantile  = 0.1
	highQuantile = 0.9
)

// Aggregate returns the mean and the spread over runs of a metric, measured on a
// split, along x: a cost counter, or record.CostSeconds.
//
// If all runs were recorded at the same values of x, these are the grid and
// nothing is interpolated. Otherwise the curves are read on the lines between their
// points (see Curve.LineAt), and the grid is drawn from the union of the
// recorded values, thinned evenly by rank to the length of the longest curve, so
// that it is spaced as the recording is (logarithmic or linear), and restricted
// to the range that all runs cover: no curve is ever extrapolated. Where a curve
// jumps, having several points at one x, the last counts.
//
// Runs that did not finish are left out, which a warning says, and so does one if
// runs of different seeds, or of different data under one dataset's name, are
// averaged. It is an error if no run is left, if x or the metric is not recorded, or
// if the runs have no range of x in common.
func Aggregate(runs []record.Run, x, split, metric string) (Band, error) {
	if len(runs) == 0 {
		return Band{}, errors.New("results: there are no runs to aggregate")
	}
	curves, warnings, err := usableCurves(runs, x, split, metric)
	if err != nil {
		return Band{}, err
	}
	grid, cut, err := commonGrid(curves, x)
	if err != nil {
		return Band{}, err
	}
	if cut != "" {
		warnings = append(warnings, cut)
	}
	b := Band{X: grid, N: len(curves), Warnings: warnings}
	if !sameGrid(curves) {
		for i := range curves {
			read := curves[i].Curve
			curves[i].Y = make([]float64, len(grid))
			for g, at := range grid {
				curves[i].Y[g] = read.LineAt(at)
			}
		}
	}
	column := make([]float64, len(curves))
	for i := range grid {
		for j, c := range curves {
			column[j] = c.Y[i]
		}
		m := stats.Mean(column)
		slices.Sort(column)
		least, most := column[0], column[len(column)-1]
		b.Min, b.Max = append(b.Min, least), append(b.Max, most)
		// Rounding must not push the mean of equal values out of the band.
		b.Mean = append(b.Mean, min(max(m, least), most))
		b.Lo, b.Hi = append(b.Lo, stats.Quantile(column, lowQuantile)), append(b.Hi, stats.Quantile(column, highQuantile))
	}
	return b, nil
}

// runCurve is the curve of a run.
type runCurve struct {
	observe.Curve
	name string
	// iterations is the last iteration.
	iterations int64
}

func abscissae(r record.Run, measured record.Curve, x string) ([]float64, error) {
	if x == record.CostSeconds {
		xs, ok := r.Seconds()
		if !ok {
			return nil, fmt.Errorf("results: %s has no %s", r.Name(), x)
		}
		return xs, nil
	}
	xs, ok := measured.Along(x)
	if !ok {
		known := words.Quoted(slices.Sorted(maps.Keys(measured.Cost)))
		return nil, fmt.Errorf("results: %s has no counter %q; it has %s", r.Name(), x, known)
	}
	return xs, nil
}

func usableCurves(runs []record.Run, x, split, metric string) (curves []runCurve, warnings []string, err error) {
	// leftOut lists the names of runs by what they did.
	leftOut := map[string][]string{}
	unrecorded := fmt.Sprintf("did not record %q on split %q", metric, split)
	mixed := map[string]*mixture{}
	var names []string
	for _, r := range runs {
		if what, out := casualties[r.Status]; out {
			leftOut[what] = append(leftOut[what], r.Name())
			continue
		}
		measured := r.Measured()
		xs, err := abscissae(r, measured, x)
		if err != nil {
			return nil, nil, err
		}
		y, ok := measured.Metrics[split][metric]
		if !ok || len(y) == 0 {
			leftOut[unrecorded] = append(leftOut[unrecorded], r.Name())
			continue
		}
		if len(y) != len(xs) || len(y) != measured.Len() {
			return nil, nil, fmt.Errorf("results: %s has %d values of %q, %d of %q and %d iterations", r.Name(), len(y), metric, len(xs), x, measured.Len())
		}
		if mixed[r.Dataset] == nil {
			mixed[r.Dataset] = &mixture{}
			names = append(names, r.Dataset)
		}
		mixed[r.Dataset].add(r.Seed, r.DatasetHash)
		curves = append(curves, runCurve{observe.Curve{X: xs, Y: y}, r.Name(), measured.Cost[record.CostIterations][len(y)-1]})
	}
	for _, what := range []string{"diverged", "failed", "were skipped", "ran out of time or memory", unrecorded} {
		if names := leftOut[what]; len(names) > 0 {
			warnings = append(warnings, fmt.Sprintf("%d of %d runs %s and are left out: %s",
				len(names), len(runs), what, words.List(names, mostListed)))
		}
	}
	for _, name := range names {
		if what := mixed[name].String(); what != "" {
			warnings = append(warnings, fmt.Sprintf("cannot average the runs on %s: they differ in %s, so they are of different experiments; give each its own --out", name, what))
		}
	}
	if len(curves) == 0 {
		return nil, nil, fmt.Errorf("results: no run to aggregate: %s", strings.Join(warnings, "; "))
	}
	return curves, warnings, nil
}

// casualties says what runs of these statuses did, which are not averaged.
var casualties = map[string]string{
	record.StatusDiverged: "diverged", record.StatusFailed: "failed", record.StatusSkipped: "were skipped",
	record.StatusOutOfTime: "ran out of time or memory", record.StatusOutOfMemory: "ran out of time or memory",
}

func sameGrid(curves []runCurve) bool {
	return !slices.ContainsFunc(curves, func(c runCurve) bool { return !slices.Equal(c.X, curves[0].X) })
}

func commonGrid(curves []runCurve, x string) (grid []float64, cut string, err error) {
	if sameGrid(curves) {
		return slices.Clone(curves[0].X), "", nil
	}
	begin, end := func(c runCurve) float64 { return c.X[0] }, func(c runCurve) float64 { return c.X[len(c.X)-1] }
	first := slices.MaxFunc(curves, func(a, b runCurve) int { return cmp.Compare(begin(a), begin(b)) })
	last := slices.MinFunc(curves, func(a, b runCurve) int { return cmp.Compare(end(a), end(b)) })
	byLength := func(a, b runCurve) int { return cmp.Compare(a.iterations, b.iterations) }
	shortest, longest := slices.MinFunc(curves, byLength), slices.MaxFunc(curves, byLength)
	points := 0
	for _, c := range curves {
		points = max(points, len(c.X))
	}
	lo, hi := begin(first), end(last)
	if lo > hi {
		return nil, "", fmt.Errorf("results: the runs do not overlap in %s: %s begins at %v, %s ends at %v", x, first.name, lo, last.name, hi)
	}
	if a, b := shortest, longest; a.iterations < b.iterations {
		cut = fmt.Sprintf("the runs differ in length and are cut at %s = %v: %s ends at iteration %d, %s at %d", x, hi, a.name, a.iterations, b.name, b.iterations)
	}
	var pool []float64
	for _, c := range curves {
		for _, v := range c.X {
			if lo <= v && v <= hi {
				pool = append(pool, v)
			}
		}
	}
	slices.Sort(pool)
	return thin(slices.Compact(pool), points), cut, nil
}

// thin keeps at most n values, evenly by rank, the first and the last included.
func thin(v []float64, n int) []float64 {
	if n = max(n, 2); len(v) <= n {
		return v
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = v[i*(len(v)-1)/(n-1)]
	}
	return out
}

// mostListed is how many names a warning lists.
const mostListed = 5
