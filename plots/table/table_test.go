package table

import (
	"encoding/csv"
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
	for _, f := range Formats {
		var b strings.Builder
		if err := f.Write(&b, g); err != nil {
			t.Fatal(f.Ext, err)
		}
		out[f.Ext] = b.String()
	}
	return out
}

// Titles and cells of a table that is too wide are folded, what is only for CSV is there alone, and no
// word is lost.
func TestTextIsFolded(t *testing.T) {
	t.Parallel()
	g := &plots.Grid{ID: "t", Title: "T", Remarks: []string{strings.Repeat("remark ", 40)}, Notes: []string{strings.Repeat("note ", 50)}}
	var row []plots.Cell
	for range 10 {
		g.Columns = append(g.Columns,
			plots.Column{ID: "c", Title: "Measured exponent of n", Numeric: true}, plots.Column{ID: "hidden", Title: "Hidden", CSVOnly: true})
		row = append(row, plots.Cell{Text: "0.25 ± 1", Value: "0.25"}, plots.Cell{Text: "unseen", Value: "77"})
	}
	g.Rows, g.StandIn = [][]plots.Cell{row}, []bool{false}
	out := written(t, g)
	for line := range strings.Lines(out["txt"]) {
		most := noteWidth
		if strings.ContainsAny(line, "│┌├└") {
			most = Width
		}
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > most {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	for word, n := range map[string]int{"remark": 40, "note": 50, "exponent": 10, "0.25": 10, "Hidden": 0, "unseen": 0} {
		if got := strings.Count(out["txt"], word); got != n {
			t.Errorf("%q is there %d times, want %d:\n%s", word, got, n, out["txt"])
		}
	}
	if md := out["md"]; strings.Contains(md, "Hidden") || !strings.Contains(md, "| Measured exponent of n |") {
		t.Errorf("in Markdown:\n%s", md)
	}
	if c := out["csv"]; strings.Count(c, "hidden") != 10 || strings.Count(c, ",77") != 10 {
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
	out := written(t, g)
	records, err := csv.NewReader(strings.NewReader(out["csv"])).ReadAll()
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
	for l := range strings.SplitSeq(out["md"], "\n") {
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
	for l := range strings.SplitSeq(out["txt"], "\n") {
		if strings.HasPrefix(l, "│") {
			widths[utf8.RuneCountInString(l)] = true
		}
	}
	if len(widths) != 1 {
		t.Errorf("ragged table:\n%s", out["txt"])
	}
	for name, title := range map[string]string{"txt": "A | B", "md": `A \| B`} {
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
