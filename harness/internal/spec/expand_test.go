package spec

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func describeCells(cells []Cell) []string {
	var lines []string
	for _, c := range cells {
		var words []string
		for _, name := range slices.Sorted(maps.Keys(c.Params)) {
			words = append(words, fmt.Sprintf("%s=%v", name, c.Params[name]))
		}
		lines = append(lines, c.Dataset.ID+" "+c.Series+" "+strings.Join(words, " "))
	}
	return lines
}

func TestExpand(t *testing.T) {
	t.Parallel()
	s := mustParse(t, `version: 1
name: cells
task: pca
budget: {iterations: 1}
defaults: {step: {schedule: [inverse, inverse-sqrt], c: [1, 2]}, with: {iterate: average, k: 9}}
datasets:
  - {id: b, source: simulated-gaussian, problem: {k: [2, 1]}}
  - {id: a, source: mnist}
algorithms:
  - {id: msg, as: m, with: {start: [uniform, random-low-rank]}, step: {schedule: theory, c: 3}}
  - {id: power, datasets: [b]}
  - {id: incremental, with: {}}
`, "")
	cells := slices.Collect(s.Expand())
	want := []string{
		"b m iterate=average k=2 start=uniform step.c=3 step.schedule=theory",
		"b m iterate=average k=2 start=random-low-rank step.c=3 step.schedule=theory",
		"b power k=2 step.c=1 step.schedule=inverse",
		"b power k=2 step.c=2 step.schedule=inverse",
		"b power k=2 step.c=1 step.schedule=inverse-sqrt",
		"b power k=2 step.c=2 step.schedule=inverse-sqrt",
		"b incremental k=2",
		"b m iterate=average k=1 start=uniform step.c=3 step.schedule=theory",
		"b m iterate=average k=1 start=random-low-rank step.c=3 step.schedule=theory",
		"b power k=1 step.c=1 step.schedule=inverse",
		"b power k=1 step.c=2 step.schedule=inverse",
		"b power k=1 step.c=1 step.schedule=inverse-sqrt",
		"b power k=1 step.c=2 step.schedule=inverse-sqrt",
		"b incremental k=1",
		"a m iterate=average k=9 start=uniform step.c=3 step.schedule=theory",
		"a m iterate=average k=9 start=random-low-rank step.c=3 step.schedule=theory",
		"a incremental k=9",
	}
	if got := describeCells(cells); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if cells[0].Dataset != &s.Datasets[0] || cells[0].Algorithm != &s.Algorithms[0] {
		t.Error("cells do not point into the specification")
	}
	// Integers become floats where the catalog says so, and the reverse.
	if c, k := cells[0].Params["step.c"], cells[0].Params["k"]; c != 3.0 || k != int64(2) {
		t.Errorf("got step.c = %v (%T), k = %v (%T)", c, c, k, k)
	}
	// Cells do not share their parameters.
	cells[0].Params["k"] = nil
	if cells[1].Params["k"] != int64(2) || slices.Collect(s.Expand())[0].Params["k"] != int64(2) {
		t.Error("cells share their parameters")
	}
}
