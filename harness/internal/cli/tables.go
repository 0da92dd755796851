package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// column is a column of a table: its title, whose spaces CSV has as "_", and the cell of a row.
// A column whose cells are texts is aligned left, any other one right.
type column[R any] struct {
	title string
	cell  func(R) any
}

// number is a number that is formatted for a table.
type number string

// The formats of a table.
const (
	inTable    = "table"
	inMarkdown = "markdown"
	inCSV      = "csv"
	inJSON     = "json"
)

// formatFlags adds the flags that choose the format of a verb's table.
func formatFlags(cmd *cobra.Command, format *string) {
	choiceFlag(cmd, format, "format", "`FORMAT` of the table: table, markdown, csv or json",
		inTable, inMarkdown, inCSV, inJSON)
	cmd.Flags().BoolFunc("json", "print JSON, as --format json does", func(string) error {
		*format = inJSON
		return nil
	})
}

// printTable prints a table in a format, with a line for each row. JSON has the rows with all their
// fields, the other formats have the columns. A table without rows is left out for people.
func printTable[R any](w io.Writer, format string, rows []R, columns []column[R]) error {
	cells := make([][]string, 1, 1+len(rows))
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
	for _, c := range columns {
		if format == inCSV {
			cells[0] = append(cells[0], strings.ReplaceAll(c.title, " ", "_"))
		} else {
			cells[0] = append(cells[0], c.title)
		}
	}
	switch format {
	case inJSON:
		if rows == nil {
			rows = []R{}
		}
		return printJSON(w, rows)
	case inCSV:
		return csv.NewWriter(w).WriteAll(cells)
	case inMarkdown:
		for _, line := range cells {
			for j := range line {
				line[j] = words.Markdown(line[j])
			}
		}
		return render(w, renderer.NewMarkdown(), align, cells)
	}
	fold(cells, align)
	return render(w, renderer.NewBlueprint(), align, cells)
}

// render writes lines of cells, of which the first are the titles.
func render(w io.Writer, r tw.Renderer, align tw.Alignment, cells [][]string) error {
	if len(cells) == 1 {
		return nil
	}
	t := table.Verbatim(w, r, align, tablewriter.WithTrimSpace(tw.Off))
	t.Header(cells[0])
	for _, line := range cells[1:] {
		if err := t.Append(line); err != nil {
			return err
		}
	}
	return t.Render()
}

// fold breaks the cells of the widest columns of texts into lines, so that the table is at most
// table.Width wide, or none of these columns wider than the narrowest fold.
func fold(cells [][]string, align tw.Alignment) {
	const border, narrowest = 3, 16
	total, widths := 1, make([]int, len(align)) // widths are those of columns of texts
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
	for ; total > table.Width && slices.Max(widths) > narrowest; total-- {
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

// dataName is the name of a data set in tables.
func dataName(id string, standIn bool) string {
	if standIn {
		return id + " (stand-in)"
	}
	return id
}

// printYAML writes v as specs and manifests have it.
func printYAML(w io.Writer, v any) error {
	var b bytes.Buffer
	yamls := yaml.NewEncoder(&b)
	yamls.SetIndent(2)
	if err := yamls.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// printJSON writes v for scripts.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// checkOutput reports why the file that -o names cannot be written, as far as that is known before
// there is anything to write.
func checkOutput(path string) error {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return usagef("cannot write %s: there is no folder %s; name a file in a folder that is there with -o", path, filepath.Dir(path))
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usagef("cannot write %s: it is a folder; name a file with -o", path)
	}
	return nil
}

// writeOutput writes the file of -o, which checkOutput has accepted. It writes the whole file or
// nothing, except to a device or a pipe.
func writeOutput(path string, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		err = disk.WriteBy(filepath.Dir(path), filepath.Base(path), write)
	} else {
		var f *os.File
		if f, err = os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			err = errors.Join(write(f), f.Close())
		}
	}
	if err != nil {
		return usagef("cannot write %s: %w; free space or name another file with -o", path, cause(err))
	}
	return nil
}

// cause strips an error of a file system of the path, which may be a temporary one.
func cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}
