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

// column is a column of a table with a function that returns its cell in a row.
type column struct {
	Column
	cell func(r tableRow) Cell
	// summary names the statistic over repeats for the footnote, "" for none.
	summary string
}

// measurement returns a column that summarizes a value of each run.
func measurement(id, title string, value observe.Reading, over summary) column {
	cell := func(r tableRow) Cell { return over.cellOf(observe.Each(r.runs, value)) }
	return column{Column{ID: id, Title: title, Numeric: true, Spread: over.spread}, cell, over.name}
}

// measurements lists the columns of tables of series. A new column takes a row here.
var measurements = []column{
	measurement("mean_rank", "Mean k′ₜ", observe.MeanRank, mean(3)),
	measurement("max_rank", "Max k′ₜ", observe.Extreme(record.MetricRank, slices.Max),
		number("largest", slices.Max[[]float64], 4)),
	measurement("sum_kt2", "Σ k′ₜ²", observe.Total(record.CostSumKT2), mean(4)),
	measurement("seconds_per_iteration", "s/iteration", secondsPerIteration, number("median", stats.Median, 3)),
	measurement("final_suboptimality", "Final suboptimality", observe.Final(record.MetricSuboptimality), withError),
	measurement("final_error", "Final test error", observe.Final(record.MetricError), inPercent),
	measurement("best_error", "Best test error", observe.Extreme(record.MetricError, slices.Min), inPercent),
	measurement("support", "Support vectors", observe.Final(record.MetricSupport), withDeviation),
	measurement("norm", "|w|", observe.Final(record.MetricNorm), withDeviation),
	measurement("seconds", "Seconds", stepSeconds, withDeviation),
	measurement("kernel_evals", "Kernel evaluations", observe.Total(record.CostKernelEvals), withDeviation),
	{Column: numberColumn("runs", "Runs"), cell: func(r tableRow) Cell { return countRuns(r.runs) }},
}

// metricOf maps columns and kinds of tables to the metrics that they show.
var metricOf = map[string]string{
	"final_suboptimality": record.MetricSuboptimality,
	"final_error":         record.MetricError, "best_error": record.MetricError, KindTimeToError: record.MetricError,
}

// Measurements returns the columns of tables that are computed from records, in alphabetical order.
func Measurements() []string { return slices.Sorted(slices.Values(columnIDs(measurements))) }

// DatasetColumns returns the columns of tables of datasets, except theory.
func DatasetColumns() []string { return columnIDs(datasetColumns) }

func columnIDs(columns []column) []string {
	ids := make([]string, len(columns))
	for i, c := range columns {
		ids[i] = c.ID
	}
	return ids
}

// stepSeconds returns the time in the algorithm.
func stepSeconds(r *record.Run) (float64, bool) {
	t, _ := r.Timing()
	return t.StepSeconds, t.StepSeconds > 0
}

func secondsPerIteration(r *record.Run) (float64, bool) {
	seconds, ok := stepSeconds(r)
	return seconds / float64(r.End()), ok && r.End() > 0
}

// footnotes describes the statistics over repeats and, if a column shows times, how they were measured.
func (in Input) footnotes(columns []column, runs []record.Run) []string {
	var summaries notesByText
	timed := false
	for _, c := range columns {
		if c.summary != "" {
			summaries.add(c.Title, c.summary)
			timed = timed || strings.HasPrefix(c.ID, "seconds")
		}
	}
	if len(summaries.texts) == 0 {
		return nil
	}
	parts := slices.Clone(summaries.texts)
	if len(parts) > 1 {
		for i, titles := range summaries.subjects {
			parts[i] += " (" + strings.Join(titles, ", ") + ")"
		}
	}
	lines := []string{"Over repeats: " + strings.Join(parts, ", ") + "; columns: " + columnsHelp}
	if how := in.timingConditions(runs); timed && how != "" {
		lines = append(lines, "Seconds: "+how)
	}
	return lines
}

// countRuns shows the number of finished runs, and the numbers of others by status.
func countRuns(runs []record.Run) Cell {
	if len(runs) == 0 {
		return missing
	}
	n := make(map[string]int)
	for i := range runs {
		n[runs[i].Status]++
	}
	c := textCell(strconv.Itoa(n[record.StatusFinished]))
	for _, status := range record.Unfinished() {
		if n[status] > 0 {
			c.Text += fmt.Sprintf(" + %d %s", n[status], strings.ReplaceAll(status, "-", " "))
		}
	}
	return c
}

// summary is a statistic over repeats.
type summary struct {
	name string
	// spread is the Column.Spread of its columns.
	spread string
	// cell requires at least one value.
	cell func(values []float64) Cell
}

