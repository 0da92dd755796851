package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// quarter is the part of the reference's time at which the error of others is
// looked up, as in the thesis.
const quarter = 0.25

// buildTimeToError makes a row of each data set, series and problem but those of
// the reference.
func buildTimeToError(g *Grid, t Table, runs []record.Run, in Input) ([]tableRow, error) {
	name := in.Name(t.Reference)
	several := false
	var rows []tableRow
	var contests []*contest
	for _, of := range byDataset(runs) {
		data := of[0].Dataset
		vary := problemApart(of)
		several = several || len(vary) > 0
		references := partition(filter(of, func(r *record.Run) bool { return r.Series == t.Reference }), problemVars)
		for _, own := range in.bySeries(of) {
			for _, part := range partition(own.runs, problemVars) {
				row := in.row(own.series, part)
				rows = append(rows, row)
				if own.series.series == t.Reference {
					continue
				}
				c := &contest{tableRow: row, in: in, data: data, standIn: standIn(of), problem: problemText(&part[0], vary)}
				if remark := c.against(references, vary, name); remark != "" {
					g.remark(remark)
				}
				c.measure()
				contests = append(contests, c)
			}
		}
		if len(references) == 0 {
			g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: no runs of %s on %s to compare with", t.ID, name, data))
		}
	}
	fields := timeFields(name)
	if !several {
		fields = slices.DeleteFunc(fields, func(f field[*contest]) bool { return f.ID == "problem" })
	}
	lay(g, fields, contests)
	g.Notes = append(g.Notes, timeNotes(name, in.conditions(runs))...)
	return rows, nil
}

// timeFields are the columns; name is that of the reference.
func timeFields(name string) []field[*contest] {
	return []field[*contest]{
		{named(varDataset, "Data"), func(c *contest) Cell { return dataCell(c.data, c.standIn) }},
		{numbers("reference_seconds", name+" s"), func(c *contest) Cell { return known(c.seconds, 3) }},
		{deviations("reference_error", name+" error"), func(c *contest) Cell {
			return inPercent.of(each(c.reference, finalMetric(yError)))
		}},
		{named(varSeries, "Algorithm"), func(c *contest) Cell { return c.nameCell() }},
		{named("problem", "Problem"), func(c *contest) Cell {
			return Cell{Text: cmp.Or(c.problem, missing.Text), Value: c.problem}
		}},
		{numbers("target", "Target"), func(c *contest) Cell {
			if math.IsNaN(c.target) {
				return missing
			}
			return percentCell(c.target)
		}},
		{numbers("seconds", "s to target"), func(c *contest) Cell { return c.toTarget }},
		{numbers("ratio", "Speed-up"), func(c *contest) Cell { return known(c.seconds/c.reached, 3) }},
		{numbers("setup_seconds", "Setup s"), func(c *contest) Cell { return numberCell(c.setup, 3) }},
		{numbers("ratio_with_setup", "Speed-up with setup"), func(c *contest) Cell {
			return known(c.seconds/(c.reached+c.setup), 3)
		}},
		{deviations("quarter_error", "Error at "+name+" s / 4"), func(c *contest) Cell {
			return inPercent.of(each(c.runs, c.errorAtQuarter))
		}},
	}
}

// timeNotes says what the columns hold. How the times were measured is
// conditions.
func timeNotes(name, conditions string) []string {
	notes := []string{"s to target: median over repeats (\"> x\": not within x s); Speed-up: time of " + name + " divided by it; columns: " + tablesHelp}
	if conditions != "" {
		notes = append(notes, "Times: "+conditions)
	}
	return notes
}

// contest is a row: a series on one problem, compared with the reference.
type contest struct {
	tableRow
	in      Input
	data    string
	standIn bool
	// problem gives the parameters in which the problems on the data set differ.
	problem   string
	reference []record.Run
	// seconds is the time that the reference took, target the error to be reached, and
	// reached when it was; NaN if not known.
	seconds, target, reached float64
	// toTarget shows reached.
	toTarget Cell
	// setup is the time before the clock starts.
	setup float64
}

