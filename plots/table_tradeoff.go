package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// sized reports whether the table shows classifiers of some support sizes.
func (t Table) sized() bool { return t.Kind == KindTradeoff || t.Kind == KindSparsification }

// tradeoffRow is a row of a sized table: a curve of the selection, with the runs
// it was selected from.
type tradeoffRow struct {
	halvedCurve
	runs []record.Run
	// what tells the curve from others of its series and data set.
	what string
}

// tradeoffRows lists the curves of the runs, by data set and series.
func tradeoffRows(h *analysis.Halved, runs []record.Run) []tradeoffRow {
	var rows []tradeoffRow
	var examples []record.Run
	for _, own := range halvedOf(h, runs) {
		rows = append(rows, tradeoffRow{halvedCurve: own, runs: filter(runs, own.Of)})
		examples = append(examples, own.example())
	}
	for i := range rows {
		same := filter(examples, func(r *record.Run) bool { return r.Dataset == rows[i].Dataset && r.Series == rows[i].Series })
		rows[i].what = describe(&examples[i], distinguish(same))
	}
	datasets := distinct(runs, varDataset)
	slices.SortStableFunc(rows, func(a, b tradeoffRow) int {
		if d := slices.Index(datasets, any(a.Dataset)) - slices.Index(datasets, any(b.Dataset)); d != 0 {
			return d
		}
		return compareSeries(a.id(), b.id())
	})
	return rows
}

func (r tradeoffRow) id() seriesID { return seriesID{r.Series, r.Algorithm} }

// head returns the cells that name a row.
func (r tradeoffRow) head() []Cell {
	data := Cell{Text: r.Dataset, Value: r.Dataset}
	if r.StandIn {
		data.Text += " (stand-in)"
	}
	return []Cell{data, {Text: joinParts(", ", DisplayName(r.Series), r.what), Value: joinParts(", ", r.Series, r.what)}}
}

// bestMark marks the least error of a data set at a size.
const bestMark = "*"

// buildTradeoff makes a row of each data set and series.
func buildTradeoff(g *Grid, t Table, runs []record.Run, ms measures) ([]tableRow, error) {
	if err := halvedWhere(ms.halved, t.Where); err != nil {
		return nil, err
	}
	g.Columns = []Column{{ID: varDataset, Title: "Data"}, {ID: varSeries, Title: "Algorithm"}}
	for _, s := range t.Sizes {
		size := strconv.Itoa(s)
		g.Columns = append(g.Columns,
			Column{ID: "error_" + size, Title: "Error at " + size, Numeric: true, Spread: spreadDeviation},
			Column{ID: "size_" + size, CSVOnly: true})
		if t.Validation {
			g.Columns = append(g.Columns, Column{ID: "validation_" + size, Title: "Valid.", Numeric: true})
		}
	}
	rows := tradeoffRows(ms.halved, runs)
	best := make(map[string]float64)
	key := func(r tradeoffRow, size int) string { return r.Dataset + "\x00" + strconv.Itoa(size) }
	for _, r := range rows {
		for _, s := range t.Sizes {
			if i, ok := r.At(s); ok {
				if b, ok := best[key(r, s)]; !ok || r.Error[i] < b {
					best[key(r, s)] = r.Error[i]
				}
			}
		}
	}
	var shown []tableRow
	short, absent := false, false
	for _, r := range rows {
		cells := r.head()
		for _, s := range t.Sizes {
			i, ok := r.At(s)
			if !ok {
				absent = true
				cells = append(cells, missing, missing)
				if t.Validation {
					cells = append(cells, missing)
				}
				continue
			}
			c := r.errorCell(i, ms.halved.Options.Count)
			if t.Validation { // a table of both is wide
				c.Text = percent(r.Error[i])
			}
			if s > r.Most {
				c.Text += fmt.Sprintf(" at %d", r.Most)
				short = true
			}
			if r.Error[i] == best[key(r, s)] {
				c.Text += bestMark
			}
			size := strconv.Itoa(min(s, r.Most))
			cells = append(cells, c, Cell{Text: size, Value: size})
			if t.Validation {
				cells = append(cells, Cell{Text: percent(r.Validation[i]), Value: exact(r.Validation[i])})
			}
		}
		g.Rows = append(g.Rows, cells)
		g.StandIn = append(g.StandIn, r.StandIn)
		shown = append(shown, tableRow{r.id(), r.runs})
	}
	g.Remarks = append(g.Remarks, lostNotes(runs, ms.halved.Options.Tune)...)
	spread := ", ± standard deviation over halvings"
	if t.Validation || ms.halved.Options.Count < 2 {
		spread = ""
	}
	g.Notes = append(g.Notes, fmt.Sprintf("Error at s: test error of what is chosen for s support vectors: %s%s; * the least of the data set", selectedBy(ms.halved.Options, runs), spread))
	if short {
		g.Notes = append(g.Notes, "x % at s: the method has no classifier of more than s support vectors")
	}
	if absent {
		g.Notes = append(g.Notes, "-: the method has no classifier of so few support vectors, or none at all")
	}
	g.Notes = append(g.Notes, sizedNotes(runs)...)
	if t.Validation {
		g.Notes = append(g.Notes, "Valid.: error on the half that the choice was made on")
	}
	g.Notes = append(g.Notes, referenceNotes(runs)...)
	g.Notes = append(g.Notes, optimism(rows, t.Sizes)...)
	return shown, nil
}

