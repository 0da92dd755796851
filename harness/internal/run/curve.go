package run

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/harness/internal/objective"
	"stochopt/internal/finite"
	"stochopt/internal/record"
)

// column is a metric of a task's curves and the function that reads it from a point of type P.
type column[P any] struct {
	metric string
	// Exactly one of ofState and ofSplit is set. ofState reads a metric of the algorithm's state,
	// ofSplit a metric of the measured split with a given index.
	ofState func(p P) float64
	ofSplit func(p P, split int) float64
	// partial marks a metric that may be unknown (NaN). It is recorded only if it is known at all points.
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
		if col.ofState != nil {
			col.split, col.read = record.SplitState, col.ofState
			add(col)
			continue
		}
		for i, split := range splits {
			col.split, col.read = split, func(p P) float64 { return col.ofSplit(p, i) }
			add(col)
		}
	}
	return c
}

// add appends a point. If a value is not finite, it returns an objective.NotFiniteError and leaves the
// curve unchanged.
func (c *curve[P]) add(cost algorithms.Cost, p P) error {
	for _, f := range c.columns {
		if v := f.read(p); !finite.Is(v) && !(f.partial && math.IsNaN(v)) {
			return objective.NotFiniteError(
				fmt.Sprintf("metric %s of split %s is %v at iteration %d", f.metric, f.split, v, cost.Iterations))
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

// complete returns the curve without metrics that are unknown at some points, such as the dual objective
// of a method whose iterates are not always feasible.
func (c *curve[P]) complete() record.Curve {
	for _, metrics := range c.Metrics {
		maps.DeleteFunc(metrics, func(_ string, values []float64) bool { return slices.ContainsFunc(values, math.IsNaN) })
	}
	return c.Curve
}
