package verify

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"
)

// The probability to find one of some bad records is that of the hypergeometric
// distribution.
func TestChance(t *testing.T) {
	for _, test := range []struct{ n, of, bad int }{
		{0, 5, 1}, {1, 5, 1}, {5, 5, 1}, {44, 440, 1}, {44, 440, 10}, {3, 10, 8}, {30, 31, 2},
	} {
		var none, all big.Int
		none.Binomial(int64(test.of-test.n), int64(test.bad))
		all.Binomial(int64(test.of), int64(test.bad))
		want, _ := new(big.Rat).SetFrac(&none, &all).Float64()
		if got := chance(test.n, test.of, test.bad); math.Abs(got-(1-want)) > 1e-14 {
			t.Errorf("%+v: %v, want %v", test, got, 1-want)
		}
	}
}

// items has so many runs of each of some series.
func items(counts ...int) (out []*plan.Item) {
	pr := &plan.Problem{Entry: &spec.DatasetEntry{ID: "d"}}
	for i, n := range counts {
		for range n {
			out = append(out, &plan.Item{Index: len(out), Problem: pr, Series: string(rune('a' + i))})
		}
	}
	return out
}

func TestDraw(t *testing.T) {
	count := func(drawn []*plan.Item) map[string]int {
		of := make(map[string]int)
		for i, it := range drawn {
			of[it.Series]++
			if i > 0 && it.Index <= drawn[i-1].Index {
				t.Errorf("item %d comes after item %d", it.Index, drawn[i-1].Index)
			}
		}
		return of
	}
	all := items(100, 300, 1, 40)
	for seed := range uint64(20) {
		of := count(draw(all, 0, false, seed))
		sum := of["a"] + of["b"] + of["c"] + of["d"]
		// A tenth, and of each series its share, but at least one.
		if sum != 45 || of["c"] != 1 || of["a"] < 9 || of["a"] > 11 || of["b"] < 29 || of["b"] > 31 || of["d"] < 3 {
			t.Errorf("seed %d draws %v", seed, of)
		}
	}
	if a, b := draw(all, 44, false, 1), draw(all, 44, false, 1); !slices.Equal(a, b) {
		t.Error("equal seeds draw other samples")
	}
	if a, b := draw(all, 44, false, 1), draw(all, 44, false, 2); slices.Equal(a, b) {
		t.Error("all seeds draw the same sample")
	}
	// No item is left out by every seed, and there are as many as asked for.
	seen := make(map[int]bool)
	for seed := range uint64(200) {
		drawn := draw(all, 3, false, seed)
		if len(drawn) != 3 {
			t.Fatalf("%d drawn, want 3", len(drawn))
		}
		for _, it := range drawn {
			seen[it.Index] = true
		}
	}
	if len(seen) < 150 {
		t.Errorf("only %d of 441 are ever drawn", len(seen))
	}
	if n := len(draw(items(50, 50), 0, false, 1)); n != 30 {
		t.Errorf("%d of 100 by default, want 30", n)
	}
	many := make([]int, 60)
	for i := range many {
		many[i] = 2
	}
	if of := count(draw(items(many...), 0, false, 1)); len(of) != 60 {
		t.Errorf("%d of 60 series by default", len(of))
	}
	if n := len(draw(items(5, 3), 2, true, 1)); n != 8 {
		t.Errorf("%d of 8, want all", n)
	}
}
