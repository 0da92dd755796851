package run

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/harness/internal/objective"
	"stochopt/internal/record"
)

// column is a metric of a task's curves and the function that reads it from a point of type P.
type column[P any] struct {
	metric string
	// Exactly one of own and on is set. own reads a metric of the algorithm's state, on a metric of
	// the measured split with a given index.
	own func(p P) float64
	on  func(p P, split int) float64
	// words, if set, names the metric in messages.
	words string
	// partial marks a metric that may be unknown, which is NaN. The metric is recorded only if it is
	// known at all points.
	partial bool

	// split names the split and read reads its value. newCurve sets them.
	split string
	read  func(p P) float64
}

// counters maps the cost names of records to counters of algorithms.
var counters = map[string]func(c algorithms.Cost) int64{
	record.CostIterations:       func(c algorithms.Cost) int64 { return c.Iterations },
	record.CostKernelEvals:      func(c algorithms.Cost) int64 { return c.KernelEvals },
	record.CostKernelEvalsMoved: func(c algorithms.Cost) int64 { return c.KernelEvalsMoved },
	record.CostInnerProducts:    func(c algorithms.Cost) int64 { return c.InnerProducts },
	record.CostSumKT:            func(c algorithms.Cost) int64 { return c.SumKT },
	record.CostSumKT2:           func(c algorithms.Cost) int64 { return c.SumKT2 },
}

// curve is the curve of a run in progress. Its points are of type P.
type curve[P any] struct {
	record.Curve
	columns []column[P]
}

// newCurve returns an empty curve with the given costs, splits and columns.
func newCurve[P any](costs, splits []string, columns []column[P]) *curve[P] {
	c := new(curve[P])
	c.Cost, c.Metrics = make(map[string][]int64), make(map[string]map[string][]float64)
	for _, name := range costs {
		c.Cost[name] = []int64{}
	}
	add := func(col column[P]) {
		if c.Metrics[col.split] == nil {
			c.Metrics[col.split] = make(map[string][]float64)
		}
		if !col.partial {
			c.Metrics[col.split][col.metric] = []float64{}
		}
		c.columns = append(c.columns, col)
	}
	for _, col := range columns {
		col.words = cmp.Or(col.words, col.metric)
		if col.own != nil {
			col.split, col.read = record.SplitState, col.own
			add(col)
			continue
		}
		words := col.words
		for i, split := range splits {
			col.split, col.read = split, func(p P) float64 { return col.on(p, i) }
			col.words = words + " on the " + split + " split"
			add(col)
		}
	}
	return c
}

// add appends a point. If a value is not finite it returns an objective.NotFiniteError, and the
// curve is unchanged.
func (c *curve[P]) add(cost algorithms.Cost, p P) error {
	for _, f := range c.columns {
		if v := f.read(p); v-v != 0 && !(f.partial && math.IsNaN(v)) {
			return objective.NotFiniteError(fmt.Sprintf("the %s at iteration %d is not finite", f.words, cost.Iterations))
		}
	}
	for name, values := range c.Cost {
		c.Cost[name] = append(values, counters[name](cost))
	}
	for _, f := range c.columns {
		c.Metrics[f.split][f.metric] = append(c.Metrics[f.split][f.metric], f.read(p))
	}
	return nil
}

// whole returns the curve without metrics that are unknown at some points, such as the dual objective
// of a method whose iterates are not always feasible.
func (c *curve[P]) whole() record.Curve {
	for _, metrics := range c.Metrics {
		maps.DeleteFunc(metrics, func(_ string, values []float64) bool { return slices.ContainsFunc(values, math.IsNaN) })
	}
	return c.Curve
}
