package suite

import (
	"math"
	"slices"
)

// Rows equals svm.Rows. This package does not import svm, so that the internal tests of svm can use it.
type Rows interface {
	Train() int
	Len() int
	Row(i int) []float32
	Diag() []float64
}

// Guard returns the rows of a matrix and checks the contract of the learner. It counts fetched rows,
// detects modified rows and diagonals, and invalidates a row once two others have been fetched.
type Guard struct {
	Rows
	// Calls is the number of fetched rows, and Indices the set of their indices.
	Calls   int
	Indices map[int]bool
	// Mutated reports whether Inspect has found a modification by the learner.
	Mutated bool

	diag []float64
	bufs [3][]float32
	rows [3]int // indices of the rows in bufs, or -1
	turn int
}

// NewGuard returns a guard of the rows.
func NewGuard(rows Rows) *Guard {
	return &Guard{Rows: rows, diag: slices.Clone(rows.Diag()), rows: [3]int{-1, -1, -1}, Indices: map[int]bool{}}
}

// Row implements Rows.
func (g *Guard) Row(i int) []float32 {
	g.Inspect()
	g.Calls++
	g.Indices[i] = true
	if g.bufs[g.turn] == nil {
		for b := range g.bufs {
			g.bufs[b] = make([]float32, g.Len())
		}
	}
	out := g.turn
	copy(g.bufs[out], g.Rows.Row(i))
	g.rows[out] = i
	g.turn = (g.turn + 1) % len(g.bufs)
	// The next buffer holds the oldest row, which is now invalid.
	for j := range g.bufs[g.turn] {
		g.bufs[g.turn][j] = float32(math.NaN())
	}
	g.rows[g.turn] = -1
	return g.bufs[out]
}

// Diag implements Rows.
func (g *Guard) Diag() []float64 { return g.diag }

// Inspect checks for modifications by the learner.
func (g *Guard) Inspect() {
	for b, i := range g.rows {
		if i >= 0 && !slices.EqualFunc(g.bufs[b], g.Rows.Row(i), func(x, y float32) bool {
			return math.Float32bits(x) == math.Float32bits(y)
		}) {
			g.Mutated = true
		}
	}
	if !SameBits(g.diag, g.Rows.Diag()) {
		g.Mutated = true
	}
}

// Reset resets the counts, for a new step.
func (g *Guard) Reset() {
	g.Calls = 0
	clear(g.Indices)
}

// InvalidRows is a matrix whose rows are not finite, except for the first different rows that are fetched.
type InvalidRows struct {
	Rows
	// Good is the number of valid rows.
	Good int
	// At returns the range of entries of a bad row that have the Value.
	At    func(n, length int) (from, to int)
	Value float32
	// Bad reports whether a bad row has been returned.
	Bad bool

	seen map[int]bool // whether a fetched row is good
}

// Row implements Rows.
func (s *InvalidRows) Row(i int) []float32 {
	row := s.Rows.Row(i)
	good, known := s.seen[i]
	if !known {
		if s.seen == nil {
			s.seen = map[int]bool{}
		}
		good = len(s.seen) < s.Good
		s.seen[i] = good
	}
	if good {
		return row
	}
	s.Bad = true
	row = slices.Clone(row)
	from, to := s.At(s.Train(), s.Len())
	for j := from; j < to; j++ {
		row[j] = s.Value
	}
	return row
}
