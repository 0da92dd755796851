package kernel

import "fmt"

// Inputs is the input space of the Gaussian kernel, for methods that construct
// points of their own: it evaluates the kernel between any z in R^d and the
// points, of which the first Train are the training points. A value is rounded
// to float32 once, as in kernel rows. The working memory is its own: an Inputs
// is not for concurrent use, but several of the same points are.
//
// The squared distance is taken as in rows, with sums over the features in
// ascending order. So if z is one of the points, the values are the very bits of
// its kernel row in the layouts "dense" and "sparse". Rows of "bits" and "bytes"
// come from exact integers; there the values differ by what rounding does to the
// squared distance, at most about 2^-50 gamma d (|z|^2 + |x|^2) relative to the
// value, which changes the last bit of a float32 at most unless that product is
// above 2^-24. They are equal bits if the unit of the layout is a power of two.
type Inputs struct {
	points *Points
	train  int
	kernel Gaussian
	all    *inputTable
	views  *Features
	dots   []float64
}

// Inputs returns the input space of the points, of which the first train are
// the training points. It returns an error if train is not in 0, …, Len() or
// the kernel's parameter is out of range. It takes the memory of the stored
// entries of the points again, unless their layout is dense.
func (p *Points) Inputs(train int, k Gaussian) (*Inputs, error) {
	if train < 0 || train > p.Len() {
		return nil, fmt.Errorf("kernel inputs: %d training points of %d points; the number must be between 0 and that of all points", train, p.Len())
	}
	if err := k.Check(); err != nil {
		return nil, err
	}
	in := &Inputs{points: p, train: train, kernel: k, views: p.Features(train), dots: make([]float64, block)}
	if l, dense := p.layout.(*denseLayout); dense {
		in.all = &inputTable{n: p.Len(), norms: p.norms, columns: l.columns, column: l.column, tile: l.tile}
	} else {
		in.all = newInputTable(p, nil)
	}
	return in, nil
}

// Train returns the number n of training points.
func (in *Inputs) Train() int { return in.train }

// Len returns the number of all points.
func (in *Inputs) Len() int { return in.points.Len() }

// Dim returns the number of features, d.
func (in *Inputs) Dim() int { return in.points.d }

// Gamma returns the parameter of the kernel.
func (in *Inputs) Gamma() float64 { return in.kernel.Gamma }

// NormSq returns |x_j|^2.
func (in *Inputs) NormSq(j int) float64 { return in.points.norms[j] }

// Dot returns <z, x_j> for z of length d, summed over the features in ascending
// order.
func (in *Inputs) Dot(z []float64, j int) float64 {
	in.check(z)
	r := in.views.rows
	sum := 0.0
	if !r.sparse {
		for f, x := range r.v.Row(r.number[j], r.row) {
			sum += float64(z[f] * x)
		}
		return sum
	}
	indices, values := r.v.RowNonZero(r.number[j])
	for p, f := range indices {
		sum += float64(z[f] * values[p])
	}
	return sum
}

// AddTo adds a x_j to z, of length d.
func (in *Inputs) AddTo(z []float64, a float64, j int) {
	in.views.AddTo(z, a, j)
}

// Eval returns K(z, z') for z and z' of length d, rounded as rows are. It is
// symmetric to the last bit.
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

// RowTo sets dst[j] to K(z, x_j) for the n training points. It costs an
// operation for each stored entry of the points.
func (in *Inputs) RowTo(dst []float32, z []float64) { in.EvalRowTo(dst, z, 0, in.train) }

// EvalRowTo sets dst[j-from] to K(z, x_j) for the points from <= j < to. It
// panics if dst is not as long.
func (in *Inputs) EvalRowTo(dst []float32, z []float64, from, to int) {
	in.check(z)
	if from < 0 || from > to || to > in.points.Len() || len(dst) != to-from {
		panic(badRange)
	}
	in.all.rowTo(dst, z, from, in.kernel.Gamma, in.dots)
}

// CombineTo adds sum_j w[j] x_j over the n training points to z, of length d.
// The order of the sum is fixed.
func (in *Inputs) CombineTo(z, w []float64) {
	in.check(z)
	if len(w) != in.train {
		panic(badRange)
	}
	in.all.combineTo(z, w)
}

// Pack copies the given points for fast passes over them alone: rowTo sets
// dst[k] to K(z, x_j) for the k-th of them, j, the value of RowTo; combineTo adds
// sum_k w[k] x_j to z. It panics if one is not a point. The functions share the
// working memory of the Inputs.
func (in *Inputs) Pack(points []int) (rowTo func(dst []float32, z []float64), combineTo func(z, w []float64)) {
	for _, j := range points {
		if j < 0 || j >= in.points.Len() {
			panic(badRange)
		}
	}
	if points == nil {
		points = []int{}
	}
	t := newInputTable(in.points, points)
	rowTo = func(dst []float32, z []float64) {
		in.check(z)
		if len(dst) != t.n {
			panic(badRange)
		}
		t.rowTo(dst, z, 0, in.kernel.Gamma, in.dots)
	}
	combineTo = func(z, w []float64) {
		in.check(z)
		if len(w) != t.n {
			panic(badRange)
		}
		t.combineTo(z, w)
	}
	return rowTo, combineTo
}

func (in *Inputs) check(z []float64) {
	if len(z) != in.points.d {
		panic(badLength)
	}
}
