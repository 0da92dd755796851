package sparsetest

import (
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// counting is an input space that counts kernel evaluations.
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

// work holds the sources of kernel values of a learner.
type work struct {
	rows   *suite.Guard
	inputs *counting
}

// take returns what was fetched since the last call.
func (w work) take() Fetched {
	f := Fetched{Rows: w.rows.Calls, DistinctRows: len(w.rows.Indices), Constructed: w.inputs.rows, Evals: w.inputs.evals}
	w.rows.Reset()
	w.inputs.rows, w.inputs.evals = 0, 0
	return f
}

// Fetched counts the kernel values that a learner fetches in a step. The first step includes the values
// that New fetches.
type Fetched struct {
	// Rows is the number of calls of Row, and DistinctRows the number of different rows.
	Rows, DistinctRows int
	// Constructed is the number of calls of RowTo. Evals is the number of calls of Eval, plus the number
	// of entries of packed rows.
	Constructed, Evals int
}

// invalidDiag is a kernel matrix with a wrong diagonal.
type invalidDiag struct {
	svm.Rows
	diag []float64
}

// Diag implements svm.Rows.
func (s *invalidDiag) Diag() []float64 { return s.diag }

// invalidInputs is an input space whose kernel becomes value after good calls.
type invalidInputs struct {
	sparse.Inputs
	good  int
	value float32
}

// Pack implements sparse.Inputs.
func (s *invalidInputs) Pack(points []int) (rowTo func(dst []float32, z []float64), combineTo func(z, w []float64)) {
	packed, combineTo := s.Inputs.Pack(points)
	return func(dst []float32, z []float64) {
		packed(dst, z)
		s.overwrite(dst)
	}, combineTo
}

// RowTo implements sparse.Inputs.
func (s *invalidInputs) RowTo(dst []float32, z []float64) {
	s.Inputs.RowTo(dst, z)
	s.overwrite(dst)
}

func (s *invalidInputs) overwrite(dst []float32) {
	if s.good--; s.good < 0 {
		for j := range dst {
			dst[j] = s.value
		}
	}
}

// Eval implements sparse.Inputs.
func (s *invalidInputs) Eval(z, other []float64) float64 {
	if s.good--; s.good < 0 {
		return float64(s.value)
	}
	return s.Inputs.Eval(z, other)
}
