package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/registry"
	"stochopt/results"
)

// Where a limit is raised, those runs are made again that met it, and their records
// are those of a folder that knew no other. What ended by itself serves under any.
func TestLimitsChange(t *testing.T) {
	const entry = "{id: rsvm, with: {ratio: 0.2}}"
	limited := func(limit string) string {
		if limit == "" {
			return sparseSweep
		}
		return strings.Replace(sparseSweep, entry, fmt.Sprintf("{id: rsvm, with: {ratio: 0.2}, limit: {%s}}", limit), 1)
	}
	const own = 6 // runs of rsvm
	f := open(t, t.TempDir())
	for i, round := range []struct {
		limit  string
		reused int
		sum    Summary
	}{
		{"memory: 100", 0, Summary{Finished: sparseSweepRuns - own, OutOfMemory: own}},
		{"memory: 200", sparseSweepRuns - own, Summary{OutOfMemory: own}},
		{"memory: 200, seconds: 5", sparseSweepRuns, Summary{}},
		{"memory: 150", sparseSweepRuns, Summary{}},
		{"seconds: 600, memory: 1GB", sparseSweepRuns - own, Summary{Finished: own}},
		{"seconds: 700, memory: 1GB", sparseSweepRuns, Summary{}},
		{"seconds: 700", sparseSweepRuns, Summary{}},
		{"seconds: 500", sparseSweepRuns, Summary{}},
		{"", sparseSweepRuns, Summary{}},
		{"memory: 100", sparseSweepRuns, Summary{}},
	} {
		p := buildSVM(t, limited(round.limit))
		if err := f.store.Compact(p.IDs()); err != nil {
			t.Fatal(err)
		}
		want := round.sum
		want.Planned, want.Reused = sparseSweepRuns, round.reused
		sum, err := f.executeSparse(context.Background(), p, Options{Workers: 2}, registry.NewSparse)
		if err != nil || sum != want {
			t.Fatalf("round %d (%s): %+v, %v, want %+v", i, round.limit, sum, err, want)
		}
		if want.Reused == sparseSweepRuns {
			continue
		}
		fresh := open(t, t.TempDir())
		if _, err := fresh.executeSparse(context.Background(), p, Options{Workers: 2}, registry.NewSparse); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.records(t, p), fresh.records(t, p)) {
			t.Errorf("round %d (%s): the records differ from those of a fresh folder", i, round.limit)
		}
		for _, r := range f.store.Runs(p.IDs()) {
			timing, ok := f.store.Timing(r.Key, r.Extent)
			if !ok || r.Status == results.StatusFinished && len(timing.Seconds) != r.Curve.Len() {
				t.Errorf("round %d (%s): %s has the timing %+v", i, round.limit, r.Name(), timing)
			}
		}
	}
}
