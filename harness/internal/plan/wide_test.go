package plan

import (
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
		table, err := datasets.ReadLIBSVM(strings.NewReader(strings.Repeat(text, 2000)), "rows", d)
		if err != nil {
			t.Fatal(err)
		}
		p := build(t, base, &datasets.Data{Name: "rows", Hash: "h", Table: table})
		need := p.Need(p.Items[0])
		const square = 8 * objective.WideDim * objective.WideDim
		wide := d > objective.WideDim
		if wide == (need.Shared >= square) || wide == (need.Making >= square) || need.Making == 0 {
			t.Errorf("d = %d: %+v", d, need)
		}
	}
}
