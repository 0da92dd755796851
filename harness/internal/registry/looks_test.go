package registry

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/plots"
)

// keysOf returns the legend of a figure of the given runs.
func keysOf(t *testing.T, runs []record.Run) []plots.ChartKey {
	t.Helper()
	for i := range runs {
		runs[i].Dataset, runs[i].Status = "d", record.StatusFinished
		runs[i].Curve = record.Curve{
			Cost:    map[string][]int64{"iterations": {1, 2}},
			Metrics: map[string]map[string][]float64{"population": {"suboptimality": {1, 0.5}}},
		}
	}
	chart, err := plots.Compose(plots.Figure{ID: "f"}, plots.Input{Catalog: Looks(), Choice: selection.All(runs)})
	if err != nil {
		t.Fatal(err)
	}
	return chart.Keys
}

// Looks within a figure are distinct, lines of the thesis's sparse methods are wide, and no colour is
// faint.
func TestLooksAreDistinct(t *testing.T) {
	t.Parallel()
	var unknown []record.Run
	for i := range 40 {
		unknown = append(unknown, record.Run{Series: fmt.Sprint("unknown-", i), Algorithm: "unknown"})
	}
	var extra []string
	for _, k := range keysOf(t, unknown) {
		extra = append(extra, fmt.Sprint(k.Dash))
	}
	sparse := looksOf(record.TaskSparse)
	for _, id := range []string{"sbp", "perceptron", "smo", "sgd", "pegasos", "sdca"} {
		sparse = append(sparse, of(record.TaskSVM, id).look)
		sparse[len(sparse)-1].ID = id
	}
	for _, looks := range []plots.Catalog{looksOf(record.TaskPCA), looksOf(record.TaskSVM), sparse, looksOf(record.TaskLoss)} {
		for i, a := range looks {
			for _, b := range looks[:i] {
				if a.Style.Color == b.Style.Color {
					t.Errorf("%s has the colour of %s", a.ID, b.ID)
				}
				if len(a.Style.Dash) > 0 && slices.Equal(a.Style.Dash, b.Style.Dash) {
					t.Errorf("%s has the dashes of %s", a.ID, b.ID)
				}
				if a.Name == b.Name {
					t.Errorf("%s and %s are both called %s", a.ID, b.ID, a.Name)
				}
			}
			if slices.Contains(extra, fmt.Sprint(a.Style.Dash)) {
				t.Errorf("%s has dashes that are reserved for other series", a.ID)
			}
			if c := contrast(a.Style.Color); c < 2.1 { // the orange of Okabe and Ito has 2.2
				t.Errorf("%s: contrast %.2f", a.ID, c)
			}
		}
	}
	for _, a := range sparse {
		if ours := strings.HasPrefix(a.ID, "sparsify"); ours != (a.Style.Width >= 2) {
			t.Errorf("%s is %v wide", a.ID, a.Style.Width)
		}
	}
}

// contrast is the WCAG contrast ratio against white.
func contrast(text string) float64 {
	c := plots.ParseColor(text)
	lin := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 1.05 / (0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B) + 0.05)
}

// A variant has the colour of its algorithm, unless the figure has another variant of it.
func TestLooksOfVariants(t *testing.T) {
	t.Parallel()
	looks, seen := Looks(), make(map[string]string)
	color := func(id string) string {
		return looks[slices.IndexFunc(looks, func(a plots.Algorithm) bool { return a.ID == id })].Style.Color
	}
	for _, id := range []string{"basic", "aggressive", "kept", "relearned"} {
		if other := seen[color(id)]; other != "" {
			t.Errorf("%s has the colour of %s", id, other)
		}
		seen[color(id)] = id
	}
	if color("basic") != color("sparsify") || color("aggressive") != color("sparsify-aggressive") {
		t.Error("a variant has a different colour than its algorithm")
	}
}
