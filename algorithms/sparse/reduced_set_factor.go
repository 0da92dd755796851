package sparse

import (
	"cmp"
	"math"
)

// gramFactor is the Cholesky factor K = L L' of the kernel matrix of expansion
// vectors z_1, …, z_m, with the solution of K beta = h that it serves: beta are
// the coefficients of the projection of Psi on the span of the Phi(z_j) for h_j =
// <Psi, Phi(z_j)>. Sums are in a fixed order.
type gramFactor struct {
	l [][]float64 // row k has length k+1
	y []float64   // L y = h
	// least is the least pivot, leastPivot if it is 0.
	least float64
}

func dotOf(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(x); k += 4 {
		s0 += float64(x[k] * y[k])
		s1 += float64(x[k+1] * y[k+1])
		s2 += float64(x[k+2] * y[k+2])
		s3 += float64(x[k+3] * y[k+3])
	}
	for ; k < len(x); k++ {
		s0 += float64(x[k] * y[k])
	}
	return (s0 + s1) + (s2 + s3)
}

// add appends a vector with the kernel values at[j] = K(z, z_j), the given
// diagonal element, K(z, z) = 1 or a ridge more, and <Psi, Phi(z)> = h, in O(m^2).
// It reports false and does nothing if Phi(z) is too close to the span of the
// others.
func (f *gramFactor) add(at []float64, diag, h float64) bool {
	m := len(f.l)
	row := make([]float64, m+1)
	pivot := diag
	for k, r := range f.l {
		v := (at[k] - dotOf(r[:k], row[:k])) / r[k]
		row[k] = v
		pivot -= float64(v * v)
	}
	if !(pivot >= cmp.Or(f.least, leastPivot)) {
		return false
	}
	row[m] = math.Sqrt(pivot)
	f.y = append(f.y, (h-dotOf(row[:m], f.y))/row[m])
	f.l = append(f.l, row)
	return true
}

// solveTo returns beta, in dst if that is long enough, in O(m^2).
func (f *gramFactor) solveTo(dst []float64) []float64 {
	return f.backTo(dst, f.y)
}

// backTo returns the x with L' x = y, in dst if that is long enough.
func (f *gramFactor) backTo(dst, y []float64) []float64 {
	dst = append(dst[:0], y...)
	for k := len(f.l) - 1; k >= 0; k-- {
		row := f.l[k]
		dst[k] /= row[k]
		x := dst[k]
		for j, v := range row[:k] {
			dst[j] -= float64(x * v)
		}
	}
	return dst
}

// forwardTo returns the x with L x = h, in dst if that is long enough.
func (f *gramFactor) forwardTo(dst, h []float64) []float64 {
	dst = append(dst[:0], h...)
	for k, row := range f.l {
		dst[k] = (dst[k] - dotOf(row[:k], dst[:k])) / row[k]
	}
	return dst
}

// addOuter replaces the matrix by K + x x', in O(m^2), and destroys x. It leaves y
// as it is, which must be found again.
func (f *gramFactor) addOuter(x []float64) {
	cos, sin := make([]float64, len(x)), make([]float64, len(x))
	for k, row := range f.l {
		v := x[k]
		for j, l := range row[:k] {
			row[j] = float64(cos[j]*l) + float64(sin[j]*v)
			v = float64(cos[j]*v) - float64(sin[j]*l)
		}
		r := math.Sqrt(float64(row[k]*row[k]) + float64(v*v))
		cos[k], sin[k] = row[k]/r, v/r
		row[k] = r
	}
}

// remove takes vector k out, in O(m (m - k)): the rows below it are made
// triangular again by rotations.
func (f *gramFactor) remove(k int) {
	f.l = append(f.l[:k], f.l[k+1:]...)
	for p := k; p < len(f.l); p++ {
		// Row p has entries up to column p+1, which goes.
		row := f.l[p]
		a, b := row[p], row[p+1]
		r := math.Sqrt(float64(a*a) + float64(b*b))
		c, s := a/r, b/r
		row[p] = r
		f.l[p] = row[:p+1]
		for q := p + 1; q < len(f.l); q++ {
			x, y := f.l[q][p], f.l[q][p+1]
			f.l[q][p] = float64(c*x) + float64(s*y)
			f.l[q][p+1] = float64(c*y) - float64(s*x)
		}
		x, y := f.y[p], f.y[p+1]
		f.y[p] = float64(c*x) + float64(s*y)
		f.y[p+1] = float64(c*y) - float64(s*x)
	}
	f.y = f.y[:len(f.l)]
}
