package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// defaultReference is the series that others are compared to.
const defaultReference = "libsvm"

// quarter is the part of the reference's time at which the error of others is
// looked up, as in the thesis.
const quarter = 0.25

// buildTimeToError makes a row of each data set, series and problem but those of
// the reference.
func buildTimeToError(g *Grid, t Table, runs []record.Run, ms measures) ([]tableRow, error) {
	reference := cmp.Or(t.Reference, defaultReference)
	name := DisplayName(reference)
	g.Columns = timeColumns(name)
	vary := make(map[string][]string)
	several := false
	for _, v := range distinct(runs, varDataset) {
		data := format(v)
		vary[data] = problemApart(filter(runs, func(r *record.Run) bool { return r.Dataset == data }))
		several = several || len(vary[data]) > 0
	}
	if several {
		g.Columns = slices.Insert(g.Columns, problemColumn, Column{ID: "problem", Title: "Problem"})
	}
	var rows []tableRow
	for _, v := range distinct(runs, varDataset) {
		data := format(v)
		of := filter(runs, func(r *record.Run) bool { return r.Dataset == data })
		f := field{contest: contest{ms: ms, data: data, standIn: standIn(of)}, name: name, targets: t.Targets}
		f.references = partition(filter(of, func(r *record.Run) bool { return r.Series == reference }), problemVars)
		for _, id := range seriesOf(of) {
			own := filter(of, func(r *record.Run) bool { return r.Series == id.series && r.Algorithm == id.algorithm })
			for _, part := range partition(own, problemVars) {
				rows = append(rows, tableRow{id, part})
				if id.series == reference {
					continue
				}
				c, remark := f.against(id, part, vary[data])
				if remark != "" {
					g.Remarks = append(g.Remarks, remark)
				}
				cells := c.cells(id, part)
				if several {
					text := problemText(&part[0], vary[data])
					cells = slices.Insert(cells, problemColumn, Cell{Text: cmp.Or(text, missing.Text), Value: text})
				}
				g.Rows = append(g.Rows, cells)
				g.StandIn = append(g.StandIn, c.standIn)
			}
		}
		if len(f.references) == 0 {
			g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: no runs of %s on %s to compare with", t.ID, name, data))
		}
	}
	g.Notes = append(g.Notes, timeNotes(name, conditions(runs, ms.timings))...)
	return rows, nil
}

// problemColumn is the place of the column that tells problems apart, after the
// algorithm's.
const problemColumn = 4

func timeColumns(name string) []Column {
	return []Column{
		{ID: varDataset, Title: "Data"},
		{ID: "reference_seconds", Title: name + " s", Numeric: true},
		{ID: "reference_error", Title: name + " error", Numeric: true, Spread: spreadDeviation},
		{ID: varSeries, Title: "Algorithm"},
		{ID: "target", Title: "Target", Numeric: true},
		{ID: "seconds", Title: "s to target", Numeric: true},
		{ID: "ratio", Title: "Speed-up", Numeric: true},
		{ID: "setup_seconds", Title: "Setup s", Numeric: true},
		{ID: "ratio_with_setup", Title: "Speed-up with setup", Numeric: true},
		{ID: "quarter_error", Title: "Error at " + name + " s / 4", Numeric: true, Spread: spreadDeviation},
	}
}

// timeNotes says what the columns hold. How the times were measured is
// conditions.
func timeNotes(name, conditions string) []string {
	return []string{
		joinParts("; ", "s to target: measured wall time in the algorithm alone until the test error was first recorded at the target or below, median over repeats, of which one that did not finish counts as never; \"> x\" if it was not reached within x s", conditions),
		"Speed-up: time of " + name + " divided by that, or by that and the setup",
		"Setup s: time before the clock of the algorithm starts, longest of the repeats: laying out the points, kernel rows computed at once, and the reference optimum for an algorithm that has its parameter from it; what several need is charged in full to each, an optimum that an earlier execution had stored to none",
		"Error at " + name + " s / 4: in a quarter of the time of " + name + ", or at the end of the run, mean ± standard deviation over repeats",
	}
}

// problemApart returns the parameters in which the problems of runs differ.
func problemApart(runs []record.Run) []string {
	var vars []string
	for _, v := range problemVars {
		posed := filter(runs, func(r *record.Run) bool { return poses(r, v) })
		if v != varDataset && len(partition(posed, []string{v})) > 1 {
			vars = append(vars, v)
		}
	}
	return vars
}

// regularisers are the forms of one parameter of a problem.
var regularisers = []string{"C", "lambda", "nu", "R"}

// poses reports whether a parameter is one of a run's problem: an algorithm that
// does not regularise takes none of its forms.
func poses(r *record.Run, v string) bool {
	if !slices.Contains(regularisers, v) {
		return valueOf(r, v) != nil
	}
	return slices.ContainsFunc(regularisers, func(form string) bool { return valueOf(r, form) != nil })
}

// sameProblem reports whether two runs on one data set differ in no parameter
// that the problems of both have.
func sameProblem(a, b *record.Run) bool {
	return !slices.ContainsFunc(problemVars, func(v string) bool {
		return poses(a, v) && poses(b, v) && key(a, []string{v}) != key(b, []string{v})
	})
}

