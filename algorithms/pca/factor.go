package pca

import (
	"math"

	"stochopt/internal/ordered"

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
	q      *basis
	v      []float64 // V^T: m rows of length q

	age, compressions int // updates since the last compression, and compressions

	eigen         rank1Eigen
	p             []float64 // d
	c, z, again   []float64
	spareQ, spare []float64 // for the Q and the V to come
}

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
)

// newEigenFactor returns the matrix whose explicit directions are the columns of q,
// which belongs to it from then on, of one eigenvalue.
func newEigenFactor(q *basis, value, bulk float64) *eigenFactor {
	f := &eigenFactor{d: q.d, bulk: bulk, q: q, p: make([]float64, q.d)}
	for range q.k {
		f.values = append(f.values, value)
	}
	f.resetV()
	return f
}

// rank returns the number of eigenvalues that are not 0, for bulk >= 0.
func (f *eigenFactor) rank() int {
	if f.bulk > 0 {
		return f.d
	}
	return len(f.values)
}

// keep drops the explicit directions from the mth on, and those whose eigenvalue
// does not differ from the bulk. If none are outside the span of U, the bulk is
// set to 0 first.
func (f *eigenFactor) keep(m int) {
	if len(f.values) == f.d {
		f.bulk = 0
	}
	for m > 0 && f.values[m-1] <= f.bulk {
		m--
	}
	f.values = f.values[:m]
}

// exchange exchanges two explicit directions of the same eigenvalue.
func (f *eigenFactor) exchange(i, j int) {
	q := f.q.k
	for l := range q {
		f.v[i*q+l], f.v[j*q+l] = f.v[j*q+l], f.v[i*q+l]
	}
}

// scaled returns x and rho such that |x|^2 neither overflows nor loses digits,
// with the same rho x x^T.
func scaled(rho float64, x []float64) (float64, []float64) {
	if xx := floats.Dot(x, x); xx >= 1e-200 && xx <= 1e200 {
		return rho, x
	}
	_, exp := math.Frexp(floats.Norm(x, math.Inf(1)))
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Ldexp(v, -exp)
	}
	return math.Ldexp(rho, 2*exp), y
}

// update adds rho x x^T for scaled rho and x, not 0. It reports whether the result
// is finite; if not, nothing has changed.
func (f *eigenFactor) update(rho float64, x []float64) bool {
	m := len(f.values)
	if f.q.k > m+max(6, 3*m/4) || f.age >= factorAge {
		f.compress()
	}
	// x = Q c + p, and then Q c + p = U z + w with w orthogonal to U.
	noise := inSpan * norm(x)
	if outside := f.split(x); outside > noise {
		f.c = append(f.c, outside)
	}
	r := f.splitCoef()
	if r > noise && m < f.d {
		f.z = append(f.z, r)
	}
	f.values = append(f.values, f.bulk)[:m]
	if !f.eigen.factorise(f.values[:len(f.z)], f.z, rho) {
		return false
	}
	f.rotate(r)
	return true
}

// split sets c to Q^T x and p to (I - Q Q^T) x, and returns |p|. Where cancellation
// has cost digits, p is projected again: twice is enough.
func (f *eigenFactor) split(x []float64) float64 {
	f.c, f.again = resize(f.c, f.q.k), resize(f.again, f.q.k)
	ordered.Dots(f.c, x, f.q.data, f.d)
	if f.q.k == f.d {
		return 0
	}
	copy(f.p, x)
	ordered.AddRows(f.p, -1, f.c, f.q.data, f.d)
	s := norm(f.p)
	if s < projectAgain*norm(x) {
		ordered.Dots(f.again, f.p, f.q.data, f.d)
		ordered.AddRows(f.p, -1, f.again, f.q.data, f.d)
		floats.Add(f.c, f.again)
		s = norm(f.p)
	}
	return s
}

// splitCoef sets z to V^T c, and c to (I - V V^T) c, and returns the norm of the
// latter. An entry of c beyond q belongs to a column that Q does not have yet.
func (f *eigenFactor) splitCoef() float64 {
	m, inside := len(f.values), f.c[:f.q.k]
	f.z, f.again = resize(f.z, m), resize(f.again, m)
	for range 2 {
		ordered.Dots(f.again, inside, f.v, f.q.k)
		ordered.AddRows(inside, -1, f.again, f.v, f.q.k)
		floats.Add(f.z, f.again)
	}
	return norm(f.c)
}

// rotate multiplies U by the eigenvectors of the small problem, and takes over its
// eigenvalues. If these are more than U has columns, then c/r is the last column of
// V, and if c has an entry more than Q has columns, its last is p scaled to unit
// norm.
func (f *eigenFactor) rotate(r float64) {
	m, n, q := len(f.values), len(f.z), f.q.k
	if n > m {
		if len(f.c) > q {
			f.q.appendCol(1/f.c[q], f.p)
		}
		floats.Scale(1/r, f.c)
	}
	next := resize(f.spare, n*f.q.k)
	for i := range n {
		row, e := next[i*f.q.k:(i+1)*f.q.k], f.eigen.vectors[i*n:(i+1)*n]
		ordered.AddRows(row[:q], 1, e[:m], f.v, q)
		ordered.AddRows(row, 1, e[m:], f.c, len(row))
	}
	f.v, f.spare = next, f.v
	f.values = f.values[:n]
	for i, v := range f.eigen.values {
		f.values[i] = max(v, f.bulk)
	}
	f.age++
}

// compress replaces Q by Q V and V by I.
func (f *eigenFactor) compress() {
	m, q := len(f.values), f.q.k
	next := resize(f.spareQ, m*f.d)
	for i := range m {
		ordered.AddRows(next[i*f.d:(i+1)*f.d], 1, f.v[i*q:(i+1)*q], f.q.data, f.d)
	}
	f.spareQ, f.q.data, f.q.k = f.q.data, next, m
	f.age = 0
	f.resetV()
	f.compressions++
	if f.compressions%measureInterval == 0 && !(f.q.drift() <= factorDrift) {
		f.q.orthonormalise()
	}
}

// resetV sets V to I.
func (f *eigenFactor) resetV() {
	m := len(f.values)
	f.v = resize(f.v, m*m)
	for i := range m {
		f.v[i*m+i] = 1
	}
}

// stateTo writes the explicit directions to dst, each with the value that scale
// gives for its eigenvalue, and the bulk.
func (f *eigenFactor) stateTo(dst *State, scale func(float64) float64) {
	*dst = newState(f.d, len(f.values))
	if len(f.values) < f.d {
		dst.Bulk = scale(f.bulk)
	}
	for i, v := range f.values {
		dst.Sigma[i] = scale(v)
		clear(f.p)
		ordered.AddRows(f.p, 1, f.v[i*f.q.k:(i+1)*f.q.k], f.q.data, f.d)
		dst.U.SetCol(i, f.p)
	}
}
