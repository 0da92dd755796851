package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// What is packed is judged, drawn, shown and compared like what it was packed from, and
// nothing is added to it.
func TestPack(t *testing.T) {
	text, err := os.ReadFile("../../../configs/pca-simulated.yaml")
	if err != nil {
		t.Fatal(err)
	}
	home(t)
	write(t, "spec.yaml", string(text))
	args := []string{"spec.yaml", "--profile", "smoke", "--set", "repeats=2"}
	ok(t, append([]string{"run", "--out", "whole"}, args...)...)
	o := ok(t, "pack", "whole", "--out", "packed")
	wantText(t, "pack", o.out, "packed/pca-simulated: ", "the same figures, tables and verdicts come out of them")
	wantText(t, "verify", ok(t, "verify", "packed/pca-simulated").out,
		"fig-simulated-tuned shows the cost of whole grids", "no differences")

	whole, packed := ok(t, "claims", "whole", "--no-fail", "--json"), ok(t, "claims", "packed", "--no-fail", "--json")
	if whole.out != packed.out {
		t.Error("other verdicts")
	}
	both := ok(t, "compare", "packed", "whole")
	wantText(t, "compare", both.out, "what was selected in it is fixed", "PASS")
	wantText(t, "compare", ok(t, "compare", "whole", "packed").out, "and the baseline is compared", "PASS")
	ok(t, append([]string{"run", "--out", "other", "--set", "seed=2"}, args...)...)
	wantText(t, "compare with other seeds", stochopt(t, "compare", "packed", "other").out, "what was selected in it is fixed")

	wantText(t, "run", stochopt(t, append([]string{"run", "--out", "packed"}, args...)...).err, "cannot be added to: use another --out")
	wantText(t, "pack", stochopt(t, "pack", "packed", "--out", "again").err, "stochopt: cannot pack packed/pca-simulated", "packed already")
	wantText(t, "pack", stochopt(t, "pack", "whole").err, "--out is missing")
	wantText(t, "plot", stochopt(t, "plot", "packed/pca-simulated").err, "fig-simulated-tuned is not drawn", "is left out of this packed folder")

	ok(t, "report", "packed", "-o", "page.html")
	wantText(t, "page", read(t, "page.html"), "figure fig-simulated-tuned is left out", "is left out of this packed folder")

	// Of an experiment that is not complete it is said how much of it there is.
	ok(t, append([]string{"run", "--out", "part", "--only", "dataset=orthogonal-k1"}, args...)...)
	ok(t, "pack", "part", "--out", "packed-part")
	wantText(t, "verify", ok(t, "verify", "packed-part/pca-simulated").out, "no differences")
	wantText(t, "figure", read(t, "packed-part/pca-simulated/figures/fig-simulated-iterations.txt"), "PARTIAL: ")
}

// Of the runs of a table of exponents a packed folder keeps what they cost, and no curves.
func TestPackExponents(t *testing.T) {
	spec, err := filepath.Abs("../../../configs/svm-bounds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	home(t)
	args := []string{spec, "--profile", "smoke", "--only", "series=perceptron", "--set", "repeats=2"}
	ok(t, append([]string{"run", "--out", "whole"}, args...)...)
	wantText(t, "pack", ok(t, "pack", "whole", "--out", "packed").out, "12 runs, 0 with curves")
	wantText(t, "verify", ok(t, "verify", "packed/svm-bounds").out, "no differences")
	if whole, packed := ok(t, "claims", "whole", "--no-fail", "--json"), ok(t, "claims", "packed", "--no-fail", "--json"); whole.out != packed.out {
		t.Error("other verdicts")
	}
	wantText(t, "compare", ok(t, "compare", "packed", "whole").out, "6 identical", "no regression shown")
	wantText(t, "plot", ok(t, "plot", "packed/svm-bounds").err, "curves.csv lacks 12 runs")
	ok(t, "report", "packed", "-o", "page.html")
	wantText(t, "page", read(t, "page.html"), "Not in the counters: 12 runs, whose curves are left out of this packed folder.")

	// A claim about curves that are left out is not judged; the reason names them.
	text, err := os.ReadFile(spec)
	if err != nil {
		t.Fatal(err)
	}
	write(t, "mine.yaml", edit(t, string(text), "\nclaims:\n", `
claims:
  - {id: mine, from: smoke, says: "The Perceptron's error is small", check: {level: {series: perceptron, metric: error, between: [0, 1]}}}
`))
	o := stochopt(t, "claims", "packed", "--spec", "mine.yaml", "--no-fail")
	wantText(t, "claims", o.out, "mine", "is left out", "not run")
	ok(t, append([]string{"run", "--out", "other", "--set", "seed=2"}, args...)...)
	wantText(t, "compare with other seeds", stochopt(t, "compare", "packed", "other", "--overlay", "drawn").out, "a packed folder leaves its curves out")
}
