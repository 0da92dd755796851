package kernel

import (
	"fmt"
	"math"
)

// normLimit bounds squared norms, so that squared distances are finite.
const normLimit = 1e300

// Points holds points in a layout that makes the inner products of one point
// with all others fast. It is read-only and safe for concurrent use.
type Points struct {
	d      int
	rows   *rows
	layout layout
	norms  []float64
}

// NewPoints lays out the given rows of v, in that order: point i is row rows[i]
// of v. The layout depends on the data only:
//
//   - "bits" for points whose nonzero values are all the same value: bit sets;
//   - "bytes" for values that are multiples by 0, …, 255 of one unit, such as
//     the grey levels of images, scaled or not: exact integer arithmetic;
//   - "sparse" otherwise: an inverted index.
//
// Bits and bytes are chosen only if they take no more memory than the inverted
// index.
//
// Points keeps v and rows, which must not change. It returns an error if there
// are no points, a row number is out of range, or a squared norm is above 1e300.
func NewPoints(v Vectors, numbers []int) (*Points, error) {
	n, d := v.Dims()
	if len(numbers) == 0 {
		return nil, fmt.Errorf("kernel points: no rows of the data are given; at least one is needed")
	}
	if int64(len(numbers)) > math.MaxInt32/2 {
		return nil, fmt.Errorf("kernel points: %d rows are given; at most %d are possible", len(numbers), math.MaxInt32/2)
	}
	for k, i := range numbers {
		if i < 0 || i >= n {
			return nil, fmt.Errorf("kernel points: row number %d, at position %d, is outside the data, which has %d rows", i, k, n)
		}
	}
	r := newRows(v, numbers)
	p := &Points{d: d, rows: r, layout: chooseLayout(r), norms: make([]float64, len(numbers))}
	for i := range p.norms {
		p.norms[i] = p.layout.normSq(i)
		if !(p.norms[i] <= normLimit) {
			return nil, fmt.Errorf("kernel points: the squared norm of row %d of the data is %v; scale the features", numbers[i]+1, p.norms[i])
		}
	}
	return p, nil
}

// Len returns the number of points, N.
func (p *Points) Len() int { return len(p.norms) }

// SqNorm returns <x_i, x_i>.
func (p *Points) SqNorm(i int) float64 { return p.norms[i] }
