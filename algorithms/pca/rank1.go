package pca

import (
	"math"

	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// rank1Eigen computes the eigendecomposition of diag(d) + rho z z^T, the small
// problem that each rank-1 update of an eigendecomposition comes down to (Cotter
// 2013, Alg. rank1-update, "eig").
//
// Entries that decouple to working accuracy are deflated, the remaining
// eigenvalues are the roots of the secular equation (Bunch, Nielsen and Sorensen
// 1978), and the eigenvectors belong to a z recomputed such that the roots are
// exact for it (Gu and Eisenstat 1994), so that they are orthogonal to machine
// precision however close the roots are. It costs O(n^2) operations, and O(n^2)
// for each of at most n rotations where values of d are repeated.
//
// The zero value is ready for use; storage is kept between calls.
type rank1Eigen struct {
	// values holds the n eigenvalues in decreasing order. Equal ones are in the
	// order of the entries of d that they derive from.
	values []float64
	// vectors is n x n; row i is the unit eigenvector of values[i].
	vectors []float64

	pole, weight, fit []float64 // of the active entries: d, rho z^2, recomputed z
	diff              []float64 // row i: pole - root i, over the active entries
	dd, zz            []float64 // scaled d and z
	roots             []secularRoot
	sums              secularSums
	perm, active      []int
	open              []int // the roots that are not found yet
	pairs             []rank1Pair
	rotations         []rank1Rotation
}

// rank1Pair is an eigenpair before it is put into order.
type rank1Pair struct {
	value  float64
	origin int // index in d
	root   int // index of the root of the secular equation, -1 if deflated
}

// rank1Rotation maps coordinates (a, b) of the deflated basis back to the
// original one.
type rank1Rotation struct {
	a, b int
	c, s float64
}

const (
	// unitRoundoff bounds the relative error of one floating-point operation.
	unitRoundoff = 0x1p-53
	// rank1Tolerance is the size, relative to the norm of the matrix, of what
	// deflation may neglect.
	rank1Tolerance = 4 * unitRoundoff
)

// factorise computes the eigendecomposition of diag(d) + rho z z^T, for d and z
// of one length. d and z are only read. It reports false, and leaves values and
// vectors unspecified, if d, rho |z|^2 or a result is not finite or the root
// finder fails.
func (e *rank1Eigen) factorise(d, z []float64, rho float64) bool {
	n := len(d)
	e.reserve(n)
	if n == 0 {
		return true
	}
	sign := 1.0
	if rho < 0 {
		sign = -1
	}
	unscale, rho, ok := e.scaleInput(d, z, rho, sign)
	if !ok {
		return false
	}
	e.sortPoles(sign)
	e.deflate(rho)
	if !e.solveSecular() {
		return false
	}
	e.order(sign, unscale)
	e.assemble()
	return finite.Index(e.values) < 0
}

// reserve makes room for a problem of size n.
func (e *rank1Eigen) reserve(n int) {
	if cap(e.dd) < n {
		c := max(8, 2*n)
		for _, v := range []*[]float64{&e.values, &e.pole, &e.weight, &e.fit, &e.dd, &e.zz} {
			*v = make([]float64, c)
		}
		e.vectors = make([]float64, c*c)
		e.diff = make([]float64, c*c)
		e.roots = make([]secularRoot, c)
		e.open = make([]int, c)
		e.perm = make([]int, c)
		e.active = make([]int, c)
		e.pairs = make([]rank1Pair, c)
		e.rotations = make([]rank1Rotation, c)
	}
	e.values = e.values[:n]
	e.vectors = e.vectors[:n*n]
	e.dd, e.zz, e.perm = e.dd[:n], e.zz[:n], e.perm[:n]
	e.active, e.pairs, e.rotations = e.active[:0], e.pairs[:0], e.rotations[:0]
}

// scaleInput sets dd = sign d f and zz = z/|z| for a power of two f that keeps
// squares in range, and returns 1/f and |rho| |z|^2 f. ok is false if these are
// not finite.
func (e *rank1Eigen) scaleInput(d, z []float64, rho, sign float64) (unscale, scaledRho float64, ok bool) {
	var dmax, zmax float64
	for i, v := range d {
		dmax = max(dmax, math.Abs(v))
		zmax = max(zmax, math.Abs(z[i]))
	}
	rho = math.Abs(rho)
	var norm2 float64
	if zmax != 0 { // NaN too: it must reach rho.
		for i, v := range z {
			e.zz[i] = v / zmax
			norm2 += e.zz[i] * e.zz[i]
		}
		rho = rho * zmax * zmax * norm2
		inv := 1 / math.Sqrt(norm2)
		for i := range e.zz {
			e.zz[i] *= inv
		}
	} else {
		rho = 0
		clear(e.zz)
	}
	size := max(dmax, rho)
	if !finite.Is(size) {
		return 0, 0, false
	}
	f, unscale := 1.0, 1.0
	if size > 0 && (size < 1e-100 || size > 1e100) {
		_, exp := math.Frexp(size)
		exp = max(-1000, min(1000, exp))
		f, unscale = math.Ldexp(1, -exp), math.Ldexp(1, exp)
	}
	for i, v := range d {
		e.dd[i] = sign * v * f
	}
	return unscale, rho * f, true
}

// sortPoles sets perm to the order in which dd increases. An increasing or
// decreasing d takes O(n) operations.
func (e *rank1Eigen) sortPoles(sign float64) {
	n := len(e.perm)
	for i := range e.perm {
		if sign > 0 {
			e.perm[i] = n - 1 - i
		} else {
			e.perm[i] = i
		}
	}
	for i := 1; i < n; i++ {
		p := e.perm[i]
		j := i
		for ; j > 0 && e.dd[e.perm[j-1]] > e.dd[p]; j-- {
			e.perm[j] = e.perm[j-1]
		}
		e.perm[j] = p
	}
}

// deflate splits off the entries whose coupling is negligible, after a rotation
// that makes it so if two poles are nearly equal, and leaves poles that are
// strictly apart with weights that matter.
func (e *rank1Eigen) deflate(rho float64) {
	size := rho
	for _, v := range e.dd {
		size = max(size, math.Abs(v))
	}
	tol := rank1Tolerance * size
	prev := -1
	for _, j := range e.perm {
		if rho*math.Abs(e.zz[j]) <= tol {
			e.pairs = append(e.pairs, rank1Pair{e.dd[j], j, -1})
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
	e.pole, e.weight, e.fit = e.pole[:k], e.weight[:k], e.fit[:k]
	e.diff = e.diff[:k*k]
	for i, j := range e.active {
		e.pole[i] = e.dd[j]
		e.weight[i] = rho * e.zz[j] * e.zz[j]
	}
}

// rotateAway rotates the coordinates a and b such that z has no entry at a, if
// the poles are so close that they stay decoupled, and reports whether it did.
func (e *rank1Eigen) rotateAway(a, b int, tol float64) bool {
	za, zb := e.zz[a], e.zz[b]
	t := math.Sqrt(za*za + zb*zb)
	c, s := zb/t, za/t
	gap := e.dd[b] - e.dd[a]
	if math.Abs(gap*c*s) > tol {
		return false
	}
	// In this form both stay between the two poles.
	e.dd[a], e.dd[b] = e.dd[a]+gap*(s*s), e.dd[b]-gap*(s*s)
	e.zz[a], e.zz[b] = 0, t
	e.rotations = append(e.rotations, rank1Rotation{a, b, c, s})
	e.pairs = append(e.pairs, rank1Pair{e.dd[a], a, -1})
	return true
}

// order collects all eigenpairs in decreasing order, ties by origin.
func (e *rank1Eigen) order(sign, unscale float64) {
	k := len(e.pole)
	for i := range e.pairs {
		e.pairs[i].value *= sign
	}
	for i := range k {
		// The difference to a pole is exact where the root is close to it.
		near := i
		if i+1 < k && math.Abs(e.diff[i*k+i+1]) < math.Abs(e.diff[i*k+i]) {
			near = i + 1
		}
		value := sign * (e.pole[near] - e.diff[i*k+near])
		e.pairs = append(e.pairs, rank1Pair{value, e.active[i], i})
	}
	for i := 1; i < len(e.pairs); i++ {
		p := e.pairs[i]
		j := i
		for ; j > 0 && p.before(e.pairs[j-1]); j-- {
			e.pairs[j] = e.pairs[j-1]
		}
		e.pairs[j] = p
	}
	for i, p := range e.pairs {
		e.values[i] = p.value * unscale
	}
}

func (p rank1Pair) before(q rank1Pair) bool {
	return p.value > q.value || p.value == q.value && p.origin < q.origin
}

// assemble writes the eigenvectors in the order of the pairs.
func (e *rank1Eigen) assemble() {
	n, k := len(e.dd), len(e.pole)
	e.fitWeights()
	clear(e.vectors)
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
	for r := len(e.rotations) - 1; r >= 0; r-- {
		rot := e.rotations[r]
		for i := 0; i < n*n; i += n {
			a, b := e.vectors[i+rot.a], e.vectors[i+rot.b]
			e.vectors[i+rot.a] = rot.c*a + rot.s*b
			e.vectors[i+rot.b] = rot.c*b - rot.s*a
		}
	}
}

// fitWeights sets fit to the z, up to scale, for which the computed roots are
// exact: fit_j^2 = prod_i (root_i - pole_j) / prod_{i != j} (pole_i - pole_j).
func (e *rank1Eigen) fitWeights() {
	k := len(e.pole)
	for j := range e.fit {
		e.fit[j] = e.diff[j*k+j]
	}
	for i, p := range e.pole {
		diff := e.diff[i*k : (i+1)*k]
		for j := range i {
			e.fit[j] *= diff[j] / (e.pole[j] - p)
		}
		for j := i + 1; j < k; j++ {
			e.fit[j] *= diff[j] / (e.pole[j] - p)
		}
	}
	for j, v := range e.fit {
		e.fit[j] = math.Copysign(math.Sqrt(math.Abs(v)), e.zz[e.active[j]])
	}
}
