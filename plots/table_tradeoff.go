package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// tradeoffRows makes a row for each trade-off with some of the runs.
func (in Input) tradeoffRows(runs []record.Run) []tableRow {
	var rows []tableRow
	series, runsOf := tradeoffsOf(in.Choice, runs)
	for _, s := range series {
		var same []record.Run
		for _, o := range series {
			if o.Dataset == s.Dataset && o.Name == s.Name {
				same = append(same, templateRun(o))
			}
		}
		own := templateRun(s)
		row := in.row(seriesID{s.Name, s.Algorithm}, runsOf[s])
		row.chosen, row.setting = s, in.describe(&own, observe.Distinguish(same))
		rows = append(rows, row)
	}
	datasets := textsOf(runs, record.VarDataset)
	slices.SortStableFunc(rows, func(a, b tableRow) int {
		return cmp.Or(slices.Index(datasets, a.chosen.Dataset)-slices.Index(datasets, b.chosen.Dataset), in.compareRows(a, b))
	})
	return rows
}

// errorCell shows the error of a trade-off at index i with its deviation over several halvings.
func errorCell(s *selection.Series, i, halvings int) Cell {
	c := percentCell(s.Error[i])
	if halvings > 1 {
		c.Text, c.Spread = words.PercentPlusMinus(s.Error[i], s.SD[i]), words.Exact(s.SD[i])
	}
	return c
}

// bestMark marks the least error of a dataset at a size. If the selection is by validation, it marks the error of the
// series with the least validation error.
const bestMark = "*"

// buildTradeoff makes a row for each dataset and series.
func buildTradeoff(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
	rows := in.tradeoffRows(runs)
	series, _ := tradeoffsOf(in.Choice, runs)
	g.Columns = []Column{textColumn(record.VarDataset, "Data"), textColumn(record.VarSeries, "Algorithm")}
	for _, s := range t.Sizes {
		size := strconv.Itoa(s)
		g.Columns = append(g.Columns,
			deviationColumn("error_"+size, "Error at "+size), Column{ID: "size_" + size, CSVOnly: true})
		if t.Validation {
			g.Columns = append(g.Columns, numberColumn("validation_"+size, "Valid."))
		}
	}
	for _, r := range rows {
		cells, own := []Cell{r.dataCell(), r.nameCell()}, r.chosen
		for _, s := range t.Sizes {
			c, size, validation := missing, missing, missing
			if i, ok := own.At(s); ok {
				c, validation = errorCell(own, i, in.Choice.Halvings), percentCell(own.Validation[i])
				size = textCell(strconv.Itoa(min(s, own.Most)))
				if t.Validation { // without the deviation, because the table is wide
					c.Text = words.Percent(own.Error[i])
				}
				if s > own.Most {
					c.Text += fmt.Sprintf(" at %d", own.Most)
				}
				if isBest(own, series, s, in.Choice.By) {
					c.Text += bestMark
				}
			}
			cells = append(cells, c, size)
			if t.Validation {
				cells = append(cells, validation)
			}
		}
		g.add(own.StandIn, cells...)
	}
	g.remark(oneClassNote(runs), in.biasNote(runs))
	g.Notes = append(g.Notes, errorNote(in.Choice.Rule, len(varyingParams(runs, in.Choice.Tune)) > 0, t.Validation))
	if references := in.referenceTexts(runs); len(references) > 0 {
		g.Notes = append(g.Notes, referenceName+": "+words.List(references, maxNamedDatasets))
	}
	return rows
}

// isBest reports whether a series has the least error of its dataset at a size. If the selection is by validation, only
// the first of tied series is best, otherwise all are.
func isBest(own *selection.Series, series []*selection.Series, size int, by string) bool {
	i, _ := own.At(size)
	earlier := by == selection.ByValidation // whether s comes before own, which then loses a tie
	for _, s := range series {
		earlier = earlier && s != own
		at, ok := s.At(size)
		if !ok || s.Dataset != own.Dataset {
			continue
		}
		if s.ComparisonError(at) < own.ComparisonError(i) || earlier && s.ComparisonError(at) == own.ComparisonError(i) {
			return false
		}
	}
	return true
}

// errorNote describes the errors of classifiers with at most s support vectors. tuned reports whether parameters were
// selected.
func errorNote(rule selection.Rule, tuned, validation bool) string {
	if rule.By == selection.ByValidation {
		how := "at most s vectors"
		if rule.Over == selection.OverLargest {
			how = "the most vectors of its run up to s"
		}
		const text = "Error at s: on test rows; of %s, by validation rows; *: least there; -, x %% at r: %s"
		return fmt.Sprintf(text, how, columnsHelp)
	}
	how, also := "of the largest classifier up to s vectors", ""
	measured := "measured on half of the test rows"
	if tuned || rule.Over == selection.OverAny {
		how, measured = "chosen on half of the test rows", "measured on the other"
	}
	if validation {
		also = " (Valid.: error there)"
	}
	return fmt.Sprintf("Error at s: %s%s, %s, %s; *, -, x %% at r: %s",
		how, also, measured, overHalvings(rule, !validation), columnsHelp)
}

