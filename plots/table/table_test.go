package table

import (
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"stochopt/plots"
)

var update = flag.Bool("update", false, "write the golden files")

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
	if md := out["md"]; strings.Count(md, "Hidden") != 0 || strings.Count(md, "Measured exponent of n") != 10 {
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

// A table in each format is that of the golden files.
func TestFormats(t *testing.T) {
	t.Parallel()
	for ext, got := range written(t, small()) {
		golden := "testdata/small." + ext
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s (%v):\n%s\nwant\n%s", ext, err, got, want)
		}
	}
}
