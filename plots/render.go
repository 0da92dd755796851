package plots

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// WriteText writes the table for a terminal.
func (g *Grid) WriteText(w io.Writer) error {
	if _, err := fmt.Fprintln(w, g.Title); err != nil {
		return err
	}
	for _, r := range g.Remarks {
		if _, err := fmt.Fprintln(w, folded("! "+r, textWidth)); err != nil {
			return err
		}
	}
	narrow := g.foldHeader(textWidth)
	if err := narrow.render(w, renderer.NewBlueprint(), func(s string) string { return s }); err != nil {
		return err
	}
	for _, n := range g.Notes {
		if _, err := fmt.Fprintln(w, folded(n, textWidth)); err != nil {
			return err
		}
	}
	return nil
}

// WriteMarkdown writes the table in Markdown.
func (g *Grid) WriteMarkdown(w io.Writer) error {
	escape := strings.NewReplacer("|", `\|`, "\n", " ", "*", `\*`).Replace
	if _, err := fmt.Fprintf(w, "**%s**\n\n", escape(g.Title)); err != nil {
		return err
	}
	for _, r := range g.Remarks {
		if _, err := fmt.Fprintf(w, "> %s\n\n", escape(r)); err != nil {
			return err
		}
	}
	if err := g.render(w, renderer.NewMarkdown(), escape); err != nil {
		return err
	}
	for _, n := range g.Notes {
		if _, err := fmt.Fprintf(w, "\n- %s", escape(n)); err != nil {
			return err
		}
	}
	if len(g.Notes) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (g *Grid) render(w io.Writer, r tw.Renderer, escape func(string) string) error {
	var align tw.Alignment
	var header []string
	for _, c := range g.Columns {
		if c.CSVOnly {
			continue
		}
		header = append(header, escape(c.Title))
		if c.Numeric {
			align = append(align, tw.AlignRight)
		} else {
			align = append(align, tw.AlignLeft)
		}
	}
	t := tablewriter.NewTable(w,
		tablewriter.WithRenderer(r),
		tablewriter.WithEastAsian(tw.Off), // whatever the locale
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithAlignment(align),
	)
	t.Header(header)
	for _, row := range g.Rows {
		var cells []string
		for i, c := range row {
			if !g.Columns[i].CSVOnly {
				cells = append(cells, escape(c.Text))
			}
		}
		if err := t.Append(cells); err != nil {
			return fmt.Errorf("plots: table %s: %w", g.ID, err)
		}
	}
	if err := t.Render(); err != nil {
		return fmt.Errorf("plots: table %s: %w", g.ID, err)
	}
	return nil
}

// WriteCSV writes the table with a header of column ids and unrounded numbers;
// missing cells are empty. The last column, stand_in, is "true" in rows from
// made-up data.
func (g *Grid) WriteCSV(w io.Writer) error {
	cw := csv.NewWriter(w)
	var header []string
	for _, c := range g.Columns {
		header = append(header, c.ID)
		if c.Spread != "" {
			header = append(header, c.ID+"_"+c.Spread)
		}
	}
	if err := cw.Write(append(header, "stand_in")); err != nil {
		return err
	}
	for i, row := range g.Rows {
		var cells []string
		for j, c := range row {
			cells = append(cells, c.Value)
			if g.Columns[j].Spread != "" {
				cells = append(cells, c.Spread)
			}
		}
		if err := cw.Write(append(cells, strconv.FormatBool(g.StandIn[i]))); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// Save writes the table to dir, which it makes if need be, as <id>.md, <id>.txt
// and <id>.csv, each replaced atomically, and returns their paths.
func (g *Grid) Save(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("plots: making the folder of table %s: %w", g.ID, err)
	}
	var files []string
	for _, f := range []struct {
		ext   string
		write func(io.Writer) error
	}{{"md", g.WriteMarkdown}, {"txt", g.WriteText}, {"csv", g.WriteCSV}} {
		var b bytes.Buffer
		if err := f.write(&b); err != nil {
			return nil, err
		}
		name := filepath.Join(dir, g.ID+"."+f.ext)
		if err := renameio.WriteFile(name, b.Bytes(), 0o644); err != nil {
			return nil, fmt.Errorf("plots: writing table %s: %w", g.ID, err)
		}
		files = append(files, name)
	}
	return files, nil
}
