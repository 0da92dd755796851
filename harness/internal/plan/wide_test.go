package plan

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/objective"
)

// Wide data need memory by their rows: one feature more than is kept as a matrix, and
// the squares of the dimension are gone.
func TestWideDataNeedNoMatrix(t *testing.T) {
	t.Parallel()
	for _, d := range []int{objective.WideDim, objective.WideDim + 1} {
		text := "1 1:1\n"
		table := libsvmTable(t, strings.Repeat(text, objective.WideRows), d)
		p := build(t, base, &datasets.Data{Name: "rows", Hash: "h", Table: table})
		need := p.Items[0].Need()
		const square = 8 * objective.WideDim * objective.WideDim
		wide := d > objective.WideDim
		if wide == (need.Measure >= square) || need.Measure == 0 {
			t.Errorf("d = %d: %+v", d, need)
		}
	}
}

// Wide data are refused if they are measured on more rows than can be certified, before
// anything runs.
func TestWideDataOfManyRowsAreRefused(t *testing.T) {
	t.Parallel()
	const rows = objective.WideRows + 1
	for _, tt := range []struct {
		name    string
		rows, d int
		split   string
		want    string // "" if they are accepted
	}{
		{"as many features as are kept as a matrix", rows, objective.WideDim, "", ""},
		{"as many rows as are decomposed", objective.WideRows, objective.WideDim + 1, "", ""},
		{"one row more", rows, objective.WideDim + 1, "", "the optimum of 1025 rows of 4097 features cannot be certified: " +
			"data of more than 4096 features are measured on at most 1024 rows; use fewer rows, or a split " +
			"whose validation and test rows are at most that many each, or use data of fewer features"},
		{"small splits", 4 * rows, objective.WideDim + 1, ", split: {train: 0.6, validation: 0.2, test: 0.2}", ""},
		{"a large test split", 4 * rows, objective.WideDim + 1, ", split: {train: 0.4, validation: 0.1, test: 0.5}",
			"the optimum of 2050 rows of 4097 features cannot be certified: data of more than 4096 features " +
				"are measured on at most 1024 rows; use fewer rows, or a smaller validation and test split, or use data of fewer features"},
	} {
		table := libsvmTable(t, strings.Repeat("1 1:1\n", tt.rows), tt.d)
		s := load(t, replace(t, base, ", split: {train: 0.5, validation: 0.25, test: 0.25}", tt.split))
		_, err := Build(context.Background(), s, always(&datasets.Data{Name: "rows", Hash: "h", Table: table}))
		if tt.want == "" != (err == nil) || err != nil && !strings.HasSuffix(err.Error(), `: dataset "t": `+tt.want) {
			t.Errorf("%s: error is %v", tt.name, err)
		}
	}
	// Where the shape is known, the data need not be opened.
	err := Check(load(t, replace(t, base, "path: t.csv, format: csv", "source: reuters")))
	if err == nil || !strings.Contains(err.Error(), "s.yaml:10:5: dataset \"t\": the optimum of 2767 rows of 8315 features cannot be certified") {
		t.Errorf("error is %v", err)
	}
}

// libsvmTable reads a table from a file of the user's own.
func libsvmTable(t testing.TB, text string, features int) *datasets.Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := datasets.Open(t.Context(), datasets.Ref{Path: path, Format: "libsvm", Features: features}, datasets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Table
}
