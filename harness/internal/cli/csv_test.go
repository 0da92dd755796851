package cli

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/model"
	"stochopt/results/words"
)

// rings are rows of two features of very different widths, and of a third, with texts for labels.
func rings(n int, labelled bool) string {
	rng := rand.New(rand.NewPCG(4, 2))
	var b strings.Builder
	fmt.Fprint(&b, "wide,narrow,noise")
	if labelled {
		fmt.Fprint(&b, ",kind")
	}
	fmt.Fprintln(&b)
	for range n {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		fmt.Fprintf(&b, "%.5g,%.5g,%.5g", 1e4*(x+3), 0.01*y, rng.NormFloat64())
		if labelled {
			fmt.Fprint(&b, ",", map[bool]string{true: "inner", false: "outer"}[x*x+y*y < 1.4])
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// A CSV file of raw features with texts for labels needs no script: new scales, run chooses by
// validation rows and saves the classifier of the table's star, and predict takes raw rows.
func TestCSVToLabels(t *testing.T) {
	home(t)
	write(t, "mine.csv", rings(240, true))
	write(t, "new.csv", rings(240, false))
	o := ok(t, "new", "small", "--task", "svm-sparse", "--data", "mine.csv")
	wantText(t, "new", o.out, "Labels: column kind (it is the only column of texts; --label names another).", "Labels are inner (read as -1, ", "outer (read as 1, ")
	wantText(t, "spec", read(t, "small.yaml"), "prepare: [standardize-unit-expected-norm]", "split: {train: 0.6, validation: 0.2, test: 0.2}", "by: validation",
		"stochopt model predict results/small/models/best.model.json new-rows.csv --labels\n")
	run := ok(t, "run", "small.yaml").out
	const file = "results/small/models/best.model.json"
	m, err := model.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	// It is the table's star, with the error that the table has.
	p := m.Provenance
	star := ""
	for _, line := range strings.Split(read(t, "results/small/tables/at-sizes.md"), "\n") {
		if strings.HasSuffix(strings.TrimSpace(line), "* |") || strings.HasSuffix(strings.TrimSpace(line), `\* |`) {
			star = line
		}
	}
	display := map[string]string{"sparsify-aggressive": "Sparsify (aggressive)", "spsvm": "SpSVM", "rsvm": "RSVM"}[p.Series]
	if p.TestError == nil || p.ValidationError == nil || p.TestRows != 24 && p.TestRows != 48 && p.TestRows != 40 {
		t.Fatalf("%+v", p)
	}
	wantText(t, "star", star, display, words.Percent(*p.TestError))
	wantText(t, "run", run, fmt.Sprintf("model best (%s): ", p.Series), fmt.Sprintf("test error %s, on %d test rows, which took no part in the choice, saved", words.Percent(*p.TestError), p.TestRows))
	wantText(t, "info", ok(t, "model", "info", file).out, "outer (1) where g(x) > 0, else inner (-1)", `features   3: "wide", "narrow", "noise"`, "which took no part in the choice", ", by which it was chosen")

	// The same bits as on data that are prepared as in training.
	data, err := datasets.Open(t.Context(), datasets.Ref{Path: "mine.csv", Label: "kind", Prepare: p.Prepare}, datasets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Decisions(t.Context(), data.Table)
	if err != nil {
		t.Fatal(err)
	}
	raw := ok(t, "model", "predict", file, "mine.csv")
	if got := numbers(t, raw.out); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Error("raw rows are judged differently")
	}
	wantText(t, "stderr", raw.err, "mine.csv: prepared by standardize-unit-expected-norm, as in training\n", "error ", " of 240 rows)")
	labels := ok(t, "model", "predict", file, "new.csv", "--labels")
	for i, text := range strings.Fields(labels.out) {
		if text != map[bool]string{true: "outer", false: "inner"}[want[i] > 0] {
			t.Fatalf("row %d is %s, and g is %v", i+1, text, want[i])
		}
	}
	wantText(t, "stderr", labels.err, "240 rows; they have no labels to tell the error by")

	// Other columns.
	head, body, _ := strings.Cut(rings(2, false), "\n")
	write(t, "other.csv", strings.Replace(head, "narrow", "thin", 1)+"\n"+body)
	wantOutcome(t, stochopt(t, "model", "predict", file, "other.csv"), exitUsage,
		`stochopt: other.csv:1: there is no column "narrow" (there is "thin"); the columns must be called as in the file that was trained on`)
	write(t, "more.csv", "id,"+head+"\nAnn,"+strings.Replace(body, "\n", "\nBob,", 1))
	wantText(t, "more", ok(t, "model", "predict", file, "more.csv").err, `more.csv: left out, as the model does not know them: "id"`)
	write(t, "bare.csv", body)
	wantText(t, "bare", ok(t, "model", "predict", file, "bare.csv").err, "bare.csv: no header: its columns are taken to be those of the training data, in the same order")
	write(t, "na.csv", head+"\n1,NA,2\n")
	wantOutcome(t, stochopt(t, "model", "predict", file, "na.csv"), exitUsage,
		`stochopt: na.csv:2: column 2 ("narrow"): the value is missing ("NA"): fill it in, or leave the row out of the file`)

	// It is kept as it is, and made anew where a file of an older program lacks the numbers.
	wantText(t, "again", ok(t, "run", "small.yaml").out, ", unchanged\n")
	m.Input = nil
	if err := model.Write(".", file, m); err != nil {
		t.Fatal(err)
	}
	wantText(t, "older", ok(t, "model", "info", file).out, "(by numbers that the file does not hold)")
	wantText(t, "anew", ok(t, "run", "small.yaml").out, ", saved\n")
}

// Rows with missing values are left out where the spec says so, and a class of more than two
// against the rest has a name for the rest.
func TestCSVOfSeveralClasses(t *testing.T) {
	home(t)
	text := rings(120, true)
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
	write(t, "new.csv", rings(20, false))
	labels := ok(t, "model", "predict", "results/small/models/best.model.json", "new.csv", "--labels").out
	if a, b := strings.Count(labels, "not inner\n"), strings.Count(labels, "inner\n"); b != 20 || a == 0 || a == b {
		t.Errorf("labels are\n%s", labels)
	}
	write(t, "small.yaml", edit(t, read(t, "small.yaml"), "    with: {missing: skip}\n", ""))
	wantText(t, "error", stochopt(t, "run", "small.yaml").err, `mine.csv:8: column 1 ("wide"): the value is missing ("?"): fill it in, or leave such rows out by `+"`with: {missing: skip}`")
}
