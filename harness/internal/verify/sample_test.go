package verify

import (
	"slices"
	"testing"

	"stochopt/harness/internal/plan"
	"stochopt/internal/record"
)

// items returns runs of several series, with the given number for each.
func items(counts ...int) (out []*plan.Item) {
	for i, n := range counts {
		for range n {
			labels := record.Labels{Dataset: "d", Series: string(rune('a' + i))}
			out = append(out, &plan.Item{Index: len(out), ID: record.ID{Labels: labels}})
		}
	}
	return out
}

func TestDrawSample(t *testing.T) {
	count := func(drawn []*plan.Item) map[string]int {
		of := make(map[string]int)
		for i, it := range drawn {
			of[it.ID.Series]++
			if i > 0 && it.Index <= drawn[i-1].Index {
				t.Errorf("item %d comes after item %d", it.Index, drawn[i-1].Index)
			}
		}
		return of
	}
	all := items(100, 300, 1, 40)
	for seed := range uint64(20) {
		of := count(drawSample(all, 0, seed))
		// The sample has a tenth of the items, drawn from the series in turn.
		if of["a"]+of["b"]+of["c"]+of["d"] != 45 || of["c"] != 1 || of["a"] < 14 || of["b"] < 14 || of["d"] < 14 {
			t.Errorf("seed %d draws %v", seed, of)
		}
	}
	if a, b := drawSample(all, 44, 1), drawSample(all, 44, 1); !slices.Equal(a, b) {
		t.Error("equal seeds draw different samples")
	}
	if a, b := drawSample(all, 44, 1), drawSample(all, 44, 2); slices.Equal(a, b) {
		t.Error("all seeds draw the same sample")
	}
	seen := make(map[int]bool)
	for seed := range uint64(200) {
		drawn := drawSample(all, 4, seed)
		if len(drawn) != 4 || len(count(drawn)) != 4 {
			t.Fatalf("the sample has %v, want one of each series", count(drawn))
		}
		for _, it := range drawn {
			seen[it.Index] = true
		}
	}
	if len(seen) < 250 {
		t.Errorf("only %d of 441 are ever drawn", len(seen))
	}
	if n := len(drawSample(items(50, 50), 0, 1)); n != 30 {
		t.Errorf("%d of 100 by default, want 30", n)
	}
	many := make([]int, 60)
	for i := range many {
		many[i] = 2
	}
	if of := count(drawSample(items(many...), 0, 1)); len(of) != 60 {
		t.Errorf("%d of 60 series by default", len(of))
	}
	if n := len(drawSample(items(5, 3), 1<<40, 1)); n != 8 {
		t.Errorf("%d of 8, want all", n)
	}
}
