package plots

import (
	"slices"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

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
