package pca

import (
	"math"

	"stochopt/internal/ordered"

	"gonum.org/v1/gonum/floats"
)

// eigenFactor is the eigendecomposition of a symmetric d x d matrix,
//
//	A = U diag(values) U^T + bulk (I - U U^T),  U^T U = I.
//
// U has m columns, whose explicit eigenvalues are at least bulk. An update to A + rho x x^T, rho >= 0,
// adds at most one column (Cotter 2013, Alg. rank1-update; with a bulk other than 0, Alg. rank1-update
// of the chapter on Warmuth & Kuzmin).
//
// U is stored as a product Q V, where Q is d x q and V is q x m, both with orthonormal columns. An
// update appends at most one column to Q and otherwise only changes V. When q is much larger than m, Q V
// is multiplied out. A step therefore costs O(d q + q m^2), and the O(d m^2) operations that the thesis
// needs in each step are needed only once in several steps. After some multiplications the
// orthonormality of Q is checked and, if necessary, restored.
type eigenFactor struct {
	d      int
	bulk   float64
	values []float64 // m, decreasing
	q      *basis
	v      []float64 // V^T: m rows of length q

	age          int // updates since the last compression
	compressions int

	eigen          rank1Eigen
	p              []float64 // d
	c, z, again    []float64
	spareQ, spareV []float64 // storage for the next Q and V
}

const (
	// inSpan is the share of |x| below which the component of x outside a subspace is rounding noise.
	inSpan = 1e-12
	// projectAgain is the share of |x| below which the component outside a subspace is projected twice.
	// Above it, cancellation costs at most one decimal digit of orthogonality, far less than factorDrift
	// allows.
	projectAgain = 0.1
	// factorAge is the largest number of updates of V between two compressions. It limits the loss of
	// orthonormality of V.
	factorAge = 64
	// measureInterval is the number of compressions between two checks of the orthonormality of Q.
	measureInterval = 8
	// factorDrift is the largest accepted entry of |Q^T Q - I|. Rounding alone gives about 1e-15.
	factorDrift = 1e-13
)

// newEigenFactor returns the matrix whose explicit directions are the columns of q, all with the
// eigenvalue value. It takes ownership of q.
func newEigenFactor(q *basis, value, bulk float64) *eigenFactor {
	f := &eigenFactor{d: q.d, bulk: bulk, q: q, p: make([]float64, q.d)}
	for range q.k {
		f.values = append(f.values, value)
	}
	f.resetV()
	return f
}

// rank returns the number of nonzero eigenvalues, for bulk >= 0.
func (f *eigenFactor) rank() int {
	if f.bulk > 0 {
		return f.d
	}
	return len(f.values)
}

// keep keeps the first m explicit directions, and of these only those whose eigenvalue exceeds the bulk.
// If U spans R^d, it first sets the bulk, which then has no directions, to 0.
func (f *eigenFactor) keep(m int) {
	if len(f.values) == f.d {
		f.bulk = 0
	}
	for m > 0 && f.values[m-1] <= f.bulk {
		m--
	}
	f.values = f.values[:m]
}

// swap swaps two explicit directions with the same eigenvalue.
func (f *eigenFactor) swap(i, j int) {
	q := f.q.k
	for l := range q {
		f.v[i*q+l], f.v[j*q+l] = f.v[j*q+l], f.v[i*q+l]
	}
}

// scaled rescales x and rho, without changing rho x x^T, so that |x|^2 neither overflows nor loses
// digits.
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

// update adds rho x x^T, for rho and x as returned by scaled, x != 0. It returns false, and changes
// nothing, if the result is not finite.
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

// split sets c to Q^T x and p to (I - Q Q^T) x, and returns |p|. If cancellation has cost digits, it
// projects p a second time, which is enough.
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

// splitCoef sets z to V^T c and c to (I - V V^T) c, and returns the norm of c. If c has q+1 entries, the
// last belongs to the next column of Q.
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

// rotate multiplies U by the eigenvectors of the small problem and stores its eigenvalues. If it has m+1
// eigenvalues, it first appends the column c/r to V and, if c has q+1 entries, the column p/|p| to Q.
func (f *eigenFactor) rotate(r float64) {
	m, n, q := len(f.values), len(f.z), f.q.k
	if n > m {
		if len(f.c) > q {
			f.q.appendCol(1/f.c[q], f.p)
		}
		floats.Scale(1/r, f.c)
	}
	next := resize(f.spareV, n*f.q.k)
	for i := range n {
		row, e := next[i*f.q.k:(i+1)*f.q.k], f.eigen.vectors[i*n:(i+1)*n]
		ordered.AddRows(row[:q], 1, e[:m], f.v, q)
		ordered.AddRows(row, 1, e[m:], f.c, len(row))
	}
	f.v, f.spareV = next, f.v
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

// stateTo writes the matrix with the eigenvalues mapped by scale to dst.
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
