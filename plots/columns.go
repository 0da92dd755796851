package plots

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// column is a column of a table with how its cells are made from rows.
type column struct {
	Column
	cell func(r tableRow) Cell
	// over says how values of repeats are combined, caveat what the footnote adds for the runs of
	// a table. A column without both has no footnote.
	over   string
	caveat func(in Input, runs []record.Run) string
}

// measured returns a column of a number of each run. caveat may be nil.
func measured(
	id, title string, value observe.Reading, over summary, caveat func(Input, []record.Run) string,
) column {
	cell := func(r tableRow) Cell { return over.of(observe.Each(r.runs, value)) }
	return column{Column{ID: id, Title: title, Numeric: true, Spread: over.spread}, cell, over.name, caveat}
}

// measurements are the columns that tables of series can have. A new one takes a row here.
var measurements = []column{
	measured("mean_rank", "Mean k′ₜ", observe.MeanRank, mean(3), meanRankCaveat),
	measured("max_rank", "Max k′ₜ", observe.Most(yRank), number("largest", slices.Max[[]float64], 4), nil),
	measured("sum_kt2", "Σ k′ₜ²", observe.Total(record.CostSumKT2), mean(4), nil),
	measured("seconds_per_iteration", "s/iteration", secondsPerIteration, number("median", stats.Median, 3), Input.conditions),
	measured("final_suboptimality", "Final suboptimality", observe.Final(record.MetricSuboptimality), withError, nil),
	measured("final_error", "Final test error", observe.Final(yError), inPercent, nil),
	measured("best_error", "Best test error", observe.Least(yError), inPercent, bestCaveat),
	measured("support", "Support vectors", observe.Final(record.MetricSupport), withDeviation, nil),
	measured("norm", "|w|", observe.Final(record.MetricNorm), withDeviation, nil),
	measured("seconds", "Seconds", stepSeconds, withDeviation, Input.conditions),
	measured("kernel_evals", "Kernel evaluations", observe.Total(record.CostKernelEvals), withDeviation, nil),
	{Column: numbers("runs", "Runs"), cell: func(r tableRow) Cell { return countRuns(r.runs) }},
}

// Measurements lists the columns of tables that are computed from records, in order of name.
func Measurements() []string { return slices.Sorted(slices.Values(columnIDs(measurements))) }

// DatasetColumns lists the columns of tables of data sets, but for theory.
func DatasetColumns() []string { return columnIDs(datasetColumns) }

func columnIDs(columns []column) []string {
	ids := make([]string, len(columns))
	for i, c := range columns {
		ids[i] = c.ID
	}
	return ids
}

// columnOf returns the column of that id.
func columnOf(columns []column, id string) (c column, ok bool) {
	if i := slices.IndexFunc(columns, func(c column) bool { return c.ID == id }); i >= 0 {
		return columns[i], true
	}
	return c, false
}

// timing reads a time of a run, or another number that was recorded with the times.
func timing(of func(record.Timing) float64) observe.Reading {
	return func(r *record.Run) (float64, bool) {
		t, _ := r.Timing()
		v := of(t)
		return v, v > 0
	}
}

var stepSeconds = timing(func(t record.Timing) float64 { return t.StepSeconds })

func secondsPerIteration(r *record.Run) (float64, bool) {
	seconds, ok := stepSeconds(r)
	return seconds / float64(r.End()), ok && r.End() > 0
}

func bestCaveat(Input, []record.Run) string {
	return "least of each run, chosen on the test split itself"
}

// meanRankCaveat names the series whose mean ranks are interpolated.
func meanRankCaveat(in Input, runs []record.Run) string {
	exact := false
	var names []string
	for i := range runs {
		r := &runs[i]
		if r.Status != record.StatusFinished {
			continue
		}
		if observe.CountsRanks(r) {
			exact = true
		} else if _, ok := observe.MeanRank(r); ok {
			names = words.AddOnce(names, in.Name(r.Series))
		}
	}
	const how = "interpolated between recorded iterations"
	switch {
	case len(names) == 0:
		return ""
	case !exact:
		return how
	}
	return strings.Join(names, ", ") + " " + how
}

