package pca_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// TestWarmuthKuzminAgainstDense compares the algorithm with steps on the dense matrix
// a = ln((d-k) W), which unlike W is accurate for eigenvalues near 0. The naive form is compared
// as long as W is accurate.
func TestWarmuthKuzminAgainstDense(t *testing.T) {
	t.Parallel()
	for _, dims := range testDims {
		for _, start := range []pca.Start{pca.StartRandomLowRank, pca.StartUniform} {
			for _, c := range []float64{0.1, 1, 10} {
				t.Run(fmt.Sprintf("d=%d k=%d %s c=%g", dims.d, dims.k, start, c), func(t *testing.T) {
					step := algorithms.InverseSqrt{C: c}
					cfg := pca.WarmuthKuzminConfig{K: dims.k, Step: step, Start: start}
					src := &recorder{Source: &mixture{d: dims.d, rng: newRand(8)}}
					l := suite.Must(pca.NewWarmuthKuzmin(cfg, src, newRand(9)))
					naive, err := pca.NewWarmuthKuzminNaive(cfg, &mixture{d: dims.d, rng: newRand(8)}, newRand(9))
					if err != nil {
						t.Fatal(err)
					}
					var st pca.State
					l.StateTo(&st)
					m, least := st.Dense(dims.d), 1.0
					a := spectral(m, func(s float64) float64 { return math.Log(min(1, 1-s)) })
					for i := int64(1); i <= 200; i++ {
						a.SymRankOne(a, -step.At(i), mat.NewVecDense(dims.d, advance(t, l, src)))
						logs, vectors := eigen(a)
						pca.ProjectEntropy(logs, logs, slices.Repeat([]int{1}, dims.d), dims.d-dims.k)
						a.Zero()
						m.Zero()
						for j, s := range logs {
							a.SymRankOne(a, s, vectors[j])
							m.SymRankOne(m, -math.Expm1(s), vectors[j])
						}
						checkIterate(t, l, m, 1e-10)
						// With d-k eigenvalues at the cap, the trace of W would be 1.
						if l.Rank() <= dims.k {
							t.Fatalf("rank %d after step %d", l.Rank(), i)
						}
						if least = min(least, math.Exp(slices.Min(logs))); least > 1e-4 {
							if status := naive.Step(); status.Stop() {
								t.Fatalf("naive, step %d: %+v", i, status)
							}
							checkIterate(t, naive, m, 1e-10)
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
