package pca_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func newRand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(42, stream)) }

// recorder records the last sample of a source.
type recorder struct {
	pca.Source
	last []float64
}

func (r *recorder) Next() ([]float64, bool) {
	x, ok := r.Source.Next()
	r.last = slices.Clone(x)
	return x, ok
}

// advance takes a step and returns its sample.
func advance(t *testing.T, l pca.Learner, src *recorder) []float64 {
	t.Helper()
	if status := l.Step(); status.Stop() {
		t.Fatalf("after %d steps: %+v", l.Cost().Iterations, status)
	}
	return src.last
}

// mixture draws Gaussian samples with a decaying spectrum, mixed with zeros, unit vectors and
// repeated samples.
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

// capped returns sigma, which must decrease, with the bound largest eigenvalues boxed and the others
// set to 0. This set is a best one (see TestErratumCappedSubsets).
func capped(sigma []float64, k, bound int) []float64 {
	out := make([]float64, len(sigma))
	copy(out, boxed(sigma[:bound], k))
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
	values, _ := eigen(want)
	if n := l.Rank(); n < d && values[n] > 1e-9 {
		t.Fatalf("step %d: rank %d, but the eigenvalues of M are %v", step, n, values)
	}
}

var testDims = []struct{ d, k int }{{2, 1}, {3, 2}, {8, 3}, {8, 7}, {20, 4}}

// eigen returns the eigenvalues of a, decreasing, and its eigenvectors.
func eigen(a *mat.SymDense) (values []float64, vectors []mat.Vector) {
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		panic("dense eigendecomposition failed")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	values = eig.Values(nil)
	slices.Reverse(values)
	for i := range values {
		vectors = append(vectors, v.ColView(len(values)-1-i))
	}
	return values, vectors
}

// TestMSGAgainstDense compares MSG, with and without a cap, with gradient steps on a dense matrix
// whose eigenvalues are projected one by one.
func TestMSGAgainstDense(t *testing.T) {
	t.Parallel()
	const n = 200
	for _, dims := range testDims {
		d, k := dims.d, dims.k
		for name, create := range map[string]constructor{
			"random-low-rank":   msg(pca.StartRandomLowRank),
			"uniform":           msg(pca.StartUniform),
			"random-subspace":   msg(pca.StartRandomSubspace),
			"zero":              msg(pca.StartZero),
			"zero, capped":      cappedMSGFrom(pca.StartZero, 1, 0),
			"capped at k":       cappedMSG(0, 0),
			"capped above k":    cappedMSG(1, 0),
			"capped further up": cappedMSG(2, 0),
		} {
			for _, c := range []float64{0.02, 0.3, 5} {
				t.Run(fmt.Sprintf("d=%d k=%d %s c=%g", d, k, name, c), func(t *testing.T) {
					src := &recorder{Source: &mixture{d: d, rng: newRand(1)}}
					step := algorithms.InverseSqrt{C: c}
					l := suite.Must(create(src, k, newRand(2), step))
					project := boxed
					if a, ok := l.(*pca.CappedMSG); ok {
						project = func(sigma []float64, k int) []float64 { return capped(sigma, k, a.Cap()) }
					}
					var st pca.State
					l.StateTo(&st)
					m := st.Dense(d)
					if within := project; strings.HasPrefix(name, "zero") { // tr M <= k
						project = func(sigma []float64, k int) []float64 {
							clipped := make([]float64, len(sigma))
							for j, s := range sigma {
								clipped[j] = min(1, max(0, s))
							}
							if a, ok := l.(*pca.CappedMSG); ok {
								clear(clipped[min(a.Cap(), d):])
							}
							if floats.Sum(clipped) <= float64(k) {
								return clipped
							}
							return within(sigma, k)
						}
					}
					for i := int64(1); i <= n; i++ {
						m.SymRankOne(m, step.At(i), mat.NewVecDense(d, advance(t, l, src)))
						values, vectors := eigen(m)
						m.Zero()
						for j, s := range project(values, k) {
							m.SymRankOne(m, s, vectors[j])
						}
						checkIterate(t, l, m, 1e-10)
					}
				})
			}
		}
	}
}

// TestRankGrowth checks that a step increases the rank by at most 1, the direction of its sample.
// The projection of MSG decreases the eigenvalues, so zeros stay zero, and rounding of the trace is
// dangerous in large steps. The projection of Warmuth & Kuzmin's algorithm scales the eigenvalues of
// W up, so capped ones stay capped, and rounding is dangerous in tiny steps.
func TestRankGrowth(t *testing.T) {
	const d, k, n = 32, 8, 2000
	p := make([]float64, d)
	for i := range p {
		p[i] = 1 / float64(1+i)
	}
	floats.Scale(1/floats.Sum(p), p)
	for _, c := range []float64{1e-13, 1, 4, 32} {
		for name, create := range map[string]constructor{
			"msg": msg(pca.StartDefault), "warmuth-kuzmin": warmuthKuzmin(pca.StartRandomLowRank),
		} {
			src := pcatest.NewOrthogonal(p, newRand(20))
			l := suite.Must(create(src, k, newRand(21), algorithms.InverseSqrt{C: c}))
			for i := range n {
				before := l.Rank()
				if status := l.Step(); status.Stop() {
					t.Fatalf("%s, c = %g, step %d: %+v", name, c, i+1, status)
				}
				if rank := l.Rank(); rank > before+1 {
					t.Fatalf("%s, c = %g: step %d increased the rank from %d to %d", name, c, i+1, before, rank)
				}
				var st pca.State
				l.StateTo(&st)
				if trace := floats.Sum(st.Sigma) + float64(d-len(st.Sigma))*st.Bulk; math.Abs(trace-k) > 1e-9 {
					t.Fatalf("%s, c = %g: the trace is %g after step %d", name, c, trace, i+1)
				}
			}
		}
	}
}
