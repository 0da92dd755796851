package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/compare"
	"stochopt/internal/words"
)

// compareRow is a line of the table: a cell, or a measure of one.
type compareRow struct {
	cell, repeats, measure string
	// numbers are the baseline, the candidate, the ratio and the p-value.
	numbers        [4]string
	verdict, marks string
}

// ratioColumn is the one of a row's numbers that is the ratio.
const ratioColumn = 2

// plainMost is the number from which on whole numbers have an exponent.
const plainMost = 1e9

// outcome is the verdict as people read it, with its marks.
func (r *compareRow) outcome() string {
	if r.verdict == compare.Inconclusive {
		return "~" + r.marks
	}
	return r.verdict + r.marks
}

// footnotes are the notes below the table, each once.
type footnotes []string

// mark returns the marks of notes, "" if there are none.
func (f *footnotes) mark(notes []string) string {
	var marks []string
	for _, n := range notes {
		*f = words.AddOnce(*f, n)
		marks = words.AddOnce(marks, strconv.Itoa(slices.Index(*f, n)+1))
	}
	if marks == nil {
		return ""
	}
	return " [" + strings.Join(marks, ",") + "]"
}

// rows are the lines of the table and the notes below it. An experiment that one side lacks has one
// line.
func (c *comparison) rows() (rows []compareRow, notes footnotes) {
	cells := make(map[string]int)
	for i := range c.Cells {
		cells[c.Cells[i].Experiment]++
	}
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.Verdict == compare.Identical && !c.all {
			continue
		}
		row := compareRow{cell: cell.Experiment + ": " + words.Count(cells[cell.Experiment], "cell"), verdict: cell.Verdict}
		if cells[cell.Experiment] > 1 && c.lacks(cell.Experiment) {
			if i == 0 || c.Cells[i-1].Experiment != cell.Experiment {
				row.marks = notes.mark(cellNotes(cell))
				rows = append(rows, row)
			}
			continue
		}
		row.cell, row.repeats, row.marks = cellName(cell), repeatsOf(cell), notes.mark(cellNotes(cell))
		if len(cell.Measures) > 0 && cell.Metric != "" && cell.Cost != "" {
			row.measure = cell.Metric + " / " + cell.Cost
		}
		rows = append(rows, row)
		for j := range cell.Measures {
			m := &cell.Measures[j]
			numbers := [4]string{valueOf(cell, m, 0), valueOf(cell, m, 1), ratioText(m), pText(m.Adjusted)}
			marks := notes.mark(m.Notes)
			rows = append(rows, compareRow{measure: measured(m), numbers: numbers, verdict: m.Verdict, marks: marks})
		}
	}
	return rows, notes
}

// lacks reports whether one side lacks an experiment.
func (c *comparison) lacks(experiment string) bool {
	_, inBase := named(c.base, experiment)
	_, inCand := named(c.cand, experiment)
	return !inBase || !inCand
}

// legend says what the numbers of a table are.
func (c *comparison) legend() string {
	text := "baseline, candidate: geometric means over repeats"
	if slices.ContainsFunc(c.Cells, func(cell compare.Cell) bool { return cell.Halvings > 0 }) {
		text += " or halvings"
	}
	if len(c.Options.Targets) > 0 {
		text += `; of "to" the expected cost`
	}
	level := words.Digits(100*(1-c.Options.Alpha), 4) + "%"
	return text + "; ratio: candidate / baseline, above 1 is worse, with its " + level + " confidence interval"
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

// cellNotes are remarks on a cell: what changed, why there is no verdict.
func cellNotes(c *compare.Cell) []string {
	var notes []string
	if len(c.Changed) > 0 {
		notes = append(notes, "changed: "+strings.Join(c.Changed, ", "))
	}
	if text := c.Choice.Text(c.Measures); text != "" {
		notes = append(notes, text)
	}
	if c.Reason != "" {
		notes = append(notes, c.Reason)
	}
	notes = append(notes, c.Notes...)
	if c.StandIn {
		notes = append(notes, "STAND-IN DATA")
	}
	return notes
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
