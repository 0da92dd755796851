package table

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"stochopt/plots"
)

// written returns a table as text, Markdown and CSV.
func written(t *testing.T, g *plots.Grid) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for name, write := range map[string]func(*plots.Grid) (string, error){"text": Text, "Markdown": Markdown, "CSV": CSV} {
		text, err := write(g)
		if err != nil {
			t.Fatal(name, err)
		}
		out[name] = text
	}
	return out
}

// A table is as wide as a terminal, what is only for CSV is there alone, and no word
// is lost.
func TestTextIsFolded(t *testing.T) {
	t.Parallel()
	g := &plots.Grid{ID: "t", Title: "T", Remarks: []string{strings.Repeat("remark ", 40)}, Notes: []string{strings.Repeat("note ", 50)}}
	var row []plots.Cell
	for range 12 {
		g.Columns = append(g.Columns,
			plots.Column{ID: "c", Title: "Measured exponent of n", Numeric: true}, plots.Column{ID: "hidden", Title: "Hidden", CSVOnly: true})
		row = append(row, plots.Cell{Text: "0.25 ± 1", Value: "0.25"}, plots.Cell{Text: "unseen", Value: "77"})
	}
	g.Rows, g.StandIn = [][]plots.Cell{row}, []bool{false}
	out := written(t, g)
	for line := range strings.Lines(out["text"]) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	for word, n := range map[string]int{"remark": 40, "note": 50, "exponent": 12, "0.25": 12, "Hidden": 0, "unseen": 0} {
		if got := strings.Count(out["text"], word); got != n {
			t.Errorf("%q is there %d times, want %d:\n%s", word, got, n, out["text"])
		}
	}
	if md := out["Markdown"]; strings.Contains(md, "Hidden") || !strings.Contains(md, "| Measured exponent of n |") {
		t.Errorf("in Markdown:\n%s", md)
	}
	if c := out["CSV"]; strings.Count(c, "hidden") != 12 || strings.Count(c, ",77") != 12 {
		t.Errorf("in CSV:\n%s", c)
	}
	if g.Columns[0].Title != "Measured exponent of n" {
		t.Error("the table is changed")
	}
}

func small() *plots.Grid {
	return &plots.Grid{
		ID: "t", Title: "A | B",
		Columns: []plots.Column{{ID: "series", Title: "Algorithm"}, {ID: "rate", Title: "Rate"}, {ID: "final", Title: "Final", Numeric: true, Spread: "se"}},
		Rows: [][]plots.Cell{
			{{Text: "Warmuth & Kuzmin", Value: "wk"}, {Text: "-"}, {Text: "0.01 ± 0.02", Value: "0.0123", Spread: "0.0234"}},
			{{Text: "MSG", Value: "msg"}, {Text: `a|b*, "c"`, Value: `a|b*, "c"`}, {Text: "-"}},
		},
		StandIn: []bool{true, false},
		Remarks: []string{"A remark", "Another"},
		Notes:   []string{"A note"},
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	g := small()
	dir := filepath.Join(t.TempDir(), "tables")
	files, err := Save(g, dir)
	if err != nil {
		t.Fatal(err)
	}
	out := written(t, g)
	for name, ext := range map[string]string{"text": "txt", "Markdown": "md", "CSV": "csv"} {
		file := filepath.Join(dir, "t."+ext)
		b, err := os.ReadFile(file)
		if err != nil || string(b) != out[name] || !slices.Contains(files, file) {
			t.Errorf("%s: %q in %q, %v", file, b, files, err)
		}
	}
	records, err := csv.NewReader(strings.NewReader(out["CSV"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"series", "rate", "final", "final_se", "stand_in"},
		{"wk", "", "0.0123", "0.0234", "true"},
		{"msg", `a|b*, "c"`, "", "", "false"},
	}
	if !slices.EqualFunc(records, want, slices.Equal) {
		t.Errorf("CSV %q, want %q", records, want)
	}
	var table []string
	for l := range strings.SplitSeq(out["Markdown"], "\n") {
		if strings.HasPrefix(l, "|") {
			table = append(table, l)
		}
	}
	if len(table) != 2+len(g.Rows) {
		t.Fatalf("%d Markdown lines for %d rows", len(table), len(g.Rows))
	}
	for _, l := range table {
		if n := strings.Count(strings.ReplaceAll(l, `\|`, ""), "|"); n != len(g.Columns)+1 {
			t.Errorf("%d columns in %q", n-1, l)
		}
	}
	if !strings.Contains(table[1], "---:|") || !strings.Contains(table[1], "|:---") || !strings.Contains(table[3], `a\|b\*`) {
		t.Errorf("alignment and marks %q", table)
	}
	widths := make(map[int]bool)
	for l := range strings.SplitSeq(out["text"], "\n") {
		if strings.HasPrefix(l, "│") {
			widths[utf8.RuneCountInString(l)] = true
		}
	}
	if len(widths) != 1 {
		t.Errorf("ragged table:\n%s", out["text"])
	}
	for name, title := range map[string]string{"text": "A | B", "Markdown": `A \| B`} {
		at := -1
		for _, part := range []string{title, "A remark", "Another", "Algorithm", "Warmuth & Kuzmin", "A note"} {
			i := strings.Index(out[name], part)
			if i <= at || strings.Count(out[name], part) != 1 {
				t.Errorf("%s: %q is missing or out of order:\n%s", name, part, out[name])
			}
			at = i
		}
	}
}

func TestSavingIntoAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(small(), filepath.Join(file, "sub")); err == nil || !strings.Contains(err.Error(), "table t") {
		t.Errorf("saving into a file: %v", err)
	}
}
