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

// column is a metric of a task's curves, and how it is read off a point, P.
type column[P any] struct {
	metric string
	// own reads a metric of the algorithm's state, on a metric of a split, given by its place among
	// the measured splits. One of the two is set.
	own func(p P) float64
	on  func(p P, split int) float64
	// words, if set, is what messages call the metric.
	words string
	// partial: NaN means that the value is unknown. The metric is recorded if it is known at all
	// points.
	partial bool

	// split is the name of the split, read how its value is read. newCurve fills them in.
	split string
	read  func(p P) float64
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

// curve is the curve of a run in progress, whose points are each a P.
type curve[P any] struct {
	record.Curve
	columns []column[P]
}

// newCurve returns a curve without points along the costs named.
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

// whole returns the curve without what is known at some points only, such as the dual objective of
// a method that is not always feasible.
func (c *curve[P]) whole() record.Curve {
	for _, metrics := range c.Metrics {
		maps.DeleteFunc(metrics, func(_ string, values []float64) bool { return slices.ContainsFunc(values, math.IsNaN) })
	}
	return c.Curve
}
