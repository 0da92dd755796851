package datasets

import (
	"math"
	"slices"
	"testing"
)

// TestSubsetRows checks on random labels: rows in range, increasing, each once;
// the share of each class exact up to rounding; every class there if it can
// be; the same for the same seed.
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
			t.Fatal("not the same for the same seed")
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
		moved := 0 // rows given to classes whose share is less than one
		for y, m := range whole {
			share := float64(size*m) / float64(n)
			if share < 1 {
				moved++
			}
			if size >= len(whole) && part[y] == 0 {
				t.Fatalf("class %v is gone: %v of %v", y, part, whole)
			}
			if d := float64(part[y]) - share; d >= 1 || d <= -1-float64(len(whole)) {
				t.Fatalf("class %v: %d rows, share %v", y, part[y], share)
			}
		}
		if moved == 0 {
			for y, m := range whole {
				if d := math.Abs(float64(part[y]) - float64(size*m)/float64(n)); d >= 1 {
					t.Fatalf("class %v: off by %v", y, d)
				}
			}
		}
	}
}

// TestSubsetRowsUniform: every row of a class is as likely as every other, and no label is favoured by ties.
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

func TestSubsetRowsErrors(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 4} {
		if rows, err := SubsetRows([]float64{1, -1, 1}, n, newRNG(1)); err == nil {
			t.Errorf("%d of 3 rows: %v", n, rows)
		}
	}
}

// A selection has the rows, in their order, of every kind of table.
func TestSelect(t *testing.T) {
	t.Parallel()
	d := open(t, Ref{Source: "adult", With: map[string]any{"variant": "a1a"}}, fake)
	rows, err := SubsetRows(d.Table.Labels, 100, newRNG(2))
	if err != nil {
		t.Fatal(err)
	}
	rows = append(rows, 3, 1, 1)
	for _, tab := range []*Table{d.Table, d.Table.floats()} {
		sub := tab.Select(rows)
		if err := wellFormed(sub); err != nil {
			t.Error(err)
		}
		got, want := make([]float64, sub.D), make([]float64, sub.D)
		for k, i := range rows {
			sub.RowTo(got, k)
			tab.RowTo(want, i)
			if !slices.Equal(got, want) || sub.Labels[k] != tab.Labels[i] {
				t.Fatalf("row %d is not row %d", k, i)
			}
		}
	}
}
