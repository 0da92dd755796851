package kernel

import (
	"fmt"
)

// Inputs is the input space of the Gaussian kernel, for methods that construct points. It evaluates the
// kernel for any z in R^d and the points, of which the first Train are the training points. A value is
// rounded to float32 once, as in kernel rows. An Inputs is not safe for concurrent use, but several
// Inputs of the same points are.
//
// Kernel values are computed in the layout "sparse". If z is one of the points, they have the same bits
// as its kernel row in that layout. The layouts "bits" and "bytes" use exact integers instead. Their
// values may differ by the rounding error of the squared distance, relatively at most about
// 2^-50 gamma d (|z|^2 + |x|^2). This affects at most the last bit of a float32, unless the bound
// exceeds 2^-24. The bits are equal if the unit of the layout is a power of two.
type Inputs struct {
	*Features
	kernel Gaussian
	all    *sparseQuery
}

// Inputs returns the input space of the points, of which the first train are the training points. It
// returns an error unless 0 <= train <= Len() and the kernel is valid. It creates a sparse layout of the
// points unless they have one.
func (p *Points) Inputs(train int, k Gaussian) (*Inputs, error) {
	if train < 0 || train > p.Len() {
		return nil, fmt.Errorf("kernel inputs: %d training points; there must be between 0 and %d, the number of points",
			train, p.Len())
	}
	if err := k.Check(); err != nil {
		return nil, err
	}
	l, sparse := p.layout.(*sparseLayout)
	if !sparse {
		r := p.rows.fork()
		l = newSparseLayout(r, newColumns(r))
	}
	return &Inputs{Features: p.Features(train), kernel: k, all: l.newQuery(0, l.n)}, nil
}

// Gamma returns the parameter of the kernel.
func (in *Inputs) Gamma() float64 { return in.kernel.Gamma }

// Eval returns K(z, z') for z and z' of length d, rounded to float32. It is symmetric to the last bit.
func (in *Inputs) Eval(z, other []float64) float64 {
	in.check(z)
	in.check(other)
	other = other[:len(z)]
	var dot, zz, oo float64
	for f, x := range z {
		y := other[f]
		dot += float64(x * y)
		zz += float64(x * x)
		oo += float64(y * y)
	}
	return float64(float32(in.kernel.Eval(dot, zz, oo)))
}

// RowTo sets dst[j] to K(z, x_j) for the n training points. It costs one operation for each stored entry
// of the points.
func (in *Inputs) RowTo(dst []float32, z []float64) { in.EvalRowTo(dst, z, 0, in.train) }

// EvalRowTo sets dst[j-from] to K(z, x_j) for the points from <= j < to. It panics unless dst has the
// length to-from.
func (in *Inputs) EvalRowTo(dst []float32, z []float64, from, to int) {
	in.check(z)
	if from < 0 || from > to || to > in.Len() || len(dst) != to-from {
		panic(badRange)
	}
	in.all.from, in.all.to = from, to
	in.rowTo(dst, z, in.all, in.p.norms[from:to])
}

// CombineTo adds sum_j w[j] x_j over the n training points to z, of length d. The order of the sum is
// fixed.
func (in *Inputs) CombineTo(z, w []float64) {
	in.check(z)
	if len(w) != in.train {
		panic(badRange)
	}
	in.all.l.combineTo(z, w)
}

// Pack copies the given points into a separate layout, for fast passes over them. With j = points[k],
// rowTo sets dst[k] to K(z, x_j), the value of RowTo, and combineTo adds sum_k w[k] x_j to z. Pack
// panics if an index is out of range.
func (in *Inputs) Pack(points []int) (rowTo func(dst []float32, z []float64), combineTo func(z, w []float64)) {
	var numbers []int
	var norms []float64
	for _, j := range points {
		if j < 0 || j >= in.Len() {
			panic(badRange)
		}
		numbers, norms = append(numbers, in.rows.number[j]), append(norms, in.p.norms[j])
	}
	r := newRows(in.rows.v, numbers)
	packed := newSparseLayout(r, newColumns(r)).newQuery(0, len(points))
	rowTo = func(dst []float32, z []float64) {
		in.check(z)
		if len(dst) != len(points) {
			panic(badRange)
		}
		in.rowTo(dst, z, packed, norms)
	}
	combineTo = func(z, w []float64) {
		in.check(z)
		if len(w) != len(points) {
			panic(badRange)
		}
		packed.l.combineTo(z, w)
	}
	return rowTo, combineTo
}

// rowTo sets dst to the kernel values of z and the points of q, which have the squared norms norms.
func (in *Inputs) rowTo(dst []float32, z []float64, q *sparseQuery, norms []float64) {
	zz := 0.0
	for _, x := range z {
		zz += float64(x * x)
	}
	q.setVector(z)
	apply(in.kernel, dst, q.sum[q.from:q.to], norms, zz)
}

func (in *Inputs) check(z []float64) {
	if len(z) != in.p.d {
		panic(badLength)
	}
}
