package experiment

import (
	"cmp"
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// WriteCSV writes runs of the named experiment as CSV, with one row for each recorded point. The format is RFC 4180
// with newlines as line ends. The columns are
//
//   - experiment, dataset, group, stand_in, series, algorithm
//   - one column for each parameter
//   - repetition, seed, status, point
//   - one column for each counter, and one column SPLIT.METRIC for each metric on each split
//   - seconds and cpu_seconds if times is true
//   - declared if a run is external
//
// Fields that a run lacks, or that do not apply to its method, are empty. Points count from 0. The column declared
// names the counters that the external program declares, separated by semicolons. If a curve of the experiment cannot
// be read, WriteCSV writes nothing.
func WriteCSV(w io.Writer, name string, e *record.Experiment, runs []record.Run, times bool) error {
	params, counters, metrics := columnsOf(runs)
	if err := e.Err(); err != nil {
		return err
	}
	measured := slices.Concat(counters, metrics)
	if times {
		measured = append(measured, record.CostSeconds, record.CostCPUSeconds)
	}
	if slices.ContainsFunc(runs, func(r record.Run) bool { return r.External != nil }) {
		measured = append(measured, "declared")
	}
	out := csv.NewWriter(w) // Error returns the first error
	out.Write(slices.Concat([]string{"experiment", "dataset", "group", "stand_in", "series", "algorithm"}, params,
		[]string{"repetition", "seed", "status", "point"}, measured))
	for i := range runs {
		r := &runs[i]
		row := []string{name, r.Dataset, r.Group, strconv.FormatBool(r.StandIn), r.Series, r.Algorithm}
		for _, param := range params {
			row = append(row, record.FormatValue(r.Params[param]))
		}
		row = append(row, strconv.Itoa(r.Repeat), strconv.FormatUint(r.Seed, 10), r.Status)
		fixed := len(row)
		c := r.Measured()
		columns := formatCurve(c)
		if times {
			t, _ := r.Timing()
			columns[record.CostSeconds] = formatAll(t.Seconds, words.Exact)
			columns[record.CostCPUSeconds] = formatAll(t.CPUSeconds, words.Exact)
		}
		if r.External != nil {
			columns["declared"] = slices.Repeat([]string{strings.Join(r.External.Declared, ";")}, c.Len())
		}
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

// formatCurve returns the columns of a curve as text. The keys are the names of the counters that apply to the method,
// and SPLIT.METRIC for metrics.
func formatCurve(c record.Curve) map[string][]string {
	columns := make(map[string][]string)
	for name, column := range c.Cost {
		if c.Counts(name) {
			columns[name] = formatAll(column, func(v int64) string { return strconv.FormatInt(v, 10) })
		}
	}
	for split, metrics := range c.Metrics {
		for name, column := range metrics {
			columns[split+"."+name] = formatAll(column, words.Exact)
		}
	}
	return columns
}

func formatAll[T any](column []T, format func(T) string) []string {
	list := make([]string, len(column))
	for i, v := range column {
		list[i] = format(v)
	}
	return list
}

// at returns the text at a point of a column, or "" beyond its end.
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
