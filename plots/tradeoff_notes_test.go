package plots

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// changed returns the input with changes made to copies of its runs.
func changed(in Input, change func(r *record.Run)) Input {
	out := in
	out.Choice = selection.All(slices.Clone(in.Choice.Runs()))
	for i := range out.Choice.Runs() {
		r := &out.Choice.Runs()[i]
		r.Params, r.Facts = maps.Clone(r.Params), maps.Clone(r.Facts)
		change(r)
	}
	out.Choice = chooseBySize(out.Choice.Runs(), 3, "eta", "basis")
	return out
}

// captionAndNotes returns what a figure and a table of the input say.
func captionAndNotes(t *testing.T, in Input) map[string]string {
	t.Helper()
	d, _ := drawn(t, figTradeoff, in, "svg")
	g := Build(Table{ID: "tab", Kind: KindTradeoff, Sizes: []int{10, 100}}, in)
	cost := Build(Table{ID: "cost", Kind: KindSparsification, Sizes: []int{10, 100}}, in)
	return map[string]string{"figure": d.Caption, "table": strings.Join(append(said(g), g.Notes...), "\n"), "cost": strings.Join(append(said(cost), cost.Notes...), "\n")}
}

func TestMethodsWithoutABiasAreNamed(t *testing.T) {
	in := sparseInput(1, sparseMethods[0], sparseMethods[11], sparseMethods[12])
	some := changed(in, func(r *record.Run) { r.Params["bias"] = r.Series == "sparsify-aggressive" })
	for what, text := range captionAndNotes(t, some) {
		if !strings.Contains(text, "no bias: Forgetron, RBP") {
			t.Errorf("%s: %q", what, text)
		}
	}
	for name, none := range map[string]Input{"none": changed(in, func(r *record.Run) { r.Params["bias"] = false }), "unsaid": in} {
		for what, text := range captionAndNotes(t, none) {
			if strings.Contains(text, "no bias") {
				t.Errorf("%s, %s: %q", name, what, text)
			}
		}
	}
}

func TestTestRowsOfOneClassAreNamed(t *testing.T) {
	in := sparseInput(2, sparseMethods[0])
	one := changed(in, func(r *record.Run) {
		r.Facts[record.FactConstantError] = map[string]float64{"adult": 0, "ijcnn": 0.095}[r.Dataset]
	})
	for what, text := range captionAndNotes(t, one) {
		if !strings.Contains(text, "ONE CLASS: the test rows of adult are all") {
			t.Errorf("%s: %q", what, text)
		}
	}
}

// Of the tuned parameters those are named that a series shown has several values
// of.
func TestNotesNameTheParametersShown(t *testing.T) {
	in := sparseInput(1, sparseMethods[0], sparseMethods[4])
	fig := figTradeoff
	fig.Series = []string{"sparsify-aggressive"}
	if d, _ := drawn(t, fig, in, "svg"); !strings.Contains(d.Caption, "the best classifier (η) among the largest of each run up to that size is chosen on one half") {
		t.Errorf("caption %q", d.Caption)
	}
	lone := in
	lone.Choice = selection.All(filter(in.Choice.Runs(), func(r *record.Run) bool { return r.Params["eta"] == 1.0 }))
	lone.Choice = chooseBySize(lone.Choice.Runs(), 3, "eta")
	if d, _ := drawn(t, figTradeoff, lone, "svg"); !strings.Contains(d.Caption, "the best classifier among") {
		t.Errorf("caption %q", d.Caption)
	}
	all, err := selection.Choose(lone.Choice.Runs(), selection.Rule{By: selection.ByHalvings, Halvings: 3, Over: selection.OverAny})
	if err != nil {
		t.Fatal(err)
	}
	lone.Choice = all
	said := captionAndNotes(t, lone)
	for what, want := range map[string]string{
		"figure": "the best classifier among all of at most that size is chosen on one half of the test rows",
		"table":  "Error at s: chosen on half of the test rows, measured on the other", "cost": "over 3 halvings",
	} {
		if !strings.Contains(said[what], want) {
			t.Errorf("%s: %q", what, said[what])
		}
	}
}

// The reference is one of each problem, the mean over repeats.
func TestReferencesAreMeansOverRepeats(t *testing.T) {
	run := func(repeat int, bias bool, error, support float64) record.Run {
		return record.Run{
			Dataset: "d", Series: "s", Repeat: repeat, Params: record.Params{"bias": bias, "eta": float64(repeat)},
			Facts: map[string]float64{factReferenceError: error, factReferenceSupport: support},
		}
	}
	runs := []record.Run{run(0, true, 0.25, 10), run(1, true, 0.75, 21), run(0, true, 0.25, 10), run(0, false, 0.5, 30), {Dataset: "d"}}
	want := []reference{{0.5, 15.5, "bias = true"}, {0.5, 30, "bias = false"}}
	if got := listed.referencesOf(runs); !slices.Equal(got, want) {
		t.Errorf("references %+v, want %+v", got, want)
	}
	notes := []string{
		"d 50.00 %, 15.5 vectors (bias = true)",
		"d 50.00 %, 30 vectors (bias = false)",
	}
	if got := (Input{Catalog: listed}).referenceTexts(runs); !slices.Equal(got, notes) {
		t.Errorf("notes %q", got)
	}
}

func TestSubsamplesTakeOneLine(t *testing.T) {
	var runs []record.Run
	for _, name := range strings.Split("abcdef", "") {
		runs = append(runs, record.Run{Dataset: name, Rows: map[string]int64{"train": 10, "train_of": 20, "test": 5, "test_of": 5}})
	}
	runs[5].Rows["test"] = 4
	want := []string{"SUBSAMPLE of a; b; c; d; e: 10 of 20 training rows; f: 10 of 20 training rows, 4 of 5 test rows"}
	if got := subsamples(runs); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}

// A note says on which variables a law is, and at which targets.
func TestNotesOfLaws(t *testing.T) {
	of, law := exponentNote(observe.Exponent{Over: observe.OverN, With: []string{observe.OverEpsilon}, Targets: []float64{0.2, 0.1}}.WithDefaults())
	if of != "log kernel evaluations" || law != "on log 1/ε and log n (2 ε, 0.1 to 0.2)" {
		t.Errorf("%q %q", of, law)
	}
	of, law = exponentNote(observe.Exponent{Over: "u_norm", Of: "support", Targets: []float64{0.1}}.WithDefaults())
	if of != "log support vectors" || law != "on log R (ε = 0.1)" {
		t.Errorf("%q %q", of, law)
	}
}

// Series that run one algorithm for sparse SVMs differ in lightness too.
func TestVariantsOfSparseMethodsDiffer(t *testing.T) {
	ids := []seriesID{{"cpsp", "cpsp"}, {"cpsp-solution", "cpsp"}, {"sbp", "sbp"}, {"sbp-last", "sbp"}}
	styles := stylesOf(ids)
	if styles["cpsp"].Color == styles["cpsp-solution"].Color {
		t.Error("the variants of CPSP have one colour")
	}
	if styles["sbp"].Color != styles["sbp-last"].Color {
		t.Error("a variant of another task has another colour")
	}
}
