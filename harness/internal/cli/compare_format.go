package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/results"
	"stochopt/results/compare"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// write writes the report in a format.
func (c *comparison) write(w io.Writer, format string, coloured bool) error {
	switch format {
	case "json":
		return printJSON(w, struct {
			Outcome  string `json:"outcome"`
			ExitCode int    `json:"exit_code"`
			*compare.Report
		}{c.words(), c.code(), c.Report})
	case "csv":
		return c.writeCSV(w)
	case "markdown":
		return c.writeMarkdown(w)
	}
	return c.writeTable(w, coloured)
}

// Verdicts in words for people; what is not listed is as it is.
var verdictWords = map[string]string{compare.Inconclusive: "~"}

// ANSI colours of the verdicts that want attention.
var verdictColours = map[string]string{
	compare.Worse: "\x1b[31m", compare.Better: "\x1b[32m", compare.Incomparable: "\x1b[33m",
}

const colourOff = "\x1b[0m"

var compareHeader = []string{"experiment / data set / series", "repeats", "measure", "baseline", "candidate", "ratio", "p adj.", "verdict"}

// compareRow is a line of the table: a measure of a cell.
type compareRow struct {
	texts   []string // of the columns but the last
	verdict string
	marks   string
}

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
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.Verdict == compare.Identical && !c.all {
			continue
		}
		first := compareRow{
			texts:   []string{cellName(cell), repeatsOf(cell), curveName(cell), "", "", "", ""},
			verdict: cell.Verdict, marks: notes.mark(cellNotes(cell)),
		}
		rows = append(rows, first)
		for j := range cell.Measures {
			m := &cell.Measures[j]
			row := compareRow{verdict: m.Verdict, marks: notes.mark(measureNotes(cell, m))}
			row.texts = []string{"", "", measured(m), reachedNumber(cell, m, 0), reachedNumber(cell, m, 1), ratioText(m.Ratio), pText(m.Adjusted)}
			rows = append(rows, row)
		}
	}
	return rows, notes
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
		return plural(c.Halvings, "halving")
	case c.Pairs > 0:
		return plural(c.Pairs, "pair")
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
	if c.Reason != "" && !slices.Contains([]string{compare.Better, compare.Worse}, c.Verdict) { // the measures say it
		notes = append(notes, c.Reason)
	}
	notes = append(notes, c.Notes...)
	if c.StandIn {
		notes = append(notes, "STAND-IN DATA")
	}
	return notes
}

// measureNotes are what is to be said of a measure that the cell's reason does not say.
func measureNotes(c *compare.Cell, m *compare.Measure) []string {
	notes := slices.Clone(m.Notes)
	if m.Needed > 0 && m.Verdict == compare.Inconclusive && c.Reason == "" {
		notes = append(notes, fmt.Sprintf("needs about %d repeats", m.Needed))
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
		return "at " + shortNumber(m.At)
	case compare.ToTarget:
		return "to " + shortNumber(m.At)
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
		text = shortNumber(*v)
	}
	if m.Reached != nil && m.Reached[side] < runs {
		text += fmt.Sprintf(" (%d of %d)", m.Reached[side], runs)
	}
	return text
}

// shortNumber is v to four digits.
func shortNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e9 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

func ratioText(r *results.Interval) string {
	if r == nil {
		return "-"
	}
	three := func(v float64) string {
		if v != 0 && (v < 0.01 || v >= 1000) {
			return strconv.FormatFloat(v, 'g', 3, 64)
		}
		return strconv.FormatFloat(v, 'f', 3, 64)
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

// writeTable writes the report for a terminal.
func (c *comparison) writeTable(w io.Writer, coloured bool) error {
	p := &printer{w: w}
	c.writeDifferences(p, "")
	rows, notes := c.rows()
	if len(rows) > 0 && p.err == nil {
		p.err = renderRows(w, renderer.NewBlueprint(), rows, func(s string) string { return s }, coloured)
	}
	for i, n := range notes.texts {
		p.printf("[%d] %s\n", i+1, n)
	}
	for _, n := range c.Warnings {
		p.printf("warning: %s\n", n)
	}
	if len(c.figures) > 0 {
		p.printf("overlays (SVG, PDF, PNG): %s\n", strings.Join(c.figures, ", "))
	}
	p.printf("%s; %s\n", c.counts(), c.words())
	return p.err
}

// writeMarkdown writes the report as a comment on a change.
func (c *comparison) writeMarkdown(w io.Writer) error {
	escape := strings.NewReplacer("|", `\|`, "\n", " ", "*", `\*`, "~", `\~`, "_", `\_`).Replace
	p := &printer{w: w}
	p.printf("**%s**\n\n%s.\n\n", escape(c.words()), escape(c.counts()))
	c.writeDifferences(p, "- ")
	if len(c.Differences) > 0 {
		p.printf("\n")
	}
	rows, notes := c.rows()
	if len(rows) > 0 && p.err == nil {
		p.err = renderRows(w, renderer.NewMarkdown(), rows, escape, false)
	}
	for i, n := range notes.texts {
		p.printf("\n- [%d] %s", i+1, escape(n))
	}
	for _, n := range c.Warnings {
		p.printf("\n- warning: %s", escape(n))
	}
	if len(notes.texts)+len(c.Warnings) > 0 {
		p.printf("\n")
	}
	return p.err
}

// mostDifferences are listed; the rest is counted.
const mostDifferences = 20

func (c *comparison) writeDifferences(p *printer, bullet string) {
	for i, d := range c.Differences {
		if i == mostDifferences {
			p.printf("%s… and %d more runs with the same key and other bits (--format json lists all)\n", bullet, len(c.Differences)-i)
			break
		}
		excuse := ""
		if d.Excused != "" {
			excuse = " (no regression: " + d.Excused + ")"
		}
		p.printf("%sSAME KEY, OTHER BITS: %s: %s (key %s): %s%s\n", bullet, d.Experiment, d.Run, d.Key, d.What, excuse)
	}
	if c.regressions() > 0 {
		p.printf("%sthe same computation gave something else: either it was changed and the algorithm's Version was not raised, or the build is broken\n", bullet)
	}
}

// counts counts the cells by verdict.
func (c *comparison) counts() string {
	var parts []string
	for _, v := range []string{compare.Identical, compare.Equivalent, compare.Better, compare.Worse, compare.Inconclusive, compare.Incomparable} {
		if n := c.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return plural(len(c.Cells), "cell") + ": " + strings.Join(parts, ", ")
}

func renderRows(w io.Writer, r tw.Renderer, rows []compareRow, escape func(string) string, coloured bool) error {
	left, right := tw.AlignLeft, tw.AlignRight
	t := tablewriter.NewTable(w,
		tablewriter.WithRenderer(r),
		tablewriter.WithEastAsian(tw.Off), // whatever the locale
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithAlignment(tw.Alignment{left, left, left, right, right, right, right, left}),
	)
	t.Header(compareHeader)
	for _, row := range rows {
		cells := make([]string, 0, len(compareHeader))
		for _, text := range row.texts {
			cells = append(cells, escape(text))
		}
		verdict := row.verdict
		if word, ok := verdictWords[verdict]; ok {
			verdict = word
		}
		verdict = escape(verdict)
		if on := verdictColours[row.verdict]; coloured && on != "" {
			verdict = on + verdict + colourOff
		}
		if err := t.Append(append(cells, verdict+escape(row.marks))); err != nil {
			return err
		}
	}
	return t.Render()
}

// printer prints until the first error, which it keeps.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
