package suite

import (
	"math"
	"slices"
)

// Rows is a kernel matrix as learners see it: svm.Rows, which this package does not
// import, so that package svm's own tests may use it.
type Rows interface {
	Train() int
	Len() int
	Row(i int) []float32
	Diag() []float64
}

// Guard hands out the rows of a matrix, and sees to it that the learner keeps its
// side of the contract: it counts the rows asked for, notices a row or a diagonal
// that was changed, and spoils a row when two others have been fetched after it.
type Guard struct {
	Rows
	// Calls is the number of rows asked for, Asked which they were.
	Calls int
	Asked map[int]bool
	// Mutated: Inspect has found a change by the learner.
	Mutated bool

	diag []float64
	bufs [3][]float32
	rows [3]int // what is in bufs, -1 for nothing
	turn int
}

// NewGuard returns a guard of the rows.
func NewGuard(rows Rows) *Guard {
	return &Guard{Rows: rows, diag: slices.Clone(rows.Diag()), rows: [3]int{-1, -1, -1}, Asked: map[int]bool{}}
}

// Row implements Rows.
func (g *Guard) Row(i int) []float32 {
	g.Inspect()
	g.Calls++
	g.Asked[i] = true
	if g.bufs[g.turn] == nil {
		for b := range g.bufs {
			g.bufs[b] = make([]float32, g.Len())
		}
	}
	out := g.turn
	copy(g.bufs[out], g.Rows.Row(i))
	g.rows[out] = i
	g.turn = (g.turn + 1) % len(g.bufs)
	// The row that is handed out next time was fetched three calls ago.
	for j := range g.bufs[g.turn] {
		g.bufs[g.turn][j] = float32(math.NaN())
	}
	g.rows[g.turn] = -1
	return g.bufs[out]
}

// Diag implements Rows.
func (g *Guard) Diag() []float64 { return g.diag }

// Inspect looks for changes by the learner.
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

// Reset starts the count of another step.
func (g *Guard) Reset() {
	g.Calls = 0
	clear(g.Asked)
}

// Spoilt is a matrix of which all but some rows are not finite.
type Spoilt struct {
	Rows
	// Good is the number of the rows asked for first that are good.
	Good int
	// At returns which entries of a bad row have the Value, from <= j < to.
	At    func(n, length int) (from, to int)
	Value float32
	// Bad: a bad row was handed out.
	Bad bool

	seen map[int]bool // rows asked for, and whether they are good
}

// Row implements Rows.
func (s *Spoilt) Row(i int) []float32 {
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
