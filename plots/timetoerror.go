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
	// solver is the series that others are compared with, as in the thesis.
	solver = "libsvm"
	// quarter is the part of its time at which the error of others is looked up.
	quarter = 0.25
)

// buildTimeToError makes a row of each data set, series and problem but those of the solver.
func buildTimeToError(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
	name := in.Name(solver)
	g.Columns = []Column{
		named(varDataset, "Data"), numbers("reference_seconds", name+" s"), deviations("reference_error", name+" error"),
		named(varSeries, "Algorithm"), numbers("target", "Target"), numbers("seconds", "s to target"), numbers("ratio", "Speed-up"),
		numbers("setup_seconds", "Setup s"), numbers("ratio_with_setup", "Speed-up with setup"),
		deviations("quarter_error", "Error at "+name+" s / 4"),
	}
	rows, vars := in.rows(runs)
	vars = slices.DeleteFunc(vars, func(v string) bool { return v == varDataset })
	for _, row := range rows {
		row.what = in.describe(&row.runs[0], vars)
		if row.series.series == solver {
			continue
		}
		reference := filter(runs, func(r *record.Run) bool {
			return r.Series == solver && r.Dataset == row.runs[0].Dataset && sameProblem(r, &row.runs[0])
		})
		if len(reference) == 0 {
			g.remark(fmt.Sprintf("no runs of %s on %s solve the same problem as %s", name, row.runs[0].Dataset, row.nameCell().Text))
		}
		seconds := stats.Median(observe.Each(reference, stepSeconds))
		errors := observe.Each(reference, observe.Final(yError))
		cells := []Cell{row.dataCell(), numberCell(seconds, 3), inPercent.of(errors), row.nameCell()}
		g.add(standIn(row.runs), append(cells, timeCells(row.runs, seconds, stats.Mean(errors))...)...)
	}
	g.Notes = append(g.Notes, "s to target: median over repeats (\"> x\": not within x s); Speed-up: time of "+name+
		" divided by it; columns: "+columnsHelp)
	if how := in.conditions(runs); how != "" {
		g.Notes = append(g.Notes, "Times: "+how)
	}
	return rows
}

// timeCells compares the times of runs with the seconds that a reference took to an error, the
// target; both are NaN if there is no reference.
func timeCells(runs []record.Run, seconds, target float64) []Cell {
	reached, toTarget := timeToTarget(runs, target)
	setup := longest(runs, func(t record.Timing) float64 { return t.SetupSeconds })
	atQuarter := observe.Each(runs, func(r *record.Run) (float64, bool) {
		return observe.OverSeconds(r, yError).ValueAt(quarter * seconds)
	})
	return []Cell{
		percentCell(target), toTarget, numberCell(seconds/reached, 3),
		numberCell(setup, 3), numberCell(seconds/(reached+setup), 3), inPercent.of(atQuarter),
	}
}

// timeToTarget returns the median time that runs take to a target, and its cell. It is NaN if the
// target is NaN, or half of the runs or more do not reach it. Runs that diverged or failed do not;
// those that were skipped, or have no times, do not count.
func timeToTarget(runs []record.Run, target float64) (float64, Cell) {
	var times []float64
	there, lost := 0, 0
	end := math.Inf(1) // the least time of a finished run that does not reach it
	for i := range runs {
		r := &runs[i]
		c := observe.OverSeconds(r, yError)
		at, ok := c.FirstAt(target)
		switch {
		case r.Status == record.StatusSkipped, r.Status == record.StatusFinished && len(c.X) == 0:
			continue
		case r.Status != record.StatusFinished:
			at, lost = math.Inf(1), lost+1
		case ok:
			there++
		default:
			at, end = math.Inf(1), min(end, c.X[len(c.X)-1])
		}
		times = append(times, at)
	}
	median := stats.Median(times)
	of := fmt.Sprintf(" (%d of %d runs)", there, len(times))
	switch {
	case math.IsNaN(target), len(times) == lost:
		return math.NaN(), missing
	case !math.IsInf(median, 0):
		cell := numberCell(median, 3)
		if there < len(times) {
			cell.Text += of
		}
		return median, cell
	case there+lost == len(times):
		return math.NaN(), Cell{Text: missing.Text + of}
	case lost == 0:
		of = ""
	}
	return math.NaN(), Cell{Text: "> " + words.Significant(end, 3) + of}
}

// longest returns the longest of a time of any of the runs, finished or not.
func longest(runs []record.Run, of func(record.Timing) float64) (longest float64) {
	for i := range runs {
		t, _ := runs[i].Timing()
		longest = max(longest, of(t))
	}
	return longest
}

// problemVars are the parameters that, with the data set, make a problem.
var problemVars = []string{varDataset, "bias", "kernel", "sigma2", "gamma", "degree", "coef0", "C", "lambda", "nu", "R"}

// problemApart returns the parameters in which the problems of runs differ.
func problemApart(runs []record.Run) []string {
	return slices.DeleteFunc(slices.Clone(problemVars), func(v string) bool {
		return v == varDataset || len(distinct(runs, v)) < 2
	})
}

// sameProblem reports whether two runs on one data set differ in no parameter that the problems of both have.
func sameProblem(a, b *record.Run) bool {
	return !slices.ContainsFunc(problemVars, func(v string) bool {
		return a.Value(v) != nil && b.Value(v) != nil && key(a, []string{v}) != key(b, []string{v})
	})
}
