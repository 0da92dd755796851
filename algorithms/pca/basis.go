package pca

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// basis is a d x k matrix U whose columns span a subspace. It is stored in column-major order.
type basis struct {
	d, k int
	data []float64
}

func newBasis(d, k int) *basis {
	return &basis{d: d, k: k, data: make([]float64, d*k)}
}

// newRandomBasis returns k orthonormal vectors that span a uniformly distributed subspace of R^d.
func newRandomBasis(d, k int, rng *rand.Rand) *basis {
	b := newBasis(d, k)
	for i := range b.data {
		b.data[i] = rng.NormFloat64()
	}
	b.orthonormalise()
	return b
}

// col returns column j, which aliases the storage of b.
func (b *basis) col(j int) []float64 {
	return b.data[j*b.d : (j+1)*b.d : (j+1)*b.d]
}

// appendCol appends the column alpha v.
func (b *basis) appendCol(alpha float64, v []float64) {
	b.data = append(b.data, v...)
	b.k++
	floats.Scale(alpha, b.col(b.k-1))
}

// transMulTo sets y to U^T x.
func (b *basis) transMulTo(y, x []float64) {
	for j := range y {
		y[j] = floats.Dot(b.col(j), x)
	}
}

// addMul adds alpha U w to x.
func (b *basis) addMul(x []float64, alpha float64, w []float64) {
	for j, wj := range w {
		floats.AddScaled(x, alpha*wj, b.col(j))
	}
}

// rankOne adds alpha x y^T to U.
func (b *basis) rankOne(alpha float64, x, y []float64) {
	for j, yj := range y {
		floats.AddScaled(b.col(j), alpha*yj, x)
	}
}

// residualNoise is the share of the norm of a vector below which its residual after a projection is
// rounding noise.
const residualNoise = 1e-13

// orthonormalise replaces the columns by an orthonormal basis of their span and returns its size. The
// size is less than k if columns are numerically dependent; the remaining columns are then unspecified.
// The span of each leading set of columns is preserved. It uses modified Gram-Schmidt with two
// projections of each vector.
func (b *basis) orthonormalise() int {
	rank := 0
	for j := range b.k {
		v := b.col(rank)
		copy(v, b.col(j))
		if b.orthonormaliseAgainst(v, rank) {
			rank++
		}
	}
	return rank
}

// orthonormaliseAgainst subtracts from v its projection onto the first m columns, which must be
// orthonormal, and scales the residual to unit norm. It returns false, and leaves v unspecified, if the
// residual is only rounding noise.
func (b *basis) orthonormaliseAgainst(v []float64, m int) bool {
	scale := floats.Norm(v, math.Inf(1))
	if scale == 0 || math.IsInf(scale, 1) || math.IsNaN(scale) {
		return false
	}
	// Divide, because the reciprocal of a subnormal scale overflows.
	for i := range v {
		v[i] /= scale
	}
	before := norm(v)
	for range 2 {
		for i := range m {
			u := b.col(i)
			floats.AddScaled(v, -floats.Dot(u, v), u)
		}
	}
	after := norm(v)
	if !(after > residualNoise*before) {
		return false
	}
	floats.Scale(1/after, v)
	return true
}

// drift returns max |U^T U - I| over the entries.
func (b *basis) drift() float64 {
	var worst float64
	for i := range b.k {
		worst = max(worst, math.Abs(floats.Dot(b.col(i), b.col(i))-1))
		for j := range i {
			worst = max(worst, math.Abs(floats.Dot(b.col(i), b.col(j))))
		}
	}
	return worst
}

// clone returns a copy of b.
func (b *basis) clone() *basis {
	return &basis{d: b.d, k: b.k, data: slices.Clone(b.data)}
}

// stateTo writes the projection onto the span of the first m columns to dst. The columns must be
// orthonormal.
func (b *basis) stateTo(dst *State, m int) {
	*dst = newState(b.d, m)
	for j := range m {
		dst.Sigma[j] = 1
		dst.U.SetCol(j, b.col(j))
	}
}

// norm returns the Euclidean norm of x. Its rounding does not depend on the alignment of x in memory.
func norm(x []float64) float64 {
	return math.Sqrt(floats.Dot(x, x))
}
