package plots

import (
	"stochopt/results/record"
)

// Values of Table.Kind.
const (
	KindDatasets    = "datasets"
	KindTimeToError = "time-to-error"
	KindExponents   = "exponents"
	KindTradeoff    = "tradeoff"
	// KindSparsification compares costs.
	KindSparsification = "sparsification"
)

// builder fills a grid's columns, rows and notes, and returns what the rows were made
// from.
type builder func(g *Grid, t Table, runs []record.Run, ms measures) ([]tableRow, error)

// builders are the ways of building tables other than the general one, by kind.
var builders = map[string]builder{
	KindDatasets:       buildDatasets,
	KindTimeToError:    buildTimeToError,
	KindExponents:      buildExponents,
	KindTradeoff:       buildTradeoff,
	KindSparsification: buildSparsification,
}

// Kinds lists the values of Table.Kind but the empty one.
func Kinds() []string {
	return []string{KindDatasets, KindTimeToError, KindExponents, KindTradeoff, KindSparsification}
}

// DatasetColumns lists the columns that a table of datasets can have besides
// theory.
func DatasetColumns() []string {
	names := make([]string, len(datasetColumns))
	for i, c := range datasetColumns {
		names[i] = c.id
	}
	return names
}
