package plan

import (
	"fmt"
	"slices"
	"testing"

	"stochopt/internal/record"
)

const sparseBase = `version: 1
name: exp
task: svm-sparse
seed: 7
repeats: 2
budget: {passes: 10}
record: {points: 10}
datasets:
  - {id: t, path: t.svm, format: libsvm, problem: {sigma2: 25, C: 1}}
algorithms:
  - {id: sparsify}
  - {id: rsvm}
`

// What takes a trained classifier depends on how that is trained; what does not
// is spared.
func TestSparseKeysArePinned(t *testing.T) {
	t.Parallel()
	p := build(t, sparseBase, alternating(t, 90, 30))
	for i, want := range []string{"399a0eaf3415b9e40a734c76503b37e0", "7961226ec0792ffc210686229dd774f4"} {
		if got := p.Items[i].ID.Key; got != want {
			t.Errorf("%s has the key %s, want %s", p.Items[i].Series, got, want)
		}
	}
}

// Limits do not change what a run comes to: a record serves under any, unless it
// met one.
func TestSparseExtents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit string
		want  record.Limit
	}{
		{"", record.Limit{}},
		{", limit: {seconds: 600}", record.Limit{Seconds: 600}},
		{", limit: {memory: 2GB}", record.Limit{Memory: 2e9}},
		{", limit: {seconds: 0.5, memory: 1KiB}", record.Limit{Seconds: 0.5, Memory: 1024}},
	} {
		p := build(t, replace(t, sparseBase, "{id: rsvm}", "{id: rsvm"+test.limit+"}"), alternating(t, 90, 30))
		if got := p.Items[1]; got.ID.Extent != "600/log:10+recording2" || got.Limits() != test.want {
			t.Errorf("%q: the extent is %s, the limits are %+v", test.limit, got.ID.Extent, got.Limits())
		}
		if got := p.Items[0].Limits(); got != (record.Limit{}) {
			t.Errorf("another's limits are %+v", got)
		}
	}
	p := build(t, replace(t, sparseBase, "points: 10", "points: 10, alone: true", "{id: rsvm}", "{id: rsvm, limit: {seconds: 1}}"), alternating(t, 90, 30))
	if got := p.Items[1].ID.Extent; got != "600/log:10+recording2+alone" {
		t.Errorf("the extent is %s", got)
	}
}

func TestSparseCosts(t *testing.T) {
	t.Parallel()
	text := replace(t, sparseBase, "  - {id: rsvm}\n", `  - {id: rsvm}
  - {id: sparsify, as: pairs, with: {bias: true}}
  - {id: spsvm, with: {candidates: 5}, budget: {iterations: 7}}
`)
	p := build(t, text, alternating(t, 90, 30))
	var got []string
	for _, it := range p.Items {
		if it.Repeat == 0 {
			got = append(got, fmt.Sprintf("%s %d %d", it.Series, it.Budget, it.KernelEvals()))
		}
		if !it.ReadsKernel() {
			t.Errorf("%s reads no kernel matrix", it.Series)
		}
	}
	// 60 training rows: a pass is 3600 kernel evaluations.
	if want := []string{"sparsify 600 36000", "rsvm 600 36000", "pairs 300 36000", "spsvm 7 2100"}; !slices.Equal(got, want) {
		t.Errorf("budgets are %v, want %v", got, want)
	}
	// Two rows over 60 points and two over 30, in blocks of 16.
	if bytes := p.Items[0].Need().Kernel; bytes != 2*4*(64+32) {
		t.Errorf("the rows take %d bytes", bytes)
	}
}
