package svm

import (
	"fmt"

	"stochopt/algorithms/kernel"
)

// selection is some rows of a matrix, in another order.
type selection struct {
	v    kernel.Vectors
	rows []int
}

// SelectVectors returns the given rows of v, in that order, as a matrix: the
// points of a problem for the methods that need more than their kernel. It
// keeps v and rows, and returns an error if a row number is out of range.
func SelectVectors(v kernel.Vectors, rows []int) (kernel.Vectors, error) {
	n, _ := v.Dims()
	for k, i := range rows {
		if i < 0 || i >= n {
			return nil, fmt.Errorf("svm: row number %d, at position %d, is outside the data, which has %d rows", i, k, n)
		}
	}
	return &selection{v, rows}, nil
}

func (s *selection) Dims() (n, d int) {
	_, d = s.v.Dims()
	return len(s.rows), d
}

func (s *selection) Sparse() bool { return s.v.Sparse() }

func (s *selection) Row(i int) []float64 { return s.v.Row(s.rows[i]) }

func (s *selection) RowNonZero(i int) (indices []int32, values []float64) {
	return s.v.RowNonZero(s.rows[i])
}
