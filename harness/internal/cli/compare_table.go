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

// compareColumns are those of the tables of a comparison.
var compareColumns = []textColumn{
	{title: "data set / series"}, {title: "pairs", number: true}, {title: "measure"},
	{title: "baseline", number: true}, {title: "candidate", number: true}, {title: "ratio", number: true},
	{title: "verdict"},
}

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
	tables := c.rows()
	below := c.below(slices.Concat(tables...))
	for _, rows := range tables {
		paragraph(rows[0].heading)
		if err := narrowTable(rows, coloured).print(b); err != nil {
			return err
		}
	}
	for _, text := range below {
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
	list := func(items []string) {
		for _, text := range items {
			fmt.Fprintf(b, "- %s\n", words.Markdown(strings.TrimSpace(text)))
		}
	}
	list(c.differences())
	tables := c.rows()
	below := c.below(slices.Concat(tables...))
	for _, rows := range tables {
		fmt.Fprintf(b, "\n%s\n\n", words.Markdown(rows[0].heading))
		if err := compareTable(rows, words.Markdown).render(b, renderer.NewMarkdown()); err != nil {
			return err
		}
	}
	fmt.Fprintln(b)
	list(below)
	return nil
}

// below are the lines below the tables: what their numbers are, notes and warnings.
func (c *comparison) below(rows []*compareRow) (lines []string) {
	if slices.ContainsFunc(rows, func(r *compareRow) bool { return r.texts[2] != "" }) {
		lines = append(lines, c.legend(rows))
	}
	lines = append(lines, mark(rows)...)
	for _, n := range c.Warnings {
		lines = append(lines, "warning: "+n)
	}
	if c.Count(compare.Inconclusive) > 0 {
		lines = append(lines, "to decide, run more repeats at fresh seeds (a number fixed in advance); "+
			"adding repeats until there is a decision makes wrong decisions likely")
	}
	return lines
}

// compareTable returns the table of some rows, whose texts are escaped.
func compareTable(rows []*compareRow, escape func(string) string) *textTable {
	t := &textTable{columns: compareColumns}
	for i, r := range rows {
		t.rows = append(t.rows, nil)
		for _, text := range r.texts {
			t.rows[i] = append(t.rows[i], escape(text))
		}
	}
	return t
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
		if i == mostDifferences && !c.verbose {
			lines = append(lines, fmt.Sprintf("  … and %s (-v lists them)", words.Count(len(c.Differences)-i, "more run")))
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
const leastNames = 16

// narrowTable returns a table for a terminal. It is at most table.Width characters wide, unless that
// leaves no room for leastNames: names of cells are folded.
func narrowTable(rows []*compareRow, coloured bool) *textTable {
	t := compareTable(rows, strings.Clone)
	last := len(t.columns) - 1
	room := table.Width - 1 - 3
	for j := 1; j <= last; j++ {
		width := utf8.RuneCountInString(t.columns[j].title)
		for _, texts := range t.rows {
			width = max(width, utf8.RuneCountInString(texts[j]))
		}
		room -= width + 3
	}
	for i, r := range rows {
		t.rows[i][0] = strings.Join(foldCell(r.texts[0], max(room, leastNames)), "\n")
		if on := verdictColours[r.verdict]; coloured && on != "" {
			t.rows[i][last] = strings.Replace(r.texts[last], r.verdict, on+r.verdict+colourOff, 1)
		}
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
