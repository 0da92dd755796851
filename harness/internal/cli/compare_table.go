package cli

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/internal/compare"
	"stochopt/internal/words"
	"stochopt/plots/table"

	"github.com/olekukonko/tablewriter/renderer"
)

// compareColumns are those of a report in Markdown. In a terminal, cells, repeats and measures share
// the first one.
var compareColumns = []textColumn{
	{title: "experiment / data set / series"}, {title: "repeats"}, {title: "measure"},
	{title: "baseline", number: true}, {title: "candidate", number: true}, {title: "ratio", number: true}, {title: "p adj.", number: true},
	{title: "verdict"},
}

// firstNumber is the first column of compareColumns that holds numbers.
const firstNumber = 3

// ANSI colours of the verdicts that want attention.
var verdictColours = map[string]string{
	compare.Worse: red, compare.Better: green, compare.Incomparable: yellow,
}

// write writes the report in its format.
func (c *comparison) write(w io.Writer, coloured bool) error {
	var b bytes.Buffer
	var err error
	switch c.format {
	case "json":
		err = printJSON(&b, struct {
			Outcome  string   `json:"outcome"`
			ExitCode int      `json:"exit_code"`
			Missing  []string `json:"missing,omitempty"`
			*compare.Report
		}{c.words(), c.code(), c.missing(), c.Report})
	case "markdown":
		err = c.writeMarkdown(&b)
	default:
		err = c.writeTable(&b, coloured)
	}
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	return err
}

// writeTable writes the report for a terminal.
func (c *comparison) writeTable(b *bytes.Buffer, coloured bool) error {
	paragraph := func(text string) { fmt.Fprintln(b, strings.Join(words.Wrap(text, table.Width, "    "), "\n")) }
	for _, text := range c.differences() {
		paragraph(text)
	}
	rows, notes := c.rows()
	if err := narrowTable(rows, coloured).print(b); err != nil {
		return err
	}
	for _, text := range c.below(rows, notes) {
		paragraph(text)
	}
	if len(c.figures) > 0 {
		paragraph("overlays (SVG, PDF, PNG): " + strings.Join(c.figures, ", "))
	}
	between := "; "
	if utf8.RuneCountInString(c.counts()+between+c.words()) > table.Width {
		between = "\n"
	}
	fmt.Fprint(b, c.counts(), between)
	paragraph(c.words())
	return nil
}

// writeMarkdown writes the report as a comment on a change.
func (c *comparison) writeMarkdown(b *bytes.Buffer) error {
	fmt.Fprintf(b, "**%s**\n\n%s.\n\n", words.Markdown(c.words()), words.Markdown(c.counts()))
	for _, text := range c.differences() {
		fmt.Fprintf(b, "- %s\n", words.Markdown(strings.TrimSpace(text)))
	}
	if len(c.Differences) > 0 {
		fmt.Fprintln(b)
	}
	rows, notes := c.rows()
	t := textTable{columns: compareColumns}
	for _, r := range rows {
		cells := slices.Concat([]string{r.cell, r.repeats, r.measure}, r.numbers[:], []string{r.outcome()})
		for j := range cells {
			cells[j] = words.Markdown(cells[j])
		}
		t.add(cells...)
	}
	if err := t.render(b, renderer.NewMarkdown()); err != nil {
		return err
	}
	below := c.below(rows, notes)
	for _, text := range below {
		fmt.Fprintf(b, "\n- %s", words.Markdown(text))
	}
	if len(below) > 0 {
		fmt.Fprintln(b)
	}
	return nil
}

// below are the lines below a table: what its numbers are, notes and warnings.
func (c *comparison) below(rows []compareRow, notes footnotes) []string {
	var lines []string
	if slices.ContainsFunc(rows, func(r compareRow) bool { return r.numbers[0] != "" }) {
		lines = append(lines, c.legend())
	}
	for i, n := range notes {
		lines = append(lines, fmt.Sprintf("[%d] %s", i+1, n))
	}
	for _, n := range c.Warnings {
		lines = append(lines, "warning: "+n)
	}
	return lines
}

// mostDifferences are listed unless all are asked for; the rest is counted.
const mostDifferences = 3

// differences are lines on runs of the same key with other bits.
func (c *comparison) differences() (lines []string) {
	if len(c.Differences) == 0 {
		return nil
	}
	heading := "SAME KEY, OTHER BITS:"
	if n, _ := c.changedBits(); n > 0 {
		heading += " either the algorithm changed without a new Version, or the build is broken"
	}
	lines = append(lines, heading)
	for i, d := range c.Differences {
		if i == mostDifferences && !c.all {
			lines = append(lines, fmt.Sprintf("  … and %s (--all lists them)", words.Count(len(c.Differences)-i, "more run")))
			break
		}
		excuse := ""
		if d.Excused != "" {
			excuse = " (no regression: " + d.Excused + ")"
		}
		lines = append(lines, fmt.Sprintf("  %s: %s (key %s): %s%s", d.Experiment, d.Run, d.Key, d.What, excuse))
	}
	return lines
}

// leastNames is the least room that names of cells have in a table for a terminal.
const leastNames = 24

// narrowTable returns a table for a terminal: the measures of a cell are below its name, its
// repeats above their ratios. It is at most table.Width characters wide, unless that leaves no room
// for leastNames.
func narrowTable(rows []compareRow, coloured bool) *textTable {
	t := &textTable{columns: slices.Clone(compareColumns[firstNumber-1:])}
	widths := make([]int, len(t.columns))
	var lines [][]string
	for _, r := range rows {
		if r.repeats != "" { // the row has no numbers
			r.numbers[ratioColumn] = r.repeats
		}
		cells := slices.Concat([]string{""}, r.numbers[:], []string{r.outcome()})
		for j, text := range cells {
			widths[j] = max(widths[j], utf8.RuneCountInString(text))
		}
		if on := verdictColours[r.verdict]; coloured && on != "" {
			cells[len(cells)-1] = on + r.verdict + colourOff + r.marks
		}
		lines = append(lines, cells)
	}
	room := table.Width - 1 - 3
	for j := 1; j < len(widths); j++ {
		room -= max(widths[j], utf8.RuneCountInString(t.columns[j].title)) + 3
	}
	room = max(room, leastNames)
	t.columns[0].title = strings.Join(words.Wrap(compareColumns[0].title, room, ""), "\n")
	for i, r := range rows {
		var names []string
		if r.cell != "" {
			names = foldCell(r.cell, room)
		}
		if r.measure != "" {
			names = append(names, words.Wrap("  "+r.measure, room, "  ")...)
		}
		lines[i][0] = strings.Join(names, "\n")
		t.add(lines[i]...)
	}
	return t
}

// cellParts are what names of cells are broken between.
var cellParts = regexp.MustCompile(`[^/(;]+[/(;]?|[/(;]`)

// foldCell breaks the name of a cell into lines of at most width characters where it can.
func foldCell(name string, width int) []string {
	lines := []string{""}
	for _, part := range cellParts.FindAllString(name, -1) {
		if last := &lines[len(lines)-1]; *last == "" || utf8.RuneCountInString(*last+part) <= width {
			*last += part
		} else {
			lines = append(lines, "  "+part)
		}
	}
	return lines
}
