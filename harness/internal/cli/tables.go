package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/internal/disk"
	"stochopt/internal/words"
	"stochopt/plots/table"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"
)

// column is a column of a table. cell returns the value of a row. A column of strings is aligned left, any
// other column right.
type column[R any] struct {
	title string
	cell  func(R) any
}

// number is the text of a number, so that its column is aligned right.
type number string

// Formats of reports.
const (
	inTable    = "table"
	inMarkdown = "markdown"
)

// jsonFlag adds the flag --json.
func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// printTable prints a table for a terminal or in Markdown. It omits a table without rows. The writer must keep its
// errors, as a textWriter or a buffer does.
func printTable[R any](w io.Writer, format string, rows []R, columns []column[R]) {
	if len(rows) == 0 {
		return
	}
	cells := make([][]string, 1, 1+len(rows)) // the first line has the titles
	for _, c := range columns {
		cells[0] = append(cells[0], c.title)
	}
	align := tw.MakeAlign(len(columns), tw.AlignLeft)
	for i, row := range rows {
		line := make([]string, len(columns))
		for j, c := range columns {
			value := c.cell(row)
			if _, text := value.(string); !text && i == 0 {
				align[j] = tw.AlignRight
			}
			line[j] = fmt.Sprint(value)
		}
		cells = append(cells, line)
	}
	var r tw.Renderer = renderer.NewBlueprint()
	if format == inMarkdown {
		r = renderer.NewMarkdown()
		for _, line := range cells {
			for j := range line {
				line[j] = words.Markdown(line[j])
			}
		}
	} else {
		fold(cells, align)
	}
	t := table.Verbatim(w, r, align, tablewriter.WithTrimSpace(tw.Off))
	t.Header(cells[0])
	for _, line := range cells[1:] {
		_ = t.Append(line)
	}
	_ = t.Render()
}

// fold wraps the text of the widest left-aligned columns, so that the table fits into table.Width. It makes no
// column narrower than minWidth.
func fold(cells [][]string, align tw.Alignment) {
	const border, minWidth = 3, 16
	total, widths := 1, make([]int, len(align)) // widths of left-aligned columns
	for j := range widths {
		width := 0
		for _, line := range cells {
			for text := range strings.SplitSeq(line[j], "\n") {
				width = max(width, utf8.RuneCountInString(text))
			}
		}
		total += width + border
		if align[j] == tw.AlignLeft {
			widths[j] = width
		}
	}
	for ; total > table.Width && slices.Max(widths) > minWidth; total-- {
		widths[slices.Index(widths, slices.Max(widths))]--
	}
	for _, line := range cells {
		for j, cell := range line {
			if widths[j] == 0 {
				continue
			}
			var folded []string
			for text := range strings.SplitSeq(cell, "\n") {
				indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
				folded = append(folded, words.Wrap(text, widths[j], indent)...)
			}
			line[j] = strings.Join(folded, "\n")
		}
	}
}

// dataName returns the name of a data set in tables.
func dataName(id string, standIn bool) string {
	if standIn {
		return id + " (stand-in)"
	}
	return id
}

// printYAML prints v as YAML, indented like specs.
func printYAML(w io.Writer, v any) error {
	var b bytes.Buffer // because yaml does not wrap the errors of w
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// printJSON prints v as JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printJSONList prints a list as JSON. A nil list is printed as [].
func printJSONList[T any](w io.Writer, list []T) error { return printJSON(w, append([]T{}, list...)) }

// checkOutput checks that the file of -o can be written, as far as possible before there is any content.
func checkOutput(path string) error {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return usagef("cannot write %s: folder %s does not exist; create it or choose another file with -o",
			path, filepath.Dir(path))
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return usagef("cannot write %s: it is not a regular file; choose another file with -o", path)
	}
	return nil
}

// writeOutput writes the file of -o, which checkOutput has accepted. After an error, no partial file is left.
func writeOutput(path string, write func(io.Writer) error) error {
	if err := disk.WriteBy(filepath.Dir(path), filepath.Base(path), write); err != nil {
		return usagef("cannot write %s: %w; free some space or choose another file with -o", path, err)
	}
	return nil
}
