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

// measurement is a column of tables that is computed from the runs of a row. A new one
// takes a row in one of the tables below.
type measurement struct {
	id, title string
	// value is what a finished run has of it, and shown how that of several is.
	value reading
	shown summary
	// cell makes the cell of what is no number of each run.
	cell func(runs []record.Run) Cell
	// over says how the values of the repeats are combined, "" for a column without a
	// footnote.
	over string
	// caveat is what the footnote adds, and caveatOf what it adds for the runs of a table.
	caveat   string
	caveatOf func(c Catalog, runs []record.Run) string
	// timed: it is a time, and the footnote says how that was measured.
	timed bool
}

// How columns combine repeats, as footnotes have it.
const (
	overMean      = "mean"
	overMedian    = "median"
	overLargest   = "largest"
	overError     = "mean ± standard error"
	overDeviation = "mean ± standard deviation"
)

// measurements are the columns of tables of no particular kind.
var measurements = []measurement{
	{id: "mean_rank", title: "Mean k′ₜ", value: meanRank, shown: means(3), over: overMean, caveatOf: meanRankCaveat},
	{id: "max_rank", title: "Max k′ₜ", value: maxRank, shown: largest(4), over: overLargest},
	{id: "sum_kt2", title: "Σ k′ₜ²", value: finalCost(record.CostSumKT2), shown: means(4), over: overMean},
	{id: "seconds_per_iteration", title: "s/iteration", value: secondsPerIteration, shown: medians(3), timed: true,
		over: overMedian},
	{id: "final_suboptimality", title: "Final suboptimality", value: finalMetric(record.MetricSuboptimality), shown: withError,
		over: overError},
	{id: "final_error", title: "Final test error", value: finalMetric(yError), shown: inPercent,
		over: overDeviation},
	{id: "best_error", title: "Best test error", value: leastMetric(yError), shown: inPercent,
		over: overDeviation, caveat: "least of each run, chosen on the test split itself"},
	{id: "support", title: "Support vectors", value: finalMetric(record.MetricSupport), shown: withDeviation,
		over: overDeviation},
	{id: "norm", title: "|w|", value: finalMetric(record.MetricNorm), shown: withDeviation,
		over: overDeviation},
	{id: "seconds", title: "Seconds", value: stepSeconds, shown: withDeviation, timed: true,
		over: overDeviation},
	{id: "kernel_evals", title: "Kernel evaluations", value: counted(record.CostKernelEvals), shown: withDeviation,
		over: overDeviation},
	{id: "runs", title: "Runs", cell: countRuns},
}

// datasetColumns are those of tables of data sets, besides parameters of the problem.
var datasetColumns = []measurement{
	{id: "train_rows", title: "Train size n", cell: firstOf(rowsCell("train"))},
	{id: "test_rows", title: "Test size", cell: firstOf(rowsCell("test"))},
	{id: "sigma2", title: "σ²", cell: firstOf(paramCell("sigma2"))},
	{id: "gamma", title: "γ", cell: firstOf(gammaCell)},
	{id: "lambda", title: "λ", cell: firstOf(lambdaCell)},
	{id: "C", title: "C", cell: firstOf(penaltyCell)},
	{id: "nu", title: "ν", cell: firstOf(nuCell)},
	{id: "R", title: "R", cell: firstOf(factCell("R"))},
	{id: "bias", title: "Bias", cell: firstOf(paramCell("bias"))},
	{id: factReferenceError, title: "Error of the reference SVM", cell: firstOf(referenceErrorCell)},
	{id: factReferenceSupport, title: "Its support vectors", cell: firstOf(factCell(factReferenceSupport))},
}

// costColumns are those of a table of costs, of which it has what applies to any run.
var costColumns = []measurement{
	costColumn(record.CostIterations), costColumn(record.CostKernelEvals), costColumn(record.CostKernelEvalsMoved),
	costColumn(record.CostInnerProducts), costColumn(record.CostSumKT), costColumn(record.CostSumKT2),
	{id: "kernel_evals_computed", title: observe.Label(record.CostKernelEvalsComputed), value: computed, shown: means(4)},
	{id: "step_seconds", title: "Seconds", value: stepSeconds, shown: means(4)},
	{id: "setup_seconds", title: "Setup s", value: setupSeconds, shown: means(4)},
}

func costColumn(counter string) measurement {
	return measurement{id: counter, title: plainText(observe.Label(counter)), value: counted(counter), shown: means(4)}
}

// Measurements lists the columns of tables that are computed from records, in
// order of name.
func Measurements() []string { return slices.Sorted(slices.Values(columnIDs(measurements))) }

