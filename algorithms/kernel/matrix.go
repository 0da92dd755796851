package kernel

import "gonum.org/v1/gonum/mat"

// Matrix is a dense matrix, a point a row, as Vectors.
type Matrix struct{ *mat.Dense }

var _ Vectors = Matrix{}

// Sparse implements Vectors.
func (Matrix) Sparse() bool { return false }

// Row implements Vectors. It returns a view of the row.
func (m Matrix) Row(i int, _ []float64) []float64 { return m.RawRowView(i) }

// RowNonZero implements Vectors. It panics, because the matrix is dense.
func (Matrix) RowNonZero(int) ([]int32, []float64) { panic("kernel: the matrix is dense") }
