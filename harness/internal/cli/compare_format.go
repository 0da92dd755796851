package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"stochopt/plots/table"
	"stochopt/results/compare"
	"stochopt/results/words"

	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
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
	c.writeDifferences(b, "", func(s string) string { return s })
	rows, notes := c.rows()
	if err := renderRows(b, renderer.NewBlueprint(), rows, func(s string) string { return s }, coloured); err != nil {
		return err
	}
	for _, text := range c.below(rows, notes) {
		fmt.Fprintln(b, text)
	}
	if len(c.figures) > 0 {
		fmt.Fprintf(b, "overlays (SVG, PDF, PNG): %s\n", strings.Join(c.figures, ", "))
	}
	if text := c.hint(); text != "" {
		fmt.Fprintln(b, text)
	}
	between := "; "
	if utf8.RuneCountInString(c.counts()+between+c.words()) > table.Width {
		between = "\n"
	}
	fmt.Fprintln(b, c.counts()+between+c.words())
	return nil
}

// writeMarkdown writes the report as a comment on a change.
func (c *comparison) writeMarkdown(b *bytes.Buffer) error {
	escape := words.Markdown
	fmt.Fprintf(b, "**%s**\n\n%s.\n\n", escape(c.words()), escape(c.counts()))
	c.writeDifferences(b, "- ", escape)
	if len(c.Differences) > 0 {
		fmt.Fprintln(b)
	}
	rows, notes := c.rows()
	if err := renderRows(b, renderer.NewMarkdown(), rows, escape, false); err != nil {
		return err
	}
	below := c.below(rows, notes)
	if text := c.hint(); text != "" {
		below = append(below, text)
	}
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

// mostDifferences are listed; the rest is counted.
const mostDifferences = 20

func (c *comparison) writeDifferences(w io.Writer, bullet string, escape func(string) string) {
	for i, d := range c.Differences {
		if i == mostDifferences {
			fmt.Fprintf(w, "%s… and %d more runs with the same key and other bits (--format json lists all)\n", bullet, len(c.Differences)-i)
			break
		}
		excuse := ""
		if d.Excused != "" {
			excuse = " (no regression: " + d.Excused + ")"
		}
		text := fmt.Sprintf("SAME KEY, OTHER BITS: %s: %s (key %s): %s%s", d.Experiment, d.Run, d.Key, d.What, excuse)
		fmt.Fprintf(w, "%s%s\n", bullet, escape(text))
	}
	if n, _ := c.changedBits(); n > 0 {
		fmt.Fprintf(w, "%sthe same computation gave different results: either the algorithm changed without a new Version, or the build is broken\n", bullet)
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
	return words.Count(len(c.Cells), "cell") + ": " + strings.Join(parts, ", ")
}

// renderRows writes the rows as a table, nothing if there are none.
func renderRows(w io.Writer, r tw.Renderer, rows []compareRow, escape func(string) string, coloured bool) error {
	if len(rows) == 0 {
		return nil
	}
	left, right := tw.AlignLeft, tw.AlignRight
	t := table.Verbatim(w, r, tw.Alignment{left, left, left, right, right, right, right, left})
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
