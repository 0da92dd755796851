package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
)

// groups is a spec with six groups of runs that share data: 4, 8, 12, ..., 24 runs.
func groups(t *testing.T) *plan.Plan {
	t.Helper()
	text, line := sweep, "  - {id: a, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}\n"
	text = strings.Replace(text, "  - {id: b, source: simulated-orthogonal, with: {dim: 6, gap: 1}, problem: {k: [1, 2]}}\n", "", 1)
	text = strings.Replace(text, "repeats: 3", "repeats: 4", 1)
	text = strings.Replace(text, "  - {id: msg, step: {c: [0.25, 1]}}\n", "", 1)
	var lines string
	for i, ks := range []string{"[1, 2, 3]", "1", "[1, 2, 3, 4, 5]", "[1, 2]", "[1, 2, 3, 4]", "[1, 2, 3, 4, 5, 6]"} {
		lines += fmt.Sprintf("  - {id: d%d, source: simulated-gaussian, with: {dim: %d, gap: 2}, problem: {k: %s}}\n", i, 8+i, ks)
	}
	return plantest.Build(t, strings.Replace(text, line, lines, 1), nil)
}

// For any number of shards, each run is in exactly one shard, runs that share data are in the same
// shard, and shards have similar sizes.
func TestShards(t *testing.T) {
	t.Parallel()
	p := groups(t)
	if len(p.Items) != 84 {
		t.Fatalf("%d runs, want 84", len(p.Items))
	}
	for n, sizes := range map[int][]int{
		1: {84}, 2: {44, 40}, 3: {28, 28, 28}, 5: {24, 20, 16, 12, 12}, 6: {24, 20, 16, 12, 8, 4}, 100: {24, 20, 16, 12, 8, 4},
	} {
		shards := Shards(p, n)
		in, of := make(map[*plan.Item]int), make(map[string]int)
		var got []int
		for i, items := range shards {
			got = append(got, len(items))
			if !slices.IsSortedFunc(items, func(a, b *plan.Item) int { return a.Index - b.Index }) {
				t.Errorf("%d shards: shard %d is not in plan order", n, i)
			}
			for _, it := range items {
				if _, ok := in[it]; ok {
					t.Errorf("%d shards: a run is in two", n)
				}
				in[it] = i
				data := it.Problem.Entry.ID
				if shard, ok := of[data]; ok && shard != i {
					t.Errorf("%d shards: dataset %s is in two", n, data)
				}
				of[data] = i
			}
			if part := (Part{Shard: i, Shards: n}); !slices.Equal(part.Of(p), items) || part.Name() != fmt.Sprintf("shard%d", i+1) {
				t.Errorf("%d shards: the part is not shard %d", n, i)
			}
		}
		if len(in) != len(p.Items) || !slices.Equal(got, sizes) {
			t.Errorf("%d shards have %v runs, %d in all, want %v", n, got, len(in), sizes)
		}
		// The command submit passes the actual number of shards to its jobs.
		if again := Shards(p, len(shards)); fmt.Sprint(again) != fmt.Sprint(shards) {
			t.Errorf("Shards(%d) differs from Shards(%d)", len(shards), n)
		}
	}
	if items := (Part{Shard: 7, Shards: 9}).Of(p); len(items) > 0 {
		t.Errorf("a shard beyond the groups has %d runs", len(items))
	}
	if items := (Part{}).Of(p); !slices.Equal(items, p.Items) || (Part{}).Shared() || (Part{}).Name() != "" {
		t.Error("the zero Part does not select the whole plan")
	}
	only, err := plan.ParseOnly([]string{"dataset=d2"})
	if err != nil {
		t.Fatal(err)
	}
	if items := (Part{Only: only, Shard: 1, Shards: 6}).Of(p); len(items) != 20 {
		t.Errorf("with a filter, the shard of the dataset has %d runs, want 20", len(items))
	}
	if items := (Part{Only: only, Shard: 0, Shards: 6}).Of(p); len(items) != 0 {
		t.Errorf("with a filter, another shard has %d runs, want 0", len(items))
	}
}
