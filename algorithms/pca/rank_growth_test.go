package pca_test

import (
	"fmt"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"
)

// orthogonal returns a source of unit vectors e_i, of probability falling as
// 1/(1+i).
func orthogonal(d int, stream uint64) pca.Source {
	p := make([]float64, d)
	var sum float64
	for i := range p {
		p[i] = 1 / float64(1+i)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return pcatest.NewOrthogonal(p, newRand(stream))
}

// checkRankGrowth makes n steps, none of which may raise the rank by more than
// the one direction that a sample adds.
func checkRankGrowth(t *testing.T, l pca.Learner, n int) {
	t.Helper()
	for i := range n {
		before := l.Rank()
		if status := l.Step(); status.Stop() {
			t.Fatalf("step %d: %+v", i+1, status)
		}
		if rank := l.Rank(); rank > before+1 {
			t.Fatalf("step %d raised the rank from %d to %d", i+1, before, rank)
		}
	}
}

// The projection of MSG lowers the eigenvalues, so that those that are 0 stay so.
// Large steps are those in which the rounding of the trace is large beside 0.
func TestMSGRankGrowth(t *testing.T) {
	t.Parallel()
	const d = 32
	for _, c := range []float64{2, 4, 8, 16, 32} {
		for _, k := range []int{1, 8} {
			t.Run(fmt.Sprintf("c=%g k=%d", c, k), func(t *testing.T) {
				l, err := pca.NewMSG(pca.MSGConfig{K: k, Step: algorithms.InverseSqrt{C: c}}, orthogonal(d, 20), newRand(21))
				if err != nil {
					t.Fatal(err)
				}
				checkRankGrowth(t, l, 10000)
			})
		}
	}
}

// The projection of Warmuth & Kuzmin's algorithm scales the eigenvalues of W up,
// so that those at the cap stay there. Tiny steps are those in which the rounding
// of the trace exceeds what they change.
func TestWarmuthKuzminRankGrowth(t *testing.T) {
	t.Parallel()
	const d = 32
	for _, c := range []float64{1e-13, 1e-9, 1, 32} {
		for _, k := range []int{1, 8} {
			t.Run(fmt.Sprintf("c=%g k=%d", c, k), func(t *testing.T) {
				cfg := pca.WarmuthKuzminConfig{K: k, Step: algorithms.InverseSqrt{C: c}, Start: pca.StartRandomLowRank}
				l, err := pca.NewWarmuthKuzmin(cfg, orthogonal(d, 22), newRand(23))
				if err != nil {
					t.Fatal(err)
				}
				checkRankGrowth(t, l, 10000)
			})
		}
	}
}
