package run

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/results/record"
)

// column is a metric of a task's curves, and how it is read off a point, P.
type column[P any] struct {
	metric string
	// own reads a metric of the algorithm's state, on one of a split, given by its
	// place among the splits that are measured on. One of the two is set.
	own func(p P) float64
	on  func(p P, split int) float64
	// words, if set, is what messages call the metric.
	words string
	// partial: NaN says that the value is not known. The metric is on record if it
	// is known at all points.
	partial bool
}

// at reads the column.
func (c *column[P]) at(p P, split int) float64 {
	if c.own != nil {
		return c.own(p)
	}
	return c.on(p, split)
}

// counters read the costs of records off those of algorithms.
var counters = map[string]func(c algorithms.Cost) int64{
	record.CostIterations:       func(c algorithms.Cost) int64 { return c.Iterations },
	record.CostKernelEvals:      func(c algorithms.Cost) int64 { return c.KernelEvals },
	record.CostKernelEvalsMoved: func(c algorithms.Cost) int64 { return c.KernelEvalsMoved },
	record.CostInnerProducts:    func(c algorithms.Cost) int64 { return c.InnerProducts },
	record.CostSumKT:            func(c algorithms.Cost) int64 { return c.SumKT },
	record.CostSumKT2:           func(c algorithms.Cost) int64 { return c.SumKT2 },
}

// curve is the curve of a run in the making, whose points are each a P.
type curve[P any] struct {
	record.Curve
	splits  []string
	columns []column[P]
}

// newCurve returns a curve without points along the costs named.
func newCurve[P any](costs, splits []string, columns []column[P]) *curve[P] {
	c := &curve[P]{splits: splits, columns: columns}
	c.Cost = make(map[string][]int64)
	for _, name := range costs {
		c.Cost[name] = []int64{}
	}
	c.Metrics = map[string]map[string][]float64{record.SplitState: {}}
	for _, split := range splits {
		c.Metrics[split] = make(map[string][]float64)
	}
	for _, col := range columns {
		if col.partial {
			continue
		}
		for _, split := range c.places(col) {
			c.Metrics[split][col.metric] = []float64{}
		}
	}
	return c
}

// places returns the splits that a column has values on.
func (c *curve[P]) places(col column[P]) []string {
	if col.own != nil {
		return []string{record.SplitState}
	}
	return c.splits
}

// add appends a point. If a value is not finite it returns an error that wraps
// errNotFinite, and the curve is as before.
func (c *curve[P]) add(cost algorithms.Cost, p P) error {
	for _, col := range c.columns {
		for i, split := range c.places(col) {
			v := col.at(p, i)
			if v-v == 0 || col.partial && math.IsNaN(v) {
				continue
			}
			what := cmp.Or(col.words, col.metric)
			if col.own == nil {
				what += " on the " + split + " split"
			}
			return fmt.Errorf("the %s at iteration %d is %w", what, cost.Iterations, errNotFinite)
		}
	}
	for name, values := range c.Cost {
		c.Cost[name] = append(values, counters[name](cost))
	}
	for _, col := range c.columns {
		for i, split := range c.places(col) {
			c.Metrics[split][col.metric] = append(c.Metrics[split][col.metric], col.at(p, i))
		}
	}
	return nil
}

// whole returns the curve without what is known at some points only, such as the
// dual objective of a method that is not always feasible.
func (c *curve[P]) whole() record.Curve {
	for _, metrics := range c.Metrics {
		maps.DeleteFunc(metrics, func(_ string, values []float64) bool { return slices.ContainsFunc(values, math.IsNaN) })
	}
	return c.Curve
}
