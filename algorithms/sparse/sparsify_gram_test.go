package sparse

import (
	"slices"
	"testing"

	"stochopt/algorithms/internal/suite"
)

// TestGramRows checks that a smaller cache of the Gram matrix does not change the steps, but fetches
// more rows.
func TestGramRows(t *testing.T) {
	p := gaussianCloud(3, 60, 2, 0.5)
	ref := p.trained(t)
	var want []Expansion
	last := int64(0)
	for _, room := range []int{1000, 7, 3, 0} {
		a := suite.Must(NewSparsifyAggressive(SparsifyConfig{Eta: 0.1, Epsilon: 0.1}, p.problem(), ref))
		a.gramFree = room
		p.evals = 0
		for step := range 200 {
			stop := a.Step().Stop()
			var e Expansion
			a.ExpansionTo(&e)
			if room == 1000 {
				want = append(want, e)
			} else if w := want[step]; !slices.Equal(e.Index, w.Index) || !slices.Equal(e.Coef, w.Coef) {
				t.Fatalf("room %d, step %d: %+v, want %+v", room, step, e, w)
			}
			if stop {
				break
			}
		}
		if p.evals < last || room == 0 && p.evals == last {
			t.Errorf("room %d: %d kernel evaluations, %d with more room", room, p.evals, last)
		}
		last = p.evals
	}
}