// problemText gives some of the parameters of a run's problem.
func problemText(r *record.Run, vars []string) string {
	var parts []string
	for _, v := range vars {
		if value := valueOf(r, v); value != nil {
			parts = append(parts, v+" = "+format(value))
		}
	}
	return strings.Join(parts, ", ")
}

// field is what series are compared with on one data set.
type field struct {
	contest
	name    string
	targets map[string]float64
	// references are the runs of the reference, by problem.
	references [][]record.Run
}

// against returns the comparison of a series with the reference on the same
// problem, or else with that on the only other one, and what has to be said of
// it. vary are the parameters in which the problems on the data set differ.
func (f *field) against(id seriesID, runs []record.Run, vary []string) (c contest, remark string) {
	c = f.contest
	what := fmt.Sprintf("%s on %s (%s)", DisplayName(id.series), c.data, problemText(&runs[0], vary))
	for _, ref := range f.references {
		if sameProblem(&ref[0], &runs[0]) {
			c.reference = ref
		}
	}
	switch {
	case c.reference != nil || len(f.references) == 0:
	case len(f.references) == 1:
		c.reference = f.references[0]
		remark = fmt.Sprintf("%s solves another problem than %s, with which it is compared (%s)", what, f.name, problemText(&c.reference[0], vary))
	default:
		remark = fmt.Sprintf("%s is compared with nothing: %s solves several problems there, and none is its own", what, f.name)
	}
	c.setTarget(f.targets)
	return c, remark
}

// contest compares series on one data set.
type contest struct {
	ms        measures
	data      string
	standIn   bool
	reference []record.Run
	// seconds is the time that the reference took, target the error to be
	// reached; NaN if not known.
	seconds, target float64
}

func (c *contest) setTarget(targets map[string]float64) {
	c.seconds, c.target = math.NaN(), math.NaN()
	if s := each(c.reference, c.ms.stepSeconds); len(s) > 0 {
		c.seconds = analysis.Median(s)
	}
	if e := each(c.reference, finalMetric(yError)); len(e) > 0 {
		c.target = analysis.Mean(e)
	}
	if v, ok := targets[c.data]; ok {
		c.target = v
	}
}

func (c *contest) cells(id seriesID, runs []record.Run) []Cell {
	data := Cell{Text: c.data, Value: c.data}
	if c.standIn {
		data.Text += " (stand-in)"
	}
	reached, text := c.timeToTarget(runs)
	setup := 0.0
	for i := range runs {
		if t, ok := c.ms.timings.Of(runs[i]); ok {
			setup = math.Max(setup, t.SetupSeconds)
		}
	}
	target := missing
	if !math.IsNaN(c.target) {
		target = Cell{Text: percent(c.target), Value: exact(c.target)}
	}
	return []Cell{
		data,
		known(c.seconds, 3),
		percentCell(each(c.reference, finalMetric(yError))),
		{Text: DisplayName(id.series), Value: id.series},
		target,
		text,
		known(c.seconds/reached, 3),
		numberCell(setup, 3),
		known(c.seconds/(reached+setup), 3),
		percentCell(each(runs, c.errorAtQuarter)),
	}
}

// known is numberCell of what may not be known, NaN.
func known(v float64, digits int) Cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	return numberCell(v, digits)
}

// errorCurve returns the test error along the seconds of a run.
func (c *contest) errorCurve(r *record.Run) (seconds, errors []float64, ok bool) {
	split, ok := splitOf(r, "", yError)
	if !ok {
		return nil, nil, false
	}
	seconds, ok = c.ms.timings.Seconds(*r)
	return seconds, r.Curve.Metrics[split][yError], ok
}

func (c *contest) errorAtQuarter(r *record.Run) (float64, bool) {
	seconds, errors, ok := c.errorCurve(r)
	if !ok || math.IsNaN(c.seconds) {
		return 0, false
	}
	return analysis.Curve{X: seconds, Y: errors}.ValueAt(quarter * c.seconds)
}

// timeToTarget returns the median time of the runs, NaN if it is not known or if
// half of them or more did not get there, and its cell. Those that diverged or
// failed did not; those that were skipped, or of which there are no timings, do
// not count.
func (c *contest) timeToTarget(runs []record.Run) (float64, Cell) {
	if math.IsNaN(c.target) {
		return math.NaN(), missing
	}
	var times, short []float64
	lost := 0
	for i := range runs {
		switch runs[i].Status {
		case record.StatusDiverged, record.StatusFailed, record.StatusOutOfTime, record.StatusOutOfMemory:
			lost++
			continue
		case record.StatusSkipped:
			continue
		}
		seconds, errors, ok := c.errorCurve(&runs[i])
		if !ok {
			continue
		}
		if at, ok := (analysis.Curve{X: seconds, Y: errors}).FirstAt(c.target); ok {
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
	of := " (" + strconv.Itoa(there) + " of " + strconv.Itoa(len(times)) + " runs)"
	switch m := analysis.Median(times); {
	case !math.IsInf(m, 0):
		cell := numberCell(m, 3)
		if there < len(times) {
			cell.Text += of
		}
		return m, cell
	case len(short) == 0:
		return math.NaN(), Cell{Text: missing.Text + of}
	case lost > 0:
		return math.NaN(), Cell{Text: "> " + significant(slices.Min(short), 3) + of}
	default:
		return math.NaN(), Cell{Text: "> " + significant(slices.Min(short), 3)}
	}
}
