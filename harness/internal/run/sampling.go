package run

import (
	"math"
	"math/rand/v2"

	"stochopt/algorithms/pca"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
	"stochopt/internal/whole"
)

// Points returns the iterations at which a run is recorded: at most n increasing integers from 1 to
// the budget. The budget is always the last. Spacing is "linear" or "log" (geometric).
func Points(budget int64, n int, spacing string) []int64 {
	if n < 2 || budget < 2 {
		return []int64{budget}
	}
	out := make([]int64, 0, min(int64(n), budget))
	for i := range n {
		f := float64(i) / float64(n-1)
		var v float64
		if spacing == "linear" {
			v = 1 + f*float64(budget-1)
		} else {
			// On amd64, Exp and Pow may round differently on different CPUs; Expm1 does not.
			v = 1 + math.Expm1(f*math.Log(float64(budget)))
		}
		t := int64(whole.Within(math.Round(v), 1, int(budget)))
		if len(out) == 0 || t > out[len(out)-1] {
			out = append(out, t)
		}
	}
	out[len(out)-1] = budget
	return out
}

// allRows returns 0, 1, ..., n-1.
func allRows(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// tableRows is a selection of the rows of a table, in any order.
type tableRows struct {
	*datasets.Table
	rows []int
}

// Dims implements kernel.Vectors and objective.Samples.
func (t tableRows) Dims() (n, d int) { return len(t.rows), t.D }

// Row implements kernel.Vectors.
func (t tableRows) Row(i int, buf []float64) []float64 { return t.Table.Row(t.rows[i], buf) }

// RowNonZero implements kernel.Vectors.
func (t tableRows) RowNonZero(i int) (indices []int32, values []float64) {
	return t.Table.RowNonZero(t.rows[i])
}

// Entries implements objective.Samples.
func (t tableRows) Entries(i int, buf []float64) (features []int32, values []float64) {
	return t.Table.Entries(t.rows[i], buf)
}

// order is an endless stream of training indices.
type order func() int

// Next implements svm.Order.
func (o order) Next() int { return o() }

// newOrder returns a stream of training indices below n. If kind is "pass", each pass is a random
// permutation; otherwise indices are independent and uniform.
func newOrder(kind string, n int, rng *rand.Rand) svm.Order {
	if kind != "pass" {
		return order(func() int { return rng.IntN(n) })
	}
	perm, next := allRows(n), n
	return order(func() int {
		if next == n {
			rng.Shuffle(n, func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })
			next = 0
		}
		next++
		return perm[next-1]
	})
}

// source is an endless stream of samples. draw writes the next sample to x.
type source struct {
	x    []float64
	draw func(x []float64)
}

var _ pca.Source = source{}

// Dim implements pca.Source.
func (s source) Dim() int { return len(s.x) }

// Next implements pca.Source.
func (s source) Next() ([]float64, bool) {
	s.draw(s.x)
	return s.x, true
}

// newRowSource streams the given rows of a table in an order.
func newRowSource(table *datasets.Table, rows []int, order svm.Order) source {
	return source{make([]float64, table.D), func(x []float64) { table.RowTo(x, rows[order.Next()]) }}
}

// newDistSource streams samples of a distribution.
func newDistSource(dist datasets.Distribution, rng *rand.Rand) source {
	return source{make([]float64, dist.Dim()), func(x []float64) { dist.Sample(x, rng) }}
}
