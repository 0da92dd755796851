package cli

import (
	"fmt"
	"io"
	"strings"

	"stochopt/results/compare"

	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// write writes the report in a format.
func (c *comparison) write(w io.Writer, format string, coloured bool) error {
	switch format {
	case "json":
		return printJSON(w, struct {
			Outcome  string   `json:"outcome"`
			ExitCode int      `json:"exit_code"`
			Partial  []string `json:"partial,omitempty"`
			*compare.Report
		}{c.words(), c.code(), c.partial, c.Report})
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

// writeTable writes the report for a terminal.
func (c *comparison) writeTable(w io.Writer, coloured bool) error {
	p := &printer{w: w}
	c.writeDifferences(p, "")
	rows, notes := c.rows()
	if len(rows) > 0 && p.err == nil {
		p.err = renderRows(w, renderer.NewBlueprint(), rows, func(s string) string { return s }, coloured)
	}
	if text := c.legend(rows); text != "" {
		p.printf("%s\n", text)
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
	if text := c.hint(); text != "" {
		p.printf("%s\n", text)
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
	var below []string
	if text := c.legend(rows); text != "" {
		below = append(below, text)
	}
	for i, n := range notes.texts {
		below = append(below, fmt.Sprintf("[%d] %s", i+1, n))
	}
	for _, n := range c.Warnings {
		below = append(below, "warning: "+n)
	}
	if text := c.hint(); text != "" {
		below = append(below, text)
	}
	for _, text := range below {
		p.printf("\n- %s", escape(text))
	}
	if len(below) > 0 {
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
	t := verbatim(w, r, tw.Alignment{left, left, left, right, right, right, right, left})
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
