package plots

import (
	"fmt"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

const (
	// referenceSeries is the series that others are compared with, as in the thesis.
	referenceSeries = "libsvm"
	// quarter is the fraction of its time at which the table shows the errors of others.
	quarter = 0.25
)

// buildTimeToError makes a row for each dataset, series and problem, except for referenceSeries.
func buildTimeToError(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
	name := in.Name(referenceSeries)
	g.Columns = []Column{
		textColumn(record.VarDataset, "Data"),
		numberColumn("reference_seconds", name+" s"), deviationColumn("reference_error", name+" error"),
		textColumn(record.VarSeries, "Algorithm"), numberColumn("target", "Target"),
		numberColumn("seconds", "s to target"), numberColumn("ratio", "Speed-up"),
		numberColumn("setup_seconds", "Setup s"), numberColumn("ratio_with_setup", "Speed-up with setup"),
		deviationColumn("quarter_error", "Error at "+name+" s / 4"),
	}
	rows, vars := in.rows(runs)
	vars = slices.DeleteFunc(vars, func(v string) bool { return v == record.VarDataset })
	for _, row := range rows {
		row.setting = in.describe(&row.runs[0], vars)
		if row.series.id == referenceSeries {
			continue
		}
		reference := filter(runs, func(r *record.Run) bool {
			return r.Series == referenceSeries && r.Dataset == row.runs[0].Dataset && sameProblem(r, &row.runs[0])
		})
		if len(reference) == 0 {
			const text = "no runs of %s on %s solve the same problem as %s"
			g.remark(fmt.Sprintf(text, name, row.runs[0].Dataset, row.nameCell().Text))
		}
		seconds := stats.Median(observe.Each(reference, stepSeconds))
		errors := observe.Each(reference, observe.Final(record.MetricError))
		cells := []Cell{row.dataCell(), numberCell(seconds, 3), inPercent.cellOf(errors), row.nameCell()}
		g.add(standIn(row.runs), append(cells, timeCells(row.runs, seconds, stats.Mean(errors))...)...)
	}
	g.Notes = append(g.Notes, "s to target: median over repeats (\"> x\": not within x s); Speed-up: time of "+name+
		" divided by it; columns: "+columnsHelp)
	if how := in.timingConditions(runs); how != "" {
		g.Notes = append(g.Notes, "Times: "+how)
	}
	return rows
}

// timeCells compares the times of runs with the seconds in which the reference reached the target error. Both are NaN
// without a reference.
func timeCells(runs []record.Run, seconds, target float64) []Cell {
	reached, toTarget := timeToTarget(runs, target)
	setup := longest(runs, func(t record.Timing) float64 { return t.SetupSeconds })
	atQuarter := observe.Each(runs, func(r *record.Run) (float64, bool) {
		return observe.OverSeconds(r, record.MetricError).ValueAt(quarter * seconds)
	})
	return []Cell{
		percentCell(target), toTarget, numberCell(seconds/reached, 3),
		numberCell(setup, 3), numberCell(seconds/(reached+setup), 3), inPercent.cellOf(atQuarter),
	}
}

// timeToTarget returns the median time of runs to a target, and its cell. The time is NaN if the target is NaN or if at
// least half of the runs miss it. Runs that diverged or failed miss it; runs that were skipped or lack times do not
// count.
func timeToTarget(runs []record.Run, target float64) (float64, Cell) {
	var times []float64
	reached, unfinished := 0, 0
	end := math.Inf(1) // the least time of a finished run that misses the target
	for i := range runs {
		r := &runs[i]
		c := observe.OverSeconds(r, record.MetricError)
		at, ok := c.FirstAt(target)
		switch {
		case r.Status == record.StatusSkipped, r.Status == record.StatusFinished && len(c.X) == 0:
			continue
		case r.Status != record.StatusFinished:
			at, unfinished = math.Inf(1), unfinished+1
		case ok:
			reached++
		default:
			at, end = math.Inf(1), min(end, c.X[len(c.X)-1])
		}
		times = append(times, at)
	}
	median := stats.Median(times)
	counts := fmt.Sprintf(" (%d of %d runs)", reached, len(times))
	switch {
	case math.IsNaN(target), len(times) == unfinished:
		return math.NaN(), missing
	case !math.IsInf(median, 0):
		cell := numberCell(median, 3)
		if reached < len(times) {
			cell.Text += counts
		}
		return median, cell
	case reached+unfinished == len(times):
		return math.NaN(), Cell{Text: missing.Text + counts}
	case unfinished == 0:
		counts = ""
	}
	return math.NaN(), Cell{Text: "> " + words.Significant(end, 3) + counts}
}

// longest returns the largest value of a time in the runs, finished or not.
func longest(runs []record.Run, field func(record.Timing) float64) (longest float64) {
	for i := range runs {
		t, _ := runs[i].Timing()
		longest = max(longest, field(t))
	}
	return longest
}

// problemVars lists the dataset and the parameters that define a problem.
var problemVars = []string{
	record.VarDataset, "bias", "kernel", "sigma2", "gamma", "degree", "coef0", "C", "lambda", "nu", "R",
}

// varyingProblemVars returns the parameters in which the problems of runs differ.
func varyingProblemVars(runs []record.Run) []string {
	return slices.DeleteFunc(slices.Clone(problemVars), func(v string) bool {
		return v == record.VarDataset || len(distinct(runs, v)) < 2
	})
}

// sameProblem reports whether two runs on one dataset agree in all parameters of the problem that both have.
func sameProblem(a, b *record.Run) bool {
	return !slices.ContainsFunc(problemVars, func(v string) bool {
		return a.Value(v) != nil && b.Value(v) != nil && format(a.Value(v)) != format(b.Value(v))
	})
}
