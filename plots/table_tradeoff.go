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

// tradeoffRow is the trade-off of a series with the runs that it was chosen from.
type tradeoffRow struct {
	*selection.Series
	tableRow
	// what tells the trade-off from others of its series and data set.
	what string
}

func (in Input) tradeoffRows(runs []record.Run) []tradeoffRow {
	var rows []tradeoffRow
	var examples []record.Run
	series, of := tradeoffsOf(in.Choice, runs)
	for _, s := range series {
		rows = append(rows, tradeoffRow{Series: s, tableRow: in.row(seriesID{s.Name, s.Algorithm}, of[s])})
		examples = append(examples, example(s))
	}
	for i, r := range rows {
		same := filter(examples, func(o *record.Run) bool { return o.Dataset == r.Dataset && o.Series == r.Name })
		rows[i].what = in.describe(&examples[i], observe.Distinguish(same))
	}
	datasets := textsOf(runs, varDataset)
	slices.SortStableFunc(rows, func(a, b tradeoffRow) int {
		return cmp.Or(slices.Index(datasets, a.Dataset)-slices.Index(datasets, b.Dataset), in.compareRows(a.tableRow, b.tableRow))
	})
	return rows
}

func (r tradeoffRow) names() []Cell {
	return []Cell{dataCell(r.Dataset, r.StandIn), {
		Text: joinParts(", ", r.name, r.what), Value: joinParts(", ", r.Name, r.what),
	}}
}

func (r tradeoffRow) errorCell(i, halvings int) Cell {
	c := percentCell(r.Error[i])
	if halvings > 1 {
		c.Text, c.Spread = words.PercentPlusMinus(r.Error[i], r.SD[i]), words.Exact(r.SD[i])
	}
	return c
}

func runRows(rows []tradeoffRow) []tableRow {
	var made []tableRow
	for _, r := range rows {
		made = append(made, r.tableRow)
	}
	return made
}

// bestMark marks the least error of a data set at a size, or that of the least error on the
// validation split where it made the choices: then the test split makes none.
const bestMark = "*"

// buildTradeoff makes a row of each data set and series.
func buildTradeoff(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
	rows := in.tradeoffRows(runs)
	g.Columns = []Column{named(varDataset, "Data"), named(varSeries, "Algorithm")}
	for _, s := range t.Sizes {
		size := strconv.Itoa(s)
		g.Columns = append(g.Columns, deviations("error_"+size, "Error at "+size), Column{ID: "size_" + size, CSVOnly: true})
		if t.Validation {
			g.Columns = append(g.Columns, numbers("validation_"+size, "Valid."))
		}
	}
	for _, r := range rows {
		cells := r.names()
		for _, s := range t.Sizes {
			c, size, validation := missing, missing, missing
			if i, ok := r.At(s); ok {
				c, size, validation = r.errorCell(i, in.Choice.Halvings), textCell(strconv.Itoa(min(s, r.Most))), percentCell(r.Validation[i])
				if t.Validation { // a table of both is wide
					c.Text = words.Percent(r.Error[i])
				}
				if s > r.Most {
					c.Text += fmt.Sprintf(" at %d", r.Most)
				}
				if starred(in.Choice, rows, r, i, s) {
					c.Text += bestMark
				}
			}
			cells = append(cells, c, size)
			if t.Validation {
				cells = append(cells, validation)
			}
		}
		g.add(r.StandIn, cells...)
	}
	g.remarkSized(runs, in)
	g.remark(optimism(rows, t.Sizes)...)
	g.Notes = append(g.Notes, errorNote(in.Choice.Rule, len(tunedIn(runs, in.Choice.Tune)) > 0, t.Validation))
	if references := in.referenceTexts(runs); len(references) > 0 {
		g.Notes = append(g.Notes, atMost(referenceName, references, ""))
	}
	return runRows(rows)
}

func (g *Grid) remarkSized(runs []record.Run, in Input) {
	g.remark(in.lostNotes(runs)...)
	for _, n := range []string{oneClassNote(runs), in.biasNote(runs)} {
		if n != "" {
			g.remark(n)
		}
	}
}

// starred reports whether a row, i on whose curve is a size, is the best at it. By validation
// only the first row of the least error is; else all of the least error are.
func starred(choice *selection.Choice, rows []tradeoffRow, r tradeoffRow, i, size int) bool {
	earlier := choice.By == selection.ByValidation
	for k := range choice.Series {
		s := &choice.Series[k]
		earlier = earlier && s != r.Series
		at, ok := s.At(size)
		if !ok || s.Dataset != r.Dataset || !slices.ContainsFunc(rows, func(o tradeoffRow) bool { return o.Series == s }) {
			continue
		}
		if s.Judged(at) < r.Judged(i) || earlier && s.Judged(at) == r.Judged(i) {
			return false
		}
	}
	return true
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
	how, also := "of the largest classifier up to s vectors", ""
	measured := "measured on half of the test rows"
	if tuned || o.Over == selection.OverAny {
		how, measured = "chosen on half of the test rows", "measured on the other"
	}
	if validation {
		also = " (Valid.: error there)"
	}
	return fmt.Sprintf("Error at s: %s%s, %s, %s; *, -, x %% at r: %s", how, also, measured, overHalvings(o, !validation), tablesHelp)
}

