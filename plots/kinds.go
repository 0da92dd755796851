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

// builders are the ways of building tables, by kind. A new one takes a row here.
var builders = map[string]builder{
	"":                 buildSeries,
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
