package sparsetest

import (
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// counting is an input space that counts what is evaluated.
type counting struct {
	sparse.Inputs
	rows, evals int
}

// Pack implements sparse.Inputs.
func (c *counting) Pack(points []int) (rowTo func(dst []float32, z []float64), combineTo func(z, w []float64)) {
	packed, combineTo := c.Inputs.Pack(points)
	return func(dst []float32, z []float64) {
		c.evals += len(points)
		packed(dst, z)
	}, combineTo
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
	rows   *suite.Guard
	inputs *counting
}

// take returns what was fetched since it was called last.
func (w work) take() Fetched {
	f := Fetched{Rows: w.rows.Calls, DistinctRows: len(w.rows.Asked), Constructed: w.inputs.rows, Evals: w.inputs.evals}
	w.rows.Reset()
	w.inputs.rows, w.inputs.evals = 0, 0
	return f
}

// Fetched says what a learner has fetched in a step. What New fetches belongs to
// the first one.
type Fetched struct {
	// Rows is the number of calls of Row, DistinctRows that of the rows that they
	// were for.
	Rows, DistinctRows int
	// Constructed is the number of calls of RowTo, Evals that of Eval, and of the
	// points that packed rows were for.
	Constructed, Evals int
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

// Pack implements sparse.Inputs.
func (s *spoiltInputs) Pack(points []int) (rowTo func(dst []float32, z []float64), combineTo func(z, w []float64)) {
	packed, combineTo := s.Inputs.Pack(points)
	return func(dst []float32, z []float64) {
		packed(dst, z)
		s.spoil(dst)
	}, combineTo
}

// RowTo implements sparse.Inputs.
func (s *spoiltInputs) RowTo(dst []float32, z []float64) {
	s.Inputs.RowTo(dst, z)
	s.spoil(dst)
}

func (s *spoiltInputs) spoil(dst []float32) {
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
