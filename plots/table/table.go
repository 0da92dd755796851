// Package table writes tables as text for a terminal, as Markdown and as CSV.
package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"stochopt/internal/words"
	"stochopt/plots"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// A table for a terminal is folded if it is wider than Width characters, which leaves words whole; the
// text around it is at most noteWidth wide.
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

// Text writes a table for a terminal. Titles and cells of one that is too wide are folded.
func Text(w io.Writer, g *plots.Grid) error {
	g = forPeople(g)
	var b strings.Builder
	paragraph := func(s string) { fmt.Fprintln(&b, strings.Join(words.Wrap(s, noteWidth, "  "), "\n")) }
	fmt.Fprintln(&b, g.Title)
	for _, r := range g.Remarks {
		paragraph("! " + r)
	}
	var rows strings.Builder
	asItIs := func(s string) string { return s }
	err := render(&rows, g, renderer.NewBlueprint(), asItIs)
	if line, _, _ := strings.Cut(rows.String(), "\n"); utf8.RuneCountInString(line) > Width {
		rows.Reset()
		err = render(&rows, g, renderer.NewBlueprint(), asItIs, tablewriter.WithMaxWidth(Width-border*len(g.Columns)),
			tablewriter.WithHeaderAutoWrap(tw.WrapNormal), tablewriter.WithRowAutoWrap(tw.WrapNormal))
	}
	if err != nil {
		return err
	}
	b.WriteString(rows.String())
	for _, n := range g.Notes {
		paragraph(n)
	}
	_, err = io.WriteString(w, b.String())
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
	if err := render(&b, g, renderer.NewMarkdown(), words.Markdown); err != nil {
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
	out := *g
	out.Columns, out.Rows = nil, make([][]plots.Cell, len(g.Rows))
	for j, c := range g.Columns {
		if c.CSVOnly {
			continue
		}
		out.Columns = append(out.Columns, c)
		for i, row := range g.Rows {
			out.Rows[i] = append(out.Rows[i], row[j])
		}
	}
	return &out
}

// render writes the titles and the rows.
func render(w io.Writer, g *plots.Grid, r tw.Renderer, escape func(string) string, more ...tablewriter.Option) error {
	var align tw.Alignment
	var header []string
	for _, c := range g.Columns {
		header = append(header, escape(c.Title))
		if c.Numeric {
			align = append(align, tw.AlignRight)
		} else {
			align = append(align, tw.AlignLeft)
		}
	}
	t := Verbatim(w, r, align, more...)
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
