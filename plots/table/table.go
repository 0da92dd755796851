// Package table writes tables as text for a terminal, as Markdown and as CSV.
package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stochopt/internal/words"
	"stochopt/plots"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// A table for a terminal is at most Width characters wide, the text around it noteWidth.
const (
	Width     = 120
	noteWidth = 160
	border    = 3 // of a column
)

// Formats are the ways of writing a table, by the extension of files. A new one takes a
// row here.
var Formats = []struct {
	Ext   string
	Write func(w io.Writer, g *plots.Grid) error
}{{"md", Markdown}, {"txt", Text}, {"csv", CSV}}

// Text writes a table for a terminal. One that is too wide is written in parts, one below
// the other, which all begin with the columns that tell its rows apart.
func Text(w io.Writer, g *plots.Grid) error {
	g = forPeople(g)
	var b strings.Builder
	paragraph := func(s string) { fmt.Fprintln(&b, strings.Join(words.Wrap(s, noteWidth, "  "), "\n")) }
	fmt.Fprintln(&b, g.Title)
	for _, r := range g.Remarks {
		paragraph("! " + r)
	}
	for _, part := range inParts(g) {
		if err := render(&b, part, titles(part), renderer.NewBlueprint(), func(s string) string { return s }); err != nil {
			return err
		}
	}
	for _, n := range g.Notes {
		paragraph(n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes a table in Markdown.
func Markdown(w io.Writer, g *plots.Grid) error {
	g = forPeople(g)
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", words.Markdown(g.Title))
	for _, r := range g.Remarks {
		fmt.Fprintf(&b, "> %s\n\n", words.Markdown(r))
	}
	var header []string
	for _, c := range g.Columns {
		header = append(header, words.Markdown(c.Title))
	}
	if err := render(&b, g, header, renderer.NewMarkdown(), words.Markdown); err != nil {
		return err
	}
	for _, n := range g.Notes {
		fmt.Fprintf(&b, "\n- %s", words.Markdown(n))
	}
	if len(g.Notes) > 0 {
		fmt.Fprintln(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// forPeople returns a table without the columns that are for CSV alone.
func forPeople(g *plots.Grid) *plots.Grid {
	var shown []int
	for j, c := range g.Columns {
		if !c.CSVOnly {
			shown = append(shown, j)
		}
	}
	return part(g, shown)
}

// part returns a table of the columns with these indices.
func part(g *plots.Grid, columns []int) *plots.Grid {
	out := *g
	out.Columns, out.Rows = nil, make([][]plots.Cell, len(g.Rows))
	for _, j := range columns {
		out.Columns = append(out.Columns, g.Columns[j])
		for i, row := range g.Rows {
			out.Rows[i] = append(out.Rows[i], row[j])
		}
	}
	return &out
}

// inParts splits a table that is too wide into tables of some of its columns.
func inParts(g *plots.Grid) []*plots.Grid {
	keys, total := keysOf(g), 1
	columns := make([][]int, 1)
	for j := range g.Columns {
		if total += narrowest(g, j); total > Width && j > 0 {
			total = 1 + narrowest(g, j)
			for _, key := range keys {
				total += narrowest(g, key)
			}
			columns = append(columns, slices.Clone(keys))
		}
		last := len(columns) - 1
		columns[last] = append(columns[last], j)
	}
	var parts []*plots.Grid
	for _, shown := range columns {
		parts = append(parts, part(g, shown))
	}
	return parts
}

// keysOf returns the leading columns, one at least, that tell the rows of a table apart,
// the first only if they leave no room for others.
func keysOf(g *plots.Grid) []int {
	var keys []int
	names, total := make([]string, len(g.Rows)), 0
	for j := range g.Columns {
		keys, total = append(keys, j), total+narrowest(g, j)
		if total > Width/2 {
			return keys[:1]
		}
		seen := make(map[string]bool)
		for i, row := range g.Rows {
			names[i] += "\x00" + row[j].Text
			seen[names[i]] = true
		}
		if len(seen) == len(g.Rows) {
			break
		}
	}
	return keys
}

// width returns the width of a column with its border, below a title of these lines.
func width(g *plots.Grid, column int, title ...string) int {
	w := 0
	for _, row := range g.Rows {
		w = max(w, utf8.RuneCountInString(row[column].Text))
	}
	for _, line := range title {
		w = max(w, utf8.RuneCountInString(line))
	}
	return w + border
}

// narrowTitle breaks the title of a column into lines where it is wider than the cells.
func narrowTitle(g *plots.Grid, column int) []string {
	return words.Wrap(g.Columns[column].Title, width(g, column)-border, "")
}

func narrowest(g *plots.Grid, column int) int { return width(g, column, narrowTitle(g, column)...) }

// titles returns the titles of the columns, narrow ones if the table would be wider than Width.
func titles(g *plots.Grid) []string {
	var header, narrow []string
	total := 1
	for j, c := range g.Columns {
		total += width(g, j, c.Title)
		header = append(header, c.Title)
		narrow = append(narrow, strings.Join(narrowTitle(g, j), "\n"))
	}
	if total <= Width {
		return header
	}
	return narrow
}

// render writes the rows below a header.
func render(w io.Writer, g *plots.Grid, header []string, r tw.Renderer, escape func(string) string) error {
	var align tw.Alignment
	for _, c := range g.Columns {
		if c.Numeric {
			align = append(align, tw.AlignRight)
		} else {
			align = append(align, tw.AlignLeft)
		}
	}
	t := Verbatim(w, r, align)
	t.Header(header)
	for _, row := range g.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, escape(c.Text))
		}
		if err := t.Append(cells); err != nil {
			return fmt.Errorf("plots: table %s: %w", g.ID, err)
		}
	}
	return t.Render()
}

// Verbatim returns a table that shows cells as they are: neither folded nor in
// capitals, and of the same width whatever the locale.
func Verbatim(w io.Writer, r tw.Renderer, align tw.Alignment, more ...tablewriter.Option) *tablewriter.Table {
	return tablewriter.NewTable(w, append([]tablewriter.Option{
		tablewriter.WithRenderer(r),
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithAlignment(align),
	}, more...)...)
}

// CSV writes a table with a header of column ids and unrounded numbers; missing cells
// are empty. The last column, stand_in, is "true" in rows from made-up data.
func CSV(w io.Writer, g *plots.Grid) error {
	var header []string
	for _, c := range g.Columns {
		header = append(header, c.ID)
		if c.Spread != "" {
			header = append(header, c.ID+"_"+c.Spread)
		}
	}
	records := [][]string{append(header, "stand_in")}
	for i, row := range g.Rows {
		var cells []string
		for j, c := range row {
			cells = append(cells, c.Value)
			if g.Columns[j].Spread != "" {
				cells = append(cells, c.Spread)
			}
		}
		records = append(records, append(cells, strconv.FormatBool(g.StandIn[i])))
	}
	return csv.NewWriter(w).WriteAll(records)
}