// overHalvings says how an error combines halvings.
func overHalvings(o selection.Rule, spread bool) string {
	switch {
	case o.Halvings < 2:
		return "one random halving"
	case spread:
		return fmt.Sprintf("%s over %d halvings", overDeviation, o.Halvings)
	}
	return fmt.Sprintf("mean over %d halvings", o.Halvings)
}

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
	excess := make(map[string][]float64)
	for _, r := range rows {
		names = words.AddOnce(names, r.Dataset)
		for _, s := range sizes {
			if i, ok := r.At(s); ok {
				excess[r.Dataset] = append(excess[r.Dataset], r.Error[i]-r.Validation[i])
			}
		}
	}
	for _, name := range names {
		if e := excess[name]; len(e) > 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f", name, 100*stats.Mean(e)))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"Over-fitting of the parameters (test minus validation error in percentage points, mean over rows and sizes): " +
		strings.Join(parts, ", ")}
}

const (
	// trained is the series whose cost is that of training the reference, if that is not on record.
	trained = "smo"
	// factReferenceEvals is the number of kernel evaluations that training the reference was charged.
	factReferenceEvals = "reference_kernel_evals"
)

// buildSparsification makes a row of each data set, series and size.
func buildSparsification(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
	rows := in.tradeoffRows(runs)
	g.Columns = []Column{
		named(varDataset, "Data"), named(varSeries, "Algorithm"), numbers("size", "At most"), numbers("support", "Vectors"),
		deviations("error", "Test error"),
		numbers("kernel_evals", "Kernel evals"), numbers(factReferenceEvals, "Training"), numbers("kernel_evals_ratio", "Ratio"),
		numbers("seconds", "Seconds"), numbers("reference_seconds", "Training"), numbers("seconds_ratio", "Ratio"),
	}
	for _, r := range rows {
		if r.Name == trained {
			continue
		}
		trainingEvals, trainingSeconds := training(runs, r)
		for _, s := range t.Sizes {
			i, ok := r.At(s)
			pick := r.Pick(s)
			if !ok || pick == nil {
				continue
			}
			evals, seconds := math.NaN(), math.NaN()
			if c := pick.Run.Measured().Cost[record.CostKernelEvals]; pick.Run.Counts(record.CostKernelEvals) && pick.Point < len(c) {
				evals = float64(c[pick.Point])
			}
			if along, ok := pick.Run.Seconds(); ok && pick.Point < len(along) {
				seconds = along[pick.Point]
			}
			g.add(r.StandIn, append(r.names(),
				textCell(strconv.Itoa(s)), numberCell(float64(pick.Support), 4), r.errorCell(i, in.Choice.Halvings),
				numberCell(evals, 3), numberCell(trainingEvals, 3), numberCell(evals/trainingEvals, 2),
				numberCell(seconds, 3), numberCell(trainingSeconds, 3), numberCell(seconds/trainingSeconds, 2))...)
		}
	}
	g.remarkSized(runs, in)
	errors := "Test error: " + overHalvings(in.Choice.Rule, true) + "; cost: of the classifier with the least error on all test rows"
	if in.Choice.By == selection.ByValidation {
		errors = "Test error and cost: of the classifier with the least error on validation rows"
	}
	conditions := in.conditions(runs)
	if conditions != "" {
		conditions = "Seconds: " + conditions
	}
	g.Notes = append(g.Notes, errors+"; columns: "+tablesHelp,
		joinParts("; ", "Training: of the reference SVM, which methods that approximate it need too; Ratio: method / Training", conditions))
	return runRows(rows)
}

// training returns the kernel evaluations and the seconds that training the reference of a row's
// problem took, NaN where that is not known. It is what its own runs, those of the same problem, or
// else others on its data record, or what the runs of the series that was trained took.
func training(runs []record.Run, row tradeoffRow) (evals, seconds float64) {
	data := filter(runs, func(r *record.Run) bool { return r.Dataset == row.Dataset })
	same := filter(data, func(r *record.Run) bool { return len(row.runs) == 0 || sameProblem(r, &row.runs[0]) })
	own := filter(same, func(r *record.Run) bool { return r.Series == trained })
	evals = stats.Median(observe.Each(own, observe.Total(record.CostKernelEvals)))
	pool := slices.Concat(row.runs, same, data)
	known := func(r record.Run) bool { _, ok := r.Facts[factReferenceEvals]; return ok }
	if i := slices.IndexFunc(pool, known); i >= 0 {
		evals = pool[i].Facts[factReferenceEvals]
	}
	// For the others it had been trained.
	spent := func(t record.Timing) float64 { return t.ReferenceSeconds }
	seconds = cmp.Or(longest(same, spent), longest(data, spent), stats.Median(observe.Each(own, stepSeconds)))
	return evals, seconds
}
