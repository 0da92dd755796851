package svm

import (
	"errors"
	"fmt"

	"stochopt/algorithms/internal/vec"
)

// finiteRows hands out the rows of a kernel matrix that are finite. Each row is
// looked through when it is fetched for the first time, so that a step can be
// refused before it has done any harm.
type finiteRows struct {
	Rows
	good []bool // n, rows that were looked through
}

func newFiniteRows(rows Rows) finiteRows {
	return finiteRows{Rows: rows, good: make([]bool, rows.Train())}
}

// errNotFinite is the error of a row that is not finite.
var errNotFinite = errors.New("the kernel is not finite")

// row returns Row(i), or an error that says what is wrong with it, errNotFinite
// if it is that.
func (f *finiteRows) row(i int) ([]float32, error) {
	row := f.Row(i)
	if f.good[i] {
		return row, nil
	}
	if n := f.Len(); len(row) != n {
		return nil, fmt.Errorf("row %d of the kernel has %d entries, want %d", i, len(row), n)
	}
	if !vec.AllFinite(row) {
		for j, k := range row {
			if k-k != 0 {
				return nil, fmt.Errorf("%w: K(x_i, x_j) = %g for i = %d, j = %d", errNotFinite, k, i, j)
			}
		}
	}
	f.good[i] = true
	return row, nil
}
