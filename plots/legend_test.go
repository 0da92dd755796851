package plots

import (
	"strings"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// renamed gives series and data sets other names.
func renamed(runs []record.Run, name func(string) string) []record.Run {
	for i := range runs {
		runs[i].Series, runs[i].Dataset = name(runs[i].Series), name(runs[i].Dataset)
	}
	return runs
}

func TestLongNamesStayOnThePage(t *testing.T) {
	t.Parallel()
	for name, long := range map[string]func(string) string{
		"words":  func(s string) string { return s + strings.Repeat(" with a step size of its own", 12) },
		"a word": func(s string) string { return s + strings.Repeat("-very-long", 40) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, fig := range []Figure{
				{ID: "legend", Panel: Panel{Log: []string{"y"}, Where: map[string]any{"k": 1}}},
				{ID: "colour", Panel: Panel{Y: "rank", Where: map[string]any{"k": 4}}},
				{ID: "facet", Panel: Panel{Where: map[string]any{"k": 4}}, Facet: Facet{Rows: "series", Cols: "dataset"}},
				{ID: "none", Panel: Panel{Series: []string{long("x")}}},
			} {
				tr := checkLayout(t, composed(t, fig, Input{Catalog: listed, Choice: selection.All(renamed(realData(1, true), long))}))
				all := ""
				for _, b := range tr.texts {
					all += b.text
				}
				squeezed := strings.ReplaceAll(all, " ", "")
				name := "mnist"
				if fig.ID == "none" {
					name = "x"
				}
				if want := strings.ReplaceAll(long(name), " ", ""); !strings.Contains(squeezed, want) {
					t.Errorf("%s: the name is cut short", fig.ID)
				}
			}
		})
	}
}
