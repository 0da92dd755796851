// Package plantest makes plans for the tests of packages that use them.
package plantest

import (
	"context"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// Build plans a spec, without a network and with an empty cache. The data of the datasets
// in fake, which may be nil, come from there.
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
