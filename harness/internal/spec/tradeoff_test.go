package spec

import (
	"strings"
	"testing"
)

func TestTradeoffFiguresAndTables(t *testing.T) {
	t.Parallel()
	s, err := parseLabelled(sparse + `figures:
  - {id: all, draw: tradeoff, facet: {cols: dataset, wrap: 2}, band: halvings}
  - {id: some, panels: [{draw: tradeoff, where: {dataset: mnist}}, {x: iterations, y: error}]}
tables:
  - {id: errors, kind: tradeoff, sizes: [10, 100], validation: true, where: {dataset: mnist}}
  - {id: costs, kind: sparsification, sizes: [100]}
  - {id: data, kind: datasets, columns: [train_rows, test_rows, gamma, C, reference_support, reference_error]}
  - id: bounds
    kind: exponents
    columns: [growth]
    exponents: [{id: growth, over: n, cost: support, targets: [0.1]}]
`)
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Figures[0]; f.Facet.Wrap != 2 || f.Draw != "tradeoff" || f.Band != "halvings" {
		t.Errorf("figure %+v", f)
	}
	if tab := s.Tables[0]; len(tab.Sizes) != 2 || tab.Sizes[1] != 100 || !tab.Validation {
		t.Errorf("table %+v", tab)
	}
}

func TestBadTradeoffs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, output, want string }{
		{"x", "figures:\n  - {id: f, draw: tradeoff, x: iterations}\n", "tradeoff has fixed axes"},
		{"tuned", "figures:\n  - {id: f, draw: tradeoff, where: {eta: 0.5}}\n", `"eta" is selected at each support size`},
		{"band", "figures:\n  - {id: f, y: error, band: halvings}\n", "band: halvings needs draw: tradeoff"},
		{"wrap", "figures:\n  - {id: f, y: error, facet: {rows: dataset, wrap: 2}}\n", "figures.f.facet.wrap: needs a figure with one row"},
		{"no y", "figures:\n  - {id: f, series: [rsvm]}\n", "figures.f: y is missing: add a metric, such as y: error"},
		{"no y in a panel", "figures:\n  - {id: f, panels: [{draw: tradeoff}, {x: iterations}]}\n", "figures.f.panels[1]: y is missing: add a metric, such as y: error"},
		{"spectrum", "figures:\n  - {id: f, y: spectrum}\n", `unknown metric "spectrum" (known: error, slant)`},
		{"other column", "tables:\n  - {id: t, columns: [final_suboptimality]}\n", `unknown column "final_suboptimality"`},
		{"no columns", "tables:\n  - {id: t}\n", "columns is empty: list some of best_error, final_error, norm, runs, "},
		{"no sizes", "tables:\n  - {id: t, kind: tradeoff}\n", "sizes is empty"},
		{"columns", "tables:\n  - {id: t, kind: sparsification, columns: [runs]}\n", "a table with kind: sparsification has fixed columns"},
		{"theory", "tables:\n  - {id: t, kind: tradeoff, sizes: [3], theory: {rsvm: {a: b}}}\n", "a table with kind: tradeoff has no theory"},
		{"other kind", "tables:\n  - {id: t, columns: [runs], sizes: [3]}\n", `needs a table with kind: tradeoff or sparsification`},
		{"validation", "tables:\n  - {id: t, kind: sparsification, validation: true}\n", `needs a table with kind: tradeoff`},
		{"tuned table", "tables:\n  - {id: t, kind: tradeoff, sizes: [3], where: {eta: 0.5}}\n", `"eta" is selected at each support size`},
	} {
		_, err := parseLabelled(sparse + test.output)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	// Other tasks have no trade-offs.
	other := strings.Replace(sparse[:strings.Index(sparse, "select:")], "task: svm-sparse", "task: svm", 1)
	for _, output := range []string{"figures:\n  - {id: f, draw: tradeoff}\n", "tables:\n  - {id: t, kind: tradeoff, sizes: [3]}\n", "tables:\n  - {id: t, kind: sparsification}\n"} {
		want := "needs the task svm-sparse; the task is svm\n"
		if _, err := parseLabelled(other + output); err == nil || !strings.Contains(err.Error()+"\n", want) || strings.Contains(err.Error(), "set select") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	none := strings.Replace(sparse, "select: {by: halvings, tune: [eta]}\n", "", 1)
	for output, want := range map[string]string{
		"figures:\n  - {id: f, draw: tradeoff}\n":            "draw: tradeoff needs a selection at each support size: set select: {by: halvings",
		"tables:\n  - {id: t, kind: tradeoff, sizes: [3]}\n": "kind: tradeoff needs a selection at each support size: set select: {by: halvings",
		"tables:\n  - {id: t, kind: sparsification}\n":       "kind: sparsification needs a selection",
	} {
		if _, err := parseLabelled(none + output); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
