package registry

import (
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
)

// What the catalog says of generators is what they make.
func TestDistributions(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]map[string]any{
		"simulated-gaussian":   {"gap": int64(1)},
		"simulated-orthogonal": {"gap": int64(1)},
		"simulated-margin":     {"R": 2.0, "n": int64(10), "test": int64(10)},
		"interval":             nil,
		"counterexample-2d":    nil,
	} {
		data, err := Open(t.Context(), &spec.DatasetEntry{ID: "d", Source: name, With: with}, datasets.Options{Offline: true, CacheDir: t.TempDir()})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := source(name).Distribution; got != (data.Table == nil) {
			t.Errorf("%s is a distribution: %v; it has a table: %v", name, got, data.Table != nil)
		}
	}
}
