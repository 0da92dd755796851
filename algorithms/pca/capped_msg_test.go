package pca_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"

	"gonum.org/v1/gonum/mat"
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

func TestCappedMSGWithoutCapIsMSG(t *testing.T) {
	const d, k = 12, 3
	for _, start := range []pca.Start{pca.StartRandomLowRank, pca.StartUniform, pca.StartRandomSubspace} {
		step := algorithms.InverseSqrt{C: 0.4}
		plain, err := pca.NewMSG(pca.MSGConfig{K: k, Step: step, Start: start}, &mixture{d: d, rng: newRand(5)}, newRand(6))
		if err != nil {
			t.Fatal(err)
		}
		capped, err := pca.NewCappedMSG(pca.CappedMSGConfig{K: k, Cap: d, Step: step, Start: start}, &mixture{d: d, rng: newRand(5)}, newRand(6))
		if err != nil {
			t.Fatal(err)
		}
		var a, b pca.State
		for i := range 500 {
			plain.Step()
			capped.Step()
			plain.StateTo(&a)
			capped.StateTo(&b)
			if !slices.Equal(a.Sigma, b.Sigma) || a.Bulk != b.Bulk || a.U != nil && !mat.Equal(a.U, b.U) || plain.Cost() != capped.Cost() {
				t.Fatalf("start %s, step %d: capped MSG with the cap d differs from MSG", start, i)
			}
		}
	}
}

func TestRaiseWhenStuck(t *testing.T) {
	const d, k = 6, 1
	axes := make([][]float64, d)
	for i := range axes {
		axes[i] = make([]float64, d)
		axes[i][i] = 1
	}
	newCapped := func(window int64, src pca.Source) *pca.CappedMSG {
		l, err := pca.NewCappedMSG(pca.CappedMSGConfig{K: k, Cap: 1, Step: algorithms.Constant{C: 0.25}, RaiseWhenStuck: window}, src, newRand(13))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	// At the cap k the mass of the top k directions is k and cannot improve.
	var rows [][]float64
	for i := range 60 {
		rows = append(rows, axes[i%d])
	}
	const window = 7
	l := newCapped(window, pcatest.NewList(d, rows...))
	l.Step() // sets the mass to improve on
	for i := range int64(window) {
		if l.Cap() != 1 {
			t.Fatalf("cap %d after %d stuck iterations, want 1", l.Cap(), i)
		}
		l.Step()
	}
	if l.Cap() != 2 {
		t.Fatalf("cap %d after %d stuck iterations, want 2", l.Cap(), window)
	}
	for !l.Step().Stop() {
		if l.Cap() > d || l.Rank() > l.Cap() {
			t.Fatalf("rank %d, cap %d", l.Rank(), l.Cap())
		}
	}
	// Without the option nothing happens; zeros do not count.
	l = newCapped(0, pcatest.NewList(d, rows...))
	for !l.Step().Stop() {
	}
	if l.Cap() != 1 {
		t.Errorf("cap %d without RaiseWhenStuck", l.Cap())
	}
	zeros := make([][]float64, 50)
	for i := range zeros {
		zeros[i] = make([]float64, d)
	}
	l = newCapped(window, pcatest.NewList(d, zeros...))
	for !l.Step().Stop() {
	}
	if l.Cap() != 1 {
		t.Errorf("cap %d after samples that change nothing", l.Cap())
	}
}

// startThen yields one sample and then those of a source.
type startThen struct {
	pca.Source
	first []float64
}

func (s *startThen) Next() ([]float64, bool) {
	if x := s.first; x != nil {
		s.first = nil
		return x, true
	}
	return s.Source.Next()
}

// TestRaiseWhenStuckEscapes shows what raising the cap is for: on orthogonal
// samples a cap of k is never left, a raised one is.
func TestRaiseWhenStuckEscapes(t *testing.T) {
	p := []float64{0.1, 0.1, 0.2, 0.6}
	d := len(p)
	for _, test := range []struct {
		window int64
		solved bool
	}{{0, false}, {50, true}} {
		src := &startThen{pcatest.NewOrthogonal(p, newRand(14)), []float64{1e100, 0, 0, 0}}
		l, err := pca.NewCappedMSG(pca.CappedMSGConfig{
			K: 1, Cap: 1, Step: algorithms.Constant{C: 0.05}, RaiseWhenStuck: test.window,
		}, src, newRand(15))
		if err != nil {
			t.Fatal(err)
		}
		for range 5000 {
			l.Step()
		}
		var st pca.State
		l.StateTo(&st)
		second := mat.NewSymDense(d, nil)
		for i, v := range p {
			second.SetSym(i, i, v)
		}
		if got := pcatest.Suboptimality(&st, second, 1); (got < 0.01) != test.solved {
			t.Errorf("window %d: suboptimality %g (cap %d), solved should be %v", test.window, got, l.Cap(), test.solved)
		}
	}
}
