package run

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// walk returns the steps, from 1, that are recorded for a method. supports has the support after each
// step, and final reports which steps are final. The run ends with the last step.
func walk(s *supportSizes, supports []int64, final func(step int) bool) (recorded []int) {
	kept := 0 // 0 if no classifier is kept
	for i, n := range supports {
		step, end := i+1, i+1 == len(supports)
		useful := final(step) && n > 0
		var k int64
		if kept > 0 {
			k = supports[kept-1]
		}
		before, now := s.next(n, useful, k)
		if kept > 0 && (before || end && !useful) {
			recorded, kept = append(recorded, kept), 0
		}
		switch {
		case now || end:
			recorded, kept = append(recorded, step), 0
		case useful:
			kept = step
		}
	}
	return recorded
}

func always(int) bool { return true }

func TestSupportSizes(t *testing.T) {
	t.Parallel()
	sizes := func() *supportSizes { return newSupportSizes(100, 12, "log") }
	if got, want := sizes().sizes, []int64{1, 2, 3, 4, 5, 8, 10, 12, 19, 20, 28, 30, 43, 50, 66, 100}; !slices.Equal(got, want) {
		t.Fatalf("the sizes are %v, want %v", got, want)
	}
	if got, want := newSupportSizes(1, 12, "log").sizes, []int64{1}; !slices.Equal(got, want) {
		t.Fatalf("the sizes are %v, want %v", got, want)
	}
	if got := newSupportSizes(45000, 2, "linear").sizes; !slices.Equal(got[len(got)-5:], []int64{5000, 10000, 20000, 30000, 45000}) {
		t.Fatalf("the sizes are %v", got)
	}
	for _, test := range []struct {
		name     string
		supports []int64
		want     []int
	}{
		{"grows", []int64{0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8}, []int{3, 4, 5, 7, 8, 11}},
		{"falls", []int64{40, 39, 29, 28, 20, 19, 12, 12, 11, 8}, []int{1, 3, 4, 5, 6, 7, 10}},
		{"falls in large steps", []int64{40, 10, 9, 1}, []int{1, 2, 4}},
		{"oscillates around a size", []int64{9, 11, 9, 12, 10, 13}, []int{1, 2, 3, 5, 6}},
		{"falls to zero", []int64{2, 0, 0, 1}, []int{1, 4}},
	} {
		if got := walk(sizes(), test.supports, always); !slices.Equal(got, test.want) {
			t.Errorf("%s: supports %v: steps %v are recorded, want %v", test.name, test.supports, got, test.want)
		}
	}
}

// For any sequence of supports, the last final classifier before each size is first exceeded is
// recorded, and so is the one at the end. No step is recorded twice, and few others are recorded.
func TestSupportSizesOfAnyWalk(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 500 {
		n := 1 + rng.IntN(150)
		s := newSupportSizes(n, 2+rng.IntN(20), "log")
		sizes := s.sizes
		supports := make([]int64, 1+rng.IntN(400))
		notFinal := make([]bool, len(supports)+1)
		at, down := int64(1), rng.IntN(4)
		if round%5 == 0 {
			at, down = int64(n), 6
		}
		for i := range supports {
			supports[i] = at
			at = min(max(at+int64(rng.IntN(7)-down), 0), int64(n))
			notFinal[i+1] = round%2 == 0 && rng.IntN(3) > 0
		}
		final := func(step int) bool { return !notFinal[step] }
		got := walk(s, supports, final)
		if len(got) > 3*len(sizes)+2 {
			t.Fatalf("%d classifiers are recorded for %d sizes", len(got), len(sizes))
		}
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("%v are recorded", got)
		}
		if got[len(got)-1] != len(supports) {
			t.Fatalf("the last of %d steps is not among %v", len(supports), got)
		}
		for _, size := range sizes {
			last := 0
			for i, k := range supports {
				if k > size {
					break
				}
				if final(i+1) && k > 0 {
					last = i + 1
				}
			}
			exceeded := slices.ContainsFunc(supports, func(k int64) bool { return k > size })
			if exceeded && last > 0 && !slices.Contains(got, last) {
				t.Fatalf("size %d: step %d is not among %v; supports %v, notFinal %v", size, last, got, supports, notFinal)
			}
		}
	}
}

// If mayRecord returns false, next does not record the current classifier.
func TestMayRecord(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 32))
	passed := 0
	for range 100 {
		s := newSupportSizes(300, 20, "log")
		support := int64(1 + rng.IntN(50))
		s.next(support, true, 0)
		for range 400 {
			least, most := max(support-int64(rng.IntN(2)), 1), support+int64(rng.IntN(3))
			foreseen := s.mayRecord(support, func() (int, int) { return int(least), int(most) })
			next := least + rng.Int64N(most-least+1)
			before, now := s.next(next, true, support)
			if before && !foreseen {
				t.Fatalf("mayRecord is false, but the classifier of %d vectors is recorded before one of %d", support, next)
			}
			if !foreseen {
				passed++
			}
			if support = next; now {
				s.next(support, true, 0)
			}
		}
	}
	if passed < 3000 {
		t.Errorf("mayRecord is false %d times, too rarely for a test", passed)
	}
}
