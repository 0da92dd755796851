package sparsetest

import (
	"math"
	"slices"

	"stochopt/algorithms/sparse"
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
	g := &guard{Rows: rows, diag: slices.Clone(rows.Diag()), rows: [3]int{-1, -1, -1}, asked: map[int]bool{}}
	for b := range g.bufs {
		g.bufs[b] = make([]float32, rows.Len())
	}
	return g
}

// Row implements svm.Rows.
func (g *guard) Row(i int) []float32 {
	g.inspect()
	g.calls++
	g.asked[i] = true
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
	if !slices.EqualFunc(g.diag, g.Rows.Diag(), func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	}) {
		g.mutated = true
	}
}

// counting is an input space that counts what is evaluated.
type counting struct {
	sparse.Inputs
	rows, evals int
}

// RowTo implements sparse.Inputs.
func (c *counting) RowTo(dst []float32, z []float64) {
	c.rows++
	c.Inputs.RowTo(dst, z)
}

// Eval implements sparse.Inputs.
func (c *counting) Eval(z, other []float64) float64 {
	c.evals++
	return c.Inputs.Eval(z, other)
}

// work is what a learner may fetch from.
type work struct {
	rows   *guard
	inputs *counting
}

// take returns what was fetched since it was called last.
func (w work) take() Fetched {
	f := Fetched{Rows: w.rows.calls, DistinctRows: len(w.rows.asked), Constructed: w.inputs.rows, Evals: w.inputs.evals}
	w.rows.calls, w.inputs.rows, w.inputs.evals = 0, 0, 0
	clear(w.rows.asked)
	return f
}

// Fetched says what a learner has fetched in a step. What New fetches belongs to
// the first one.
type Fetched struct {
	// Rows is the number of calls of Row, DistinctRows that of the rows that they
	// were for.
	Rows, DistinctRows int
	// Constructed is the number of calls of RowTo, Evals that of Eval.
	Constructed, Evals int
}

// spoilt is a matrix of which all but some rows are not finite.
type spoilt struct {
	svm.Rows
	good  int // rows asked for first that are good
	from  int // where a bad row starts to be bad, as it goes to its end
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
	for j := s.from; j < len(row); j++ {
		row[j] = s.value
	}
	return row
}

// spoiltDiag is a matrix with a diagonal entry that is not its own.
type spoiltDiag struct {
	svm.Rows
	diag []float64
}

// Diag implements svm.Rows.
func (s *spoiltDiag) Diag() []float64 { return s.diag }

// spoiltInputs are an input space whose kernel is finite only for the first few
// calls.
type spoiltInputs struct {
	sparse.Inputs
	good  int
	value float32
}

// RowTo implements sparse.Inputs.
func (s *spoiltInputs) RowTo(dst []float32, z []float64) {
	s.Inputs.RowTo(dst, z)
	if s.good--; s.good < 0 {
		for j := range dst {
			dst[j] = s.value
		}
	}
}

// Eval implements sparse.Inputs.
func (s *spoiltInputs) Eval(z, other []float64) float64 {
	if s.good--; s.good < 0 {
		return float64(s.value)
	}
	return s.Inputs.Eval(z, other)
}
