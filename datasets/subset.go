package datasets

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// SubsetRows draws n of the rows with these labels at random, without replacement, and
// returns them in increasing order. The draw is stratified by label: a class with m of the
// N rows gets n m/N of the n, rounded down or up, and at least one if n is at least the
// number of classes. The result depends on the labels, n and the state of rng only.
func SubsetRows(labels []float64, n int, rng *rand.Rand) ([]int, error) {
	if n < 1 {
		return nil, fmt.Errorf("subsample: %d rows asked for, want at least 1", n)
	}
	if n > len(labels) {
		return nil, fmt.Errorf("subsample: %d rows asked for, but there are only %d", n, len(labels))
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

// Select returns a table of the given rows of t, in the order given, with
// storage of its own. It panics if a row is out of range.
func (t *Table) Select(rows []int) *Table {
	out := &Table{N: len(rows), D: t.D, meaning: t.meaning}
	if t.Labels != nil {
		out.Labels = make([]float64, len(rows))
		for k, i := range rows {
			out.Labels[k] = t.Labels[i]
		}
	}
	switch {
	case t.coded != nil:
		data := make([]uint8, 0, len(rows)*t.D)
		for _, i := range rows {
			data = append(data, t.coded.data[i*t.D:(i+1)*t.D]...)
		}
		out.coded = t.coded.rows(data)
		return out
	case !t.Sparse():
		out.data = make([]float64, 0, len(rows)*t.D)
		for _, i := range rows {
			out.data = append(out.data, t.Row(i, nil)...)
		}
		return out
	}
	nnz := 0
	for _, i := range rows {
		nnz += t.indptr[i+1] - t.indptr[i]
	}
	out.indptr = append(make([]int, 0, len(rows)+1), 0)
	out.indices = make([]int32, 0, nnz)
	out.values = make([]float64, 0, nnz)
	for _, i := range rows {
		idx, val := t.RowNonZero(i)
		out.indices = append(out.indices, idx...)
		out.values = append(out.values, val...)
		out.indptr = append(out.indptr, len(out.indices))
	}
	return out
}
