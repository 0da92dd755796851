package cli

import (
	"strings"
	"testing"
)

type tableRow struct {
	Name  string `json:"name"`
	N     int    `json:"n"`
	Extra bool   `json:"extra"`
}

// All formats have the same cells. A table fits on a terminal.
func TestTableFormats(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("word ", 60))
	rows := []tableRow{{"a|b", 1, true}, {"first\n  " + long, 234, false}}
	columns := []column[tableRow]{
		{"the name", func(r tableRow) any { return r.Name }}, {"n", func(r tableRow) any { return r.N }},
	}
	print := func(format string) string {
		var b strings.Builder
		printTable(&b, format, rows, columns)
		return b.String()
	}
	text := print(inTable)
	wantNarrow(t, text)
	wantText(t, "table", text, "│   1 │\n", "│ 234 │\n", "│   word word")
	if n := strings.Count(text, "word"); n != 60 {
		t.Errorf("%d words, want 60:\n%s", n, text)
	}
	wantText(t, "Markdown", print(inMarkdown), `a\|b`, "|   1 |")
	if rows = nil; print(inTable) != "" {
		t.Errorf("without rows: %q", print(inTable))
	}
	var b strings.Builder
	if err := printJSONList(&b, rows); err != nil || b.String() != "[]\n" {
		t.Errorf("a list without elements: %q, %v", b.String(), err)
	}
}
