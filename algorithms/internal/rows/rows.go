// Package rows checks that kernel rows are finite.
package rows

import (
	"errors"
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// Source is the part of svm.Rows that this package needs: n rows of N entries.
type Source interface {
	Train() int
	Len() int
	Row(i int) []float32
}

// Finite checks each row when it is first fetched, so that a step with an invalid row can fail before it
// changes anything.
type Finite struct {
	Source
	good []bool // n, rows that have been checked
}

// New returns a Finite for the rows of source.
func New(source Source) Finite { return Finite{source, make([]bool, source.Train())} }

var errNotFinite = errors.New("the kernel is not finite")

// Checked returns Row(i). It returns an error if the row has the wrong length or is not finite. In the
// latter case the error wraps errNotFinite.
func (r *Finite) Checked(i int) ([]float32, error) {
	row := r.Row(i)
	if r.good[i] {
		return row, nil
	}
	if n := r.Len(); len(row) != n {
		return nil, fmt.Errorf("row %d of the kernel has %d entries, want %d", i, len(row), n)
	}
	if !vec.AllFinite(row) {
		for j, k := range row {
			if k-k != 0 {
				return nil, fmt.Errorf("%w: K(x_i, x_j) = %g for i = %d, j = %d", errNotFinite, k, i, j)
			}
		}
	}
	r.good[i] = true
	return row, nil
}

// State returns the state of a run that ends with an error of Checked.
func State(err error) algorithms.State {
	if errors.Is(err, errNotFinite) {
		return algorithms.Diverged
	}
	return algorithms.Failed
}
