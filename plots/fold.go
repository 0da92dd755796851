package plots

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// textWidth is the number of columns of a terminal that text is kept within: that
// around tables, and that of their headers.
const textWidth = 150

// folded breaks s at spaces into lines of at most width characters, longer words
// apart. Lines but the first are indented.
func folded(s string, width int) string {
	const indent = "  "
	var b strings.Builder
	column := 0
	for i, word := range strings.Split(s, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// foldHeader returns the table with titles of columns that are wider than their
// cells broken into lines, if it is wider than width otherwise.
func (g *Grid) foldHeader(width int) *Grid {
	cells, total := make([]int, len(g.Columns)), 1
	for j, c := range g.Columns {
		if c.CSVOnly {
			continue
		}
		for _, row := range g.Rows {
			cells[j] = max(cells[j], utf8.RuneCountInString(row[j].Text))
		}
		total += max(cells[j], utf8.RuneCountInString(c.Title)) + 3
	}
	if total <= width {
		return g
	}
	out := *g
	out.Columns = slices.Clone(g.Columns)
	for j, c := range out.Columns {
		var lines []string
		for _, word := range strings.Fields(c.Title) {
			if last := len(lines) - 1; last >= 0 && utf8.RuneCountInString(lines[last]+" "+word) <= cells[j] {
				lines[last] += " " + word
			} else {
				lines = append(lines, word)
			}
		}
		out.Columns[j].Title = strings.Join(lines, "\n")
	}
	return &out
}
