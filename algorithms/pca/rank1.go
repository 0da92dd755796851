package pca

import (
	"cmp"
	"math"
	"slices"

	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// rank1Eigen computes the eigendecomposition of diag(d) + rho z z^T, the small problem in each rank-1
// update of an eigendecomposition (Cotter 2013, Alg. rank1-update, "eig").
//
// Entries that decouple to working accuracy are deflated. The remaining eigenvalues are the roots of the
// secular equation (Bunch, Nielsen and Sorensen 1978). The eigenvectors belong to a modified z for which
// the computed roots are exact (Gu and Eisenstat 1994). They are orthogonal to machine precision, even
// for close roots. The cost is O(n^2), and O(n^2) for each of at most n rotations if d has repeated
// values.
//
// The zero value is ready for use. Storage is reused between calls.
type rank1Eigen struct {
	// values holds the n eigenvalues in decreasing order. Equal eigenvalues are in the order of the
	// corresponding entries of d.
	values []float64
	// vectors is n x n; row i is the unit eigenvector of values[i].
	vectors []float64

	d, z              []float64 // scaled
	active            []int     // entries that are not deflated, in increasing order of d
	pole, weight, fit []float64 // of the active entries: d, rho z^2, recomputed z
	diff              []float64 // row i: pole - root i, over the active entries
	pairs             []rank1Pair
	rotations         []rank1Rotation
}

// rank1Pair is an eigenpair before sorting.
type rank1Pair struct {
	value  float64
	origin int // index in d
	root   int // index of the root of the secular equation, -1 if deflated
}

// rank1Rotation maps the coordinates (a, b) from the deflated to the original basis.
type rank1Rotation struct {
	a, b int
	c, s float64
}

const (
	// unitRoundoff bounds the relative error of one floating-point operation.
	unitRoundoff = 0x1p-53
	// rank1Tolerance is the largest entry that deflation may neglect, relative to the norm of the
	// matrix.
	rank1Tolerance = 4 * unitRoundoff
)

// factorise computes the eigendecomposition of diag(d) + rho z z^T, for d and z of the same length, d in
// decreasing order, and rho >= 0. It does not modify d and z. It returns false, and leaves values and
// vectors unspecified, if d, rho |z|^2 or a result is not finite, or if the root finder fails.
func (e *rank1Eigen) factorise(d, z []float64, rho float64) bool {
	size, rho := e.normalise(d, z, rho)
	if !finite.Is(size) {
		return false
	}
	// Scaling by a power of four keeps all squares in range without rounding.
	_, exp := math.Frexp(size)
	exp = max(-1000, min(1000, exp/2*2))
	floats.ScaleTo(e.d, math.Ldexp(1, -exp), d)
	e.deflate(math.Ldexp(rho, -exp), rank1Tolerance*math.Ldexp(size, -exp))
	k := len(e.pole)
	for i := range k {
		if !findSecularRoot(i, e.pole, e.weight, e.diff[i*k:(i+1)*k]) {
			return false
		}
	}
	e.order(math.Ldexp(1, exp))
	e.assemble()
	return finite.Index(e.values) < 0
}

// normalise sets e.z to z/|z|. It returns rho |z|^2, and the maximum of that and all |d_i|.
func (e *rank1Eigen) normalise(d, z []float64, rho float64) (size, rhoZZ float64) {
	n := len(d)
	e.values, e.d, e.z = resize(e.values, n), resize(e.d, n), resize(e.z, n)
	var dmax, zmax, norm2 float64
	for i, v := range d {
		dmax = max(dmax, math.Abs(v))
		zmax = max(zmax, math.Abs(z[i]))
	}
	zmax = cmp.Or(zmax, 1)
	for i, v := range z {
		e.z[i] = v / zmax
		norm2 += e.z[i] * e.z[i]
	}
	floats.Scale(1/math.Sqrt(max(1, norm2)), e.z) // norm2 < 1 only for z = 0
	rhoZZ = rho * zmax * zmax * norm2
	return max(dmax, rhoZZ), rhoZZ
}

// deflate removes the entries whose coupling is at most tol. If two poles are nearly equal, it first
// rotates one of them to have no coupling. The remaining poles are distinct and have significant
// weights.
func (e *rank1Eigen) deflate(rho, tol float64) {
	e.active, e.pairs, e.rotations = e.active[:0], e.pairs[:0], e.rotations[:0]
	prev := -1
	for j := len(e.d) - 1; j >= 0; j-- {
		if rho*math.Abs(e.z[j]) <= tol {
			e.pairs = append(e.pairs, rank1Pair{e.d[j], j, -1})
			continue
		}
		if prev >= 0 && !e.rotateAway(prev, j, tol) {
			e.active = append(e.active, prev)
		}
		prev = j
	}
	if prev >= 0 {
		e.active = append(e.active, prev)
	}
	k := len(e.active)
	e.pole, e.weight, e.fit = resize(e.pole, k), resize(e.weight, k), resize(e.fit, k)
	e.diff = resize(e.diff, k*k)
	for i, j := range e.active {
		e.pole[i] = e.d[j]
		e.weight[i] = rho * e.z[j] * e.z[j]
	}
}

// rotateAway rotates the coordinates a and b so that z is 0 at a, if the poles are so close that a and b
// stay decoupled. It reports whether it has rotated them.
func (e *rank1Eigen) rotateAway(a, b int, tol float64) bool {
	za, zb := e.z[a], e.z[b]
	t := math.Sqrt(za*za + zb*zb)
	c, s := zb/t, za/t
	gap := e.d[b] - e.d[a]
	if math.Abs(gap*c*s) > tol {
		return false
	}
	// In this form both new poles stay between the old ones.
	e.d[a], e.d[b] = e.d[a]+gap*(s*s), e.d[b]-gap*(s*s)
	e.z[a], e.z[b] = 0, t
	e.rotations = append(e.rotations, rank1Rotation{a, b, c, s})
	e.pairs = append(e.pairs, rank1Pair{e.d[a], a, -1})
	return true
}

// order sorts all eigenpairs in decreasing order, with ties by origin, and sets values to their
// eigenvalues times unscale.
func (e *rank1Eigen) order(unscale float64) {
	k := len(e.pole)
	for i := range k {
		// The difference to the nearest pole is the most accurate.
		near := i
		if i+1 < k && math.Abs(e.diff[i*k+i+1]) < math.Abs(e.diff[i*k+i]) {
			near = i + 1
		}
		e.pairs = append(e.pairs, rank1Pair{e.pole[near] - e.diff[i*k+near], e.active[i], i})
	}
	slices.SortFunc(e.pairs, func(p, q rank1Pair) int {
		return cmp.Or(cmp.Compare(q.value, p.value), p.origin-q.origin)
	})
	for i, p := range e.pairs {
		e.values[i] = p.value * unscale
	}
}

// assemble writes the eigenvectors in the order of the pairs.
func (e *rank1Eigen) assemble() {
	n, k := len(e.d), len(e.pole)
	e.fitWeights()
	e.vectors = resize(e.vectors, n*n)
	for i, p := range e.pairs {
		row := e.vectors[i*n : (i+1)*n]
		if p.root < 0 {
			row[p.origin] = 1
			continue
		}
		diff := e.diff[p.root*k : (p.root+1)*k]
		floats.DivTo(diff, e.fit, diff)
		inv := 1 / math.Sqrt(floats.Dot(diff, diff))
		for j, v := range diff {
			row[e.active[j]] = v * inv
		}
	}
	for _, rot := range slices.Backward(e.rotations) {
		for i := 0; i < n*n; i += n {
			a, b := e.vectors[i+rot.a], e.vectors[i+rot.b]
			e.vectors[i+rot.a] = rot.c*a + rot.s*b
			e.vectors[i+rot.b] = rot.c*b - rot.s*a
		}
	}
}

// fitWeights sets fit to the z, up to scale, for which the computed roots are exact:
// fit_j^2 = prod_i (root_i - pole_j) / prod_{i != j} (pole_i - pole_j).
func (e *rank1Eigen) fitWeights() {
	k := len(e.pole)
	for j := range e.fit {
		e.fit[j] = e.diff[j*k+j]
	}
	for i, p := range e.pole {
		diff := e.diff[i*k : (i+1)*k]
		for j, q := range e.pole {
			if j != i {
				e.fit[j] *= diff[j] / (q - p)
			}
		}
	}
	for j, v := range e.fit {
		e.fit[j] = math.Copysign(math.Sqrt(math.Abs(v)), e.z[e.active[j]])
	}
}

// resize returns a slice of n zeros. It reuses the storage of s if it is large enough.
func resize(s []float64, n int) []float64 {
	return append(s[:0], make([]float64, n)...)
}
