package svm

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTopListMatchesSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		size, n := 1+rng.IntN(8), rng.IntN(30)
		list := newTopList(size)
		for range 2 {
			list.reset()
			keys := make([]float64, n)
			want := make([]int, n)
			for i := range keys {
				keys[i], want[i] = float64(rng.IntN(6)), i
				list.add(i, keys[i])
			}
			slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(keys[b], keys[a]) })
			if want = want[:min(size, n)]; !slices.Equal(list.index, want) {
				t.Fatalf("keys %v, size %d: %v, want %v", keys, size, list.index, want)
			}
		}
	}
}
