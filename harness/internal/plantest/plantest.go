// Package plantest builds plans for the tests of other packages.
package plantest

import (
	"context"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// Build builds the plan of a spec without a network and with an empty cache. Datasets with an entry in
// fake, which may be nil, use its data.
func Build(t testing.TB, text string, fake map[string]*datasets.Data) *plan.Plan {
	t.Helper()
	s, err := spec.Parse("s.yaml", []byte(text), spec.LoadOptions{Catalog: registry.Catalog()})
	if err != nil {
		t.Fatal(err)
	}
	o := datasets.Options{Offline: true, CacheDir: t.TempDir()}
	p, err := plan.Build(t.Context(), s, func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
		if d, ok := fake[e.ID]; ok {
			return d, nil
		}
		return registry.Open(ctx, e, o)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
