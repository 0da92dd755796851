package experiment

import (
	"maps"
	"slices"
	"strings"

	"stochopt/internal/record"
)

// Columns of curves that are neither counters nor metrics, as their names.
const (
	columnMistakes = "mistakes"
	columnSpectrum = "spectrum"
	columnVectors  = "vectors"
)

// thin returns runs without the columns that everything comes out the same without, of all
// series or else of one, and notes which they are.
func (p *packing) thin(runs []record.Run, same func([]record.Run) bool) []record.Run {
	try := func(column, series string) bool {
		thinner := withoutColumn(runs, column, series)
		if !same(thinner) {
			return false
		}
		runs = thinner
		return true
	}
	p.about.DroppedOf = map[string][]string{}
	for _, column := range columnsOf(runs) {
		if try(column, "") {
			p.about.Dropped = append(p.about.Dropped, column)
			continue
		}
		having := seriesWith(runs, column)
		for _, series := range having {
			if len(having) > 1 && try(column, series) {
				p.about.DroppedOf[series] = append(p.about.DroppedOf[series], column)
			}
		}
	}
	return runs
}

// seriesWith lists the series that have a column in some curve.
func seriesWith(runs []record.Run, column string) (series []string) {
	of := map[string][]record.Run{}
	for _, r := range runs {
		of[r.Series] = append(of[r.Series], r)
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if slices.Contains(columnsOf(of[name]), column) {
			series = append(series, name)
		}
	}
	return series
}

// columnsOf lists the columns of the curves of runs, in order, but for the iterations, which
// all others stand beside.
func columnsOf(runs []record.Run) []string {
	names := map[string]bool{}
	for i := range runs {
		if runs[i].LeftOut != nil {
			continue
		}
		c := runs[i].Measured()
		for name := range c.Cost {
			names[name] = name != record.CostIterations
		}
		for split, metrics := range c.Metrics {
			for name := range metrics {
				names[split+"/"+name] = true
			}
		}
		names[columnSpectrum] = names[columnSpectrum] || len(c.Spectrum) > 0
		names[columnVectors] = names[columnVectors] || len(c.Vectors) > 0
	}
	maps.DeleteFunc(names, func(_ string, there bool) bool { return !there })
	return slices.Sorted(maps.Keys(names))
}

// withoutColumn returns runs without a column of the curves of a series, or of all if it is
// empty.
func withoutColumn(runs []record.Run, column, series string) []record.Run {
	out := slices.Clone(runs)
	for i := range out {
		if out[i].LeftOut == nil && (series == "" || out[i].Series == series) {
			out[i] = out[i].With(without(out[i].Measured(), column))
		}
	}
	return out
}

// without returns a curve without a column.
func without(c record.Curve, column string) record.Curve {
	split, metric, ok := strings.Cut(column, "/")
	switch {
	case column == columnMistakes:
		c.Mistakes = nil
	case column == columnSpectrum:
		c.Spectrum = nil
	case column == columnVectors:
		c.Vectors = nil
	case ok:
		c.Metrics = maps.Clone(c.Metrics)
		c.Metrics[split] = maps.Clone(c.Metrics[split])
		delete(c.Metrics[split], metric)
	default:
		c.Cost = maps.Clone(c.Cost)
		delete(c.Cost, column)
	}
	return c
}
