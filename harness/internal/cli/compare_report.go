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
	// measure is nil if the cell has none. Only the first row of a cell has the cell's verdict.
	measure *compare.Measure
	first   bool
	notes   []string
	// marks are the numbers of the notes.
	marks []int
}

// write writes the report in its format.
func (c *comparison) write(w io.Writer) error {
	code, text := c.outcome()
	rows := c.rows()
	switch c.format {
	case inJSON:
		return printJSON(w, struct {
			Outcome  string `json:"outcome"`
			ExitCode int    `json:"exit_code"`
			*compare.Report
		}{text, code, c.Report})
	case inCSV:
		heading := column[*compareRow]{"experiment", func(r *compareRow) any { return r.heading() }}
		return printTable(w, inCSV, rows, slices.Insert(c.columns(), 0, heading))
	}
	lines := c.differences()
	notes := c.notes(rows)
	print := func(w io.Writer, texts ...string) {
		for _, text := range texts {
			fmt.Fprintln(w, strings.Join(words.Wrap(text, table.Width, "    "), "\n"))
		}
	}
	if c.format == inMarkdown {
		fmt.Fprintf(w, "**%s**\n\n%s.\n\n", words.Markdown(text), words.Markdown(c.Counts()))
		print = func(w io.Writer, texts ...string) {
			for _, text := range texts {
				fmt.Fprintf(w, "- %s\n", words.Markdown(strings.TrimSpace(text)))
			}
		}
	}
	var b bytes.Buffer
	print(&b, lines...)
	for len(rows) > 0 {
		heading := rows[0].heading()
		n := slices.IndexFunc(rows, func(r *compareRow) bool { return r.heading() != heading })
		if n < 0 {
			n = len(rows)
		}
		if c.format == inMarkdown {
			heading = "\n" + words.Markdown(heading) + "\n"
		}
		fmt.Fprintln(&b, heading)
		if err := printTable(&b, c.format, rows[:n], c.columns()); err != nil {
			return err
		}
		rows = rows[n:]
	}
	if c.format == inMarkdown {
		fmt.Fprintln(&b)
	}
	print(&b, notes...)
	if c.format == inTable {
		between := "; "
		if utf8.RuneCountInString(c.Counts()+between+text) > table.Width {
			between = "\n"
		}
		fmt.Fprint(&b, c.Counts(), between)
		print(&b, text)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// columns are those of the tables of a comparison.
func (c *comparison) columns() []column[*compareRow] {
	people := c.format != inCSV
	once := func(text func(*compare.Cell) string) func(*compareRow) string {
		return func(r *compareRow) string {
			if people && !r.first {
				return ""
			}
			return text(r.cell)
		}
	}
	dataset, series, pairs := once(func(c *compare.Cell) string { return c.Dataset }), once(seriesName), once(pairs)
	measured := func(text func(*compareRow) string) func(*compareRow) any {
		return func(r *compareRow) any {
			if r.measure == nil {
				return number("")
			}
			return number(text(r))
		}
	}
	return []column[*compareRow]{
		{"data set", func(r *compareRow) any { return dataset(r) }},
		{"series", func(r *compareRow) any { return series(r) }},
		{"pairs", func(r *compareRow) any { return number(pairs(r)) }},
		{"measure", func(r *compareRow) any { return r.kind() }},
		{"baseline", measured(func(r *compareRow) string { return r.value(0) })},
		{"candidate", measured(func(r *compareRow) string { return r.value(1) })},
		{"ratio", measured(func(r *compareRow) string { return ratioText(r.measure, c.verbose) })},
		{"verdict", func(r *compareRow) any { return r.verdict(people) }},
	}
}

// rows are the lines of the tables, those with the same heading together. Identical cells are listed
// only on demand, and so are those of one side, which the outcome or a warning names.
func (c *comparison) rows() (rows []*compareRow) {
	var headings []string
	for i := range c.Cells {
		cell := &c.Cells[i]
		if (cell.Verdict == compare.Identical || cell.OneSided()) && !c.verbose {
			continue
		}
		first := &compareRow{cell: cell, first: true, notes: c.cellNotes(cell)}
		of := []*compareRow{first}
		for k, m := range c.shown(cell) {
			if k > 0 {
				of = append(of, &compareRow{cell: cell})
			}
			of[k].measure = &m
			if cell.Verdict != compare.Incomparable { // whose reason repeats them
				of[k].notes = append(of[k].notes, m.Notes...)
			}
		}
		headings = words.AddOnce(headings, first.heading())
		rows = append(rows, of...)
	}
	slices.SortStableFunc(rows, func(a, b *compareRow) int {
		return cmp.Compare(slices.Index(headings, a.heading()), slices.Index(headings, b.heading()))
	})
	return rows
}

// shown returns the measures of a cell that are listed: the one that its verdict rests on, and then the
// others if they are asked for.
func (c *comparison) shown(cell *compare.Cell) []compare.Measure {
	measures := slices.Clone(cell.Measures)
	byWeight := func(a, b compare.Measure) int { return cmp.Compare(cell.Weight(&b), cell.Weight(&a)) }
	slices.SortStableFunc(measures, byWeight)
	if !c.verbose && len(c.Options.At)+len(c.Options.Targets) == 0 {
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

// verdict is that of the cell or of a further measure.
func (r *compareRow) verdict(people bool) string {
	text := r.cell.Verdict
	if !r.first {
		text = r.measure.Verdict
	}
	if !people {
		return text
	}
	text = strings.Replace(text, compare.Inconclusive, "~", 1)
	if r.marks != nil {
		text += " " + strings.ReplaceAll(fmt.Sprint(r.marks), " ", ",")
	}
	return text
}

// seriesName is "series (params)".
func seriesName(c *compare.Cell) string {
	if c.Params == "" {
		return c.Series
	}
	return c.Series + " (" + strings.ReplaceAll(c.Params, ";", ", ") + ")"
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

// kind names a measure: at a cost, to a target, the area, or a counter at the last common iteration.
func (r *compareRow) kind() string {
	m := r.measure
	switch {
	case m == nil:
		return ""
	case m.Kind == compare.AtCost:
		return "at " + words.Whole(m.At, plainMost)
	case m.Kind == compare.ToTarget:
		return "to " + words.Whole(m.At, plainMost)
	case m.Kind == compare.Charged:
		return m.Counter
	}
	return m.Kind
}

// value is the value of a side, with the number of its runs that reached a target unless all did.
func (r *compareRow) value(side int) string {
	c, m := r.cell, r.measure
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

// ratioText is a ratio with its interval and, if asked for, its p-value.
func ratioText(m *compare.Measure, withP bool) string {
	text := "-"
	if r := m.Ratio; r != nil {
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
		text = three(r.Value)
		if !m.Exact() {
			text += " [" + three(r.Lo) + ", " + three(r.Hi) + "]"
		}
	}
	if withP && m.Adjusted != nil {
		text += ", p " + words.Digits(*m.Adjusted, 2)
	}
	return text
}

// cellNotes are remarks on a cell: what changed, why there is no verdict; all of them only if they are
// asked for.
func (c *comparison) cellNotes(cell *compare.Cell) (notes []string) {
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

// notes numbers the notes of rows, and returns the lines below the tables: what their numbers are, the
// notes, warnings and figures.
func (c *comparison) notes(rows []*compareRow) (lines []string) {
	if slices.ContainsFunc(rows, func(r *compareRow) bool { return r.measure != nil }) {
		lines = append(lines, c.legend(rows))
	}
	var numbered []string
	for _, r := range rows {
		for _, note := range r.notes {
			numbered = words.AddOnce(numbered, note)
			r.marks = words.AddOnce(r.marks, slices.Index(numbered, note)+1)
		}
		slices.Sort(r.marks)
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
func (c *comparison) legend(rows []*compareRow) string {
	text := "baseline, candidate: geometric means over repeats"
	if len(c.Options.Targets) > 0 {
		text += `; of "to" the expected cost`
	}
	if slices.ContainsFunc(rows, func(r *compareRow) bool { return r.cell.Pairs == 0 }) {
		text += "; pairs n/m: independent runs of the two sides"
	}
	least, most := 1/(1+c.Options.Tolerance), 1+c.Options.Tolerance
	return text + fmt.Sprintf("; ratio: candidate / baseline with the interval of its test, "+
		"which is above %.4g if worse, below %.3g if better, between if equivalent", most, least)
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
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for _, f := range files {
			if err := disk.Write(dir, chart.ID+"."+f.Ext, f.Data); err != nil {
				return err
			}
		}
		c.figures = append(c.figures, filepath.Join(dir, sheet.ID))
		c.Warnings = append(c.Warnings, chart.Warnings...)
	}
	return nil
}

// overlaid is the panel of a cell: what was compared in it.
func (c *comparison) overlaid(cell *compare.Cell) plots.OverlayPair {
	runs := func(of []*record.Run) (runs []record.Run) {
		for _, r := range of {
			runs = append(runs, *r)
		}
		return runs
	}
	looks := *cell
	looks.Series = registry.Looks().Name(cell.Series)
	pair := plots.OverlayPair{
		Title:    cell.Dataset + " · " + seriesName(&looks) + ": " + cell.Verdict,
		Panel:    plots.Panel{X: cmp.Or(cell.Cost, "iterations"), Y: cell.Metric, Split: cell.Split, Log: []string{"x"}},
		Baseline: plots.OverlaySide{Runs: runs(cell.Base)}, Candidate: plots.OverlaySide{Runs: runs(cell.Cand)},
	}
	if cell.Metric == record.MetricSuboptimality {
		pair.Panel.Log = append(pair.Panel.Log, "y")
	}
	if cell.Cost == compare.TradeoffCost {
		base, _ := named(c.base, cell.Experiment)
		cand, _ := named(c.cand, cell.Experiment)
		pair.Baseline.Choice, pair.Candidate.Choice = base.Choice, cand.Choice
		pair.Panel = plots.Panel{Draw: plots.DrawTradeoff}
	}
	return pair
}