// errorCell shows the error at the i-th size.
func (r tradeoffRow) errorCell(i, halvings int) Cell {
	c := Cell{Text: percent(r.Error[i]), Value: exact(r.Error[i])}
	if halvings > 1 {
		c.Text = strconv.FormatFloat(100*r.Error[i], 'f', 2, 64) + " ± " + strconv.FormatFloat(100*r.SD[i], 'f', 2, 64) + " %"
		c.Spread = exact(r.SD[i])
	}
	return c
}

// referenceNotes give the error and the support of the reference by data set.
func referenceNotes(runs []record.Run) []string {
	var notes []string
	for _, v := range distinct(runs, varDataset) {
		of := filter(runs, func(r *record.Run) bool { return r.Dataset == v })
		for _, r := range referencesOf(of) {
			n := fmt.Sprintf("%s on %s: error %s with %s support vectors", referenceName, joinParts(", ", format(v), r.what), percent(r.error), strings.TrimSuffix(strconv.FormatFloat(r.support, 'f', 1, 64), ".0"))
			if r.repeats > 1 {
				n += fmt.Sprintf(", mean of %d repeats", r.repeats)
			}
			notes = append(notes, n)
		}
	}
	return notes
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
			parts = append(parts, fmt.Sprintf("%s %s", name, strconv.FormatFloat(100*sum[name]/n, 'f', 2, 64)))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"Over-fitting of the parameters, as test less validation error in percentage points, mean over rows and sizes: " + strings.Join(parts, ", ")}
}

// selectedBy says how the classifiers were chosen.
func selectedBy(o analysis.HalvingOptions, runs []record.Run) string {
	return facts{halvings: o.Count, tuned: tunedIn(runs, o.Tune), over: o.Over}.selected()
}

// sizedNotes are the notes that a figure of the same runs has too.
func sizedNotes(runs []record.Run) []string {
	return slices.DeleteFunc([]string{oneClassNote(runs), biasNote(runs)}, func(n string) bool { return n == "" })
}

// defaultTrained is the series whose training others are compared to.
const defaultTrained = "smo"

// factReferenceEvals is the number of kernel evaluations that training the
// reference was charged.
const factReferenceEvals = "reference_kernel_evals"

