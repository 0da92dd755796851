package pca

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/internal/suite"

	"gonum.org/v1/gonum/mat"
)

// The tests named TestErratum… show misprints of Cotter 2013: the printed form fails and the
// corrected form does not. Numbers are lines of the LaTeX source.

// diagonal returns diag(v).
func diagonal(v ...float64) *mat.SymDense {
	a := mat.NewSymDense(len(v), nil)
	for i, s := range v {
		a.SetSym(i, i, s)
	}
	return a
}

// conjugate returns U B U^T.
func conjugate(u, b mat.Matrix) *mat.Dense {
	var ub, ubu mat.Dense
	ub.Mul(u, b)
	ubu.Mul(&ub, u.T())
	return &ubu
}

// rankOneSetting is a rank-1 update, with the components of x inside and outside the span of U.
type rankOneSetting struct {
	u, extended *mat.Dense // U and [U, x_perp/r]
	a, updated  *mat.Dense // A and A + eta x x^T
	sigma       []float64
	bulk, eta   float64
	xhat        *mat.VecDense
	r           float64
}

func newRankOneSetting(d, k int, bulk, eta float64) *rankOneSetting {
	rng := rand.New(rand.NewPCG(31, 32))
	b := newRandomBasis(d, k+1, rng)
	s := &rankOneSetting{bulk: bulk, eta: eta, xhat: mat.NewVecDense(k, nil), r: 1.7}
	x := mat.NewVecDense(d, nil)
	s.u, s.extended = mat.NewDense(d, k, nil), mat.NewDense(d, k+1, nil)
	for j := range k + 1 {
		s.extended.SetCol(j, b.col(j))
		if j == k {
			x.AddScaledVec(x, s.r, mat.NewVecDense(d, b.col(j)))
			break
		}
		s.u.SetCol(j, b.col(j))
		s.sigma = append(s.sigma, 2+float64(j))
		s.xhat.SetVec(j, rng.NormFloat64())
		x.AddScaledVec(x, s.xhat.AtVec(j), mat.NewVecDense(d, b.col(j)))
	}
	s.a = conjugate(s.u, diagonal(s.sigma...))
	s.a.Add(s.a, s.outside(s.u))
	var xx mat.Dense
	xx.Outer(eta, x, x)
	s.updated = new(mat.Dense)
	s.updated.Add(s.a, &xx)
	return s
}

// outside returns bulk (I - V V^T).
func (s *rankOneSetting) outside(v *mat.Dense) *mat.Dense {
	d, _ := v.Dims()
	var vv, out mat.Dense
	vv.Mul(v, v.T())
	eye := make([]float64, d)
	for i := range eye {
		eye[i] = 1
	}
	out.Sub(diagonal(eye...), &vv)
	out.Scale(s.bulk, &out)
	return &out
}

// block returns the (k+1) x (k+1) matrix of the update with the given last entry and the last column
// eta r v.
func (s *rankOneSetting) block(corner float64, v mat.Vector) *mat.SymDense {
	k := len(s.sigma)
	b := mat.NewSymDense(k+1, nil)
	for i := range k {
		for j := i; j < k; j++ {
			e := s.eta * s.xhat.AtVec(i) * s.xhat.AtVec(j)
			if i == j {
				e += s.sigma[i]
			}
			b.SetSym(i, j, e)
		}
		b.SetSym(i, k, s.eta*s.r*v.AtVec(i))
	}
	b.SetSym(k, k, corner)
	return b
}

