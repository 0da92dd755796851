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

// newOrder returns an endless stream of training indices: with "pass", each of the n once a pass in
// random order, else independent uniform draws.
func newOrder(kind string, n int, rng *rand.Rand) svm.Order {
	if kind == "pass" {
		return &passOrder{rng: rng, perm: allRows(n), next: n}
	}
	return &uniformOrder{rng: rng, n: n}
}

type uniformOrder struct {
	rng *rand.Rand
	n   int
}

// Next implements svm.Order.
func (o *uniformOrder) Next() int { return o.rng.IntN(o.n) }

type passOrder struct {
	rng  *rand.Rand
	perm []int
	next int
}

// Next implements svm.Order.
func (o *passOrder) Next() int {
	if o.next == len(o.perm) {
		o.rng.Shuffle(len(o.perm), func(i, j int) { o.perm[i], o.perm[j] = o.perm[j], o.perm[i] })
		o.next = 0
	}
	o.next++
	return o.perm[o.next-1]
}

// rowSource streams rows of a table, without end.
type rowSource struct {
	table *datasets.Table
	rows  []int
	order svm.Order // of rows
	// x is the latest row, unless that is a view; features are those of the entries of a
	// sparse one.
	x        []float64
	features []int32
}

// newRowSource draws from rows in an order.
func newRowSource(table *datasets.Table, rows []int, order svm.Order) *rowSource {
	return &rowSource{table: table, rows: rows, order: order, x: make([]float64, table.D)}
}

// Dim implements pca.Source.
func (s *rowSource) Dim() int { return s.table.D }

// Next implements pca.Source.
func (s *rowSource) Next() ([]float64, bool) {
	row := s.rows[s.order.Next()]
	if !s.table.Sparse() {
		return s.table.Row(row, s.x), true
	}
	for _, j := range s.features {
		s.x[j] = 0
	}
	features, values := s.table.RowNonZero(row)
	for p, j := range features {
		s.x[j] = values[p]
	}
	s.features = features
	return s.x, true
}

// distSource streams samples of a distribution, without end.
type distSource struct {
	dist datasets.Distribution
	rng  *rand.Rand
	x    []float64
}

func newDistSource(dist datasets.Distribution, rng *rand.Rand) *distSource {
	return &distSource{dist: dist, rng: rng, x: make([]float64, dist.Dim())}
}

// Dim implements pca.Source.
func (s *distSource) Dim() int { return len(s.x) }

// Next implements pca.Source.
func (s *distSource) Next() ([]float64, bool) {
	s.dist.Sample(s.x, s.rng)
	return s.x, true
}

var (
	_ pca.Source = (*rowSource)(nil)
	_ pca.Source = (*distSource)(nil)
)
