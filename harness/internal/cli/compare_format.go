package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"stochopt/internal/compare"
	"stochopt/internal/words"
	"stochopt/plots/table"

	"github.com/olekukonko/tablewriter/renderer"
)

// write writes the report in its format.
func (c *comparison) write(w io.Writer, coloured bool) error {
	var b bytes.Buffer
	var err error
	switch c.format {
	case "json":
		err = printJSON(&b, struct {
			Outcome  string   `json:"outcome"`
			ExitCode int      `json:"exit_code"`
			Partial  []string `json:"partial,omitempty"`
			*compare.Report
		}{c.words(), c.code(), c.partial, c.Report})
	case "csv":
		err = c.writeCSV(&b)
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

// Verdicts in words for people; what is not listed is as it is.
var verdictWords = map[string]string{compare.Inconclusive: "~"}

// ANSI colours of the verdicts that want attention.
var verdictColours = map[string]string{
	compare.Worse: red, compare.Better: green, compare.Incomparable: yellow,
}

// writeTable writes the report for a terminal.
func (c *comparison) writeTable(b *bytes.Buffer, coloured bool) error {
	paragraph := func(text string) { fmt.Fprintln(b, strings.Join(words.Wrap(text, table.Width, "    "), "\n")) }
	for _, text := range c.differences() {
		paragraph(text)
	}
	rows, notes := c.rows()
	header, narrow := stacked(rows)
	if err := renderRows(b, renderer.NewBlueprint(), header, 1, narrow, func(s string) string { return s }, coloured); err != nil {
		return err
	}
	below := c.below(rows, notes)
	if len(c.figures) > 0 {
		below = append(below, "overlays (SVG, PDF, PNG): "+strings.Join(c.figures, ", "))
	}
	for _, text := range below {
		paragraph(text)
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
	escape := words.Markdown
	fmt.Fprintf(b, "**%s**\n\n%s.\n\n", escape(c.words()), escape(c.counts()))
	for _, text := range c.differences() {
		fmt.Fprintf(b, "- %s\n", escape(strings.TrimSpace(text)))
	}
	if len(c.Differences) > 0 {
		fmt.Fprintln(b)
	}
	rows, notes := c.rows()
	if err := renderRows(b, renderer.NewMarkdown(), compareHeader, firstNumbers, rows, escape, false); err != nil {
		return err
	}
	below := c.below(rows, notes)
	for _, text := range below {
		fmt.Fprintf(b, "\n- %s", escape(text))
	}
	if len(below) > 0 {
		fmt.Fprintln(b)
	}
	return nil
}

// below are the lines below a table: what its numbers are, notes and warnings.
func (c *comparison) below(rows []compareRow, notes footnotes) []string {
	var lines []string
	if text := c.legend(rows); text != "" {
		lines = append(lines, text)
	}
	for i, n := range notes.texts {
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

// counts counts the cells by verdict.
func (c *comparison) counts() string {
	var parts []string
	for _, v := range []string{compare.Identical, compare.Equivalent, compare.Better, compare.Worse, compare.Inconclusive, compare.Incomparable} {
		if n := c.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return words.Count(len(c.Cells), "cell") + ": " + strings.Join(parts, ", ")
}
