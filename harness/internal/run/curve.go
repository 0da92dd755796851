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
	// own reads a metric of the algorithm's state, on one of a split, given by its place among the
	// splits that are measured on. One of the two is set.
	own func(p P) float64
	on  func(p P, split int) float64
	// words, if set, is what messages call the metric.
	words string
	// partial: NaN says that the value is not known. The metric is on record if it is known at all
	// points.
	partial bool
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

// field is a column on a split.
type field[P any] struct {
	split, metric, words string
	partial              bool
	read                 func(p P) float64
}

// curve is the curve of a run in the making, whose points are each a P.
type curve[P any] struct {
	record.Curve
	fields []field[P]
}

// newCurve returns a curve without points along the costs named.
func newCurve[P any](costs, splits []string, columns []column[P]) *curve[P] {
	c := new(curve[P])
	c.Cost = make(map[string][]int64)
	for _, name := range costs {
		c.Cost[name] = []int64{}
	}
	for _, col := range columns {
		words := cmp.Or(col.words, col.metric)
		if col.own != nil {
			c.fields = append(c.fields, field[P]{record.SplitState, col.metric, words, col.partial, col.own})
			continue
		}
		for i, split := range splits {
			read := func(p P) float64 { return col.on(p, i) }
			c.fields = append(c.fields, field[P]{split, col.metric, words + " on the " + split + " split", col.partial, read})
		}
	}
	c.Metrics = make(map[string]map[string][]float64)
	for _, f := range c.fields {
		if c.Metrics[f.split] == nil {
			c.Metrics[f.split] = make(map[string][]float64)
		}
		if !f.partial {
			c.Metrics[f.split][f.metric] = []float64{}
		}
	}
	return c
}

// add appends a point. If a value is not finite it returns an objective.NotFiniteError, and the
// curve is unchanged.
func (c *curve[P]) add(cost algorithms.Cost, p P) error {
	for _, f := range c.fields {
		if v := f.read(p); v-v != 0 && !(f.partial && math.IsNaN(v)) {
			return objective.NotFiniteError(fmt.Sprintf("the %s at iteration %d is not finite", f.words, cost.Iterations))
		}
	}
	for name, values := range c.Cost {
		c.Cost[name] = append(values, counters[name](cost))
	}
	for _, f := range c.fields {
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
