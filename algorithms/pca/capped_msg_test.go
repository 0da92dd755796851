package pca_test

import (
	"fmt"
	"math"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"
)

// bestSubset projects each set of bound of the eigenvalues that are not 0, the
// others becoming 0, and returns the result closest to sigma.
func bestSubset(sigma []float64, k, bound int) []float64 {
	var support []int
	for i, s := range sigma {
		if math.Abs(s) > 1e-11 {
			support = append(support, i)
		}
	}
	if len(support) <= bound {
		return boxed(sigma, k)
	}
	if len(support) != bound+1 {
		panic(fmt.Sprint("rank above K+1: ", sigma))
	}
	var best []float64
	bestDist := math.Inf(1)
	for _, drop := range support {
		var kept []float64
		for _, i := range support {
			if i != drop {
				kept = append(kept, sigma[i])
			}
		}
		kept = boxed(kept, k)
		out, dist := make([]float64, len(sigma)), 0.0
		for _, i := range support {
			if i != drop {
				out[i], kept = kept[0], kept[1:]
			}
		}
		for i, s := range sigma {
			dist += (s - out[i]) * (s - out[i])
		}
		if dist < bestDist-1e-13 {
			best, bestDist = out, dist
		}
	}
	return best
}

func TestCappedMSGAgainstDense(t *testing.T) {
	t.Parallel()
	for _, dims := range testDims {
		for _, extra := range []int{0, 1, 2} {
			bound := min(dims.k+extra, dims.d)
			for _, c := range []float64{0.02, 0.3, 5} {
				t.Run(fmt.Sprintf("d=%d k=%d cap=%d c=%g", dims.d, dims.k, bound, c), func(t *testing.T) {
					src := &recorder{Source: &mixture{d: dims.d, rng: newRand(3)}}
					step := algorithms.InverseSqrt{C: c}
					l, err := pca.NewCappedMSG(pca.CappedMSGConfig{K: dims.k, Cap: bound, Step: step}, src, newRand(4))
					if err != nil {
						t.Fatal(err)
					}
					followDense(t, l, src, step, 200, func(sigma []float64) []float64 {
						if bound == dims.d {
							return boxed(sigma, dims.k)
						}
						return bestSubset(sigma, dims.k, bound)
					})
					if l.Rank() > bound || l.Cap() != bound {
						t.Errorf("rank %d, cap %d, want at most %d", l.Rank(), l.Cap(), bound)
					}
				})
			}
		}
	}
}

func TestRaiseWhenStuck(t *testing.T) {
	const d, window = 6, 7
	// At the cap k the mass of the top k directions is k and cannot improve.
	axes, zeros := make([][]float64, 60), make([][]float64, 60)
	for i := range axes {
		axes[i], zeros[i] = make([]float64, d), make([]float64, d)
		axes[i][i%d] = 1
	}
	for _, test := range []struct {
		name   string
		window int64
		rows   [][]float64
		raised bool
	}{
		{"axes", window, axes, true},
		{"without the option", 0, axes, false},
		{"samples that change nothing", window, zeros, false},
	} {
		cfg := pca.CappedMSGConfig{K: 1, Cap: 1, Step: algorithms.Constant{C: 0.25}, RaiseWhenStuck: test.window}
		l, err := pca.NewCappedMSG(cfg, pcatest.NewList(d, test.rows...), newRand(13))
		if err != nil {
			t.Fatal(err)
		}
		for !l.Step().Stop() {
			// The first step sets the mass to improve on.
			n := l.Cost().Iterations
			if l.Rank() > l.Cap() || l.Cap() > d || (l.Cap() > 1) != (test.raised && n > window) {
				t.Fatalf("%s: rank %d and cap %d after %d iterations", test.name, l.Rank(), l.Cap(), n)
			}
		}
	}
}
