package pca

import (
	"math"

	"stochopt/internal/finite"
	"stochopt/internal/ordered"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// eigenFactor is a symmetric d x d matrix as the eigendecomposition
//
//	A = U diag(values) U^T + bulk (I - U U^T),  U^T U = I,
//
// of which it keeps the m columns of U whose eigenvalues differ from bulk; no
// explicit eigenvalue is below bulk. A can be updated to A + rho x x^T, rho >= 0,
// which adds at most one column (Cotter 2013, Alg. rank1-update; with a bulk
// other than 0, Alg. rank1-update of the chapter on Warmuth & Kuzmin).
//
// U is the product of Q, d x q, and V, q x m, both with orthonormal columns. An
// update appends at most one column to Q and multiplies V only; Q V is
// multiplied out when q has outgrown m. The O(d m^2) operations that the thesis
// spends on U in each step are thus spent once in several steps, and a step
// costs O(d q + q m^2). The orthonormality of Q is measured when it has been
// multiplied out, and restored if it has drifted.
type eigenFactor struct {
	d      int
	bulk   float64
	values []float64 // m, decreasing

	m, q     int
	capacity int       // of columns
	basis    []float64 // Q^T: q rows of length d
	coef     []float64 // V^T: m rows of length q, capacity apart

	age, compressions int

	eigen              rank1Eigen
	c, z, dvals, row   []float64
	x, p               []float64 // d
	basisNext, coefNxt []float64
}

// updated is the outcome of an update.
type updated int

const (
	// updateDone: the matrix has changed.
	updateDone updated = iota
	// updateNone: rho x x^T is zero; nothing has changed.
	updateNone
	// updateFailed: the result is not finite; nothing has changed.
	updateFailed
)

const (
	// inSpan is the share of |x| below which the component of x outside a
	// subspace is rounding noise.
	inSpan = 1e-12
	// projectAgain is the share of |x| below which the component outside is projected
	// again: above it, cancellation costs it at most one decimal digit of
	// orthogonality, far less than factorDrift allows.
	projectAgain = 0.1
	// factorAge bounds the number of updates of V between two compressions,
	// and so its departure from orthonormality.
	factorAge = 64
	// measureInterval is the number of compressions from one measurement of
	// the orthonormality of Q to the next.
	measureInterval = 8
	// factorDrift is the departure of Q^T Q from I above which Q is
	// orthonormalised. Rounding alone gives some 1e-15.
	factorDrift = 1e-13
	// compressBlock is the number of entries of each column that a compression
	// treats at a time, so that they stay in the cache.
	compressBlock = 128
)

// newEigenFactor returns bulk times the identity.
func newEigenFactor(d int, bulk float64) *eigenFactor {
	return &eigenFactor{d: d, bulk: bulk, x: make([]float64, d), p: make([]float64, d)}
}

// start makes the columns of b the explicit directions, of one eigenvalue.
func (f *eigenFactor) start(b *basis, value float64) {
	f.reserve(b.k)
	copy(f.basis, b.data)
	f.m, f.q, f.age = b.k, b.k, 0
	f.values = f.values[:b.k]
	for i := range f.values {
		f.values[i] = value
	}
	f.resetCoef()
}

// multiplicity returns the number of directions that have the bulk eigenvalue.
func (f *eigenFactor) multiplicity() int { return f.d - f.m }

// positive returns the number of eigenvalues above 0, for bulk >= 0.
func (f *eigenFactor) positive() int {
	if f.bulk > 0 {
		return f.d
	}
	n := f.m
	for n > 0 && f.values[n-1] <= 0 {
		n--
	}
	return n
}

// keep drops the explicit directions from the mth on, and those whose eigenvalue
// does not differ from the bulk. If none are outside the span of U, the bulk is
// set to 0 first.
func (f *eigenFactor) keep(m int) {
	if f.m == f.d {
		f.bulk = 0
	}
	for m > 0 && f.values[m-1] <= f.bulk {
		m--
	}
	f.m = m
	f.values = f.values[:m]
}

// update adds rho x x^T, rho >= 0.
func (f *eigenFactor) update(rho float64, x []float64) updated {
	x, xnorm, rho, out := f.scaleSample(x, rho)
	if out != updateDone {
		return out
	}
	if f.q > f.m+max(6, 3*f.m/4) || f.age >= factorAge {
		f.compress()
	}
	f.reserve(f.q + 1)

	// x = Q c + p, and then Q c + p = U z + w with w orthogonal to U.
	c, z := f.c[:f.q+1], f.z[:f.m+1]
	outside := f.split(c[:f.q], x, xnorm)
	c[f.q] = outside
	q := f.q
	if outside > 0 {
		q++
	}
	r := f.splitCoef(z[:f.m], c[:q], xnorm)
	n := f.m
	if r > 0 {
		z[n] = r
		n++
	}
	dvals := append(append(f.dvals[:0], f.values...), f.bulk)[:n]
	if !f.eigen.factorise(dvals, z[:n], rho) {
		return updateFailed
	}
	if r > 0 {
		f.appendColumn(c[:q], r, outside)
	}
	f.rotate(n)
	return updateDone
}

// scaleSample returns x, its norm and rho such that |x|^2 neither overflows nor
// loses digits, with the same rho x x^T.
func (f *eigenFactor) scaleSample(x []float64, rho float64) ([]float64, float64, float64, updated) {
	if rho == 0 {
		return nil, 0, 0, updateNone
	}
	if !finite.Is(rho) {
		return nil, 0, 0, updateFailed
	}
	if xx := floats.Dot(x, x); xx >= 1e-200 && xx <= 1e200 {
		return x, math.Sqrt(xx), rho, updateDone
	}
	var size float64
	for _, v := range x {
		size = max(size, math.Abs(v))
	}
	if size == 0 {
		return nil, 0, 0, updateNone
	}
	if !finite.Is(size) {
		return nil, 0, 0, updateFailed
	}
	_, exp := math.Frexp(size)
	for i, v := range x {
		f.x[i] = math.Ldexp(v, -exp)
	}
	rho = math.Ldexp(rho, 2*exp)
	if rho == 0 {
		return nil, 0, 0, updateNone
	}
	if !finite.Is(rho) {
		return nil, 0, 0, updateFailed
	}
	return f.x, norm(f.x), rho, updateDone
}

// split sets c to Q^T x and p to (I - Q Q^T) x, and returns |p|, 0 if it is
// rounding noise. Where cancellation has cost digits, p is projected again: twice
// is enough.
func (f *eigenFactor) split(c, x []float64, xnorm float64) float64 {
	q := f.general(len(c), f.d, f.d, f.basis)
	multiply(q, x, c)
	if len(c) == f.d {
		return 0
	}
	copy(f.p, x)
	addTrans(q, -1, c, f.p)
	s := norm(f.p)
	if s < projectAgain*xnorm {
		again := f.row[:len(c)]
		multiply(q, f.p, again)
		addTrans(q, -1, again, f.p)
		floats.Add(c, again)
		s = norm(f.p)
	}
	if !(s > inSpan*xnorm) {
		return 0
	}
	return s
}

// splitCoef sets z to V^T c, and c to (I - V V^T) c, and returns the norm of the
// latter, 0 if it is rounding noise. The entries of c beyond q belong to a column
// that Q does not have yet.
func (f *eigenFactor) splitCoef(z, c []float64, xnorm float64) float64 {
	v := f.general(f.m, f.q, f.capacity, f.coef)
	inside := c[:f.q]
	multiply(v, inside, z)
	addTrans(v, -1, z, inside)
	again := f.row[:f.m]
	multiply(v, inside, again)
	addTrans(v, -1, again, inside)
	floats.Add(z, again)
	r := norm(c)
	if f.m == f.d || !(r > inSpan*xnorm) {
		return 0
	}
	return r
}

// appendColumn makes c/r the last column of V, after p/outside has become that
// of Q if c has an entry for it.
func (f *eigenFactor) appendColumn(c []float64, r, outside float64) {
	if len(c) > f.q {
		floats.ScaleTo(f.basis[f.q*f.d:(f.q+1)*f.d], 1/outside, f.p)
		for i := range f.m {
			f.coef[i*f.capacity+f.q] = 0
		}
		f.q++
	}
	floats.ScaleTo(f.coef[f.m*f.capacity:f.m*f.capacity+f.q], 1/r, c)
}

// rotate multiplies V by the n eigenvectors of the small problem, and takes over
// its eigenvalues.
func (f *eigenFactor) rotate(n int) {
	v := f.general(n, f.q, f.capacity, f.coef)
	for i := range n {
		row := f.coefNxt[i*f.capacity : i*f.capacity+f.q]
		clear(row)
		addTrans(v, 1, f.eigen.vectors[i*n:(i+1)*n], row)
	}
	f.coef, f.coefNxt = f.coefNxt, f.coef
	f.m = n
	f.values = f.values[:n]
	for i, v := range f.eigen.values {
		f.values[i] = max(v, f.bulk)
	}
	f.age++
}

// compress replaces Q by Q V and V by I.
func (f *eigenFactor) compress() {
	v := f.general(f.m, f.q, f.capacity, f.coef)
	for from := 0; from < f.d; from += compressBlock {
		to := min(f.d, from+compressBlock)
		block := blas64.General{Rows: f.q, Cols: to - from, Stride: f.d}
		if f.q > 0 {
			block.Data = f.basis[from : (f.q-1)*f.d+to]
		}
		for i := range f.m {
			row := f.basisNext[i*f.d+from : i*f.d+to]
			clear(row)
			addTrans(block, 1, v.Data[i*v.Stride:i*v.Stride+f.q], row)
		}
	}
	f.basis, f.basisNext = f.basisNext, f.basis
	f.q, f.age = f.m, 0
	f.resetCoef()
	f.compressions++
	if f.compressions%measureInterval == 0 {
		if q := f.columns(); !(q.drift() <= factorDrift) {
			q.orthonormalise()
		}
	}
}

// columns returns Q, which shares its storage.
func (f *eigenFactor) columns() *basis {
	return &basis{d: f.d, k: f.q, data: f.basis[:f.q*f.d]}
}

// resetCoef sets V to I.
func (f *eigenFactor) resetCoef() {
	for i := range f.m {
		row := f.coef[i*f.capacity : i*f.capacity+f.q]
		clear(row)
		row[i] = 1
	}
}

// reserve makes room for q columns.
func (f *eigenFactor) reserve(q int) {
	if q <= f.capacity {
		return
	}
	c := min(max(16, 2*q), f.d+1)
	basis := make([]float64, c*f.d)
	copy(basis, f.basis[:f.q*f.d])
	coef := make([]float64, c*c)
	for i := range f.m {
		copy(coef[i*c:i*c+f.q], f.coef[i*f.capacity:])
	}
	values := make([]float64, f.m, c)
	copy(values, f.values)
	f.basis, f.coef, f.values, f.capacity = basis, coef, values, c
	f.basisNext, f.coefNxt = make([]float64, c*f.d), make([]float64, c*c)
	f.c, f.z, f.row = make([]float64, c), make([]float64, c), make([]float64, c)
	f.dvals = make([]float64, 0, c)
}

// stateTo writes the explicit directions to dst, each with the value that scale
// gives for its eigenvalue, and the bulk.
func (f *eigenFactor) stateTo(dst *State, scale func(float64) float64) {
	dst.setShape(f.d, f.m)
	if f.m < f.d {
		dst.Bulk = scale(f.bulk)
	}
	q := f.general(f.q, f.d, f.d, f.basis)
	for i, v := range f.values {
		dst.Sigma[i] = scale(v)
		clear(f.p)
		addTrans(q, 1, f.coef[i*f.capacity:i*f.capacity+f.q], f.p)
		for j, u := range f.p {
			dst.U.Set(j, i, u)
		}
	}
}

// general returns the r x c matrix in data, or an empty one.
func (f *eigenFactor) general(r, c, stride int, data []float64) blas64.General {
	if r == 0 {
		return blas64.General{Cols: c, Stride: stride}
	}
	return blas64.General{Rows: r, Cols: c, Stride: stride, Data: data[:(r-1)*stride+c]}
}

// multiply sets y to A x.
func multiply(a blas64.General, x, y []float64) {
	ordered.Dots(y, x, a.Data, a.Stride)
}

// addTrans adds alpha A^T x to y.
func addTrans(a blas64.General, alpha float64, x, y []float64) {
	ordered.AddRows(y, alpha, x, a.Data, a.Stride)
}
