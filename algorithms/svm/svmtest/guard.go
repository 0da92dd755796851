package svmtest

import (
	"math"
	"slices"

	"stochopt/algorithms/svm"
)

// guard hands out the rows of a matrix, and sees to it that the learner keeps its
// side of the contract: it counts the rows asked for, notices a row or a diagonal
// that was changed, and spoils a row when two others have been fetched after it.
type guard struct {
	svm.Rows
	diag    []float64
	bufs    [3][]float32
	rows    [3]int // what is in bufs, -1 for nothing
	turn    int
	calls   int
	asked   map[int]bool
	mutated bool
}

var _ svm.Rows = (*guard)(nil)

func newGuard(rows svm.Rows) *guard {
	return &guard{Rows: rows, diag: slices.Clone(rows.Diag()), rows: [3]int{-1, -1, -1}, asked: map[int]bool{}}
}

// Row implements svm.Rows.
func (g *guard) Row(i int) []float32 {
	g.inspect()
	g.calls++
	g.asked[i] = true
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

// Diag implements svm.Rows.
func (g *guard) Diag() []float64 { return g.diag }

// inspect looks for changes by the learner.
func (g *guard) inspect() {
	for b, i := range g.rows {
		if i >= 0 && !slices.EqualFunc(g.bufs[b], g.Rows.Row(i), func(x, y float32) bool {
			return math.Float32bits(x) == math.Float32bits(y)
		}) {
			g.mutated = true
		}
	}
	if !slices.Equal(g.diag, g.Rows.Diag()) {
		g.mutated = true
	}
}

// reset starts the count of another step.
func (g *guard) reset() {
	g.calls = 0
	clear(g.asked)
}

// spoilt is a matrix of which all but some rows are not finite.
type spoilt struct {
	svm.Rows
	good  int // rows asked for first that are good
	at    func(n, length int) (from, to int)
	value float32
	seen  map[int]bool
	bad   bool // whether a bad row was handed out
}

// Row implements svm.Rows.
func (s *spoilt) Row(i int) []float32 {
	row := s.Rows.Row(i)
	good, known := s.seen[i]
	if !known {
		good = len(s.seen) < s.good
		s.seen[i] = good
	}
	if good {
		return row
	}
	s.bad = true
	row = slices.Clone(row)
	from, to := s.at(s.Train(), s.Len())
	for j := from; j < to; j++ {
		row[j] = s.value
	}
	return row
}
