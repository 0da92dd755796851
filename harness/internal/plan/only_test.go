package plan

import (
	"context"
	"errors"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
)

// If the data of other runs are missing, the plan still has all runs, and the selected runs have the
// same keys as in the whole plan.
func TestOnlyNeedsTheDataOfPickedRuns(t *testing.T) {
	t.Parallel()
	s := load(t, replace(t, base, "algorithms:", "  - {id: u, path: u.csv, format: csv, problem: {k: [1, 2]}}\nalgorithms:"))
	only, err := ParseOnly([]string{"dataset=t,series=msg"})
	if err != nil {
		t.Fatal(err)
	}
	open := func(_ context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
		if e.ID != "t" {
			t.Errorf("dataset %s is opened", e.ID)
		}
		return data(t, "h", 40, 5), nil
	}
	missing := func(context.Context, *spec.DatasetEntry) (*datasets.Data, error) { return nil, datasets.ErrMissing }
	p, err := Build(t.Context(), s, only.Opener(s, open, missing))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Build(t.Context(), s, func(_ context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
		return data(t, map[string]string{"t": "h", "u": "other"}[e.ID], 40, 5), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Items) != 6 || len(only.Of(p)) != 2 {
		t.Fatalf("%d of %d runs are selected", len(only.Of(p)), len(p.Items))
	}
	for i, it := range p.Items {
		want := whole.Items[i].ID
		if it.ID.Labels != want.Labels || it.ID.Extent != want.Extent || only.Has(it) != (it.ID.Key == want.Key) {
			t.Errorf("run %d is %+v, in the whole plan %+v", i, it.ID, want)
		}
	}
	if _, err := Build(t.Context(), s, only.Opener(s, missing, missing)); !errors.Is(err, datasets.ErrMissing) {
		t.Errorf("without the data of selected runs: error %v", err)
	}
}