// buildSparsification makes a row of each data set, series and size.
func buildSparsification(g *Grid, t Table, runs []record.Run, ms measures) ([]tableRow, error) {
	if err := halvedWhere(ms.halved, t.Where); err != nil {
		return nil, err
	}
	trained := t.Reference
	if trained == "" {
		trained = defaultTrained
	}
	g.Columns = []Column{
		{ID: varDataset, Title: "Data"}, {ID: varSeries, Title: "Algorithm"},
		{ID: "size", Title: "At most", Numeric: true}, {ID: "support", Title: "Vectors", Numeric: true},
		{ID: "error", Title: "Test error", Numeric: true, Spread: spreadDeviation},
		{ID: "kernel_evals", Title: "Kernel evals", Numeric: true},
		{ID: "reference_kernel_evals", Title: "Training", Numeric: true},
		{ID: "kernel_evals_ratio", Title: "Ratio", Numeric: true},
		{ID: "seconds", Title: "Seconds", Numeric: true},
		{ID: "reference_seconds", Title: "Training", Numeric: true},
		{ID: "seconds_ratio", Title: "Ratio", Numeric: true},
	}
	var shown []tableRow
	for _, r := range tradeoffRows(ms.halved, runs) {
		shown = append(shown, tableRow{r.id(), r.runs})
		if r.Series == trained {
			continue
		}
		training := trainingOf(runs, r, trained, ms)
		sizes := t.Sizes
		if len(sizes) == 0 && r.Most > 0 {
			sizes = []int{r.Most}
		}
		for _, s := range sizes {
			i, ok := r.At(s)
			pick, found := r.Pick(s)
			if !ok || !found {
				continue
			}
			evals, seconds := math.NaN(), math.NaN()
			if c := pick.Run.Curve; c.Counts("kernel_evals") && pick.Point < len(c.Cost["kernel_evals"]) {
				evals = float64(c.Cost["kernel_evals"][pick.Point])
			}
			if along, ok := ms.timings.Seconds(pick.Run); ok && pick.Point < len(along) {
				seconds = along[pick.Point]
			}
			size := strconv.Itoa(s)
			g.Rows = append(g.Rows, append(r.head(),
				Cell{Text: size, Value: size}, numberCell(float64(pick.Support), 4), r.errorCell(i, ms.halved.Options.Count),
				known(evals, 3), known(training.evals, 3), known(evals/training.evals, 2),
				known(seconds, 3), known(training.seconds, 3), known(seconds/training.seconds, 2)))
			g.StandIn = append(g.StandIn, r.StandIn)
		}
	}
	g.Remarks = append(g.Remarks, lostNotes(runs, ms.halved.Options.Tune)...)
	among := "among the runs' classifiers with the most vectors up to so many"
	if ms.halved.Options.Over == analysis.OverAny {
		among = "among all classifiers of at most so many"
	}
	g.Notes = append(g.Notes,
		"At most: the number of support vectors asked for; Vectors: that of the classifier with the least error on the whole test split, "+among,
		"Test error: "+selectedBy(ms.halved.Options, runs),
		"Kernel evals and seconds: what the run was charged, and took, up to that classifier; a step on a vector that is already in the expansion is charged n evaluations as any other, though its row is known; seconds leave out rows that other runs had computed, unless record.alone is set",
		"Training: what training the reference SVM took; where it had been stored, or no method needed it, what the runs of "+DisplayName(trained)+" took, median over repeats; Ratio: the method's share of that, to which a method that approximates the reference comes on top",
		joinParts("; ", "seconds are measured wall time in the algorithm alone", conditions(runs, ms.timings)))
	g.Notes = append(g.Notes, sizedNotes(runs)...)
	return shown, nil
}

// training is what training the reference costs, NaN where it is not known.
type training struct{ evals, seconds float64 }

// trainingOf returns what training the reference of a row's problem cost: as its
// own runs, those of the same problem, or else others on its data record it, or as
// the runs of a series have it.
func trainingOf(runs []record.Run, row tradeoffRow, trained string, ms measures) training {
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
		if longest := ms.referenceSeconds(pool); longest > 0 {
			t.seconds = longest
			break
		}
	}
	own := filter(same, func(r *record.Run) bool { return r.Series == trained })
	if s := each(own, ms.stepSeconds); len(s) > 0 && math.IsNaN(t.seconds) {
		t.seconds = analysis.Median(s)
	}
	if e := each(own, counted("kernel_evals")); len(e) > 0 && math.IsNaN(t.evals) {
		t.evals = analysis.Median(e)
	}
	return t
}

// referenceSeconds returns the longest time that training a reference took any of
// the runs: for the others it had been trained.
func (ms measures) referenceSeconds(runs []record.Run) (longest float64) {
	for i := range runs {
		if of, ok := ms.timings.Of(runs[i]); ok {
			longest = math.Max(longest, of.ReferenceSeconds)
		}
	}
	return longest
}
