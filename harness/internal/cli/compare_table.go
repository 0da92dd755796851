package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/internal/compare"
	"stochopt/internal/words"
	"stochopt/plots/table"
)

// compareColumns are those of the tables of a comparison.
var compareColumns = []column[*compareRow]{
	{"data set", func(r *compareRow) any { return r.dataset }},
	{"series", func(r *compareRow) any { return r.series }},
	{"pairs", func(r *compareRow) any { return number(r.pairs) }},
	{"measure", func(r *compareRow) any { return r.measure }},
	{"baseline", func(r *compareRow) any { return number(r.baseline) }},
	{"candidate", func(r *compareRow) any { return number(r.candidate) }},
	{"ratio", func(r *compareRow) any { return number(r.ratio) }},
	{"verdict", func(r *compareRow) any { return r.verdict }},
}

// write writes the report in its format.
func (c *comparison) write(w io.Writer) error {
	var b bytes.Buffer
	var err error
	switch c.format {
	case inJSON:
		err = printJSON(&b, struct {
			Outcome  string   `json:"outcome"`
			ExitCode int      `json:"exit_code"`
			Missing  []string `json:"missing,omitempty"`
			*compare.Report
		}{c.words(), c.code(), c.missing(), c.Report})
	case inMarkdown:
		err = c.writeMarkdown(&b)
	case inCSV:
		heading := column[*compareRow]{"experiment", func(r *compareRow) any { return r.heading }}
		err = printTable(&b, inCSV, slices.Concat(c.rows()...), slices.Insert(slices.Clone(compareColumns), 0, heading))
	default:
		err = c.writeTable(&b)
	}
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	return err
}

// writeTable writes the report for a terminal.
func (c *comparison) writeTable(b *bytes.Buffer) error {
	paragraph := func(text string) { fmt.Fprintln(b, strings.Join(words.Wrap(text, table.Width, "    "), "\n")) }
	for _, text := range c.differences() {
		paragraph(text)
	}
	tables := c.rows()
	below := c.below(slices.Concat(tables...))
	for _, rows := range tables {
		paragraph(rows[0].heading)
		if err := printTable(b, inTable, rows, compareColumns); err != nil {
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
		if err := printTable(b, inMarkdown, rows, compareColumns); err != nil {
			return err
		}
	}
	fmt.Fprintln(b)
	list(below)
	return nil
}

// below are the lines below the tables: what their numbers are, notes and warnings.
func (c *comparison) below(rows []*compareRow) (lines []string) {
	if slices.ContainsFunc(rows, func(r *compareRow) bool { return r.measure != "" }) {
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
