package pca_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func newRand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(42, stream)) }

// recorder keeps the last sample of a source.
type recorder struct {
	pca.Source
	last []float64
}

func (r *recorder) Next() ([]float64, bool) {
	x, ok := r.Source.Next()
	r.last = slices.Clone(x)
	return x, ok
}

// mixture draws Gaussian samples of a decaying spectrum, and among them zeros,
// axes, and repetitions of the sample before.
type mixture struct {
	d    int
	rng  *rand.Rand
	last []float64
}

func (m *mixture) Dim() int { return m.d }

func (m *mixture) Next() ([]float64, bool) {
	x := make([]float64, m.d)
	switch m.rng.IntN(8) {
	case 0:
	case 1:
		x[m.rng.IntN(m.d)] = 1
	case 2:
		copy(x, m.last)
	default:
		for i := range x {
			x[i] = m.rng.NormFloat64() / float64(1+i)
		}
	}
	m.last = x
	return x, true
}

// denseRelaxation is a relaxed iterate as a full matrix, with eigenvalues that
// are projected by a function that knows nothing of multiplicities.
type denseRelaxation struct {
	m       *mat.SymDense
	project func(decreasing []float64) []float64
}

func (r *denseRelaxation) step(eta float64, x []float64) {
	d := len(x)
	r.m.SymRankOne(r.m, eta, mat.NewVecDense(d, x))
	var eig mat.EigenSym
	if !eig.Factorize(r.m, true) {
		panic("dense eigendecomposition failed")
	}
	values := eig.Values(nil)
	var v mat.Dense
	eig.VectorsTo(&v)
	slices.Reverse(values)
	values = r.project(values)
	r.m.Zero()
	for i, s := range values {
		r.m.SymRankOne(r.m, s, v.ColView(d-1-i))
	}
}

// boxed returns sigma shifted and clipped to [0, 1] with the sum k, by bisection.
func boxed(sigma []float64, k int) []float64 {
	out := make([]float64, len(sigma))
	lo, hi := -slices.Max(sigma), 1-slices.Min(sigma)
	for range 200 {
		shift, sum := (lo+hi)/2, 0.0
		for i, s := range sigma {
			out[i] = max(0, min(1, s+shift))
			sum += out[i]
		}
		if sum < float64(k) {
			lo = shift
		} else {
			hi = shift
		}
	}
	return out
}

// checkIterate compares the state of l with the dense M, and its rank with the eigenvalues of M.
func checkIterate(t *testing.T, l pca.Learner, want *mat.SymDense, tol float64) {
	t.Helper()
	d, _ := l.Dims()
	var st pca.State
	l.StateTo(&st)
	var diff mat.Dense
	diff.Sub(st.Dense(d), want)
	step := l.Cost().Iterations
	if e := mat.Norm(&diff, math.Inf(1)); !(e < tol) {
		t.Fatalf("step %d: M is off by %g (sigma %v, bulk %g)", step, e, st.Sigma, st.Bulk)
	}
	var eig mat.EigenSym
	if !eig.Factorize(want, false) {
		t.Fatal("eigenvalues of M failed")
	}
	sure, possible := 0, 0
	for _, s := range eig.Values(nil) {
		if s > 1e-9 {
			sure++
		}
		if s > -1e-9 {
			possible++
		}
	}
	if n := l.Rank(); n < sure || n > possible {
		t.Fatalf("step %d: rank %d, but %d eigenvalues of M are above 1e-9", step, n, sure)
	}
}

var testDims = []struct{ d, k int }{{2, 1}, {3, 2}, {8, 3}, {8, 7}, {20, 4}}

func TestMSGAgainstDense(t *testing.T) {
	t.Parallel()
	for _, dims := range testDims {
		for _, start := range []pca.Start{pca.StartRandomLowRank, pca.StartUniform, pca.StartRandomSubspace} {
			for _, c := range []float64{0.02, 0.3, 5} {
				t.Run(fmt.Sprintf("d=%d k=%d %s c=%g", dims.d, dims.k, start, c), func(t *testing.T) {
					src := &recorder{Source: &mixture{d: dims.d, rng: newRand(1)}}
					step := algorithms.InverseSqrt{C: c}
					l, err := pca.NewMSG(pca.MSGConfig{K: dims.k, Step: step, Start: start}, src, newRand(2))
					if err != nil {
						t.Fatal(err)
					}
					followDense(t, l, src, step, 200, func(sigma []float64) []float64 { return boxed(sigma, dims.k) })
				})
			}
		}
	}
}

// followDense steps l and a dense matrix from the same start, and compares them
// after each step.
func followDense(t *testing.T, l pca.Learner, src *recorder, step algorithms.Schedule, n int64, project func([]float64) []float64) {
	t.Helper()
	d, _ := l.Dims()
	var st pca.State
	l.StateTo(&st)
	dense := &denseRelaxation{m: st.Dense(d), project: project}
	for i := int64(1); i <= n; i++ {
		rank := l.Rank()
		if status := l.Step(); status.Stop() {
			t.Fatalf("step %d: %+v", i, status)
		}
		dense.step(step.At(i), src.last)
		checkIterate(t, l, dense.m, 1e-10)
		if mat.Norm(mat.NewVecDense(d, src.last), 2) == 0 && l.Rank() != rank {
			t.Fatalf("step %d: x = 0 changed the rank from %d to %d", i, rank, l.Rank())
		}
	}
}

// A step raises the rank by the one direction of its sample at most. The projection of MSG lowers
// the eigenvalues, so that those that are 0 stay so: large steps are those in which the rounding of
// the trace is large compared with 0. That of Warmuth & Kuzmin's algorithm scales the eigenvalues
// of W up, so that those at the cap stay there: in tiny steps the rounding of the trace exceeds
// what they change.
func TestRankGrowth(t *testing.T) {
	const d, k, n = 32, 8, 3000
	p := make([]float64, d)
	for i := range p {
		p[i] = 1 / float64(1+i)
	}
	floats.Scale(1/floats.Sum(p), p)
	for _, c := range []float64{1e-13, 1e-9, 1, 2, 8, 32} {
		for name, create := range map[string]constructor{
			"msg": msg(pca.StartDefault), "warmuth-kuzmin": warmuthKuzmin(pca.StartRandomLowRank),
		} {
			src := pcatest.NewOrthogonal(p, newRand(20))
			l, err := create(src, k, newRand(21), algorithms.InverseSqrt{C: c})
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				before := l.Rank()
				if status := l.Step(); status.Stop() {
					t.Fatalf("%s, c = %g, step %d: %+v", name, c, i+1, status)
				}
				if rank := l.Rank(); rank > before+1 {
					t.Fatalf("%s, c = %g: step %d raised the rank from %d to %d", name, c, i+1, before, rank)
				}
			}
		}
	}
}
