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
		{7, Fractions{1, 0, 0}, 7, 0, 0},
		{7, Fractions{0, 0, 1}, 0, 0, 7},
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
				t.Fatalf("%d %v: the parts do not contain every row once", c.n, c.f)
			}
		}
		tr2, va2, te2, _ := Split(c.n, c.f, newRNG(5))
		if !slices.Equal(tr, tr2) || !slices.Equal(va, va2) || !slices.Equal(te, te2) {
			t.Errorf("%d %v: not reproducible", c.n, c.f)
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

func TestImpossibleParts(t *testing.T) {
	t.Parallel()
	for n, f := range map[int]Fractions{3: {0.9, 0.05, 0.05}, 0: {1, 0, 0}} {
		if train, _, _, err := Split(n, f, newRNG(1)); err == nil {
			t.Errorf("%d %v: %v", n, f, train)
		}
	}
	for _, n := range []int{0, 4} {
		if rows, err := SubsetRows([]float64{1, -1, 1}, n, newRNG(1)); err == nil {
			t.Errorf("%d of 3 rows: %v", n, rows)
		}
	}
}

// TestSubsetRows checks random labels. Rows must be valid, distinct and increasing, the share of each
// class exact up to rounding, every class present if possible, and the result reproducible.
func TestSubsetRows(t *testing.T) {
	t.Parallel()
	rng := newRNG(1)
	for range 500 {
		n := 1 + rng.IntN(300)
		labels := make([]float64, n)
		classes := 1 + rng.IntN(6)
		for i := range labels {
			labels[i] = float64(min(rng.IntN(classes), rng.IntN(classes)))
		}
		size := 1 + rng.IntN(n)
		seed := rng.Uint64()
		rows, err := SubsetRows(labels, size, newRNG(seed))
		if err != nil {
			t.Fatal(err)
		}
		again, _ := SubsetRows(labels, size, newRNG(seed))
		if !slices.Equal(rows, again) {
			t.Fatal("not reproducible")
		}
		if len(rows) != size || rows[0] < 0 || rows[size-1] >= n {
			t.Fatalf("%d rows of %d: %v", size, n, rows)
		}
		for i := 1; i < size; i++ {
			if rows[i] <= rows[i-1] {
				t.Fatalf("not increasing: %v", rows)
			}
		}
		whole, part := map[float64]int{}, map[float64]int{}
		for _, y := range labels {
			whole[y]++
		}
		for _, i := range rows {
			part[labels[i]]++
		}
		below := 1.0 // the largest deficit of a class: classes with a share below one get rows of others
		for _, m := range whole {
			if size*m < n {
				below = 1 + float64(len(whole))
			}
		}
		for y, m := range whole {
			share := float64(size*m) / float64(n)
			if size >= len(whole) && part[y] == 0 {
				t.Fatalf("class %v is missing: %v of %v", y, part, whole)
			}
			if d := float64(part[y]) - share; d >= 1 || d <= -below {
				t.Fatalf("class %v: %d rows, share %v", y, part[y], share)
			}
		}
	}
}

// All rows of a class are equally likely, and ties favour no label.
func TestSubsetRowsUniform(t *testing.T) {
	t.Parallel()
	for _, labels := range [][]float64{{1, 1, 1, 1, -1, -1, -1, -1, -1, -1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		rng := newRNG(5)
		count := make([]int, len(labels))
		const trials = 20000
		for range trials {
			rows, err := SubsetRows(labels, 5, rng)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range rows {
				count[i]++
			}
		}
		for i, c := range count {
			if d := math.Abs(float64(c) - trials/2); d > 5*math.Sqrt(trials/4) {
				t.Errorf("%v: row %d was drawn %d times of %d", labels, i, c, trials)
			}
		}
	}
}