// The block of the rank-1 update has three misprints.
//
// Its last entry is 1/(d-k) + eta r^2, not 1/(d-k) + eta (5551-5552, 5560). For the incremental
// algorithm, whose bulk is 0, it is r^2, not 1 (5007, 5014).
//
// The off-diagonal blocks are eta r U^T x and its transpose (5007, 5013, 5552, 5560). The printed
// eta r U U^T x has d entries, but the block has k'.
//
// The part of W outside the block is (I - U U^T - x_perp x_perp^T/r^2)/(d-k) (5554, 5568, 5780). The
// printed (I - U - x_perp/r)(I - U - x_perp/r)^T/(d-k) subtracts a d x k' matrix and a column from a
// d x d matrix. It is defined only if there are d columns. The part is then 0, but the formula is not.
func TestErratumRankOneBlocks(t *testing.T) {
	square := newRankOneSetting(4, 3, 0.25, 0.3)
	for _, s := range []*rankOneSetting{newRankOneSetting(6, 3, 0, 1), newRankOneSetting(6, 3, 0.25, 0.3), square} {
		corner, rest := s.bulk+s.eta*s.r*s.r, mat.Matrix(s.outside(s.extended))
		var column mat.VecDense
		column.MulVec(s.u, s.xhat) // x^ is U^T x
		if room := len(s.sigma); column.Len() == room || s.xhat.Len() != room {
			t.Errorf("U U^T x has %d entries and U^T x has %d; the block has %d", column.Len(), s.xhat.Len(), room)
		}
		off := func(corner float64, column mat.Vector, rest mat.Matrix) float64 {
			got := conjugate(s.extended, s.block(corner, column))
			got.Add(got, rest)
			return maxAbsDiff(got, s.updated)
		}
		if e := off(corner, s.xhat, rest); !(e < 1e-13) {
			t.Errorf("bulk %g: off by %g", s.bulk, e)
		}
		printed := map[string]float64{
			"last entry": off(s.bulk+s.eta, s.xhat, rest), "off the diagonal": off(corner, &column, rest),
		}
		if s == square {
			var difference, product mat.Dense
			difference.Sub(diagonal(1, 1, 1, 1), s.extended)
			product.Mul(&difference, difference.T())
			product.Scale(s.bulk, &product)
			printed["rest"] = off(corner, s.xhat, &product)
		}
		for name, e := range printed {
			if e < 0.1 {
				t.Errorf("bulk %g: %s as printed: only off by %g", s.bulk, name, e)
			}
		}
	}
}

// 5518, 5578, 5767-5775: Alg. rank1-update computes W + eta x x^T, and the text subtracts
// eta x x^T from W. The update is exp(ln W - eta x x^T). The first moves W towards x instead of
// away from it, and the second leaves the domain of ln.
func TestErratumWarmuthKuzminUpdate(t *testing.T) {
	const n, eta = 2, 1.5 // d = 3, k = 1, x = e_1
	logs := []float64{math.Log(2.0 / 3), math.Log(2.0 / 3), math.Log(2.0 / 3)}
	ones := []int{1, 1, 1}
	right, printed := slices.Clone(logs), slices.Clone(logs)
	right[0] -= eta
	printed[0] = math.Log(2.0/3 + n*eta)
	for _, l := range [][]float64{right, printed} {
		ProjectEntropy(l, l, ones, n)
	}
	if right[0] >= logs[0] {
		t.Errorf("exp(ln W - eta x x^T) increases x^T W x from %g to %g", math.Exp(logs[0]), math.Exp(right[0]))
	}
	if printed[0] <= logs[0] {
		t.Errorf("W + eta x x^T decreases x^T W x from %g to %g", math.Exp(logs[0]), math.Exp(printed[0]))
	}
	if v := 2.0/3 - n*eta; v >= 0 {
		t.Errorf("W - eta x x^T is positive: %g", v)
	}
}

// 5480-5482: the projection uses the largest i for which it is feasible to set the d-i largest
// eigenvalues to 1/(d-k) and to scale the i others. The text sets "the largest d-i' eigenvalues" to
// 1/(d-i). For (0.1, 0.2, 0.3, 3) and the cap 1/2, the corrected rule has i = 3 and gives
// (1/12, 1/6, 1/4, 1/2). The printed rule cannot have i = 3, because 1 exceeds the cap. It gives
// (0, 0, 1/2, 1/2) for i = 2.
func TestErratumEntropyProjectionText(t *testing.T) {
	const d, k = 4, 2
	logs := []float64{0.1, 0.2, 0.3, 3}
	for i, s := range logs {
		logs[i] = math.Log((d - k) * s)
	}
	ProjectEntropy(logs, logs, []int{1, 1, 1, 1}, d-k)
	for i, want := range []float64{1.0 / 12, 1.0 / 6, 1.0 / 4, 1.0 / 2} {
		if got := math.Exp(logs[i]) / (d - k); math.Abs(got-want) > 1e-15 {
			t.Errorf("eigenvalue %d: %g, want %g", i, got, want)
		}
	}
}