func (c *contest) madeUp() bool { return c.standIn }

// against picks the reference of the same problem, or else that of the only other
// one, and returns what has to be said of it. vary are the parameters in which the
// problems on the data set differ, and name is that of the reference.
func (c *contest) against(references [][]record.Run, vary []string, name string) (remark string) {
	for _, ref := range references {
		if sameProblem(&ref[0], &c.runs[0]) {
			c.reference = ref
		}
	}
	what := fmt.Sprintf("%s on %s (%s)", c.name, c.data, c.problem)
	switch {
	case c.reference != nil || len(references) == 0:
		return ""
	case len(references) > 1:
		return fmt.Sprintf("%s is not compared: %s has runs of several other problems there, and none of this one", what, name)
	}
	c.reference = references[0]
	return fmt.Sprintf("%s is compared with %s on a different problem (%s)", what, name, problemText(&c.reference[0], vary))
}

// measure reads off the runs and those of the reference what the row shows.
func (c *contest) measure() {
	c.seconds, c.target = math.NaN(), math.NaN()
	if s := each(c.reference, stepSeconds); len(s) > 0 {
		c.seconds = stats.Median(s)
	}
	if e := each(c.reference, finalMetric(yError)); len(e) > 0 {
		c.target = stats.Mean(e)
	}
	c.setup = longest(c.runs, func(t record.Timing) float64 { return t.SetupSeconds })
	c.reached, c.toTarget = c.timeToTarget()
}

// known is numberCell of what may not be known, NaN.
func known(v float64, digits int) Cell {
	if !finite.Is(v) {
		return missing
	}
	return numberCell(v, digits)
}

// errorCurve returns the test error along the seconds of a run.
func (c *contest) errorCurve(r *record.Run) (seconds, errors []float64, ok bool) {
	split, ok := observe.UnseenSplit(r, "", yError)
	if !ok {
		return nil, nil, false
	}
	seconds, ok = r.Seconds()
	return seconds, r.Measured().Metrics[split][yError], ok
}

func (c *contest) errorAtQuarter(r *record.Run) (float64, bool) {
	seconds, errors, ok := c.errorCurve(r)
	if !ok || math.IsNaN(c.seconds) {
		return 0, false
	}
	return observe.Curve{X: seconds, Y: errors}.ValueAt(quarter * c.seconds)
}

// timeToTarget returns the median time of the runs, NaN if it is not known or if
// half of them or more did not get there, and its cell. Those that diverged or
// failed did not; those that were skipped, or of which there are no timings, do
// not count.
func (c *contest) timeToTarget() (float64, Cell) {
	if math.IsNaN(c.target) {
		return math.NaN(), missing
	}
	var times, short []float64
	lost := 0
	for i := range c.runs {
		switch c.runs[i].Status {
		case record.StatusFinished:
		case record.StatusSkipped:
			continue
		default:
			lost++
			continue
		}
		seconds, errors, ok := c.errorCurve(&c.runs[i])
		if !ok {
			continue
		}
		if at, ok := (observe.Curve{X: seconds, Y: errors}).FirstAt(c.target); ok {
			times = append(times, at)
		} else {
			short = append(short, seconds[len(seconds)-1])
		}
	}
	there := len(times)
	if there+len(short) == 0 {
		return math.NaN(), missing
	}
	times = append(times, slices.Repeat([]float64{math.Inf(1)}, len(short)+lost)...)
	of := fmt.Sprintf(" (%d of %d runs)", there, len(times))
	m := stats.Median(times)
	switch {
	case !math.IsInf(m, 0):
		cell := numberCell(m, 3)
		if there < len(times) {
			cell.Text += of
		}
		return m, cell
	case len(short) == 0:
		return math.NaN(), Cell{Text: missing.Text + of}
	case lost == 0:
		of = ""
	}
	return math.NaN(), Cell{Text: "> " + words.Significant(slices.Min(short), 3) + of}
}
