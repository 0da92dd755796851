package cli

import (
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf8"

	"stochopt/plots/table"
)

type tableRow struct {
	Name  string `json:"name"`
	N     int    `json:"n"`
	Extra bool   `json:"extra"`
}

// All formats show the same cells; a table for a terminal is as wide as it may be.
func TestTableFormats(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("word ", 60))
	rows := []tableRow{{"a|b", 1, true}, {"first\n  " + long, 234, false}}
	columns := []column[tableRow]{
		{"the name", func(r tableRow) any { return r.Name }}, {"n", func(r tableRow) any { return r.N }},
	}
	print := func(format string) string {
		var b strings.Builder
		if err := printTable(&b, format, rows, columns); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := print(inTable)
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > table.Width {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	wantText(t, "table", text, "│   1 │\n", "│ 234 │\n", "│   word word")
	if n := strings.Count(text, "word"); n != 60 {
		t.Errorf("%d words, want 60:\n%s", n, text)
	}
	wantText(t, "Markdown", print(inMarkdown), `a\|b`, "|   1 |")
	got, err := csv.NewReader(strings.NewReader(print(inCSV))).ReadAll()
	if err != nil || len(got) != 3 || got[0][0] != "the_name" || got[1][0] != rows[0].Name || got[2][0] != rows[1].Name || got[2][1] != "234" {
		t.Errorf("CSV has %q (%v)", got, err)
	}
	if back := parseJSON[[]tableRow](t, print(inJSON)); len(back) != 2 || back[0] != rows[0] {
		t.Errorf("JSON has %+v", back)
	}
	if rows = nil; print(inTable) != "" || print(inJSON) != "[]\n" {
		t.Errorf("without rows: %q, %q", print(inTable), print(inJSON))
	}
}
