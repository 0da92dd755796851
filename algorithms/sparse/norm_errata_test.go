package sparse_test

import (
	"math"
	"testing"

	"stochopt/algorithms/sparse"
)

// TestErratumNormByTriangleInequality: that the norm of w~ is O(|w|) does not follow
// from the triangle inequality on the sequence of steps, which gives eta T. On n
// orthonormal points, of which w is the sum, there are n = |w|^2 steps: their lengths
// add up to |w|^2/2, which no multiple of |w| bounds. That each of them leads closer to
// w, from 0, bounds |w~| by 2 |w|.
func TestErratumNormByTriangleInequality(t *testing.T) {
	for _, n := range []int{16, 64, 256} {
		ref := &sparse.Reference{Alpha: make([]float64, n), NormSq: float64(n)}
		for i := range n {
			ref.Alpha[i] = 1
			ref.Scores = append(ref.Scores, 1)
		}
		const eta = 0.5
		l, err := sparse.NewSparsify(sparse.SparsifyConfig{Eta: eta, Epsilon: 0.5}, explicit(identity(n), n), ref)
		if err != nil {
			t.Fatal(err)
		}
		run(t, l, 10*n)
		var e sparse.Expansion
		l.ExpansionTo(&e)
		var normSq float64
		for _, c := range e.Coef {
			normSq += c * c
		}
		norm, lengths := math.Sqrt(normSq), eta*float64(l.Cost().Iterations)
		if norm > 2*math.Sqrt(ref.NormSq) {
			t.Errorf("n = %d: |w~| = %g, |w| = %g", n, norm, math.Sqrt(ref.NormSq))
		}
		if lengths != ref.NormSq/2 {
			t.Errorf("n = %d: the lengths of the steps add up to %g, want |w|^2/2 = %g", n, lengths, ref.NormSq/2)
		}
	}
}
