package cli

import (
	"io"

	"github.com/olekukonko/tablewriter"
)

// column is a column of a table for the terminal.
type column[T any] struct {
	title string
	cell  func(T) any
}

// printColumns prints a table with a line for each row.
func printColumns[T any](w io.Writer, rows []T, columns []column[T], options ...tablewriter.Option) error {
	table := tablewriter.NewTable(w, options...)
	cells := make([]any, len(columns))
	for i, c := range columns {
		cells[i] = c.title
	}
	table.Header(cells...)
	for _, row := range rows {
		for i, c := range columns {
			cells[i] = c.cell(row)
		}
		if err := table.Append(cells...); err != nil {
			return err
		}
	}
	return table.Render()
}

// dataName is how tables call a data set.
func dataName(id string, standIn bool) string {
	if standIn {
		return id + " (stand-in)"
	}
	return id
}
