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
	// over says how values of repeats are combined; a column without it has no footnote.
	over string
}

// measured returns a column of a number of each run.
func measured(id, title string, value observe.Reading, over summary) column {
	cell := func(r tableRow) Cell { return over.of(observe.Each(r.runs, value)) }
	return column{Column{ID: id, Title: title, Numeric: true, Spread: over.spread}, cell, over.name}
}

// measurements are the columns that tables of series can have. A new one takes a row here.
var measurements = []column{
	measured("mean_rank", "Mean k′ₜ", observe.MeanRank, mean(3)),
	measured("max_rank", "Max k′ₜ", observe.Extreme(yRank, slices.Max), number("largest", slices.Max[[]float64], 4)),
	measured("sum_kt2", "Σ k′ₜ²", observe.Total(record.CostSumKT2), mean(4)),
	measured("seconds_per_iteration", "s/iteration", secondsPerIteration, number("median", stats.Median, 3)),
	measured("final_suboptimality", "Final suboptimality", observe.Final(record.MetricSuboptimality), withError),
	measured("final_error", "Final test error", observe.Final(yError), inPercent),
	measured("best_error", "Best test error", observe.Extreme(yError, slices.Min), inPercent),
	measured("support", "Support vectors", observe.Final(record.MetricSupport), withDeviation),
	measured("norm", "|w|", observe.Final(record.MetricNorm), withDeviation),
	measured("seconds", "Seconds", stepSeconds, withDeviation),
	measured("kernel_evals", "Kernel evaluations", observe.Total(record.CostKernelEvals), withDeviation),
	{Column: numbers("runs", "Runs"), cell: func(r tableRow) Cell { return countRuns(r.runs) }},
}

// metricOf has the metrics that columns, and tables of a kind, show.
var metricOf = map[string]string{
	"final_suboptimality": record.MetricSuboptimality,
	"final_error":         yError, "best_error": yError, KindTimeToError: yError,
}

// Measurements lists the columns of tables that are computed from records, in order of name.
func Measurements() []string { return slices.Sorted(slices.Values(columnIDs(measurements))) }

// DatasetColumns lists the columns of tables of data sets, except theory.
func DatasetColumns() []string { return columnIDs(datasetColumns) }

func columnIDs(columns []column) []string {
	ids := make([]string, len(columns))
	for i, c := range columns {
		ids[i] = c.ID
	}
	return ids
}

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

// footnotes says how the columns combine repeats, and how times were measured if a column shows some.
func (in Input) footnotes(columns []column, runs []record.Run) []string {
	var over notesByText
	timed := false
	for _, c := range columns {
		if c.over != "" {
			over.add(c.Title, c.over)
			timed = timed || strings.HasPrefix(c.ID, "seconds")
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
	lines := []string{"Over repeats: " + strings.Join(parts, ", ") + "; columns: " + columnsHelp}
	if how := in.conditions(runs); timed && how != "" {
		lines = append(lines, "Seconds: "+how)
	}
	return lines
}

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
			c.Text += fmt.Sprintf(" + %d %s", n[status], condition(status))
		}
	}
	return c
}

type summary struct {
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

// datasetColumns are the columns that tables of data sets can have, besides parameters of the problem.
var datasetColumns = []column{
	ofProblem("train_rows", "Train size n", rowsCell),
	ofProblem("test_rows", "Test size", rowsCell),
	ofProblem("sigma2", "σ²", valueCell),
	ofProblem("gamma", "γ", valueCell),
	ofProblem("C", "C", valueCell),
	ofProblem("nu", "ν", nuCell),
	ofProblem(factReferenceError, "Error of the reference SVM", shareCell),
	ofProblem(factReferenceSupport, "Its support vectors", valueCell),
}

// ofProblem returns a column with the cell of the first run that has one: not every run of a problem
// needed to know all of it.
func ofProblem(id, title string, cell func(r *record.Run, id string) Cell) column {
	return column{Column: numbers(id, title), cell: func(row tableRow) Cell {
		for i := range row.runs {
			if c := cell(&row.runs[i], id); c != missing {
				return c
			}
		}
		return missing
	}}
}

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

// valueCell shows a parameter, or else a fact.
func valueCell(r *record.Run, id string) Cell {
	if v := r.Value(id); v != nil {
		return textCell(format(v))
	}
	if v, ok := r.Facts[id]; ok {
		return numberCell(v, 3)
	}
	return missing
}

func shareCell(r *record.Run, id string) Cell {
	if v, ok := r.Facts[id]; ok {
		return percentCell(v)
	}
	return missing
}

// nuCell shows nu, unless it is what rounding and the tolerance of the optimum
// leave of zero: a mean hinge loss less than the gap that the optimum is
// certified to, which misclassifies no example.
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

// buildDatasets makes a row of each data set, and of each problem posed on it.
func buildDatasets(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
	var rows []tableRow
	for _, of := range byDataset(runs) {
		vars := slices.DeleteFunc(problemApart(of), func(v string) bool { return slices.Contains(t.Columns, v) })
		for _, part := range partition(of, problemVars) {
			row := in.row(seriesID{series: part[0].Dataset}, part)
			row.what = in.describe(&part[0], vars)
			rows = append(rows, row)
		}
	}
	dataset := column{Column: named(varDataset, "Dataset"), cell: func(r tableRow) Cell {
		return dataCell(r.nameCell().Value, standIn(r.runs))
	}}
	if slices.Contains(t.Columns, "nu") {
		g.Notes = append(g.Notes, "ν and R are those of the certified optimum w* of the regularised problem: R = |w*|, and ν = its mean hinge loss / |w*|")
	}
	return g.fill(t, in, append([]column{dataset}, in.columns(t, t.Columns, datasetColumns, runs)...), rows)
}