// footnotes returns a line that says how the columns combine repeats, and one of their
// caveats.
func (in Input) footnotes(columns []column, runs []record.Run) []string {
	var over notesByText
	var caveats []string
	for _, c := range columns {
		if c.over == "" {
			continue
		}
		over.add(c.Title, c.over)
		var parts []string
		if c.caveat != nil {
			parts = []string{c.caveat(in, runs)}
		}
		for i := range runs {
			parts = words.AddOnce(parts, in.algorithm(runs[i].Algorithm).Remarks[c.ID])
		}
		if text := joinParts("; ", parts...); text != "" {
			caveats = append(caveats, c.Title+": "+text)
		}
	}
	if len(over.texts) == 0 {
		return nil
	}
	parts := slices.Clone(over.texts)
	if len(parts) > 1 {
		for i, titles := range over.of {
			parts[i] += " (" + strings.Join(titles, ", ") + ")"
		}
	}
	lines := []string{"Over repeats: " + strings.Join(parts, ", ") + "; columns: " + tablesHelp}
	if len(caveats) > 0 {
		lines = append(lines, strings.Join(caveats, "; "))
	}
	return lines
}

// countRuns counts the finished runs, and names the others.
func countRuns(runs []record.Run) Cell {
	if len(runs) == 0 {
		return missing
	}
	n := make(map[string]int)
	for i := range runs {
		n[runs[i].Status]++
	}
	c := textCell(strconv.Itoa(n[record.StatusFinished]))
	for _, status := range []string{
		record.StatusDiverged, record.StatusFailed, record.StatusSkipped, record.StatusOutOfTime, record.StatusOutOfMemory,
	} {
		if n[status] > 0 {
			c.Text += fmt.Sprintf(" + %d %s", n[status], condition(status))
		}
	}
	return c
}

// summary is how a cell shows the values of several runs.
type summary struct {
	// name is what footnotes call it.
	name string
	// spread is what the cell shows besides: see Column.Spread.
	spread string
	// cell is given at least one value.
	cell func(values []float64) Cell
}

func (s summary) of(values []float64) Cell {
	if len(values) == 0 {
		return missing
	}
	return s.cell(values)
}

// Values of Column.Spread.
const (
	spreadError     = "se"
	spreadDeviation = "sd"
	spreadInterval  = "half_width"
)

const overDeviation = "mean ± standard deviation"

var (
	withError     = summary{"mean ± standard error", spreadError, withSpread(stats.StandardError, threeDigits, words.PlusMinus)}
	withDeviation = summary{overDeviation, spreadDeviation, withSpread(stats.Deviation, threeDigits, words.PlusMinus)}
	// inPercent shows fractions.
	inPercent = summary{overDeviation, spreadDeviation, withSpread(stats.Deviation, words.Percent, words.PercentPlusMinus)}
)

func threeDigits(v float64) string { return words.Significant(v, 3) }

// withSpread shows a mean with its spread, and a single value by itself.
func withSpread(
	of func([]float64) (m, s float64), alone func(float64) string, both func(m, s float64) string,
) func([]float64) Cell {
	return func(values []float64) Cell {
		m, s := of(values)
		if len(values) == 1 {
			return Cell{Text: alone(m), Value: words.Exact(m)}
		}
		return Cell{Text: both(m, s), Value: words.Exact(m), Spread: words.Exact(s)}
	}
}

// mean and number show a number with these significant digits.
func mean(digits int) summary { return number("mean", stats.Mean, digits) }

func number(name string, of func([]float64) float64, digits int) summary {
	return summary{name: name, cell: func(values []float64) Cell { return numberCell(of(values), digits) }}
}
