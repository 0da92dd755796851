package run

import (
	"math"
	"math/rand/v2"

	"stochopt/algorithms/pca"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
	"stochopt/internal/whole"
)

// Points returns the iterations at which a run of the given length is recorded: at most n increasing
// integers from 1 to the budget, which is always the last. Log spacing is geometric, linear spacing
// even.
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
			// Expm1 and not Exp or Pow, which on amd64 may round differently from one CPU to another.
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

// order is an endless stream of training indices.
type order func() int

// Next implements svm.Order.
func (o order) Next() int { return o() }

// newOrder returns a stream of training indices: with "pass", each of the n once a pass in random
// order, else independent uniform draws.
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

// source is an endless stream of samples of a dimension, each valid until the next.
type source struct {
	dim  int
	next func() []float64
}

var _ pca.Source = source{}

// Dim implements pca.Source.
func (s source) Dim() int { return s.dim }

// Next implements pca.Source.
func (s source) Next() ([]float64, bool) { return s.next(), true }

// newRowSource streams rows of a table in an order.
func newRowSource(table *datasets.Table, rows []int, order svm.Order) source {
	x := make([]float64, table.D)
	if !table.Sparse() {
		return source{table.D, func() []float64 { return table.Row(rows[order.Next()], x) }}
	}
	var features []int32 // of the entries in x
	return source{table.D, func() []float64 {
		for _, j := range features {
			x[j] = 0
		}
		var values []float64
		features, values = table.RowNonZero(rows[order.Next()])
		for p, j := range features {
			x[j] = values[p]
		}
		return x
	}}
}

// newDistSource streams samples of a distribution.
func newDistSource(dist datasets.Distribution, rng *rand.Rand) source {
	x := make([]float64, dist.Dim())
	return source{len(x), func() []float64 {
		dist.Sample(x, rng)
		return x
	}}
}