// overHalvings describes the statistic over halvings.
func overHalvings(rule selection.Rule, spread bool) string {
	how := "mean"
	if spread && rule.Halvings > 1 {
		how = overDeviation
	}
	return how + " over " + words.Count(rule.Halvings, "halving")
}

// referenceTexts describes the reference classifiers on each dataset.
func (in Input) referenceTexts(runs []record.Run) []string {
	var texts []string
	for _, own := range byDataset(runs) {
		for _, r := range in.referencesOf(own) {
			support := strings.TrimSuffix(strconv.FormatFloat(r.support, 'f', 1, 64), ".0")
			text := fmt.Sprintf("%s %s, %s vectors", own[0].Dataset, words.Percent(r.error), support)
			if r.problem != "" {
				text += " (" + r.problem + ")"
			}
			texts = append(texts, text)
		}
	}
	return texts
}

const (
	// trainingSeries is the series that stands for the training of the reference if its cost is not recorded.
	trainingSeries = "smo"
	// factReferenceEvals is the number of kernel evaluations of training the reference.
	factReferenceEvals = "reference_kernel_evals"
)

// buildSparsification makes a row for each dataset, series and size.
func buildSparsification(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
	rows := in.tradeoffRows(runs)
	g.Columns = []Column{
		textColumn(record.VarDataset, "Data"), textColumn(record.VarSeries, "Algorithm"),
		numberColumn("size", "At most"), numberColumn("support", "Vectors"), deviationColumn("error", "Test error"),
		numberColumn("kernel_evals", "Kernel evals"), numberColumn(factReferenceEvals, "Training"),
		numberColumn("kernel_evals_ratio", "Ratio"),
		numberColumn("seconds", "Seconds"), numberColumn("reference_seconds", "Training"),
		numberColumn("seconds_ratio", "Ratio"),
	}
	for _, r := range rows {
		if r.series.id == trainingSeries {
			continue
		}
		trainingEvals, trainingSeconds := trainingCost(runs, r)
		for _, s := range t.Sizes {
			i, ok := r.chosen.At(s)
			pick := r.chosen.Pick(s)
			if !ok || pick == nil {
				continue
			}
			evals, seconds := math.NaN(), math.NaN()
			c := pick.Run.Measured().Cost[record.CostKernelEvals]
			if pick.Run.Counts(record.CostKernelEvals) && pick.Point < len(c) {
				evals = float64(c[pick.Point])
			}
			if times, ok := pick.Run.Seconds(); ok && pick.Point < len(times) {
				seconds = times[pick.Point]
			}
			g.add(r.chosen.StandIn, r.dataCell(), r.nameCell(),
				textCell(strconv.Itoa(s)), numberCell(float64(pick.Support), 4), errorCell(r.chosen, i, in.Choice.Halvings),
				numberCell(evals, 3), numberCell(trainingEvals, 3), numberCell(evals/trainingEvals, 2),
				numberCell(seconds, 3), numberCell(trainingSeconds, 3), numberCell(seconds/trainingSeconds, 2))
		}
	}
	g.remark(oneClassNote(runs), in.biasNote(runs))
	errors := "Test error: " + overHalvings(in.Choice.Rule, true) +
		"; cost: of the classifier with the least error on all test rows"
	if in.Choice.By == selection.ByValidation {
		errors = "Test error and cost: of the classifier with the least error on validation rows"
	}
	conditions := in.timingConditions(runs)
	if conditions != "" {
		conditions = "Seconds: " + conditions
	}
	const training = "Training: of the reference SVM, which methods that approximate it need too; Ratio: method / Training"
	g.Notes = append(g.Notes, errors+"; columns: "+columnsHelp, joinParts("; ", training, conditions))
	return rows
}

// trainingCost returns the kernel evaluations and seconds of training the reference for the problem of a row, NaN if
// unknown. They are recorded by runs of the same problem or of the same dataset, or are the cost of trainingSeries.
func trainingCost(runs []record.Run, row tableRow) (evals, seconds float64) {
	data := filter(runs, func(r *record.Run) bool { return r.Dataset == row.chosen.Dataset })
	same := filter(data, func(r *record.Run) bool { return sameProblem(r, &row.runs[0]) })
	own := filter(same, func(r *record.Run) bool { return r.Series == trainingSeries })
	evals = stats.Median(observe.Each(own, observe.Total(record.CostKernelEvals)))
	pool := append(same, data...)
	known := func(r record.Run) bool { _, ok := r.Facts[factReferenceEvals]; return ok }
	if i := slices.IndexFunc(pool, known); i >= 0 {
		evals = pool[i].Facts[factReferenceEvals]
	}
	// Only the run that trains the reference records its time; the others record 0.
	spent := func(t record.Timing) float64 { return t.ReferenceSeconds }
	seconds = cmp.Or(longest(same, spent), longest(data, spent), stats.Median(observe.Each(own, stepSeconds)))
	return evals, seconds
}
