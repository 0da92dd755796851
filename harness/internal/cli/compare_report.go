package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stochopt/harness/internal/registry"
	"stochopt/internal/compare"
	"stochopt/internal/disk"
	"stochopt/internal/record"
	"stochopt/internal/words"
	"stochopt/plots"
	"stochopt/plots/draw"
	"stochopt/plots/table"
)

// compareRow is a line of a table: a cell with the measure that decides it, or another measure.
type compareRow struct {
	cell *compare.Cell
	// measure is nil in the row of a cell without measures.
	measure *compare.Measure
	// verdict is that of the cell in its first row, and that of the measure in others.
	verdict string
	notes   []string
}

// compareColumns are the columns of the tables of a comparison.
var compareColumns = []column[*compareRow]{
	{"data set", func(r *compareRow) any { return r.cell.Dataset }},
	{"series", func(r *compareRow) any { return r.cell.Series + r.cell.Suffix() }},
	{"pairs", func(r *compareRow) any { return number(pairs(r.cell)) }},
	{"measure", func(r *compareRow) any { return kind(r.measure) }},
	{"baseline", func(r *compareRow) any { return number(r.value(0)) }},
	{"candidate", func(r *compareRow) any { return number(r.value(1)) }},
	{"ratio", func(r *compareRow) any { return number(ratioText(r.measure)) }},
	{"verdict", func(r *compareRow) any { return r.verdict }},
}