func (s summary) cellOf(values []float64) Cell {
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
	withError = summary{
		"mean ± standard error", spreadError, meanCell(stats.StandardError, threeDigits, words.PlusMinus),
	}
	withDeviation = summary{overDeviation, spreadDeviation, meanCell(stats.Deviation, threeDigits, words.PlusMinus)}
	// inPercent shows fractions in percent.
	inPercent = summary{
		overDeviation, spreadDeviation, meanCell(stats.Deviation, words.Percent, words.PercentPlusMinus),
	}
)

func threeDigits(v float64) string { return words.Significant(v, 3) }

// meanCell returns a function that shows values as their mean with a spread. A single value has no spread.
func meanCell(
	estimate func([]float64) (mean, spread float64), single func(float64) string, both func(m, s float64) string,
) func([]float64) Cell {
	return func(values []float64) Cell {
		m, s := estimate(values)
		if len(values) == 1 {
			return Cell{Text: single(m), Value: words.Exact(m)}
		}
		return Cell{Text: both(m, s), Value: words.Exact(m), Spread: words.Exact(s)}
	}
}

func mean(digits int) summary { return number("mean", stats.Mean, digits) }

// number returns a summary that shows a statistic with the given number of significant digits.
func number(name string, statistic func([]float64) float64, digits int) summary {
	return summary{name: name, cell: func(values []float64) Cell { return numberCell(statistic(values), digits) }}
}

// datasetColumns lists the columns of tables of datasets, except parameters of the problem.
var datasetColumns = []column{
	problemColumn("train_rows", "Train size n", rowsCell),
	problemColumn("test_rows", "Test size", rowsCell),
	problemColumn("sigma2", "σ²", valueCell),
	problemColumn("gamma", "γ", valueCell),
	problemColumn("C", "C", valueCell),
	problemColumn("nu", "ν", nuCell),
	problemColumn(factReferenceError, "Error of the reference SVM", shareCell),
	problemColumn(factReferenceSupport, "Its support vectors", valueCell),
}

// problemColumn returns a column that shows a value of a problem. It is the first cell of its runs that is not missing,
// because some runs of a problem lack some facts.
func problemColumn(id, title string, cell func(r *record.Run, id string) Cell) column {
	return column{Column: numberColumn(id, title), cell: func(row tableRow) Cell {
		for i := range row.runs {
			if c := cell(&row.runs[i], id); c != missing {
				return c
			}
		}
		return missing
	}}
}

// rowsCell shows the number of rows of a split and, if only some are used, the number of all.
func rowsCell(r *record.Run, id string) Cell {
	split := strings.TrimSuffix(id, "_rows")
	n, ok := r.Rows[split]
	if !ok {
		return missing
	}
	c := textCell(strconv.FormatInt(n, 10))
	if of := r.Rows[split+"_of"]; of > n {
		c.Text += " of " + strconv.FormatInt(of, 10)
	}
	return c
}

// valueCell shows a parameter or, for other names, a fact.
func valueCell(r *record.Run, id string) Cell {
	if v := r.Value(id); v != nil {
		return textCell(format(v))
	}
	if v, ok := r.Facts[id]; ok {
		return numberCell(v, 3)
	}
	return missing
}

// shareCell shows a fact that is a fraction, in percent.
func shareCell(r *record.Run, id string) Cell {
	if v, ok := r.Facts[id]; ok {
		return percentCell(v)
	}
	return missing
}

// nuCell shows nu, or "separable" if nu is zero up to rounding. This is so if the mean hinge loss is at most the
// certified gap of the optimum, and small enough that no example is misclassified.
func nuCell(r *record.Run, id string) Cell {
	v, ok := r.Facts[id]
	if !ok {
		return missing
	}
	c := numberCell(v, 3)
	hinge, ok := r.Facts["reference_hinge"]
	if ok && hinge <= r.Facts["reference_gap"] && hinge*float64(r.Rows[record.SplitTrain]) < 1 {
		c.Text = "~0 (separable)"
	}
	return c
}

// buildDatasets makes a row for each dataset and each problem on it.
func buildDatasets(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
	var rows []tableRow
	for _, own := range byDataset(runs) {
		vars := slices.DeleteFunc(varyingProblemVars(own), func(v string) bool { return slices.Contains(t.Columns, v) })
		for _, part := range partition(own, problemVars) {
			row := in.row(seriesID{id: part[0].Dataset}, part)
			row.setting = in.describe(&part[0], vars)
			rows = append(rows, row)
		}
	}
	dataset := column{Column: textColumn(record.VarDataset, "Dataset"), cell: func(r tableRow) Cell {
		return dataCell(r.nameCell().Value, standIn(r.runs))
	}}
	if slices.Contains(t.Columns, "nu") {
		g.Notes = append(g.Notes, "ν and R are those of the certified optimum w* of the regularised problem: "+
			"R = |w*|, and ν = its mean hinge loss / |w*|")
	}
	return g.fill(t, in, append([]column{dataset}, in.columns(t, t.Columns, datasetColumns, runs)...), rows)
}
