package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/compare"
	"stochopt/internal/words"
)

// compareRow is a line of the table: a cell with the measure that decides it, or another measure.
// Those of one heading, of the same experiment, metric and cost, are in one table.
type compareRow struct {
	// heading is that of the table. Only the first row of a cell has its data set, series and pairs.
	heading, dataset, series, pairs, measure, baseline, candidate, ratio string
	// verdict has the marks of the notes.
	verdict string
	notes   []string
}

// plainMost is the number from which on whole numbers have an exponent.
const plainMost = 1e9

// rows are the lines of the tables, by their headings. Identical cells are listed only on demand, and
// so are those of one side, which the outcome or a warning names.
func (c *comparison) rows() (tables [][]*compareRow) {
	at := make(map[string]int)
	for i := range c.Cells {
		cell := &c.Cells[i]
		if (cell.Verdict == compare.Identical || cell.OneSided()) && !c.verbose {
			continue
		}
		first := &compareRow{
			heading: cell.Experiment, dataset: cell.Dataset, series: seriesName(cell), pairs: pairsOf(cell),
			verdict: cell.Verdict, notes: c.notes(cell),
		}
		rows := []*compareRow{first}
		if cell.Metric != "" {
			first.heading += ": " + cell.Metric + " / " + cell.Cost
		}
		for k, m := range c.shown(cell) {
			if k > 0 {
				rows = append(rows, &compareRow{heading: first.heading, verdict: m.Verdict})
			}
			r := rows[k]
			r.measure, r.baseline, r.candidate, r.ratio = measured(&m), valueOf(cell, &m, 0), valueOf(cell, &m, 1), ratioText(&m)
			if c.verbose && m.Adjusted != nil {
				r.ratio += ", p " + words.Digits(*m.Adjusted, 2)
			}
			if cell.Verdict != compare.Incomparable { // whose reason repeats them
				r.notes = append(r.notes, m.Notes...)
			}
		}
		for _, r := range rows {
			r.verdict = strings.Replace(r.verdict, compare.Inconclusive, "~", 1)
		}
		if cell.Rare > 0 {
			first.verdict += fmt.Sprintf(" (≤%.0f%%)", 100*cell.Rare)
		}
		if _, ok := at[first.heading]; !ok {
			at[first.heading], tables = len(tables), append(tables, nil)
		}
		table := &tables[at[first.heading]]
		*table = append(*table, rows...)
	}
	return tables
}

// shown returns the measures of a cell that are listed: the one that its verdict rests on, and then the
// others if they are asked for.
func (c *comparison) shown(cell *compare.Cell) []compare.Measure {
	measures := slices.Clone(cell.Measures)
	byWeight := func(a, b compare.Measure) int { return cmp.Compare(weight(cell, &b), weight(cell, &a)) }
	slices.SortStableFunc(measures, byWeight)
	if !c.verbose && len(c.Options.At)+len(c.Options.Targets) == 0 {
		measures = measures[:min(1, len(measures))]
	}
	return measures
}

// weight orders the measures of a cell: those with its verdict come first, and of these the area, or of
// equivalent ones that whose ratio is furthest from 1.
func weight(c *compare.Cell, m *compare.Measure) float64 {
	switch {
	case m.Verdict != c.Verdict:
		return 0
	case m.Verdict == compare.Inconclusive && m.Beyond:
		return 3
	case m.Verdict == compare.Equivalent && m.Ratio != nil:
		return 1 + math.Abs(math.Log(m.Ratio.Value))
	case m.Kind == compare.Area:
		return 2
	}
	return 1
}

// mark numbers the notes of rows, and returns them as lines, each once. What all cells share has no
// number.
func mark(rows []*compareRow) (lines []string) {
	var shared, numbered []string
	if len(rows) > 1 {
		shared = slices.Clone(rows[0].notes)
	}
	for _, r := range rows {
		own := func(note string) bool { return r.series != "" && !slices.Contains(r.notes, note) }
		shared = slices.DeleteFunc(shared, own)
	}
	for _, note := range shared {
		lines = words.AddOnce(lines, "all rows: "+note)
	}
	for _, r := range rows {
		var marks []string
		for _, note := range r.notes {
			if !slices.Contains(shared, note) {
				numbered = words.AddOnce(numbered, note)
				marks = words.AddOnce(marks, strconv.Itoa(slices.Index(numbered, note)+1))
			}
		}
		if marks != nil {
			r.verdict += " [" + strings.Join(marks, ",") + "]"
		}
	}
	for i, note := range numbered {
		lines = append(lines, fmt.Sprintf("[%d] %s", i+1, note))
	}
	return lines
}

