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

// sized reports whether the table shows classifiers of some support sizes.
func (t Table) sized() bool { return t.Kind == KindTradeoff || t.Kind == KindSparsification }

// tradeoffRow is a row of a sized table: a curve of the selection, with the runs
// it was selected from.
type tradeoffRow struct {
	*selection.Series
	tableRow
	// what tells the curve from others of its series and data set.
	what string
}

// tradeoffRows lists the curves of the runs, by data set and series.
func (in Input) tradeoffRows(runs []record.Run) []tradeoffRow {
	var rows []tradeoffRow
	var examples []record.Run
	for _, own := range tradeoffsOf(in.Choice, runs) {
		row := in.row(seriesID{own.Setting.Series, own.Algorithm}, filter(runs, func(r *record.Run) bool { return in.Choice.Of(r) == own }))
		rows = append(rows, tradeoffRow{Series: own, tableRow: row})
		examples = append(examples, example(own))
	}
	for i := range rows {
		same := filter(examples, func(r *record.Run) bool { return r.Dataset == rows[i].Dataset && r.Series == rows[i].Setting.Series })
		rows[i].what = in.describe(&examples[i], observe.Distinguish(same))
	}
	datasets := textsOf(runs, varDataset)
	slices.SortStableFunc(rows, func(a, b tradeoffRow) int {
		return cmp.Or(slices.Index(datasets, a.Dataset)-slices.Index(datasets, b.Dataset), in.compare(a.series, b.series))
	})
	return rows
}

// madeUp reports whether the curve is of made-up data.
func (r tradeoffRow) madeUp() bool { return r.StandIn }

func (r tradeoffRow) dataCell() Cell { return dataCell(r.Dataset, r.StandIn) }

func (r tradeoffRow) nameCell() Cell {
	return Cell{Text: joinParts(", ", r.name, r.what), Value: joinParts(", ", r.Setting.Series, r.what)}
}

// bestMark marks the least error of a data set at a size, or that of the least error on the
// validation split where it made the choices: then the test split makes none.
const bestMark = "*"

// buildTradeoff makes a row of each data set and series.
func buildTradeoff(g *Grid, t Table, runs []record.Run, in Input) ([]tableRow, error) {
	if err := choiceBySize(in.Choice, t.Where); err != nil {
		return nil, err
	}
	rows := in.tradeoffRows(runs)
	fields := []field[tradeoffRow]{
		{named(varDataset, "Data"), tradeoffRow.dataCell},
		{named(varSeries, "Algorithm"), tradeoffRow.nameCell},
	}
	for _, s := range t.Sizes {
		// at makes a column of the classifiers with index i on their curves.
		at := func(c Column, cell func(r tradeoffRow, i int) Cell) {
			fields = append(fields, field[tradeoffRow]{c, func(r tradeoffRow) Cell {
				if i, ok := r.At(s); ok {
					return cell(r, i)
				}
				return missing
			}})
		}
		size := strconv.Itoa(s)
		at(deviations("error_"+size, "Error at "+size), func(r tradeoffRow, i int) Cell {
			c := r.errorCell(i, in.Choice.Halvings)
			if t.Validation { // a table of both is wide
				c.Text = words.Percent(r.Error[i])
			}
			if s > r.Most {
				c.Text += fmt.Sprintf(" at %d", r.Most)
			}
			if starred(in.Choice, rows, r, i, s) {
				c.Text += bestMark
			}
			return c
		})
		at(Column{ID: "size_" + size, CSVOnly: true}, func(r tradeoffRow, _ int) Cell { return textCell(strconv.Itoa(min(s, r.Most))) })
		if t.Validation {
			at(numbers("validation_"+size, "Valid."), func(r tradeoffRow, i int) Cell {
				return percentCell(r.Validation[i])
			})
		}
	}
	lay(g, fields, rows)
	g.remark(in.lostNotes(runs)...)
	g.remark(in.sizedRemarks(runs)...)
	g.remark(optimism(rows, t.Sizes)...)
	g.Notes = append(g.Notes, errorNote(in.Choice.Rule, len(tunedIn(runs, in.Choice.Tune)) > 0, t.Validation))
	if references := in.referenceTexts(runs); len(references) > 0 {
		g.Notes = append(g.Notes, atMost(referenceName, references, ""))
	}
	return rowsOf(rows), nil
}

// starred reports whether a row, i on whose curve is a size, is the best at it. By validation
// only the first row of the least error is; else all of the least error are.
func starred(h *selection.Choice, rows []tradeoffRow, r tradeoffRow, i, size int) bool {
	best := h.Best(r.Dataset, size, func(c *selection.Series) bool {
		return slices.ContainsFunc(rows, func(o tradeoffRow) bool { return o.Series == c })
	})
	if h.By == selection.ByValidation {
		return r.Series == best
	}
	at, ok := best.At(size)
	return ok && r.Judged(i) == best.Judged(at)
}

