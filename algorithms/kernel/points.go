package kernel

import (
	"fmt"
	"math"
)

// normLimit bounds squared norms, so that squared distances are finite.
const normLimit = 1e300

// Points stores points in a layout for fast inner products of one point with all others. It is read-only
// and safe for concurrent use.
type Points struct {
	d      int
	rows   *rows
	layout layout
	norms  []float64
}

// NewPoints returns the given rows of v: point i is row numbers[i] of v. The layout depends only on the
// data:
//
//   - "bits", bit sets, for points whose nonzero values are all equal;
//   - "bytes", with exact integer arithmetic, for values that are multiples by 0, …, 255 of one
//     unit, such as the grey levels of images, scaled or not;
//   - "sparse", an inverted index, otherwise.
//
// Bits and bytes are chosen only if they take no more memory than the inverted index.
//
// Points retains v and numbers, which must not change. NewPoints returns an error if there are no
// points, if a row number is out of range, or if a squared norm exceeds 1e300.
func NewPoints(v Vectors, numbers []int) (*Points, error) {
	n, d := v.Dims()
	if len(numbers) == 0 {
		return nil, fmt.Errorf("kernel points: there are no points; there must be at least one")
	}
	if int64(len(numbers)) > math.MaxInt32/2 {
		return nil, fmt.Errorf("kernel points: there are %d points; there may be at most %d", len(numbers), math.MaxInt32/2)
	}
	for k, i := range numbers {
		if i < 0 || i >= n {
			return nil, fmt.Errorf("kernel points: point %d is row %d of the data; the row must be in [0, %d)", k, i, n)
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

// NormSq returns <x_i, x_i>.
func (p *Points) NormSq(i int) float64 { return p.norms[i] }
