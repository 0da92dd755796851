package pca

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// WarmuthKuzminNaive is the algorithm of WarmuthKuzmin as it is written: W is a
// full d x d matrix, and a step takes two eigendecompositions, one for ln W and
// one for the exponential. It is the reference for WarmuthKuzmin, and shows what
// the efficient form saves. The iterates are the same up to rounding, as long as
// no eigenvalue of W is so small that W has no digits of it left: one below
// 2^-52/(d-k) is taken to be that.
//
// A step costs O(d^3) operations. SumKT grows by the number of uncapped
// eigenvalues and SumKT2 by its square, as for WarmuthKuzmin.
//
// Source: Cotter 2013, equation eq:pca-warmuth:update.
type WarmuthKuzminNaive struct {
	stream
	step algorithms.Schedule

	w       *mat.SymDense // (d-k) W
	logs    []float64     // ln of its eigenvalues, increasing
	vectors mat.Dense     // and its eigenvectors, one a column
	rank    int

	eig            mat.EigenSym
	sum            *mat.SymDense
	scaled, values []float64
	product        mat.Dense
}

var _ Learner = (*WarmuthKuzminNaive)(nil)

// NewWarmuthKuzminNaive returns the full form of Warmuth & Kuzmin's algorithm.
// Arguments and errors are those of NewWarmuthKuzmin, and from equal generators
// both start at the same W.
func NewWarmuthKuzminNaive(cfg WarmuthKuzminConfig, src Source, rng *rand.Rand) (*WarmuthKuzminNaive, error) {
	const name = "warmuth-kuzmin-naive"
	r, err := newWarmuthKuzminStart(name, cfg, src, rng)
	if err != nil {
		return nil, err
	}
	s, f := r.stream, r.factor
	a := &WarmuthKuzminNaive{
		stream: s,
		step:   cfg.Step,
		w:      mat.NewSymDense(s.d, nil),
		logs:   make([]float64, s.d),
		rank:   f.positive(),
		sum:    mat.NewSymDense(s.d, nil),
		scaled: make([]float64, s.d),
		values: make([]float64, s.d),
	}
	var st State
	f.stateTo(&st, oneMinusExp)
	addDense(a.w, &st, -1, a.scaled)
	for i := range s.d {
		a.w.SetSym(i, i, a.w.At(i, i)+1-st.Bulk)
	}
	if !a.eig.Factorize(a.w, true) {
		return nil, fmt.Errorf("pca: %s: the eigendecomposition of the starting W did not converge", name)
	}
	a.eig.VectorsTo(&a.vectors)
	// The eigenvalues themselves are known exactly.
	for i := range a.logs {
		a.logs[i] = -f.bulk
	}
	for i, g := range f.values {
		a.logs[i] = -g
	}
	return a, nil
}

// Step implements algorithms.Stepper.
func (a *WarmuthKuzminNaive) Step() algorithms.Status {
	x, eta, ok := a.nextStep(a.step)
	if !ok {
		return a.status
	}
	t := a.cost.Iterations + 1
	if eta == 0 || !slices.ContainsFunc(x, func(v float64) bool { return v != 0 }) {
		return a.done(a.rank)
	}
	if !a.eig.Factorize(a.w, true) {
		return a.stop(algorithms.Failed, "iteration %d: the eigendecomposition of W did not converge", t)
	}
	a.eig.Values(a.values)
	for i, v := range a.values {
		a.values[i] = math.Log(max(v, 0x1p-52))
	}
	a.eig.VectorsTo(&a.product)
	a.reconstruct(a.sum, &a.product, a.values)
	a.sum.SymRankOne(a.sum, -eta, mat.NewVecDense(a.d, x))
	if !finite.Is(mat.Norm(a.sum, 2)) {
		return a.diverged(eta)
	}
	if !a.eig.Factorize(a.sum, true) {
		return a.stop(algorithms.Failed, "iteration %d: the eigendecomposition of ln W - eta x x^T did not converge", t)
	}
	a.eig.Values(a.logs)
	a.eig.VectorsTo(&a.vectors)
	a.project()
	return a.done(a.rank)
}

// project maps W', given by logs and vectors, to the feasible W closest to it.
func (a *WarmuthKuzminNaive) project() {
	floats.Scale(-1, a.logs)
	projectEntropy(a.logs, a.logs, 1, a.d-a.k)
	a.rank = 0
	for i, g := range a.logs {
		l := 0 - g // and not -0
		a.logs[i] = l
		if l < 0 {
			a.rank++
		}
		a.values[i] = detExp(l)
	}
	a.reconstruct(a.w, &a.vectors, a.values)
}

// reconstruct sets dst to V diag(values) V^T.
func (a *WarmuthKuzminNaive) reconstruct(dst *mat.SymDense, v *mat.Dense, values []float64) {
	dst.Zero()
	for j, value := range values {
		mat.Col(a.scaled, j, v)
		dst.SymRankOne(dst, value, mat.NewVecDense(a.d, a.scaled))
	}
}

// Rank implements Learner.
func (a *WarmuthKuzminNaive) Rank() int { return a.rank }

// StateTo implements Learner.
func (a *WarmuthKuzminNaive) StateTo(dst *State) {
	top := a.logs[a.d-1]
	m := 0
	for a.logs[m] < top {
		m++
	}
	dst.setShape(a.d, m)
	dst.Bulk = oneMinusExp(-top)
	for j := range m {
		dst.Sigma[j] = oneMinusExp(-a.logs[j])
	}
	if m > 0 {
		dst.U.Copy(a.vectors.Slice(0, a.d, 0, m))
	}
}
