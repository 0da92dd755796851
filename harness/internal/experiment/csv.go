package experiment

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
)

// labels are the columns that both forms of runs as CSV begin with.
var labels = []string{"experiment", "dataset", "group", "stand_in", "series", "algorithm"}

func labelsOf(experiment string, r *record.Run) []string {
	return []string{experiment, r.Dataset, r.Group, strconv.FormatBool(r.StandIn), r.Series, r.Algorithm}
}

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
// split and metric in sorted order, then along the curve.
func WriteCurves(w io.Writer, experiment string, runs []record.Run) error {
	_, counters, metrics := columnsOf(runs)
	head := slices.Concat(labels, []string{"params", "repeat", "split"}, counters)
	costs := counters
	if slices.ContainsFunc(runs, func(r record.Run) bool { return r.Task == record.TaskSparse }) {
		head = append(head, record.CostSupportSize)
		costs = append(costs, record.SplitState+"."+record.MetricSupport)
	}
	head = append(head, "metric", "value")
	external := slices.ContainsFunc(runs, func(r record.Run) bool { return r.External != nil })
	if external {
		head = append(head, "declared")
	}
	out := csv.NewWriter(w)
	out.Write(head) // a csv.Writer keeps its first error
	for i := range runs {
		r := &runs[i]
		c := r.Measured()
		columns := textOf(c)
		for _, name := range counters {
			if !c.Counts(name) {
				delete(columns, name)
			}
		}
		row := append(labelsOf(experiment, r), r.Params.String(), strconv.Itoa(r.Repeat))
		fixed := len(row)
		var declared []string
		if r.External != nil {
			declared = r.External.Declared
		}
		for _, name := range metrics {
			split, metric, _ := strings.Cut(name, ".")
			for point, value := range columns[name] {
				row = append(row[:fixed], split)
				for _, cost := range costs {
					row = append(row, at(columns[cost], point))
				}
				row = append(row, metric, value)
				if external {
					row = append(row, strings.Join(declared, ";"))
				}
				out.Write(row)
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("results: cannot write curves: %w", err)
	}
	return nil
}

// WritePoints writes runs as tidy CSV, one row for each recorded point, with the columns
//
//	experiment, dataset, group, stand_in, series, algorithm, one column for each parameter,
//	repetition, seed, status, point, one column for each counter, one column SPLIT.METRIC for
//	each metric on each split, seconds, cpu_seconds
//
// What a run does not have is empty. Points count from 0. If a curve cannot be read, it writes nothing.
func WritePoints(w io.Writer, e *record.Experiment) error {
	params, counters, metrics := columnsOf(e.Runs)
	if err := e.Err(); err != nil {
		return err
	}
	measured := slices.Concat(counters, metrics, []string{record.CostSeconds, record.CostCPUSeconds})
	out := csv.NewWriter(w)
	out.Write(slices.Concat(labels, params, []string{"repetition", "seed", "status", "point"}, measured))
	for i := range e.Runs {
		r := &e.Runs[i]
		row := labelsOf(e.Name, r)
		for _, name := range params {
			row = append(row, record.FormatValue(r.Params[name]))
		}
		row = append(row, strconv.Itoa(r.Repeat), strconv.FormatUint(r.Seed, 10), r.Status)
		fixed := len(row)
		c := r.Measured()
		columns := textOf(c)
		times, _ := r.Timing()
		columns[record.CostSeconds] = texts(times.Seconds, record.FormatFloat)
		columns[record.CostCPUSeconds] = texts(times.CPUSeconds, record.FormatFloat)
		for point := range c.Len() {
			row = append(row[:fixed], strconv.Itoa(point))
			for _, name := range measured {
				row = append(row, at(columns[name], point))
			}
			out.Write(row)
		}
	}
	out.Flush()
	return cmp.Or(e.Err(), out.Error())
}

// textOf returns the columns of a curve as text: counters by name, and metrics as SPLIT.METRIC.
func textOf(c record.Curve) map[string][]string {
	columns := make(map[string][]string)
	for name, column := range c.Cost {
		columns[name] = texts(column, func(v int64) string { return strconv.FormatInt(v, 10) })
	}
	for split, metrics := range c.Metrics {
		for name, column := range metrics {
			columns[split+"."+name] = texts(column, record.FormatFloat)
		}
	}
	return columns
}

func texts[T any](column []T, format func(T) string) []string {
	list := make([]string, len(column))
	for i, v := range column {
		list[i] = format(v)
	}
	return list
}

// at returns the text at a point of a column, "" beyond its end.
func at(column []string, point int) string {
	if point >= len(column) {
		return ""
	}
	return column[point]
}

// columnsOf returns the names of all parameters, counters and metrics of runs, sorted.
func columnsOf(runs []record.Run) (params, counters, metrics []string) {
	for i := range runs {
		c := runs[i].Measured()
		params = slices.AppendSeq(params, maps.Keys(runs[i].Params))
		counters = slices.AppendSeq(counters, maps.Keys(c.Cost))
		for split, columns := range c.Metrics {
			for name := range columns {
				metrics = append(metrics, split+"."+name)
			}
		}
	}
	distinct := func(names []string) []string {
		slices.Sort(names)
		return slices.Compact(names)
	}
	return distinct(params), distinct(counters), distinct(metrics)
}
