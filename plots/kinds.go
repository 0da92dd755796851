package plots

import (
	"slices"

	"stochopt/internal/record"
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

// kind is a way of building tables.
type kind struct {
	name string
	// build fills a grid's columns, rows and notes, and returns what the rows were made
	// from.
	build func(g *Grid, t Table, runs []record.Run, in Input) ([]tableRow, error)
	// reference is the series that others are compared to if the table names none.
	reference string
}

// kinds lists them, that of general tables first. A new one takes a row here.
var kinds = []kind{
	{name: "", build: buildSeries},
	{name: KindDatasets, build: buildDatasets},
	{name: KindTimeToError, build: buildTimeToError, reference: "libsvm"},
	{name: KindExponents, build: buildExponents},
	{name: KindTradeoff, build: buildTradeoff},
	{name: KindSparsification, build: buildSparsification, reference: "smo"},
}

// kindOf returns the kind of a valid table.
func (t Table) kindOf() kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == t.Kind })]
}
