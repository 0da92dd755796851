package datasets

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/internal/whole"
)

// Fractions says how the rows of a table are shared out: each is in [0, 1], and they sum
// to one up to rounding.
type Fractions struct {
	Train, Validation, Test float64
}

// Sizes returns the numbers of rows: train ends at n*Train and validation at
// n*(Train+Validation), both rounded half up, and test is the rest. It returns
// an error if a positive fraction gets no row.
func (f Fractions) Sizes(n int) (train, validation, test int, err error) {
	// The small term undoes representation errors such as 0.7+0.1 < 0.8.
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
			return 0, 0, 0, fmt.Errorf("split: %s %v of %d rows is no row at all", p.name, p.v, n)
		}
	}
	return train, validation, test, nil
}

// Split shares out the rows 0 … n-1 at random, without replacement. The three lists are disjoint,
// together have every row, are in random order, and depend on n, f and the state of rng only. For
// the sizes see Fractions.Sizes. An empty list is nil.
func Split(n int, f Fractions, rng *rand.Rand) (train, validation, test []int, err error) {
	if n <= 0 {
		return nil, nil, nil, fmt.Errorf("split: %d rows", n)
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

// SubsetRows draws n of the rows with these labels at random, without replacement, and
// returns them in increasing order. The draw is stratified by label: a class with m of the
// N rows gets n m/N of the n, rounded down or up, and at least one if n is at least the
// number of classes. The result depends on the labels, n and the state of rng only.
func SubsetRows(labels []float64, n int, rng *rand.Rand) ([]int, error) {
	if n < 1 || n > len(labels) {
		return nil, fmt.Errorf("subsample: %d rows asked for, want 1 to %d", n, len(labels))
	}
	strata := stratify(labels)
	share := allot(strata, len(labels), n, rng)
	out := make([]int, 0, n)
	for c, rows := range strata {
		for i := range share[c] { // the first steps of a shuffle
			j := i + rng.IntN(len(rows)-i)
			rows[i], rows[j] = rows[j], rows[i]
		}
		out = append(out, rows[:share[c]]...)
	}
	slices.Sort(out)
	return out, nil
}

// stratify returns the rows of each class, the smallest label first.
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

// allot shares out n of total rows among the strata by the largest remainder;
// chance breaks the ties.
func allot(strata [][]int, total, n int, rng *rand.Rand) []int {
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
			rich := slices.Index(share, slices.Max(share))
			share[rich]--
			share[c]++
		}
	}
	return share
}
