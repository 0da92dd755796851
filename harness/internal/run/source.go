package run

import (
	"math/rand/v2"

	"stochopt/algorithms/pca"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
)

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
