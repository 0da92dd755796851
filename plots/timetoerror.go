package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"stochopt/results"
)

// defaultReference is the series that others are compared to.
const defaultReference = "libsvm"

// quarter is the part of the reference's time at which the error of others is
// looked up, as in the thesis.
const quarter = 0.25

// buildTimeToError makes a row of each data set and series but the reference.
func buildTimeToError(g *Grid, t Table, runs []results.Run, ms measures) ([]tableRow, error) {
	reference := cmp.Or(t.Reference, defaultReference)
	name := DisplayName(reference)
	g.Columns = []Column{
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
	var rows []tableRow
	for _, data := range distinct(runs, varDataset) {
		of := filter(runs, func(r *results.Run) bool { return r.Dataset == data })
		base := contest{ms: ms, data: format(data), standIn: standIn(of)}
		for _, part := range partition(of, []string{varSeries}) {
			if part[0].Series == reference {
				base.reference = part
			}
		}
		base.setTarget(t.Targets)
		for _, id := range seriesOf(of) {
			part := filter(of, func(r *results.Run) bool { return r.Series == id.series && r.Algorithm == id.algorithm })
			rows = append(rows, tableRow{id, part})
			if id.series != reference {
				g.Rows = append(g.Rows, base.cells(id, part))
				g.StandIn = append(g.StandIn, base.standIn)
			}
		}
		if base.reference == nil {
			g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: no runs of %s on %s to compare with", t.ID, name, base.data))
		}
	}
	g.Notes = append(g.Notes,
		"s to target: measured wall time in the algorithm alone until the test error was first recorded at the target or below, median over repeats; \"> x\" if it was not reached within x s",
		"Speed-up: time of "+name+" divided by that, or by that and the setup",
		"Setup s: time spent on building the problem (kernel rows computed at once, the reference optimum), longest of the repeats; what several runs share is charged to one of them, which may be of another algorithm. Kernel rows that another run had computed before were free: times compare where each algorithm runs alone",
		"Error at "+name+" s / 4: in a quarter of the time of "+name+", or at the end of the run, mean ± standard deviation over repeats")
	return rows, nil
}

// contest compares series on one data set.
type contest struct {
	ms        measures
	data      string
	standIn   bool
	reference []results.Run
	// seconds is the time that the reference took, target the error to be
	// reached; NaN if not known.
	seconds, target float64
}

func (c *contest) setTarget(targets map[string]float64) {
	c.seconds, c.target = math.NaN(), math.NaN()
	if s := each(c.reference, c.ms.stepSeconds); len(s) > 0 {
		c.seconds = median(s)
	}
	if e := each(c.reference, finalMetric(yError)); len(e) > 0 {
		c.target = mean(e)
	}
	if v, ok := targets[c.data]; ok {
		c.target = v
	}
}

func (c *contest) cells(id seriesID, runs []results.Run) []Cell {
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
func (c *contest) errorCurve(r *results.Run) (seconds, errors []float64, ok bool) {
	split, ok := splitOf(r, "", yError)
	if !ok {
		return nil, nil, false
	}
	seconds, ok = c.ms.timings.Seconds(*r)
	return seconds, r.Curve.Metrics[split][yError], ok
}

func (c *contest) errorAtQuarter(r *results.Run) (float64, bool) {
	seconds, errors, ok := c.errorCurve(r)
	if !ok || math.IsNaN(c.seconds) {
		return 0, false
	}
	return results.ValueAt(seconds, errors, quarter*c.seconds)
}

// timeToTarget returns the median time of the finished runs, NaN if it is not
// known or if half of them or more did not get there, and its cell.
func (c *contest) timeToTarget(runs []results.Run) (float64, Cell) {
	if math.IsNaN(c.target) {
		return math.NaN(), missing
	}
	var times, short []float64
	for i := range runs {
		seconds, errors, ok := c.errorCurve(&runs[i])
		if runs[i].Status != results.StatusFinished || !ok {
			continue
		}
		if at, ok := results.FirstAt(seconds, errors, c.target); ok {
			times = append(times, at)
		} else {
			times = append(times, math.Inf(1))
			short = append(short, seconds[len(seconds)-1])
		}
	}
	if len(times) == 0 {
		return math.NaN(), missing
	}
	m := median(times)
	if math.IsInf(m, 0) || math.IsNaN(m) {
		return math.NaN(), Cell{Text: "> " + significant(slices.Min(short), 3)}
	}
	cell := numberCell(m, 3)
	if n := len(times) - len(short); n < len(times) {
		cell.Text += " (" + strconv.Itoa(n) + " of " + strconv.Itoa(len(times)) + " runs)"
	}
	return m, cell
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
