package cli

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/internal/words"
	"stochopt/plots/table"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
)

// leastNames is the least room that names of cells have in a table for a terminal.
const leastNames = 24

// stacked returns rows, and their header, that leave names and measures one column: the
// measures of a cell stand below its name, its repeats above their ratios. It is as narrow as it takes for a table of at
// most table.Width characters, unless there is no room for leastNames.
func stacked(rows []compareRow) (header []string, narrow []compareRow) {
	width := utf8.RuneCountInString
	room := table.Width - 1 - 3
	for j := firstNumbers; j < len(compareHeader); j++ {
		most := width(compareHeader[j])
		for _, row := range rows {
			if j < len(row.texts) {
				most = max(most, width(row.texts[j]))
				if compareHeader[j] == "ratio" {
					most = max(most, width(row.texts[1]))
				}
			} else {
				most = max(most, width(row.outcome()))
			}
		}
		room -= most + 3
	}
	room = max(room, leastNames)
	for _, row := range rows {
		name, repeats, measure := row.texts[0], row.texts[1], row.texts[2]
		lines := []string{"  " + measure}
		if name != "" {
			lines = fold(name, room)
		}
		numbers := slices.Clone(row.texts[firstNumbers:])
		if repeats != "" { // a row of no numbers
			numbers[slices.Index(compareHeader, "ratio")-firstNumbers] = repeats
			lines = append(lines, words.Wrap("  "+measure, room, "  ")...)
		}
		row.texts = slices.Concat([]string{strings.TrimRight(strings.Join(lines, "\n"), " \n")}, numbers)
		narrow = append(narrow, row)
	}
	header = slices.Clone(compareHeader[firstNumbers-1:])
	header[0] = strings.Join(words.Wrap(compareHeader[0], room, ""), "\n")
	return header, narrow
}

// nameParts are what names of cells are broken between.
var nameParts = regexp.MustCompile(`[^/(;]+[/(;]?|[/(;]`)

// fold breaks the name of a cell into lines of at most width characters where it can.
func fold(name string, width int) []string {
	lines := []string{""}
	for _, part := range nameParts.FindAllString(name, -1) {
		if last := &lines[len(lines)-1]; *last == "" || utf8.RuneCountInString(*last+part) <= width {
			*last += part
		} else {
			lines = append(lines, "  "+part)
		}
	}
	return lines
}

// renderRows writes the rows as a table, whose numbers begin in a column and whose last one
// is the verdict; nothing if there are none.
func renderRows(w io.Writer, r tw.Renderer, header []string, numbers int, rows []compareRow, escape func(string) string, coloured bool) error {
	if len(rows) == 0 {
		return nil
	}
	align := tw.MakeAlign(len(header), tw.AlignLeft)
	for j := numbers; j < len(header)-1; j++ {
		align[j] = tw.AlignRight
	}
	t := table.Verbatim(w, r, align, tablewriter.WithTrimSpace(tw.Off))
	t.Header(header)
	for _, row := range rows {
		cells := make([]string, 0, len(header))
		for _, text := range row.texts {
			cells = append(cells, escape(text))
		}
		verdict := escape(row.word())
		if on := verdictColours[row.verdict]; coloured && on != "" {
			verdict = on + verdict + colourOff
		}
		if err := t.Append(append(cells, verdict+escape(row.marks))); err != nil {
			return err
		}
	}
	return t.Render()
}
