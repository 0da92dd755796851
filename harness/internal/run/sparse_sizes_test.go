package run

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// walk returns the supports that are recorded of a method with these after its
// steps.
func walk(s *supportSizes, supports ...int64) (recorded []int64) {
	for _, n := range supports {
		if s.due(n) {
			s.record(n)
			recorded = append(recorded, n)
		}
	}
	return recorded
}

func TestSupportSizes(t *testing.T) {
	sizes := func() *supportSizes { return newSupportSizes(100, 12, "log") }
	if got, want := sizes().sizes, []int64{1, 2, 4, 5, 8, 12, 19, 28, 43, 66, 100}; !slices.Equal(got, want) {
		t.Fatalf("the sizes are %v, want %v", got, want)
	}
	for _, test := range []struct {
		name           string
		supports, want []int64
	}{
		{"grows", []int64{0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8}, []int64{1, 2, 4, 5, 8}},
		{"leaps", []int64{3, 3, 7, 30, 31, 42, 100, 100}, []int64{3, 7, 30, 100}},
		{"falls", []int64{40, 39, 29, 28, 20, 12, 12, 11, 8}, []int64{40, 28, 12, 8}},
		{"falls in leaps", []int64{40, 10, 9, 1}, []int64{40, 10, 1}},
		{"sways", []int64{5, 4, 5, 4, 5, 8, 7, 5, 4, 5, 8, 12}, []int64{5, 4, 8, 5, 12}},
		{"falls again after a rise", []int64{12, 8, 12, 20, 11, 8}, []int64{12, 8, 20, 11}},
		{"vanishes", []int64{2, 0, 0, 1}, []int64{2, 1}},
	} {
		if got := walk(sizes(), test.supports...); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v are recorded of %v, want %v", test.name, got, test.supports, test.want)
		}
	}
}

// Whatever a method does, each size is recorded at most once on the way up and
// once on the way down, and the first that reaches one is recorded.
func TestSupportSizesOfAnyWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		n := 1 + rng.IntN(60)
		s := newSupportSizes(n, 2+rng.IntN(20), "log")
		var supports []int64
		at := int64(1)
		for range 400 {
			supports = append(supports, at)
			at = min(max(at+int64(rng.IntN(7))-3, 0), int64(n))
		}
		got := walk(s, supports...)
		if len(got) > 2*len(s.sizes) {
			t.Fatalf("%d classifiers are recorded for %d sizes", len(got), len(s.sizes))
		}
		for _, size := range s.sizes {
			first := slices.IndexFunc(supports, func(n int64) bool { return n >= size })
			if first >= 0 && !slices.Contains(got, supports[first]) {
				t.Fatalf("sizes %v: the first classifier of %d or more, of %d, is not among %v", s.sizes, size, supports[first], got)
			}
		}
	}
}
