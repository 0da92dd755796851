package datasets

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/internal/whole"
)

// Fractions are the fractions of rows in each part of a split. Each is in [0, 1]; they sum to one up
// to rounding.
type Fractions struct {
	Train, Validation, Test float64
}

// Sizes returns the sizes of the parts of n rows. train ends at n*Train and validation at
// n*(Train+Validation), both rounded half up; test is the rest. It returns an error if a part with
// a positive fraction is empty.
func (f Fractions) Sizes(n int) (train, validation, test int, err error) {
	// The small term compensates representation errors such as 0.7+0.1 < 0.8.
	end := func(p float64) int { return whole.Within(math.Floor(float64(n)*p+0.5+1e-6), 0, n) }
	train = end(f.Train)
	validation = end(f.Train+f.Validation) - train
	test = n - train - validation
	if f.Test == 0 {
		validation, test = n-train, 0
		if f.Validation == 0 {
			train, validation = n, 0
		}
	}
	for _, p := range []struct {
		name string
		v    float64
		n    int
	}{{"train", f.Train, train}, {"validation", f.Validation, validation}, {"test", f.Test, test}} {
		if p.v > 0 && p.n == 0 {
			return 0, 0, 0, fmt.Errorf("split: %s: a fraction of %v of %d rows is empty", p.name, p.v, n)
		}
	}
	return train, validation, test, nil
}

// Split partitions the rows 0 … n-1 at random into three lists in random order. Fractions.Sizes gives
// their lengths; an empty list is nil. The result depends only on n, f and the state of rng.
func Split(n int, f Fractions, rng *rand.Rand) (train, validation, test []int, err error) {
	if n <= 0 {
		return nil, nil, nil, fmt.Errorf("split: %d rows, want at least 1", n)
	}
	a, b, c, err := f.Sizes(n)
	if err != nil {
		return nil, nil, nil, err
	}
	p := rng.Perm(n)
	cut := func(lo, size int) []int {
		if size == 0 {
			return nil
		}
		return p[lo : lo+size : lo+size]
	}
	return cut(0, a), cut(a, b), cut(a+b, c), nil
}

// SubsetRows draws n row indices without replacement and returns them in increasing order. The draw
// is stratified by label: a class with m of N rows gets n m/N rows, rounded down or up. If n is at
// least the number of classes, each gets at least one row. The result depends only on the labels, n
// and the state of rng.
func SubsetRows(labels []float64, n int, rng *rand.Rand) ([]int, error) {
	if n < 1 || n > len(labels) {
		return nil, fmt.Errorf("subsample: %d rows, want 1 to %d", n, len(labels))
	}
	strata := stratify(labels)
	share := allocate(strata, len(labels), n, rng)
	out := make([]int, 0, n)
	for c, rows := range strata {
		for i := range share[c] { // a partial Fisher-Yates shuffle
			j := i + rng.IntN(len(rows)-i)
			rows[i], rows[j] = rows[j], rows[i]
		}
		out = append(out, rows[:share[c]]...)
	}
	slices.Sort(out)
	return out, nil
}

// stratify returns the rows of each class, in order of increasing label.
func stratify(labels []float64) [][]int {
	rows := make([]int, len(labels))
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
	var out [][]int
	for from, i := 0, 1; i <= len(rows); i++ {
		if i == len(rows) || labels[rows[i]] != labels[rows[from]] {
			out = append(out, rows[from:i:i])
			from = i
		}
	}
	return out
}

// allocate returns how many of n rows to draw from each stratum, by the largest-remainder method with
// random tie-breaking. total is the number of all rows.
func allocate(strata [][]int, total, n int, rng *rand.Rand) []int {
	share := make([]int, len(strata))
	left := n
	for c, rows := range strata {
		share[c] = n * len(rows) / total
		left -= share[c]
	}
	order := rng.Perm(len(strata))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(n*len(strata[b])%total, n*len(strata[a])%total)
	})
	for _, c := range order[:left] {
		share[c]++
	}
	if n < len(strata) {
		return share
	}
	for _, c := range order {
		if share[c] == 0 {
			largest := slices.Index(share, slices.Max(share))
			share[largest]--
			share[c]++
		}
	}
	return share
}
