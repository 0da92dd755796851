package datasets

import (
	"math"
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n       int
		f       Fractions
		a, b, c int
	}{
		{70000, Fractions{0.4, 0.2, 0.4}, 28000, 14000, 28000},
		{10, Fractions{0.7, 0.1, 0.2}, 7, 1, 2},
		{5, Fractions{0.5, 0, 0.5}, 3, 0, 2},
		{7, Fractions{1, 0, 0}, 7, 0, 0},
		{7, Fractions{0, 0, 1}, 0, 0, 7},
		{7, Fractions{0.3, 0.7, 0}, 2, 5, 0},
		{3, Fractions{1.0 / 3, 1.0 / 3, 1.0 / 3}, 1, 1, 1},
		{1000, Fractions{0.1 + 0.2, 0.3, 0.4}, 300, 300, 400},
	} {
		tr, va, te, err := Split(c.n, c.f, newRNG(5))
		if err != nil {
			t.Errorf("%d %v: %v", c.n, c.f, err)
			continue
		}
		if len(tr) != c.a || len(va) != c.b || len(te) != c.c {
			t.Errorf("%d %v: sizes %d, %d, %d", c.n, c.f, len(tr), len(va), len(te))
		}
		all := slices.Concat(tr, va, te)
		slices.Sort(all)
		for i, r := range all {
			if i != r {
				t.Fatalf("%d %v: the parts do not have every row once", c.n, c.f)
			}
		}
		tr2, va2, te2, _ := Split(c.n, c.f, newRNG(5))
		if !slices.Equal(tr, tr2) || !slices.Equal(va, va2) || !slices.Equal(te, te2) {
			t.Errorf("%d %v: not the same with the same seed", c.n, c.f)
		}
	}
	a, _, _, _ := Split(1000, Fractions{0.5, 0, 0.5}, newRNG(1))
	b, _, _, _ := Split(1000, Fractions{0.5, 0, 0.5}, newRNG(2))
	if slices.Equal(a, b) || slices.IsSorted(a) {
		t.Error("the split is not random")
	}
	_ = append(a, -1)
	if _, _, te, _ := Split(1000, Fractions{0.5, 0, 0.5}, newRNG(1)); te[0] < 0 {
		t.Error("the parts share capacity")
	}
}

// TestSplitIsUniform counts in which part each row lands.
func TestSplitIsUniform(t *testing.T) {
	t.Parallel()
	const n, runs = 10, 20000
	counts := make([]int, n)
	rng := newRNG(6)
	for range runs {
		tr, _, _, err := Split(n, Fractions{0.3, 0.2, 0.5}, rng)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range tr {
			counts[i]++
		}
	}
	for i, c := range counts {
		if d := math.Abs(float64(c) - 0.3*runs); d > 5*math.Sqrt(0.21*runs) {
			t.Errorf("row %d is a training row %d times of %d", i, c, runs)
		}
	}
}

func TestSplitErrors(t *testing.T) {
	t.Parallel()
	for n, f := range map[int]Fractions{3: {0.9, 0.05, 0.05}, 0: {1, 0, 0}} {
		if train, _, _, err := Split(n, f, newRNG(1)); err == nil {
			t.Errorf("%d %v: %v", n, f, train)
		}
	}
}