// errorNote says how the errors of classifiers of at most s support vectors were found,
// and where the marks of cells are explained. tuned: parameters were chosen.
func errorNote(o selection.Rule, tuned, validation bool) string {
	if o.By == selection.ByValidation {
		how := "at most s vectors"
		if o.Over == selection.OverLargest {
			how = "the most vectors of its run up to s"
		}
		return fmt.Sprintf("Error at s: on test rows; of %s, by validation rows; *: least there; -, x %% at r: %s", how, tablesHelp)
	}
	how := "of the largest classifier up to s vectors, measured on half of the test rows"
	if tuned || o.Over == selection.OverAny {
		how = "chosen on half of the test rows, measured on the other"
	}
	if validation {
		how = strings.Replace(how, ", ", " (Valid.: error there), ", 1)
	}
	return fmt.Sprintf("Error at s: %s%s; *, -, x %% at r: %s", how, overHalvings(o, !validation), tablesHelp)
}

// overHalvings says how an error combines halvings.
func overHalvings(o selection.Rule, spread bool) string {
	switch {
	case o.Halvings < 2:
		return ", one random halving"
	case spread:
		return fmt.Sprintf(", %s over %d halvings", overDeviation, o.Halvings)
	}
	return fmt.Sprintf(", %s over %d halvings", overMean, o.Halvings)
}

// rowsOf returns what the rows were made from.
func rowsOf(rows []tradeoffRow) []tableRow {
	var made []tableRow
	for _, r := range rows {
		made = append(made, r.tableRow)
	}
	return made
}

// errorCell shows the error at the i-th size.
func (r tradeoffRow) errorCell(i, halvings int) Cell {
	c := percentCell(r.Error[i])
	if halvings > 1 {
		c.Text = words.PercentPlusMinus(r.Error[i], r.SD[i])
		c.Spread = words.Exact(r.SD[i])
	}
	return c
}

