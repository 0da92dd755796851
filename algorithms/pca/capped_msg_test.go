package pca_test

import (
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"
)

func TestRaiseWhenStuck(t *testing.T) {
	const d, window = 6, 7
	// With the cap k the mass of the k leading directions is k and cannot increase.
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
		{"zero samples", window, zeros, false},
	} {
		cfg := pca.CappedMSGConfig{K: 1, Cap: 1, Step: algorithms.Constant{C: 0.25}, RaiseWhenStuck: test.window}
		l := suite.Must(pca.NewCappedMSG(cfg, pcatest.NewList(d, test.rows...), newRand(13)))
		for !l.Step().Stop() {
			// The first step sets the maximum.
			n := l.Cost().Iterations
			if l.Rank() > l.Cap() || l.Cap() > d || (l.Cap() > 1) != (test.raised && n > window) {
				t.Fatalf("%s: rank %d and cap %d after %d iterations", test.name, l.Rank(), l.Cap(), n)
			}
		}
	}
}
