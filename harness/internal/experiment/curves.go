package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
)

// WriteCurves writes the curves of runs as tidy CSV (RFC 4180, lines ended by a newline), one row a
// measured value, with the columns
//
//	experiment, dataset, group, stand_in, series, algorithm, params, repeat,
//	split, the cost counters of all runs in sorted order, support_size, metric,
//	value
//
// params is the canonical "a=1;b=2" of all parameters. A counter that a run does not have, or that
// does not apply to its method, is left empty. support_size, the number of support vectors at the
// point, is there if any run is of the task whose abscissa it is, svm-sparse. The last column,
// declared, is there if any run is external: it names the counters of the row's run that its
// program declares and nobody has counted, separated by semicolons. Rows are in run order, then by
// split and metric in sorted order, then along the curve. Nothing but one row is held in memory.
func WriteCurves(w io.Writer, experiment string, runs []record.Run) error {
	_, counters, _ := columnsOf(runs)
	out := csv.NewWriter(w)
	row := []string{"experiment", "dataset", "group", "stand_in", "series", "algorithm", "params", "repeat", "split"}
	row = append(row, counters...)
	sized := slices.ContainsFunc(runs, func(r record.Run) bool { return r.Task == record.TaskSparse })
	if sized {
		row = append(row, record.CostSupportSize)
	}
	row = append(row, "metric", "value")
	external := slices.ContainsFunc(runs, func(r record.Run) bool { return r.External != nil })
	if external {
		row = append(row, "declared")
	}
	out.Write(row)
	var cost [][]string
	for _, r := range runs {
		c := r.Measured()
		row = append(row[:0], experiment, r.Dataset, r.Group, strconv.FormatBool(r.StandIn),
			r.Series, r.Algorithm, r.Params.String(), strconv.Itoa(r.Repeat))
		fixed := len(row)
		declared := ""
		if r.External != nil {
			declared = strings.Join(r.External.Declared, ";")
		}
		cost = formatCost(cost, c, counters)
		support := c.Metrics[record.SplitState][record.MetricSupport]
		for _, split := range slices.Sorted(maps.Keys(c.Metrics)) {
			for _, metric := range slices.Sorted(maps.Keys(c.Metrics[split])) {
				for i, v := range c.Metrics[split][metric] {
					row = append(row[:fixed], split)
					row = append(row, cost[i]...)
					switch {
					case !sized:
					case len(support) > 0:
						row = append(row, record.FormatFloat(support[i]))
					default:
						row = append(row, "")
					}
					row = append(row, metric, record.FormatFloat(v))
					if external {
						row = append(row, declared)
					}
					// A csv.Writer keeps its first error.
					out.Write(row)
				}
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("results: cannot write curves: %w", err)
	}
	return nil
}

// formatCost writes the counters at each point to dst, reusing its memory.
func formatCost(dst [][]string, c record.Curve, counters []string) [][]string {
	n := c.Len()
	for len(dst) < n {
		dst = append(dst, make([]string, len(counters)))
	}
	for j, name := range counters {
		col, ok := c.Cost[name]
		ok = ok && c.Counts(name)
		for i := range n {
			dst[i][j] = ""
			if ok {
				dst[i][j] = strconv.FormatInt(col[i], 10)
			}
		}
	}
	return dst
}
