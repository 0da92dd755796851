package objective

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// lanczosResidual is the residual, relative to the largest eigenvalue, at which an
	// eigenpair has converged. Rounding alone gives some 1e-15.
	lanczosResidual = 1e-12
	// lanczosProducts bounds the products of a search.
	lanczosProducts = 50_000
	// roundoff bounds what rounding adds to a product with the matrix, relative to its
	// norm: it is some units in the last place.
	roundoff = 4 * 0x1p-53
)

// lanczos finds the k largest eigenvalues of a symmetric positive semidefinite matrix
// by products with it. A search (see search) finds eigenpairs, but no residual says
// that they are the leading ones, as a repeated eigenvalue is found once and a random
// start may be nearly orthogonal to an eigenvector. So random starts outside the span
// of what was found then look for what was missed (see below), until they find
// nothing.
type lanczos struct {
	op  *operator
	rng *rand.Rand
	// found holds orthonormal vectors, a row each, and values their eigenvalues in
	// decreasing order.
	found  blas64.General
	values []float64
}

// solveLanczos returns the k largest eigenvalues of an operator. It returns an error if
// it cannot bound their errors within certified, relative to the largest.
func solveLanczos(op *operator, k int, rng *rand.Rand) (*solution, error) {
	l := &lanczos{op: op, rng: rng, found: blas64.General{Cols: op.size(), Stride: op.size()}}
	most := min(k, op.size())
	for phase := 1; ; phase++ {
		before := slices.Clone(l.values)
		if err := l.search(most); err != nil {
			return nil, err
		}
		enough, err := l.confirm(most, phase)
		if err != nil {
			return nil, err
		}
		if enough {
			break
		}
		if phase > 1 && slices.Equal(before, l.values) || phase > 2*most+8 {
			return nil, errors.New("objective: eigenvalues are too close together for the Lanczos iteration to show " +
				"that it has missed none: use fewer rows, a split of the rows, or another k")
		}
	}
	bound := l.errorBound() + missed*l.largest()
	if !(bound <= certified*l.largest()) {
		return nil, fmt.Errorf("objective: the Lanczos iteration is too inaccurate to be a reference: "+
			"error bound %g at largest eigenvalue %g", bound, l.largest())
	}
	values := make([]float64, k)
	for i, v := range l.values {
		values[i] = max(v, 0) // as the exact one is
	}
	return &solution{method: "Lanczos iteration", eigenvalues: values, bound: bound, failure: failureProbability}, nil
}

// largest returns the largest eigenvalue found.
func (l *lanczos) largest() float64 {
	if len(l.values) == 0 {
		return 0
	}
	return l.values[0]
}

// start draws a uniformly random direction outside the span of what was found. It
// reports false if there is none.
func (l *lanczos) start(v []float64) bool {
	if l.found.Rows >= len(v) {
		return false
	}
	for i := range v {
		v[i] = l.rng.NormFloat64()
	}
	project(l.found, v, nil)
	norm := blas64.Nrm2(vectorOf(v))
	floats.Scale(1/norm, v)
	return norm > 0
}

// search adds to what was found the leading eigenpairs of the rest of the matrix, of
// which it keeps the most largest in all. It is the Lanczos iteration with full
// reorthogonalisation, restarted with the leading Ritz vectors (Wu & Simon 2000,
// "Thick-restart Lanczos method for large symmetric eigenvalue problems").
func (l *lanczos) search(most int) error {
	m := l.op.size()
	size := min(m-l.found.Rows, subspace(m, most))
	if size == 0 {
		return nil
	}
	q := blas64.General{Rows: size + 1, Cols: m, Stride: m, Data: make([]float64, (size+1)*m)}
	if !l.start(row(q, 0)) {
		return nil
	}
	h := mat.NewSymDense(size, nil)
	w, c := make([]float64, m), make([]float64, size)
	scale := l.largest()
	for kept, products := 0, 0; products < lanczosProducts; {
		order, beta := size, 0.0
		for j := kept; j < size; j++ {
			l.op.multiply(w, row(q, j))
			products++
			scale = max(scale, blas64.Nrm2(vectorOf(w)))
			project(l.found, w, nil)
			clear(c[:j+1])
			project(rowsOf(q, j+1), w, c[:j+1])
			// What is left may be so short that rounding has given it a part along these.
			project(l.found, w, nil)
			for i, v := range c[:j+1] {
				h.SetSym(i, j, v)
			}
			beta = blas64.Nrm2(vectorOf(w))
			if beta <= lanczosResidual/10*scale {
				// What is spanned so far is invariant, up to a residual that has converged.
				order = j + 1
				break
			}
			floats.ScaleTo(row(q, j+1), 1/beta, w)
		}
		values, s, err := decreasing(h, order)
		if err != nil {
			return err
		}
		leading, done := l.settled(values, s, beta, scale, min(most, order), most)
		if done {
			l.merge(rowsOf(q, order), s, values[:leading], most)
			return nil
		}
		// Half of what is not asked for is kept too, for the gap that it makes.
		kept = min(order-1, most+(size-most)/2)
		combine(q, order, s, kept)
		copy(row(q, kept), row(q, order))
		h = mat.NewSymDense(size, nil)
		for i, v := range values[:kept] {
			h.SetSym(i, i, v)
		}
	}
	return fmt.Errorf("objective: the Lanczos iteration has not converged after %d products: "+
		"use fewer rows, or another k", lanczosProducts)
}

