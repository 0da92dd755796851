package plots

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFolded(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 5, ""},
		{"ab cd", 5, "ab cd"},
		{"ab cde", 5, "ab\n  cde"},
		{"ab cde f gh", 5, "ab\n  cde\n  f\n  gh"},
		{"§§ ±±", 5, "§§ ±±"}, // characters, not bytes
		{"unbreakable x", 4, "unbreakable\n  x"},
	} {
		if got := folded(c.text, c.width); got != c.want {
			t.Errorf("folded(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// A table is as wide as a terminal, what is only for CSV is there alone, and no word
// is lost.
func TestTextIsFolded(t *testing.T) {
	g := &Grid{ID: "t", Title: "T", Remarks: []string{strings.Repeat("remark ", 40)}, Notes: []string{strings.Repeat("note ", 50)}}
	var row []Cell
	for range 12 {
		g.Columns = append(g.Columns, Column{ID: "c", Title: "Measured exponent of n", Numeric: true}, Column{ID: "hidden", Title: "Hidden", CSVOnly: true})
		row = append(row, Cell{Text: "0.25 ± 1", Value: "0.25"}, Cell{Text: "unseen", Value: "77"})
	}
	g.Rows, g.StandIn = [][]Cell{row}, []bool{false}
	var text, md, csv bytes.Buffer
	for write, err := range map[string]error{"text": g.WriteText(&text), "Markdown": g.WriteMarkdown(&md), "CSV": g.WriteCSV(&csv)} {
		if err != nil {
			t.Fatal(write, err)
		}
	}
	for line := range strings.Lines(text.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > textWidth {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	for word, n := range map[string]int{"remark": 40, "note": 50, "exponent": 12, "0.25": 12, "Hidden": 0, "unseen": 0} {
		if got := strings.Count(text.String(), word); got != n {
			t.Errorf("%q is there %d times, want %d:\n%s", word, got, n, text.String())
		}
	}
	if strings.Contains(md.String(), "Hidden") || !strings.Contains(md.String(), "| Measured exponent of n |") {
		t.Errorf("in Markdown:\n%s", md.String())
	}
	if strings.Count(csv.String(), "hidden") != 12 || strings.Count(csv.String(), ",77") != 12 {
		t.Errorf("in CSV:\n%s", csv.String())
	}
	if g.Columns[0].Title != "Measured exponent of n" {
		t.Error("the table is changed")
	}
}
