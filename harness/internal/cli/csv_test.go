package cli

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// rings are rows of two features of very different widths, and of a third, with texts for labels.
func rings(n int) string {
	rng := rand.New(rand.NewPCG(4, 2))
	var b strings.Builder
	fmt.Fprintln(&b, "wide,narrow,noise,kind")
	for range n {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		kind := map[bool]string{true: "inner", false: "outer"}[x*x+y*y < 1.4]
		fmt.Fprintf(&b, "%.5g,%.5g,%.5g,%s\n", 1e4*(x+3), 0.01*y, rng.NormFloat64(), kind)
	}
	return b.String()
}

// A CSV file of raw features with texts for labels needs no script: new scales, and run
// chooses by validation rows.
func TestCSVToTable(t *testing.T) {
	home(t)
	write(t, "mine.csv", rings(240))
	o := ok(t, "new", "small", "--task", "svm-sparse", "--data", "mine.csv")
	wantText(t, "new", o.out, "Labels: column kind (it is the only column of texts; --label names another).", "Labels are inner (read as -1, ", "outer (read as 1, ")
	wantText(t, "spec", read(t, "small.yaml"), "prepare: [standardize-unit-expected-norm]", "split: {train: 0.6, validation: 0.2, test: 0.2}", "by: validation")
	ok(t, "run", "small.yaml")
	wantText(t, "table", read(t, "results/small/tables/at-sizes.md"), `\*`, "Sparsify (aggressive)", "SpSVM", "RSVM")
}

// Rows with missing values are left out where the spec says so, and one class of several is
// told from the rest.
func TestCSVOfSeveralClasses(t *testing.T) {
	home(t)
	text := rings(120)
	rows := strings.SplitAfter(text, "\n")
	for i := 3; i < len(rows); i += 5 {
		rows[i] = strings.Replace(rows[i], "outer", "far", 1)
	}
	rows[7] = "?," + rows[7][strings.Index(rows[7], ",")+1:]
	write(t, "mine.csv", strings.Join(rows, ""))
	o := ok(t, "new", "small", "--task", "svm-sparse", "--data", "mine.csv")
	wantText(t, "new", o.out, "missing: skip leaves 119 of 120 rows (the others have missing values).", "119 rows", "far (read as 1, 12 rows), inner (read as 2, 54 rows)", "Label inner (read as 2) against the rest")
	wantText(t, "spec", read(t, "small.yaml"), "with: {missing: skip}", "positive: 2\n")
	ok(t, "run", "small.yaml")
	write(t, "small.yaml", edit(t, read(t, "small.yaml"), "    with: {missing: skip}\n", ""))
	wantText(t, "error", stochopt(t, "run", "small.yaml").err, `mine.csv:8: column 1 ("wide"): the value is missing ("?"): fill it in, or leave such rows out by `+"`with: {missing: skip}`")
}