// legend says what the numbers of a table are.
func (c *comparison) legend(rows []*compareRow) string {
	text := "baseline, candidate: geometric means over repeats"
	if slices.ContainsFunc(c.Cells, func(cell compare.Cell) bool { return cell.Halvings > 0 }) {
		text += " or halvings"
	}
	if len(c.Options.Targets) > 0 {
		text += `; of "to" the expected cost`
	}
	if slices.ContainsFunc(rows, func(r *compareRow) bool { return strings.Contains(r.pairs, "/") }) {
		text += "; pairs n/m: independent runs of the two sides"
	}
	if slices.ContainsFunc(c.Cells, func(cell compare.Cell) bool { return cell.Rare > 0 }) {
		text += "; (≤…%): the highest rate of rare events that all pairs may have missed"
	}
	least, most := 1/(1+c.Options.Tolerance), 1+c.Options.Tolerance
	return text + fmt.Sprintf("; ratio: candidate / baseline with the interval of its test, which is above %.4g if worse, below %.3g if better, between if equivalent",
		most, least)
}

// seriesName is "series (params)".
func seriesName(c *compare.Cell) string {
	if c.Params == "" {
		return c.Series
	}
	return c.Series + " (" + strings.ReplaceAll(c.Params, ";", ", ") + ")"
}

// pairsOf says how many runs are compared: pairs, or independent runs of either side.
func pairsOf(c *compare.Cell) string {
	switch {
	case c.Halvings > 0:
		return words.Count(c.Halvings, "halving")
	case c.Pairs > 0:
		return strconv.Itoa(c.Pairs)
	}
	return fmt.Sprintf("%d/%d", c.Baseline, c.Candidate)
}

// notes are remarks on a cell: what changed, why there is no verdict; all of them only if they are
// asked for.
func (c *comparison) notes(cell *compare.Cell) (notes []string) {
	if len(cell.Changed) > 0 {
		notes = append(notes, "changed: "+strings.Join(cell.Changed, ", "))
	}
	measures := cell.Measures
	if !c.verbose {
		measures = nil
	}
	notes = slices.Concat(notes, []string{cell.Choice.Text(measures), cell.Reason}, cell.Notes)
	if cell.StandIn {
		notes = append(notes, "STAND-IN DATA")
	}
	if c.verbose {
		notes = slices.Concat(notes, cell.Details, cell.Missing)
	}
	return slices.DeleteFunc(notes, func(note string) bool { return note == "" })
}

// measured names a measure: at a cost, to a target, the area, or a counter at the last common iteration.
func measured(m *compare.Measure) string {
	switch m.Kind {
	case compare.AtCost:
		return "at " + words.Whole(m.At, plainMost)
	case compare.ToTarget:
		return "to " + words.Whole(m.At, plainMost)
	case compare.Charged:
		return m.Counter
	}
	return m.Kind
}

// valueOf is the value of a side, with the number of its runs that reached a target unless all did.
func valueOf(c *compare.Cell, m *compare.Measure, side int) string {
	v := [2]*float64{m.Baseline, m.Candidate}[side]
	runs := cmp.Or(c.Pairs, [2]int{c.Baseline, c.Candidate}[side])
	text := "-"
	if v != nil {
		text = words.Whole(*v, plainMost)
	}
	if m.Reached != nil && m.Reached[side] < runs {
		text += fmt.Sprintf(" (%d of %d)", m.Reached[side], runs)
	}
	return text
}

func ratioText(m *compare.Measure) string {
	r := m.Ratio
	if r == nil {
		return "-"
	}
	three := func(v float64) string {
		switch {
		case v == 0:
			return "0"
		case v == math.MaxFloat64:
			return "∞"
		case v < 0.01 || v >= 1000:
			return words.Digits(v, 2)
		}
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	if m.Exact() {
		return three(r.Value)
	}
	return three(r.Value) + " [" + three(r.Lo) + ", " + three(r.Hi) + "]"
}
