package run

import (
	"math/rand/v2"

	"stochopt/algorithms/pca"
	"stochopt/datasets"
)

// rowSource streams rows of a table, without end.
type rowSource struct {
	table *datasets.Table
	rows  []int
	rng   *rand.Rand
	// uniform draws with replacement; otherwise each epoch is a new shuffle.
	uniform bool
	order   []int
	next    int
	x       []float64
}

func newRowSource(table *datasets.Table, rows []int, uniform bool, rng *rand.Rand) *rowSource {
	s := &rowSource{table: table, rows: rows, rng: rng, uniform: uniform}
	if table.Sparse() {
		s.x = make([]float64, table.D)
	}
	if !uniform {
		s.order = make([]int, len(rows))
		copy(s.order, rows)
		s.next = len(rows)
	}
	return s
}

// Dim implements pca.Source.
func (s *rowSource) Dim() int { return s.table.D }

// Next implements pca.Source.
func (s *rowSource) Next() ([]float64, bool) {
	var row int
	if s.uniform {
		row = s.rows[s.rng.IntN(len(s.rows))]
	} else {
		if s.next == len(s.order) {
			s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
			s.next = 0
		}
		row = s.order[s.next]
		s.next++
	}
	if s.x == nil {
		return s.table.Row(row), true
	}
	s.table.RowTo(s.x, row)
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
