package cli

import (
	"io"

	"github.com/olekukonko/tablewriter"
)

// column is a column of a table for the terminal.
type column[T any] struct {
	title string
	cell  func(T) any
	// hidden: it is left out, there being nothing to say in it.
	hidden bool
}

// printColumns prints a table with a line for each row.
func printColumns[T any](w io.Writer, rows []T, columns []column[T], options ...tablewriter.Option) error {
	table := tablewriter.NewTable(w, options...)
	var header []any
	for _, c := range columns {
		if !c.hidden {
			header = append(header, c.title)
		}
	}
	table.Header(header...)
	for _, row := range rows {
		var cells []any
		for _, c := range columns {
			if !c.hidden {
				cells = append(cells, c.cell(row))
			}
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
