package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/compare"
	"stochopt/internal/words"
)

var compareHeader = []string{"experiment / data set / series", "repeats", "measure", "baseline", "candidate", "ratio", "p adj.", "verdict"}

// firstNumbers is the first column of compareHeader that holds numbers.
const firstNumbers = 3

// plainMost is the number from which on whole numbers have an exponent.
const plainMost = 1e9

// compareRow is a line of the table: a measure of a cell.
type compareRow struct {
	texts   []string // of the columns but the last
	verdict string
	marks   string
}

// word is the verdict as people read it, outcome that with its marks.
func (r *compareRow) word() string {
	if word, ok := verdictWords[r.verdict]; ok {
		return word
	}
	return r.verdict
}

func (r *compareRow) outcome() string { return r.word() + r.marks }

// footnotes are the notes below the table, each once.
type footnotes struct{ texts []string }

// mark returns the marks of the notes, "" if there are none.
func (f *footnotes) mark(notes []string) string {
	var marks []string
	for _, n := range notes {
		i := slices.Index(f.texts, n)
		if i < 0 {
			i = len(f.texts)
			f.texts = append(f.texts, n)
		}
		if m := strconv.Itoa(i + 1); !slices.Contains(marks, m) {
			marks = append(marks, m)
		}
	}
	if marks == nil {
		return ""
	}
	return " [" + strings.Join(marks, ",") + "]"
}

// rows are the lines of the table and the notes below it.
func (c *comparison) rows() (rows []compareRow, notes footnotes) {
	whole := c.oneSided()
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.Verdict == compare.Identical && !c.all {
			continue
		}
		if n := whole[cell.Experiment]; n > 0 {
			if i == 0 || c.Cells[i-1].Experiment != cell.Experiment {
				texts := []string{cell.Experiment + ": " + words.Count(n, "cell"), "", "", "", "", "", ""}
				rows = append(rows, compareRow{texts: texts, verdict: cell.Verdict, marks: notes.mark(cellNotes(cell))})
			}
			continue
		}
		first := compareRow{
			texts:   []string{cellName(cell), repeatsOf(cell), curveName(cell), "", "", "", ""},
			verdict: cell.Verdict, marks: notes.mark(cellNotes(cell)),
		}
		rows = append(append(rows, first), measureRows(cell, &notes)...)
	}
	return rows, notes
}

// measureRows are the lines of the measures of a cell.
func measureRows(cell *compare.Cell, notes *footnotes) (rows []compareRow) {
	for j := range cell.Measures {
		m := &cell.Measures[j]
		row := compareRow{verdict: m.Verdict, marks: notes.mark(m.Notes)}
		row.texts = []string{"", "", measured(m), reachedNumber(cell, m, 0), reachedNumber(cell, m, 1), ratioText(m), pText(m.Adjusted)}
		rows = append(rows, row)
	}
	return rows
}

// oneSided counts the cells of the experiments that one side lacks altogether, which have
// a row together.
func (c *comparison) oneSided() map[string]int {
	n, first := make(map[string]int), make(map[string]*compare.Cell)
	for i := range c.Cells {
		cell := &c.Cells[i]
		if n[cell.Experiment]++; first[cell.Experiment] == nil {
			first[cell.Experiment] = cell
		}
	}
	lacking := []string{compare.OnlyBaseline, compare.OnlyCandidate}
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.Reason != first[cell.Experiment].Reason || !slices.Contains(lacking, cell.Reason) || n[cell.Experiment] == 1 {
			delete(n, cell.Experiment)
		}
	}
	return n
}

// legend says what the numbers of a table are, or is empty if there are none.
func (c *comparison) legend(rows []compareRow) string {
	if !slices.ContainsFunc(rows, func(r compareRow) bool { return r.texts[3] != "" }) {
		return ""
	}
	text := "baseline, candidate: geometric means over repeats"
	if slices.ContainsFunc(c.Cells, func(cell compare.Cell) bool { return cell.Halvings > 0 }) {
		text += " or halvings"
	}
	if len(c.Options.Targets) > 0 {
		text += `; of "to" the expected cost`
	}
	text += fmt.Sprintf("; ratio: candidate / baseline, above 1 is worse, with its %s confidence interval", words.Digits(100*(1-c.Options.Alpha), 4)+"%")
	return text
}

// cellName is experiment/dataset/series(params).
func cellName(c *compare.Cell) string {
	name := c.Experiment + "/" + c.Dataset + "/" + c.Series
	if c.Params != "" {
		name += "(" + c.Params + ")"
	}
	return name
}

// repeatsOf says how many runs are compared, and how.
func repeatsOf(c *compare.Cell) string {
	switch {
	case c.Halvings > 0:
		return words.Count(c.Halvings, "halving")
	case c.Pairs > 0:
		return words.Count(c.Pairs, "pair")
	case c.Baseline == c.Candidate:
		return strconv.Itoa(c.Baseline) + " unpaired"
	case c.Baseline > 0 && c.Candidate > 0:
		return fmt.Sprintf("%d, %d unpaired", c.Baseline, c.Candidate)
	}
	return fmt.Sprintf("%d, %d", c.Baseline, c.Candidate)
}

// cellNotes are what is to be said of a cell: what changed, why there is no verdict.
func cellNotes(c *compare.Cell) []string {
	var notes []string
	if len(c.Changed) > 0 {
		notes = append(notes, "changed: "+strings.Join(c.Changed, ", "))
	}
	if text := c.Choice.Text(c.Measures); text != "" {
		notes = append(notes, text)
	}
	if c.Reason != "" && !slices.Contains([]string{compare.Better, compare.Worse}, c.Verdict) { // the measures say it
		notes = append(notes, c.Reason)
	}
	notes = append(notes, c.Notes...)
	if c.StandIn {
		notes = append(notes, "STAND-IN DATA")
	}
	return notes
}

// curveName says which curves of a cell were compared.
func curveName(c *compare.Cell) string {
	if c.Metric == "" || c.Cost == "" || len(c.Measures) == 0 {
		return ""
	}
	return c.Metric + " / " + c.Cost
}

// measured names a measure: at a cost, to a target, or the area.
func measured(m *compare.Measure) string {
	switch m.Kind {
	case compare.AtCost:
		return "at " + words.Whole(m.At, plainMost)
	case compare.ToTarget:
		return "to " + words.Whole(m.At, plainMost)
	}
	return m.Kind
}

// reachedNumber is the value of a side, with the part of its runs that reached a
// target unless it is all.
func reachedNumber(c *compare.Cell, m *compare.Measure, side int) string {
	v, runs := m.Baseline, c.Baseline
	if side == 1 {
		v, runs = m.Candidate, c.Candidate
	}
	if c.Pairs > 0 {
		runs = c.Pairs
	}
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
		if v != 0 && (v < 0.01 || v >= 1000) {
			return words.Digits(v, 3)
		}
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	if m.Exact() {
		return three(r.Value)
	}
	return three(r.Value) + " [" + three(r.Lo) + ", " + three(r.Hi) + "]"
}

func pText(p *float64) string {
	switch {
	case p == nil:
		return "-"
	case *p < 0.001:
		return "<0.001"
	}
	return strconv.FormatFloat(*p, 'f', 3, 64)
}
