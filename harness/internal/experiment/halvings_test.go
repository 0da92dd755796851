package experiment

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/plots"
)

// halvingFolder creates a folder with runs of two step sizes with recorded mistakes, and one that ran out of memory.
func halvingFolder(t *testing.T) *Folder {
	t.Helper()
	var runs []record.Run
	for i, eta := range []float64{0.5, 1, 2} {
		r := record.Run{
			Schema: record.Schema, Key: fmt.Sprint("key", i), Extent: "3/all", Task: "svm-sparse",
			Dataset: "d", DatasetHash: "h", Series: "sparsify", Algorithm: "sparsify", Version: 1, Seed: 7,
			Params: record.Params{"C": 1.0, "eta": eta}, Status: record.StatusFinished, Reason: "budget of 3 iterations",
			Rows:  map[string]int64{"train": 50, "test": 20},
			Facts: map[string]float64{"reference_error": 0.05, "reference_support": 40, "reference_kernel_evals": 1e6},
			Curve: record.Curve{
				Cost: map[string][]int64{"iterations": {1, 2, 3}, "kernel_evals": {50, 100, 150}},
				Metrics: map[string]map[string][]float64{
					"state": {"support": {1, 4, 9}}, "test": {"error": {0.3, 0.2, 0.1}},
				},
				Mistakes: []record.IndexSet{{0, 3, 6, 9, 12, 15}, {int32(i), 5, 10, 15}, {2, 17}},
			},
		}
		if i == 2 {
			r.Series, r.Algorithm, r.Status, r.Reason = "spsvm", "spsvm", record.StatusOutOfMemory, "would take 12 GB, limit 8 GB"
			r.Curve = record.Curve{}
		}
		runs = append(runs, r.WithTiming(record.Timing{StepSeconds: 1}))
	}
	return stored(t, runs)
}

func halvingSpec() *spec.Spec {
	return &spec.Spec{
		Version: 1, Name: "exp", Title: "Sparse", Task: "svm-sparse", Seed: 7, Repeats: 1,
		Select:  selection.Rule{By: "halvings", Halvings: 8, Metric: "error", Tune: []string{"eta"}},
		Figures: []plots.Figure{{ID: "fig", Panel: plots.Panel{Draw: plots.DrawTradeoff}}},
		Tables: []plots.Table{
			{ID: "tab", Kind: plots.KindTradeoff, Sizes: []int{3, 7}},
			{ID: "cost", Kind: plots.KindSparsification, Sizes: []int{9}},
			{ID: "data", Kind: plots.KindDatasets, Columns: []string{"train_rows", "test_rows", "C", "reference_support", "reference_error"}},
		},
	}
}

// All products of a selection by halvings are derived from the records.
func TestSelectionByHalvings(t *testing.T) {
	t.Parallel()
	f := halvingFolder(t)
	p := writeProducts(t, f, halvingSpec(), AllKinds)
	rows, err := csv.NewReader(strings.NewReader(content(t, f, "selection.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var sizes []string
	for _, row := range rows[1:] {
		sizes = append(sizes, row[3]+" "+row[slices.Index(rows[0], "support_size")])
	}
	want := "sparsify 1,sparsify 2,sparsify 3,sparsify 4,sparsify 5,sparsify 6,sparsify 7,sparsify 8,sparsify 9,spsvm "
	if got := strings.Join(sizes, ","); got != want {
		t.Errorf("the selection has %s, want %s", got, want)
	}
	for name, part := range map[string]string{
		"curves.csv":      ",3,150,9,0.1",
		"tables/cost.csv": "d,sparsify,9,9,",
		"tables/data.csv": "d,50,20,1,40,0.05",
	} {
		if text := content(t, f, name); !strings.Contains(text, part) {
			t.Errorf("%s lacks %q:\n%s", name, part, text)
		}
	}
	if len(p.Warnings) == 0 {
		t.Error("a run that ran out of memory is no warning")
	}
	content(t, f, "figures/fig.svg")
}