// subspace returns the number of vectors that a search keeps, beside what was found.
func subspace(m, most int) int { return max(2*most+24, min(128, (8<<20)/m)) }

// settled returns how many of the leading Ritz pairs have converged, and whether these
// are all that matter: wanted ones, as far as they are above what was found already.
func (l *lanczos) settled(values []float64, s *mat.Dense, beta, scale float64, wanted, most int) (int, bool) {
	last, _ := s.Dims()
	for i := range wanted {
		residual := beta * math.Abs(s.At(last-1, i))
		if residual <= lanczosResidual*scale {
			continue
		}
		full := len(l.values) == most
		return i, full && values[i]+residual <= l.values[most-1]
	}
	return wanted, true
}

// merge takes in the Ritz pairs of the leading values and keeps the most largest of all.
func (l *lanczos) merge(q blas64.General, s *mat.Dense, values []float64, most int) {
	type pair struct {
		value  float64
		vector []float64
	}
	var pairs []pair
	for i, v := range l.values {
		pairs = append(pairs, pair{v, row(l.found, i)})
	}
	combine(q, q.Rows, s, len(values))
	for i, v := range values {
		pairs = append(pairs, pair{v, row(q, i)})
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return 0
	})
	pairs = pairs[:min(len(pairs), most)]
	m := l.op.size()
	l.found = blas64.General{Rows: len(pairs), Cols: m, Stride: m, Data: make([]float64, len(pairs)*m)}
	l.values = l.values[:0]
	for i, p := range pairs {
		copy(row(l.found, i), p.vector)
		l.values = append(l.values, p.value)
	}
}

// errorBound bounds the distance of the eigenvalues found from those of the matrix
// that they belong to, as Optimum.ErrorBound does.
func (l *lanczos) errorBound() float64 {
	var residual, gram float64
	w := make([]float64, l.op.size())
	for i, v := range l.values {
		u := row(l.found, i)
		l.op.multiply(w, u)
		floats.AddScaled(w, -v, u)
		residual = math.Hypot(residual, blas64.Nrm2(vectorOf(w)))
		gram = math.Hypot(gram, blas64.Dot(vectorOf(u), vectorOf(u))-1)
		for j := range i {
			gram = math.Hypot(gram, math.Sqrt2*blas64.Dot(vectorOf(u), vectorOf(row(l.found, j))))
		}
	}
	return (residual + l.largest()*gram) / (1 - math.Min(gram, 0.5))
}

// decreasing returns the eigenvalues of the leading block of h of an order, in
// decreasing order, and the eigenvectors, a column each.
func decreasing(h *mat.SymDense, order int) ([]float64, *mat.Dense, error) {
	var eig mat.EigenSym
	if !eig.Factorize(h.SliceSym(0, order), true) {
		return nil, nil, errors.New("objective: the eigendecomposition of a Lanczos iteration did not converge")
	}
	values := eig.Values(nil)
	var rising mat.Dense
	eig.VectorsTo(&rising)
	s := mat.NewDense(order, order, nil)
	for i := range order {
		for j := range order {
			s.Set(i, j, rising.At(i, order-1-j))
		}
	}
	slices.Reverse(values)
	return values, s, nil
}

// project removes from w, twice, its components along the orthonormal rows of q, and
// adds them to c, if there is one.
func project(q blas64.General, w, c []float64) {
	if q.Rows == 0 {
		return
	}
	along := make([]float64, q.Rows)
	for range 2 {
		blas64.Gemv(blas.NoTrans, 1, q, vectorOf(w), 0, vectorOf(along))
		blas64.Gemv(blas.Trans, -1, q, vectorOf(along), 1, vectorOf(w))
		if c != nil {
			floats.Add(c, along)
		}
	}
}

// combineBlock is the number of columns that combine treats at a time.
const combineBlock = 4096

// combine replaces the first kept rows of q by the first kept combinations s^T q of
// the first order rows.
func combine(q blas64.General, order int, s *mat.Dense, kept int) {
	if kept == 0 {
		return
	}
	raw := s.RawMatrix()
	raw.Cols = kept
	out := make([]float64, kept*min(combineBlock, q.Cols))
	for from := 0; from < q.Cols; from += combineBlock {
		width := min(combineBlock, q.Cols-from)
		block := blas64.General{Rows: order, Cols: width, Stride: q.Stride}
		block.Data = q.Data[from : (order-1)*q.Stride+from+width]
		product := blas64.General{Rows: kept, Cols: width, Stride: width, Data: out[:kept*width]}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, raw, block, 0, product)
		for i := range kept {
			copy(q.Data[i*q.Stride+from:i*q.Stride+from+width], row(product, i))
		}
	}
}

// row returns a row of a matrix, rowsOf its first n rows.
func row(a blas64.General, i int) []float64 { return a.Data[i*a.Stride : i*a.Stride+a.Cols] }

func rowsOf(a blas64.General, n int) blas64.General {
	return blas64.General{Rows: n, Cols: a.Cols, Stride: a.Stride, Data: a.Data[:n*a.Stride]}
}

func vectorOf(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
