package pca_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"

	"gonum.org/v1/gonum/mat"
)

func TestIncrementalAgainstDense(t *testing.T) {
	t.Parallel()
	for _, dims := range testDims {
		for _, kept := range []int{dims.k, min(dims.k+2, dims.d)} {
			src := &recorder{Source: &mixture{d: dims.d, rng: newRand(7)}}
			l := suite.Must(pca.NewIncremental(pca.IncrementalConfig{K: dims.k, Cap: kept}, src))
			var st pca.State
			c := mat.NewSymDense(dims.d, nil)
			for i := range 300 {
				c.SymRankOne(c, 1, mat.NewVecDense(dims.d, advance(t, l, src)))
				values, vectors := eigen(c)
				c.Zero()
				m := mat.NewSymDense(dims.d, nil)
				rank := 0
				for j, v := range values[:kept] {
					if v <= 1e-11*values[0] {
						break
					}
					c.SymRankOne(c, v, vectors[j])
					if j < dims.k {
						m.SymRankOne(m, 1, vectors[j])
					}
					rank++
				}
				if l.Rank() != rank {
					t.Fatalf("d=%d k=%d step %d: rank %d, want %d", dims.d, dims.k, i, l.Rank(), rank)
				}
				l.StateTo(&st)
				var diff mat.Dense
				diff.Sub(st.Dense(dims.d), m)
				if e := mat.Norm(&diff, math.Inf(1)); !(e < 1e-7) {
					t.Fatalf("d=%d k=%d of %d, step %d: the projection is off by %g", dims.d, dims.k, kept, i, e)
				}
			}
		}
	}
}

// counterexample draws [sqrt 3, 0] with probability 1/3 and [0, sqrt 2] with
// probability 2/3.
type counterexample struct{ rng *rand.Rand }

func (c counterexample) Dim() int { return 2 }

func (c counterexample) Next() ([]float64, bool) {
	if c.rng.IntN(3) == 0 {
		return []float64{math.Sqrt(3), 0}, true
	}
	return []float64{0, math.Sqrt2}, true
}

// TestIncrementalCounterexample simulates the distribution of Cotter 2013, section 4.5. With k = 1
// the incremental algorithm converges to [1, 0] with probability 5/9, although [0, 1] is the leading
// direction.
func TestIncrementalCounterexample(t *testing.T) {
	const runs, p = 2000, 5.0 / 9
	rng := newRand(11)
	wrong := 0
	for range runs {
		l := suite.Must(pca.NewIncremental(pca.IncrementalConfig{K: 1}, counterexample{rng}))
		suite.Advance(l, 30)
		var st pca.State
		l.StateTo(&st)
		switch a, b := math.Abs(st.U.At(0, 0)), math.Abs(st.U.At(1, 0)); {
		case a == 1 && b == 0:
			wrong++
		case a != 0 || b != 1:
			t.Fatalf("converged to [%g, %g]", a, b)
		}
	}
	if sd := math.Sqrt(p * (1 - p) * runs); math.Abs(float64(wrong)-p*runs) > 3*sd {
		t.Errorf("[1, 0] in %d of %d runs, want %.0f +- %.0f", wrong, runs, p*runs, 3*sd)
	}
}

func TestIncrementalTies(t *testing.T) {
	for newest, kept := range map[bool]float64{false: 0, true: 1} {
		src := pcatest.NewList(3, []float64{2, 0, 0}, []float64{0, 2, 0}, []float64{0, 0, 2})
		l := suite.Must(pca.NewIncremental(pca.IncrementalConfig{K: 2, KeepNewest: newest}, src))
		var st pca.State
		for i, rank := range []int{1, 2, 2} {
			l.Step()
			if l.Rank() != rank {
				t.Fatalf("step %d: rank %d, want %d", i+1, l.Rank(), rank)
			}
		}
		l.StateTo(&st)
		if mat.Norm(st.U.RowView(2).T(), math.Inf(1)) != kept {
			t.Errorf("KeepNewest %v, three equal directions: kept %v", newest, mat.Formatted(st.U))
		}
	}
}