// write writes the report in its format.
func (c *comparison) write(w io.Writer) error {
	code, text := c.outcome()
	rows := c.rows()
	columns := compareColumns
	if c.verbose {
		columns = slices.Insert(slices.Clone(columns), 7, column[*compareRow]{"p", func(r *compareRow) any { return number(pText(r.measure)) }})
	}
	switch c.format {
	case inJSON:
		return printJSON(w, struct {
			Outcome  string `json:"outcome"`
			ExitCode int    `json:"exit_code"`
			*compare.Report
		}{text, code, c.Report})
	case inCSV:
		heading := column[*compareRow]{"experiment", func(r *compareRow) any { return r.heading() }}
		return printTable(w, inCSV, rows, slices.Insert(slices.Clone(columns), 0, heading))
	}
	before, after := c.differences(), c.notes(rows)
	var b bytes.Buffer
	list := func(texts ...string) {
		for _, text := range texts {
			if c.format == inMarkdown {
				fmt.Fprintf(&b, "- %s\n", words.Markdown(strings.TrimSpace(text)))
			} else {
				fmt.Fprintln(&b, strings.Join(words.Wrap(text, table.Width, "    "), "\n"))
			}
		}
	}
	if c.format == inMarkdown {
		fmt.Fprintf(&b, "**%s**\n\n%s.\n\n", words.Markdown(text), words.Markdown(c.Counts()))
	}
	list(before...)
	for len(rows) > 0 {
		heading, n := rows[0].heading(), 1
		for n < len(rows) && rows[n].heading() == heading {
			n++
		}
		if c.format == inMarkdown {
			heading = "\n" + words.Markdown(heading) + "\n"
		}
		fmt.Fprintln(&b, heading)
		if err := printTable(&b, c.format, rows[:n], columns); err != nil {
			return err
		}
		rows = rows[n:]
	}
	if c.format == inMarkdown {
		fmt.Fprintln(&b)
	}
	list(after...)
	if c.format == inTable {
		between := "; "
		if utf8.RuneCountInString(c.Counts()+between+text) > table.Width {
			between = "\n"
		}
		fmt.Fprint(&b, c.Counts(), between)
		list(text)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// rows are the lines of the tables, those with the same heading together. Identical cells are listed
// only on demand, and so are those of one side, which the outcome or a warning names.
func (c *comparison) rows() (rows []*compareRow) {
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.OneSided() && !c.verbose {
			continue
		}
		of := []*compareRow{{cell: cell, verdict: cell.Verdict, notes: c.cellNotes(cell)}}
		for k, m := range c.shown(cell) {
			apart := m.Kind == compare.CPUSeconds && m.Verdict != cell.Verdict // a time that does not decide
			if k > 0 || apart {
				of = append(of, &compareRow{cell: cell, verdict: m.Verdict})
			}
			row := of[len(of)-1]
			row.measure = &m
			if cell.Verdict != compare.Incomparable { // whose reason repeats them
				row.notes = append(row.notes, m.Notes...)
			}
		}
		if cell.Verdict == compare.Identical && !c.verbose {
			of = of[1:] // what is left is its time
		}
		rows = append(rows, of...)
	}
	slices.SortStableFunc(rows, func(a, b *compareRow) int { return strings.Compare(a.heading(), b.heading()) })
	return rows
}

// shown returns the measures of a cell that are listed: the one that its verdict rests on, its time, and the
// others if they are asked for.
func (c *comparison) shown(cell *compare.Cell) []compare.Measure {
	isTime := func(m compare.Measure) bool { return m.Kind == compare.CPUSeconds }
	missing := func(m compare.Measure) bool { return isTime(m) && m.Verdict == compare.Incomparable } // a warning says so
	measures := slices.DeleteFunc(slices.Clone(cell.Measures), missing)
	byWeight := func(a, b compare.Measure) int { return cmp.Compare(cell.Priority(&b), cell.Priority(&a)) }
	slices.SortStableFunc(measures, byWeight)
	if !c.verbose && len(c.Options.At)+len(c.Options.Targets) == 0 {
		i := slices.IndexFunc(measures, isTime)
		if i > 0 {
			return []compare.Measure{measures[0], measures[i]}
		}
		measures = measures[:min(1, len(measures))]
	}
	return measures
}

// heading is that of the table of a row: the experiment, and what is compared.
func (r *compareRow) heading() string {
	if r.cell.Metric == "" {
		return r.cell.Experiment
	}
	return r.cell.Experiment + ": " + r.cell.Metric + " / " + r.cell.Cost
}

// pairs says how many runs are compared: pairs, or independent runs of either side.
func pairs(c *compare.Cell) string {
	if c.Pairs > 0 {
		return strconv.Itoa(c.Pairs)
	}
	return fmt.Sprintf("%d/%d", c.Baseline, c.Candidate)
}

// plainMost is the number from which on whole numbers have an exponent.
const plainMost = 1e9

// kind names a measure: at a cost, to a target, the area, or a counter or CPU seconds at the last common iteration.
func kind(m *compare.Measure) string {
	switch {
	case m == nil:
		return ""
	case m.Kind == compare.AtCost:
		return "at " + words.Whole(m.At, plainMost)
	case m.Kind == compare.ToTarget:
		return "to " + words.Whole(m.At, plainMost)
	case m.Kind == compare.Charged:
		return m.Counter
	case m.Kind == compare.CPUSeconds:
		return "CPU seconds"
	}
	return m.Kind
}

// value is the value of a side, with the number of its runs that reached a target unless all did.
func (r *compareRow) value(side int) string {
	c, m := r.cell, r.measure
	if m == nil {
		return ""
	}
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

// ratioText is a ratio with its interval.
func ratioText(m *compare.Measure) string {
	three := func(v float64) string {
		switch {
		case v == math.MaxFloat64:
			return "∞"
		case v < 0.01 || v >= 1000:
			return words.Digits(v, 2)
		}
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	switch {
	case m == nil:
		return ""
	case m.Ratio == nil:
		return "-"
	case m.Exact():
		return three(m.Ratio.Value)
	}
	return three(m.Ratio.Value) + " [" + three(m.Ratio.Lo) + ", " + three(m.Ratio.Hi) + "]"
}

// pText is the corrected p-value of a measure, "" for a measure without a test.
func pText(m *compare.Measure) string {
	if m == nil || m.Adjusted == nil {
		return ""
	}
	return words.Digits(*m.Adjusted, 2)
}

// cellNotes are remarks on a cell: what changed, why there is no verdict; all of them only if they are
// asked for.
func (c *comparison) cellNotes(cell *compare.Cell) (notes []string) {
	if len(cell.Changed) > 0 {
		notes = append(notes, "changed: "+strings.Join(cell.Changed, ", "))
	}
	notes = slices.Concat(notes, []string{cell.Choice.Change(), cell.Reason}, cell.Notes)
	if cell.StandIn {
		notes = append(notes, "STAND-IN DATA")
	}
	if c.verbose {
		notes = slices.Concat(notes, cell.Details, cell.Missing)
	}
	return slices.DeleteFunc(notes, func(note string) bool { return note == "" })
}

// notes numbers the notes of rows in their verdicts, and returns the lines below the tables: what their
// numbers are, the notes, warnings and figures.
func (c *comparison) notes(rows []*compareRow) (lines []string) {
	if slices.ContainsFunc(rows, func(r *compareRow) bool { return r.measure != nil }) {
		lines = append(lines, c.legend())
	}
	var numbered []string
	for _, r := range rows {
		var marks []int
		for _, note := range r.notes {
			numbered = words.AddOnce(numbered, note)
			marks = words.AddOnce(marks, slices.Index(numbered, note)+1)
		}
		slices.Sort(marks)
		if marks != nil {
			r.verdict += " " + strings.ReplaceAll(fmt.Sprint(marks), " ", ",")
		}
	}
	for i, note := range numbered {
		lines = append(lines, fmt.Sprintf("[%d] %s", i+1, note))
	}
	for _, n := range c.Warnings {
		lines = append(lines, "warning: "+n)
	}
	if c.Count(compare.Inconclusive) > 0 {
		lines = append(lines, "to decide, run more repeats at fresh seeds (a number fixed in advance); "+
			"adding repeats until there is a decision makes wrong decisions likely")
	}
	if len(c.figures) > 0 {
		lines = append(lines, "overlays (SVG, PDF, PNG): "+strings.Join(c.figures, ", "))
	}
	return lines
}

// legend says what the numbers of a table are.
func (c *comparison) legend() string {
	least, most := 1/(1+c.Options.Tolerance), 1+c.Options.Tolerance
	return fmt.Sprintf("baseline, candidate: geometric means over repeats, or the expected cost to a target; ratio: candidate / baseline "+
		"with the interval of its test, which is above %.4g if worse, below %.3g if better, between if equivalent", most, least)
}

// mostDifferences are listed unless all are asked for; the rest is counted.
const mostDifferences = 3

// differences are lines on runs of the same key with other bits.
func (c *comparison) differences() (lines []string) {
	if len(c.Differences) == 0 {
		return nil
	}
	heading := "SAME KEY, OTHER BITS:"
	if n, _ := c.ChangedBits(); n > 0 {
		heading += " either the algorithm changed without a new Version, or the build is broken"
	}
	lines = append(lines, heading)
	for i, d := range c.Differences {
		if i == mostDifferences && !c.verbose {
			return append(lines, fmt.Sprintf("  … and %s (-v lists them)", words.Count(len(c.Differences)-i, "more run")))
		}
		excuse := ""
		if d.Excused != "" {
			excuse = " (no regression: " + d.Excused + ")"
		}
		lines = append(lines, fmt.Sprintf("  %s: %s (key %s): %s%s", d.Experiment, d.Run, d.Key, d.What, excuse))
	}
	return lines
}

// overlays draws the curves of both sides of the cells that are not identical, a figure for each
// experiment, into a folder.
func (c *comparison) overlays(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	pairs := make(map[string][]plots.OverlayPair)
	for i := range c.Cells {
		if cell := &c.Cells[i]; (cell.Verdict != compare.Identical || c.verbose) && cell.Metric != "" {
			pairs[cell.Experiment] = append(pairs[cell.Experiment], c.overlaid(cell))
		}
	}
	for _, b := range c.base {
		of := pairs[b.Name]
		if len(of) == 0 {
			continue
		}
		if len(of) > plots.MaxOverlayPairs {
			of = of[:plots.MaxOverlayPairs]
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s: the overlay has the first %d cells; --experiment chooses others", b.Name, len(of)))
		}
		sheet := plots.Overlay{
			Catalog: registry.Looks(), ID: b.Name, Title: b.Name + ": baseline and candidate", Pairs: of, Profile: b.profile,
		}
		chart, err := sheet.Compose()
		if err != nil {
			return err
		}
		files, err := draw.Files(chart)
		if err != nil {
			return err
		}
		for _, f := range files {
			err = cmp.Or(err, disk.Write(dir, chart.ID+"."+f.Ext, f.Data))
		}
		if err != nil {
			return err
		}
		c.figures = append(c.figures, filepath.Join(dir, sheet.ID))
		c.Warnings = append(c.Warnings, chart.Warnings...)
	}
	return nil
}

// overlaid is the panel of a cell: what was compared in it.
func (c *comparison) overlaid(cell *compare.Cell) plots.OverlayPair {
	pair := plots.OverlayPair{
		Title: cell.Dataset + " · " + registry.Looks().Name(cell.Series) + cell.Suffix() + ": " + cell.Verdict,
		Panel: plots.Panel{X: cell.Cost, Y: cell.Metric, Split: cell.Split, Log: []string{"x"}},
	}
	for _, r := range cell.Base {
		pair.Baseline.Runs = append(pair.Baseline.Runs, *r)
	}
	for _, r := range cell.Cand {
		pair.Candidate.Runs = append(pair.Candidate.Runs, *r)
	}
	if cell.Metric == record.MetricSuboptimality {
		pair.Panel.Log = append(pair.Panel.Log, "y")
	}
	if cell.Cost == record.CostSupportSize {
		base, _ := named(c.base, cell.Experiment)
		cand, _ := named(c.cand, cell.Experiment)
		pair.Baseline.Choice, pair.Candidate.Choice = base.Choice, cand.Choice
		pair.Panel = plots.Panel{Draw: plots.DrawTradeoff}
	}
	return pair
}
