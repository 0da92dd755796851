package cli

import (
	"io"
	"strings"

	"stochopt/internal/words"
	"stochopt/plots/table"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// column is a column of a table for the terminal.
type column[T any] struct {
	title string
	cell  func(T) any
}

// printColumns prints a table with a line for each row.
func printColumns[T any](w io.Writer, rows []T, columns []column[T], options ...tablewriter.Option) error {
	t := tablewriter.NewTable(w, options...)
	cells := make([]any, len(columns))
	for i, c := range columns {
		cells[i] = c.title
	}
	t.Header(cells...)
	for _, row := range rows {
		for i, c := range columns {
			cells[i] = c.cell(row)
		}
		if err := t.Append(cells...); err != nil {
			return err
		}
	}
	return t.Render()
}

// dataName is how tables call a data set.
func dataName(id string, standIn bool) string {
	if standIn {
		return id + " (stand-in)"
	}
	return id
}

// textColumn is a column of a textTable. Cells are folded to its width, unless that is 0.
type textColumn struct {
	title  string
	width  int
	number bool
}

// textTable is a table of text.
type textTable struct {
	columns []textColumn
	rows    [][]string
}

// add adds a row, whose cells are folded.
func (t *textTable) add(cells ...string) {
	for i, cell := range cells {
		width := t.columns[i].width
		if width == 0 {
			continue
		}
		var lines []string
		for line := range strings.SplitSeq(cell, "\n") {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			lines = append(lines, words.Wrap(line, width, indent)...)
		}
		cells[i] = strings.Join(lines, "\n")
	}
	t.rows = append(t.rows, cells)
}

// print writes the table for a terminal.
func (t *textTable) print(w io.Writer) error {
	var style tw.Rendition
	style.Settings.Separators.BetweenRows = tw.Off
	return t.render(w, renderer.NewBlueprint(style))
}

// render writes the table, nothing if it has no rows.
func (t *textTable) render(w io.Writer, r tw.Renderer) error {
	if len(t.rows) == 0 {
		return nil
	}
	align, header := tw.MakeAlign(len(t.columns), tw.AlignLeft), make([]string, len(t.columns))
	for j, c := range t.columns {
		header[j] = c.title
		if c.number {
			align[j] = tw.AlignRight
		}
	}
	rows := table.Verbatim(w, r, align, tablewriter.WithTrimSpace(tw.Off))
	rows.Header(header)
	for _, row := range t.rows {
		if err := rows.Append(row); err != nil {
			return err
		}
	}
	return rows.Render()
}
