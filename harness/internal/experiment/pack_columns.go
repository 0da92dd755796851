package experiment

import (
	"maps"
	"slices"
	"strings"

	"stochopt/results/record"
)

// Columns of curves that are neither counters nor metrics, as their names.
const (
	columnMistakes = "mistakes"
	columnSpectrum = "spectrum"
	columnVectors  = "vectors"
)

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

func withoutColumn(runs []record.Run, column string) []record.Run {
	out := slices.Clone(runs)
	for i := range out {
		if out[i].LeftOut == nil {
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
