package pca

import (
	"math"
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/exp"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// WarmuthKuzminNaive is the algorithm of WarmuthKuzmin in its original form: W is a full d x d matrix,
// and a step takes two eigendecompositions, one for ln W and one for the exponential. It serves as a
// reference for WarmuthKuzmin, and shows the savings of the efficient form. The iterates agree up to
// rounding, as long as all eigenvalues of W are at least 2^-52/(d-k). Smaller ones have no correct
// digits and are replaced by this bound.
//
// A step costs O(d^3) operations. SumKT grows by the number of uncapped eigenvalues and SumKT2 by its
// square, as for WarmuthKuzmin.
//
// Source: Cotter 2013, equation eq:pca-warmuth:update.
type WarmuthKuzminNaive struct {
	stream

	w       *mat.SymDense // (d-k) W
	logs    []float64     // logarithms of its eigenvalues, increasing
	vectors *mat.Dense    // its eigenvectors, as columns
	rank    int
}

var _ Learner = (*WarmuthKuzminNaive)(nil)

// NewWarmuthKuzminNaive returns the original form of Warmuth & Kuzmin's algorithm. It takes the
// arguments and returns the errors of NewWarmuthKuzmin. With equal generators both start at the same W.
func NewWarmuthKuzminNaive(cfg WarmuthKuzminConfig, src Source, rng *rand.Rand) (*WarmuthKuzminNaive, error) {
	r, err := newWarmuthKuzminStart("warmuth-kuzmin-naive", cfg, src, rng)
	if err != nil {
		return nil, err
	}
	f := r.factor
	a := &WarmuthKuzminNaive{stream: r.stream, w: mat.NewSymDense(r.d, nil), rank: r.rank}
	var st State
	f.stateTo(&st, oneMinusExp)
	st.addTo(a.w, -1)
	for i := range a.d {
		a.w.SetSym(i, i, a.w.At(i, i)+1-st.Bulk)
	}
	_, a.vectors = eigen(a.w)
	// The eigenvalues are known exactly.
	for _, g := range f.values {
		a.logs = append(a.logs, -g)
	}
	for len(a.logs) < a.d {
		a.logs = append(a.logs, -f.bulk)
	}
	return a, nil
}

// Step implements algorithms.Stepper.
func (a *WarmuthKuzminNaive) Step() algorithms.Status {
	x, eta, ok := a.next()
	if !ok {
		return a.status
	}
	if eta == 0 || floats.Norm(x, math.Inf(1)) == 0 {
		return a.done(a.rank)
	}
	logs, vectors := eigen(a.w)
	for i, v := range logs {
		logs[i] = math.Log(max(v, 0x1p-52))
	}
	sum := reconstruct(logs, vectors)
	sum.SymRankOne(sum, -eta, mat.NewVecDense(a.d, x))
	if !finite.Is(mat.Norm(sum, 2)) {
		return a.diverged(eta)
	}
	a.logs, a.vectors = eigen(sum)
	a.project()
	return a.done(a.rank)
}

// project replaces W', given by logs and vectors, by the closest feasible W.
func (a *WarmuthKuzminNaive) project() {
	g := make([]float64, a.d)
	floats.SubTo(g, g, a.logs)
	projectEntropy(g, g, 1, a.d-a.k)
	a.rank = 0
	values := make([]float64, a.d)
	for i, v := range g {
		if v > 0 {
			a.rank++
		}
		a.logs[i] = 0 - v // never -0
		values[i] = exp.Exp(a.logs[i])
	}
	a.w = reconstruct(values, a.vectors)
}

// reconstruct returns V diag(values) V^T.
func reconstruct(values []float64, v *mat.Dense) *mat.SymDense {
	a := mat.NewSymDense(len(values), nil)
	for j, value := range values {
		a.SymRankOne(a, value, mat.NewVecDense(len(values), mat.Col(nil, j, v)))
	}
	return a
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
	*dst = newState(a.d, m)
	dst.Bulk = oneMinusExp(-top)
	for j := range m {
		dst.Sigma[j] = oneMinusExp(-a.logs[j])
	}
	if m > 0 {
		dst.U.Copy(a.vectors.Slice(0, a.d, 0, m))
	}
}