// referenceTexts give the error and the support of the reference by data set.
func (in Input) referenceTexts(runs []record.Run) []string {
	var texts []string
	for _, of := range byDataset(runs) {
		for _, r := range in.referencesOf(of) {
			support := strings.TrimSuffix(strconv.FormatFloat(r.support, 'f', 1, 64), ".0")
			text := fmt.Sprintf("%s %s, %s vectors", of[0].Dataset, words.Percent(r.error), support)
			if more := joinParts(", ", r.what, r.over()); more != "" {
				text += " (" + more + ")"
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// over says of how many repeats the reference is the mean.
func (r reference) over() string {
	if r.repeats < 2 {
		return ""
	}
	return fmt.Sprintf("mean of %d repeats", r.repeats)
}

// optimism says by how much the errors reported exceed those that the choices
// were made by, on average over the curves and sizes of a data set.
func optimism(rows []tradeoffRow, sizes []int) []string {
	var names, parts []string
	sum, count := make(map[string]float64), make(map[string]float64)
	for _, r := range rows {
		for _, s := range sizes {
			if i, ok := r.At(s); ok {
				sum[r.Dataset] += r.Error[i] - r.Validation[i]
				count[r.Dataset]++
			}
		}
		if !slices.Contains(names, r.Dataset) {
			names = append(names, r.Dataset)
		}
	}
	for _, name := range names {
		if n := count[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f", name, 100*sum[name]/n))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"Over-fitting of the parameters (test minus validation error in percentage points, mean over rows and sizes): " + strings.Join(parts, ", ")}
}

// sizedRemarks are what a figure of the same runs says too.
func (c Catalog) sizedRemarks(runs []record.Run) []string {
	return slices.DeleteFunc([]string{oneClassNote(runs), c.biasNote(runs)}, func(n string) bool { return n == "" })
}

// factReferenceEvals is the number of kernel evaluations that training the
// reference was charged.
const factReferenceEvals = "reference_kernel_evals"

// sparseRow is a row of a table of sparsification: the classifier of a curve at a size.
type sparseRow struct {
	tradeoffRow
	size int
	// index is that of the size on the curve.
	index int
	pick  selection.Pick
	// evals and seconds are what the classifier took, NaN where that is not known.
	evals, seconds float64
	training       training
}

// sparseFields are the columns; halvings is the number of these.
func sparseFields(halvings int) []field[sparseRow] {
	return []field[sparseRow]{
		{named(varDataset, "Data"), func(r sparseRow) Cell { return r.dataCell() }},
		{named(varSeries, "Algorithm"), func(r sparseRow) Cell { return r.nameCell() }},
		{numbers("size", "At most"), func(r sparseRow) Cell { return textCell(strconv.Itoa(r.size)) }},
		{numbers("support", "Vectors"), func(r sparseRow) Cell { return numberCell(float64(r.pick.Support), 4) }},
		{deviations("error", "Test error"), func(r sparseRow) Cell {
			return r.errorCell(r.index, halvings)
		}},
		{numbers("kernel_evals", "Kernel evals"), func(r sparseRow) Cell { return known(r.evals, 3) }},
		{numbers(factReferenceEvals, "Training"), func(r sparseRow) Cell { return known(r.training.evals, 3) }},
		{numbers("kernel_evals_ratio", "Ratio"), func(r sparseRow) Cell { return known(r.evals/r.training.evals, 2) }},
		{numbers("seconds", "Seconds"), func(r sparseRow) Cell { return known(r.seconds, 3) }},
		{numbers("reference_seconds", "Training"), func(r sparseRow) Cell { return known(r.training.seconds, 3) }},
		{numbers("seconds_ratio", "Ratio"), func(r sparseRow) Cell { return known(r.seconds/r.training.seconds, 2) }},
	}
}

// buildSparsification makes a row of each data set, series and size.
func buildSparsification(g *Grid, t Table, runs []record.Run, in Input) ([]tableRow, error) {
	if err := choiceBySize(in.Choice, t.Where); err != nil {
		return nil, err
	}
	curves := in.tradeoffRows(runs)
	var rows []sparseRow
	for _, curve := range curves {
		if curve.Setting.Series == t.Reference {
			continue
		}
		training := in.trainingOf(runs, curve, t.Reference)
		sizes := t.Sizes
		if len(sizes) == 0 && curve.Most > 0 {
			sizes = []int{curve.Most}
		}
		for _, s := range sizes {
			i, ok := curve.At(s)
			pick, found := curve.Pick(s)
			if !ok || !found {
				continue
			}
			r := sparseRow{tradeoffRow: curve, size: s, index: i, pick: pick, training: training}
			r.evals, r.seconds = math.NaN(), math.NaN()
			if c := pick.Run.Measured(); c.Counts(record.CostKernelEvals) && pick.Point < len(c.Cost[record.CostKernelEvals]) {
				r.evals = float64(c.Cost[record.CostKernelEvals][pick.Point])
			}
			if along, ok := pick.Run.Seconds(); ok && pick.Point < len(along) {
				r.seconds = along[pick.Point]
			}
			rows = append(rows, r)
		}
	}
	lay(g, sparseFields(in.Choice.Halvings), rows)
	g.remark(in.lostNotes(runs)...)
	g.remark(in.sizedRemarks(runs)...)
	conditions := in.conditions(runs)
	if conditions != "" {
		conditions = "Seconds: " + conditions
	}
	g.Notes = append(g.Notes,
		testErrorNote(in.Choice.Rule)+"; columns: "+tablesHelp,
		joinParts("; ", "Training: of the reference SVM, which methods that approximate it need too; Ratio: method / Training", conditions))
	return rowsOf(curves), nil
}

// testErrorNote says what the errors and costs of a table of sparsification are of.
func testErrorNote(o selection.Rule) string {
	if o.By == selection.ByValidation {
		return "Test error and cost: of the classifier with the least error on validation rows"
	}
	return "Test error" + strings.Replace(overHalvings(o, true), ",", ":", 1) + "; cost: of the classifier with the least error on all test rows"
}

// training is what training the reference costs, NaN where it is not known.
type training struct{ evals, seconds float64 }

// trainingOf returns what training the reference of a row's problem cost: as its
// own runs, those of the same problem, or else others on its data record it, or as
// the runs of a series have it.
func (in Input) trainingOf(runs []record.Run, row tradeoffRow, trained string) training {
	t := training{math.NaN(), math.NaN()}
	data := filter(runs, func(r *record.Run) bool { return r.Dataset == row.Dataset })
	same := filter(data, func(r *record.Run) bool { return len(row.runs) == 0 || sameProblem(r, &row.runs[0]) })
	for _, pool := range [][]record.Run{row.runs, same, data} {
		for i := range pool {
			if v, ok := pool[i].Facts[factReferenceEvals]; ok && math.IsNaN(t.evals) {
				t.evals = v
			}
		}
	}
	for _, pool := range [][]record.Run{same, data} {
		// For the others it had been trained.
		if longest := longest(pool, func(t record.Timing) float64 { return t.ReferenceSeconds }); longest > 0 {
			t.seconds = longest
			break
		}
	}
	own := filter(same, func(r *record.Run) bool { return r.Series == trained })
	if s := each(own, stepSeconds); len(s) > 0 && math.IsNaN(t.seconds) {
		t.seconds = stats.Median(s)
	}
	if e := each(own, counted(record.CostKernelEvals)); len(e) > 0 && math.IsNaN(t.evals) {
		t.evals = stats.Median(e)
	}
	return t
}
