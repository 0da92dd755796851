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
		below := 1.0 // how much less than its share a class may have: rows go to classes whose share is less than one
		for _, m := range whole {
			if size*m < n {
				below = 1 + float64(len(whole))
			}
		}
		for y, m := range whole {
			share := float64(size*m) / float64(n)
			if size >= len(whole) && part[y] == 0 {
				t.Fatalf("class %v is gone: %v of %v", y, part, whole)
			}
			if d := float64(part[y]) - share; d >= 1 || d <= -below {
				t.Fatalf("class %v: %d rows, share %v", y, part[y], share)
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
