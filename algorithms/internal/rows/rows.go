// Package rows hands out kernel rows that are finite.
package rows

import (
	"errors"
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// Source is the part of a kernel matrix, n rows of N entries, that is looked at.
type Source interface {
	Train() int
	Len() int
	Row(i int) []float32
}

// Finite looks through each row when it is fetched for the first time, so that a step
// can be refused before it has done any harm.
type Finite struct {
	Source
	good []bool // n, rows that were looked through
}

// New returns the rows of a matrix.
func New(source Source) Finite { return Finite{source, make([]bool, source.Train())} }

// errNotFinite is the error of a row that is not finite.
var errNotFinite = errors.New("the kernel is not finite")

// Checked returns Row(i), or an error that says what is wrong with it, errNotFinite
// if it is that.
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

// Known reports whether row i was found to be good.
func (r *Finite) Known(i int) bool { return r.good[i] }

// State returns how an error of Checked ends a run.
func State(err error) algorithms.State {
	if errors.Is(err, errNotFinite) {
		return algorithms.Diverged
	}
	return algorithms.Failed
}
