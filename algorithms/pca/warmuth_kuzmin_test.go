package pca_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// The algorithm is the step on a = ln((d-k) W) as a full matrix, which unlike W itself has digits of
// eigenvalues near 0.
func TestWarmuthKuzminAgainstDense(t *testing.T) {
	t.Parallel()
	for _, dims := range testDims {
		for _, start := range []pca.Start{pca.StartRandomLowRank, pca.StartUniform} {
			for _, c := range []float64{0.1, 1, 10} {
				t.Run(fmt.Sprintf("d=%d k=%d %s c=%g", dims.d, dims.k, start, c), func(t *testing.T) {
					step := algorithms.InverseSqrt{C: c}
					src := &recorder{Source: &mixture{d: dims.d, rng: newRand(8)}}
					l, err := pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: dims.k, Step: step, Start: start}, src, newRand(9))
					if err != nil {
						t.Fatal(err)
					}
					var st pca.State
					l.StateTo(&st)
					m := st.Dense(dims.d)
					a := spectral(m, func(s float64) float64 { return math.Log(min(1, 1-s)) })
					for i := int64(1); i <= 200; i++ {
						if status := l.Step(); status.Stop() {
							t.Fatalf("step %d: %+v", i, status)
						}
						a.SymRankOne(a, -step.At(i), mat.NewVecDense(dims.d, src.last))
						logs, vectors := eigen(a)
						pca.ProjectEntropy(logs, logs, slices.Repeat([]int{1}, dims.d), dims.d-dims.k)
						a.Zero()
						m.Zero()
						for j, s := range logs {
							a.SymRankOne(a, s, vectors[j])
							m.SymRankOne(m, -math.Expm1(s), vectors[j])
						}
						checkIterate(t, l, m, 1e-10)
						// The d-k others at the cap would sum to 1.
						if l.Rank() <= dims.k {
							t.Fatalf("rank %d after step %d", l.Rank(), i)
						}
					}
				})
			}
		}
	}
}

func TestWarmuthKuzminAgainstNaive(t *testing.T) {
	t.Parallel()
	for _, dims := range testDims {
		for _, start := range []pca.Start{pca.StartRandomLowRank, pca.StartUniform} {
			for _, c := range []float64{0.1, 0.5} {
				t.Run(fmt.Sprintf("d=%d k=%d %s c=%g", dims.d, dims.k, start, c), func(t *testing.T) {
					cfg := pca.WarmuthKuzminConfig{K: dims.k, Step: algorithms.InverseSqrt{C: c}, Start: start}
					fast, err := pca.NewWarmuthKuzmin(cfg, &mixture{d: dims.d, rng: newRand(8)}, newRand(9))
					if err != nil {
						t.Fatal(err)
					}
					naive, err := pca.NewWarmuthKuzminNaive(cfg, &mixture{d: dims.d, rng: newRand(8)}, newRand(9))
					if err != nil {
						t.Fatal(err)
					}
					if fast.Rank() != naive.Rank() {
						t.Fatalf("start: rank %d, naive %d", fast.Rank(), naive.Rank())
					}
					var st pca.State
					for i := range 200 {
						a, b := fast.Step(), naive.Step()
						if a.Stop() || b.Stop() {
							t.Fatalf("step %d: %+v, naive %+v", i, a, b)
						}
						naive.StateTo(&st)
						want := st.Dense(dims.d)
						checkIterate(t, fast, want, 1e-10)
						// W loses the digits of its small eigenvalues.
						if 1-st.Sigma[0] < 1e-4 {
							if i < 20 {
								t.Fatalf("only %d steps could be compared", i)
							}
							return
						}
					}
				})
			}
		}
	}
}

// spectral applies f to the eigenvalues of a.
func spectral(a *mat.SymDense, f func(float64) float64) *mat.SymDense {
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	values, vectors := eigen(a)
	for i, s := range values {
		out.SymRankOne(out, f(s), vectors[i])
	}
	return out
}