func columnIDs(columns []measurement) []string {
	ids := make([]string, len(columns))
	for i, m := range columns {
		ids[i] = m.id
	}
	return ids
}

// columnOf returns the column of that id.
func columnOf(columns []measurement, id string) (m measurement, ok bool) {
	if i := slices.IndexFunc(columns, func(m measurement) bool { return m.id == id }); i >= 0 {
		return columns[i], true
	}
	return m, false
}

func (m measurement) column() Column {
	return Column{ID: m.id, Title: m.title, Numeric: true, Spread: m.shown.spread}
}

// measure returns the cell of some runs.
func (m measurement) measure(runs []record.Run, in Input) Cell {
	switch {
	case len(runs) == 0:
		return missing
	case m.cell != nil:
		return m.cell(runs)
	}
	return m.shown.of(each(runs, m.value))
}

// caveats returns what a footnote adds to the column for the runs of a table, with what
// their algorithms add.
func (m measurement) caveats(runs []record.Run, in Input) string {
	parts := []string{m.caveat}
	if m.caveatOf != nil {
		parts = append(parts, m.caveatOf(in.Catalog, runs))
	}
	if m.timed {
		parts = append(parts, in.conditions(runs))
	}
	for i := range runs {
		parts = words.AddOnce(parts, in.algorithm(runs[i].Algorithm).Remarks[m.id])
	}
	return joinParts("; ", parts...)
}

// footnotes returns a line that says how the columns combine repeats, and one of their
// caveats.
func (in Input) footnotes(columns []measurement, runs []record.Run) []string {
	var over notesByText
	var caveats []string
	for _, m := range columns {
		if m.over == "" {
			continue
		}
		over.add(m.title, m.over)
		if text := m.caveats(runs, in); text != "" {
			caveats = append(caveats, m.title+": "+text)
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

// firstOf returns the cell of the first run that has one: not every run of a problem
// needed to know all of it.
func firstOf(cell func(*record.Run) Cell) func([]record.Run) Cell {
	return func(runs []record.Run) Cell {
		for i := range runs {
			if c := cell(&runs[i]); c != missing {
				return c
			}
		}
		return missing
	}
}

// countRuns counts the finished runs, and names the others.
func countRuns(runs []record.Run) Cell {
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
	// spread is what the cell shows besides: see Column.Spread.
	spread string
	// cell is given at least one value.
	cell func(values []float64) Cell
}

// Values of Column.Spread.
const (
	spreadError     = "se"
	spreadDeviation = "sd"
	spreadInterval  = "half_width"
)

var (
	withError     = spreadBy(spreadError, stats.StandardError, threeDigits, words.PlusMinus)
	withDeviation = spreadBy(spreadDeviation, stats.Deviation, threeDigits, words.PlusMinus)
	// inPercent shows fractions.
	inPercent = spreadBy(spreadDeviation, stats.Deviation, words.Percent, words.PercentPlusMinus)
)

func (s summary) of(values []float64) Cell {
	if len(values) == 0 {
		return missing
	}
	return s.cell(values)
}

// means, medians and largest show a number of so many digits.
func means(digits int) summary   { return oneNumber(stats.Mean, digits) }
func medians(digits int) summary { return oneNumber(stats.Median, digits) }
func largest(digits int) summary { return oneNumber(slices.Max[[]float64], digits) }

func oneNumber(of func([]float64) float64, digits int) summary {
	return summary{cell: func(values []float64) Cell { return numberCell(of(values), digits) }}
}

// spreadBy shows a mean with its spread, of a single value that alone.
func spreadBy(spread string, of func([]float64) (m, s float64), alone func(float64) string,
	both func(m, s float64) string,
) summary {
	return summary{spread, func(values []float64) Cell {
		m, s := of(values)
		if len(values) == 1 {
			return Cell{Text: alone(m), Value: words.Exact(m)}
		}
		return Cell{Text: both(m, s), Value: words.Exact(m), Spread: words.Exact(s)}
	}}
}

func threeDigits(v float64) string { return words.Significant(v, 3) }

func numberCell(v float64, digits int) Cell {
	return Cell{Text: words.Significant(v, digits), Value: words.Exact(v)}
}

func percentCell(v float64) Cell { return Cell{Text: words.Percent(v), Value: words.Exact(v)} }

func textCell(text string) Cell { return Cell{Text: text, Value: text} }

// dataCell names a data set.
func dataCell(name string, standIn bool) Cell {
	c := textCell(name)
	if standIn {
		c.Text += " (stand-in)"
	}
	return c
}