// 5581: W' has up to k'+2 distinct eigenvalues, not k'+1, because of the cap.
// 5593: k'_t can be d, as for the start W = I/d, and not only up to d-1.
func TestErratumDistinctEigenvalues(t *testing.T) {
	const d, k = 8, 2
	rng := rand.New(rand.NewPCG(33, 34))
	start := func(start Start) *eigenFactor {
		cfg := WarmuthKuzminConfig{K: k, Step: noStep, Start: start}
		r := suite.Must(newWarmuthKuzminStart("test", cfg, &rowSource{d: d}, rng))
		return r.factor
	}
	f := start(StartRandomLowRank)
	for i := range f.values {
		f.values[i] -= 0.1 * float64(i)
	}
	uncapped := f.rank()
	x := make([]float64, d)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	f.update(1, x)
	distinct := map[string]bool{fmt.Sprintf("%.9f", f.bulk): true}
	for _, v := range f.values {
		distinct[fmt.Sprintf("%.9f", v)] = true
	}
	if len(distinct) != uncapped+2 {
		t.Errorf("k' = %d, but W' has %d distinct eigenvalues", uncapped, len(distinct))
	}
	if n := start(StartUniform).rank(); n != d {
		t.Errorf("k' = %d at W = I/d, want %d", n, d)
	}
}

// 5688, 5696: sigma_i on the right-hand sides must be sigma'_i. As printed, with a common factor
// other than 1, every eigenvalue would be 0 or at the cap.
func TestErratumEntropyKKT(t *testing.T) {
	prime := []float64{math.Log(3), math.Log(0.5), math.Log(0.25)}
	l := make([]float64, 3)
	logZ := ProjectEntropy(l, prime, []int{1, 1, 1}, 2)
	if math.Abs(logZ) < 0.1 {
		t.Fatalf("ln Z = %g is too small for the test", logZ)
	}
	for i := range l {
		if math.Abs(l[i]-min(0, prime[i]-logZ)) > 1e-15 {
			t.Errorf("eigenvalue %d is not min(cap, sigma'/Z)", i)
		}
		if l[i] < 0 && math.Abs(l[i]-min(0, l[i]-logZ)) < 0.1 {
			t.Errorf("eigenvalue %d is min(cap, sigma/Z)", i)
		}
	}
}

// 4985, 4988, 5005: with C^(t) the mean over t samples, the recursion is
// (t+1) C^(t+1) = t C^(t) + x_{t+1} x_{t+1}^T, not + x_t x_t^T. At 5036, U' diag(sigma') U'^T is
// (t+1) C^(t+1), not t C^(t+1).
func TestErratumIncrementalIndices(t *testing.T) {
	const d = 3
	samples := [][]float64{{1, 2, 0}, {0, 3, 0}, {2, -1, 0}, {1, 1, 0}} // of rank k = 2
	src := &cycle{rows: samples}
	l := suite.Must(NewIncremental(IncrementalConfig{K: 2}, src))
	sum, delayed := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	for s, x := range samples {
		if status := l.Step(); status.Stop() {
			t.Fatal(status)
		}
		sum.SymRankOne(sum, 1, mat.NewVecDense(d, x))
		if s > 0 {
			delayed.SymRankOne(delayed, 1, mat.NewVecDense(d, samples[s-1]))
		}
		kept := l.factor.dense()
		if e := maxAbsDiff(kept, sum); e > 1e-13 {
			t.Errorf("t+1 = %d: (t+1) C^(t+1) is off by %g", s+1, e)
		}
		if e := maxAbsDiff(kept, delayed); e < 1 {
			t.Errorf("t+1 = %d: with x_t for x_{t+1} it is only off by %g", s+1, e)
		}
		var printed mat.SymDense
		printed.ScaleSym(float64(s)/float64(s+1), sum) // t C^(t+1)
		if e := maxAbsDiff(kept, &printed); e < 1 {
			t.Errorf("t+1 = %d: t C^(t+1) is only off by %g", s+1, e)
		}
	}
}
