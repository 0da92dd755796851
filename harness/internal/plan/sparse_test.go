package plan

import (
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

// The key of a method that approximates a reference classifier depends on the training of that
// classifier. Other keys do not.
func TestSparseKeysArePinned(t *testing.T) {
	t.Parallel()
	p := build(t, sparseBase, alternating(t, 90, 30))
	for i, want := range []string{"399a0eaf3415b9e40a734c76503b37e0", "7961226ec0792ffc210686229dd774f4"} {
		if got := p.Items[i].ID.Key; got != want {
			t.Errorf("%s has the key %s, want %s", p.Items[i].Series, got, want)
		}
	}
}

// Limits are not part of the extent, because they do not change the result of a run that stays within
// them.
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
			t.Errorf("the limits of another run are %+v", got)
		}
	}
	p := build(t, replace(t, sparseBase, "points: 10", "points: 10, alone: true", "{id: rsvm}", "{id: rsvm, limit: {seconds: 1}}"), alternating(t, 90, 30))
	if got := p.Items[1].ID.Extent; got != "600/log:10+recording2+alone" {
		t.Errorf("the extent is %s", got)
	}
}
