package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// When a limit is raised, only the runs that reached it are repeated, and the records equal those of a
// fresh folder. A run that ended without reaching its limit is reused under any limit.
func TestMemoryLimitIsRaised(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	const entry = "{id: rsvm, with: {ratio: 0.2}}"
	limited := func(limit string) string {
		if limit == "" {
			return sparseSweep
		}
		return strings.Replace(sparseSweep, entry, fmt.Sprintf("{id: rsvm, with: {ratio: 0.2}, limit: {%s}}", limit), 1)
	}
	const own = 6 // the number of runs of rsvm
	f := open(t, t.TempDir())
	for i, round := range []struct {
		limit  string
		memory int64
		reused int
		sum    Summary
	}{
		{"memory: 100", 100, 0, Summary{Counts: record.Counts{Runs: sparseSweepRuns, Finished: sparseSweepRuns - own, OutOfMemory: own}}},
		{"memory: 200", 200, sparseSweepRuns - own, Summary{Counts: record.Counts{Runs: own, OutOfMemory: own}}},
		{"memory: 200, seconds: 5", 0, sparseSweepRuns, Summary{}},
		{"seconds: 600, memory: 1GB", 0, sparseSweepRuns - own, Summary{Counts: record.Counts{Runs: own, Finished: own}}},
		{"", 0, sparseSweepRuns, Summary{}},
		{"memory: 100", 0, sparseSweepRuns, Summary{}},
	} {
		p := buildSVM(t, limited(round.limit))
		want := round.sum
		want.Planned, want.Reused = sparseSweepRuns, round.reused
		if sum := f.perform(t, p, Options{Workers: 2}, constructors{}); sum != want {
			t.Fatalf("round %d (%s): %+v, want %+v", i, round.limit, sum, want)
		}
		if want.Reused == sparseSweepRuns {
			continue
		}
		fresh, _ := perform(t, p, Options{Workers: 2}, constructors{})
		if !slices.Equal(f.records(t, p), fresh.records(t, p)) {
			t.Errorf("round %d (%s): the records differ from a fresh folder", i, round.limit)
		}
		for _, r := range f.runs(t, p) {
			timing, ok := r.Timing()
			if !ok || r.Status == record.StatusFinished && len(timing.Seconds) != r.Points() {
				t.Errorf("round %d (%s): %s has the timing %+v", i, round.limit, r.Name(), timing)
			}
			if met := r.Status == record.StatusOutOfMemory; met != (r.Limit != nil) || met && *r.Limit != (record.Limit{Memory: round.memory}) {
				t.Errorf("round %d (%s): %s: %s, limit %+v", i, round.limit, r.Name(), r.Status, r.Limit)
			}
		}
	}
}

// A run that ended at its time limit is reused until the limit is raised; its record is then replaced.
func TestTimeLimitIsRaised(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	for i, round := range []struct {
		limit  string
		stuck  int
		status string
		points int
		reused int
	}{
		{"0.05", 4, record.StatusOutOfTime, 2, 0},
		{"0.04", 0, record.StatusOutOfTime, 2, 1},
		{"0.06", 5, record.StatusOutOfTime, 3, 0},
		{"0.05", 0, record.StatusOutOfTime, 3, 1},
		{"100", 0, record.StatusFinished, 6, 0},
		{"0.001", 1, record.StatusFinished, 6, 1},
	} {
		p := buildSVM(t, strings.Replace(scriptedSpec, "0.05", round.limit, 1))
		sum := f.perform(t, p, Options{Workers: 1}, constructors{sparse: func(_ *registry.Algorithm, e registry.Env, _ registry.Params) (sparse.Learner, error) {
			return &scripted{supports: []int{1, 2, 3, 4, 6, 9}, stuck: round.stuck, ctx: e.Context}, nil
		}})
		if sum.Reused != round.reused {
			t.Fatalf("round %d: %+v", i, sum)
		}
		if r := f.runs(t, p)[0]; r.Status != round.status || r.Points() != round.points {
			t.Errorf("round %d: %s with %d points, want %s with %d", i, r.Status, r.Points(), round.status, round.points)
		}
	}
}
