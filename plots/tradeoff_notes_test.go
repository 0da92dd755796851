package plots

import (
	"slices"
	"testing"

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
