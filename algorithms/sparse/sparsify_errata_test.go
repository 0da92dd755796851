package sparse_test

import (
	"math"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
)

// The text on the aggressive variant steps on a support vector with
// h_i - <w~, Phi(x_i)> <= epsilon, whose constraint holds. The example has two orthogonal
// positive points. After a step on the first its constraint holds, so the printed rule steps
// on it for ever and never considers the second.
func TestErratumAggressiveInequality(t *testing.T) {
	const eta, epsilon = 0.5, 0.5
	u, inSupport := [2]float64{}, [2]bool{}
	for range 1000 {
		at := -1
		for i, in := range inSupport {
			if in && 1-u[i] <= epsilon { // as printed
				at = i
			}
		}
		if at < 0 {
			at = 0
		}
		u[at], inSupport[at] = u[at]+eta, true
	}
	if f := 1 - min(u[0], u[1]); f <= epsilon || inSupport[1] {
		t.Errorf("as printed: f(w~) = %g; the printed rule should not converge", f)
	}
	ref := &sparse.Reference{Alpha: []float64{1, 1}, Scores: []float64{1, 1}, NormSq: 2}
	l := suite.Must(sparse.NewSparsifyAggressive(sparse.SparsifyConfig{Eta: eta, Epsilon: epsilon}, explicit(identity(2), 2), ref))
	run(t, l, 2)
	if l.Support() != 2 || l.Value() != 0.5 {
		t.Errorf("%d expansion vectors, f(w~) = %g", l.Support(), l.Value())
	}
}

// 3769-3776: the pseudo-code of the subgradient descent computes w~^(t) and c~^(t) from
// iterate t-1, but never sets or increases t. Lines 3771 to 3773 read c~ and alpha~ without
// an index. With t = 1 throughout, every step repeats the first. Two orthogonal positive
// points then alternate for ever, and w~ never has more than one vector.
func TestErratumSubgradientTime(t *testing.T) {
	const eta, epsilon = 0.5, 0.5
	var alpha [2]float64
	for step := range 1000 {
		i := 0
		if alpha[1] < alpha[0] {
			i = 1
		}
		if 1-alpha[i] <= epsilon {
			t.Fatalf("with t = 1 throughout: converged after %d steps at %v", step, alpha)
		}
		alpha = [2]float64{} // the iterate t-1 = 0
		alpha[i] = eta
	}
	ref := &sparse.Reference{Alpha: []float64{1, 1}, Scores: []float64{1, 1}, NormSq: 2}
	l := suite.Must(sparse.NewSparsify(sparse.SparsifyConfig{Eta: eta, Epsilon: epsilon}, explicit(identity(2), 2), ref))
	run(t, l, 10)
	if l.Cost().Iterations != 2 || l.Support() != 2 || l.Value() != 0.5 {
		t.Errorf("Sparsify: %d steps, %d expansion vectors, f(w~) = %g",
			l.Cost().Iterations, l.Support(), l.Value())
	}
}

// The thesis claims 4 |w|^2 iterations also for steps of size 1/2 on pairs. Such a step is
// twice the subgradient of f, with the best b~, along Phi(x+) - Phi(x-), whose squared norm is
// up to 4 and not 1. If 0 <= K <= 1, the squared norm is at most 2 and there are at most
// 2 |w|^2 steps. If K may be negative, the claim fails. The counterexample has two pairs of
// opposite points, v and -v, with <v_1, v_2> = -1/2. w is the shortest vector with
// <w, v_1> = 0.51 and <w, v_2> = 0.001.
func TestErratumStepsOnPairs(t *testing.T) {
	const first, second = 0.51, 0.001
	v := [][2]float64{{1, 0}, {-0.5, math.Sqrt(0.75)}, {-1, 0}, {0.5, -math.Sqrt(0.75)}}
	k := make([][]float64, len(v))
	for i, a := range v {
		for _, b := range v {
			k[i] = append(k[i], a[0]*b[0]+a[1]*b[1])
		}
	}
	w := [2]float64{first, (second + first/2) / math.Sqrt(0.75)}
	ref := &sparse.Reference{Alpha: make([]float64, len(v)), NormSq: w[0]*w[0] + w[1]*w[1]}
	for _, a := range v {
		ref.Scores = append(ref.Scores, w[0]*a[0]+w[1]*a[1])
	}
	l := suite.Must(sparse.NewSparsify(sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5, Relearn: true}, explicit(k, 2), ref))
	run(t, l, 10)
	if steps := float64(l.Cost().Iterations); steps <= 4*ref.NormSq {
		t.Errorf("%g steps, 4 |w|^2 = %g: the claim holds", steps, 4*ref.NormSq)
	}
}

// TestErratumNormByTriangleInequality shows that |w~| = O(|w|) does not follow from the triangle
// inequality over the steps, which gives eta T. If w is the sum of n orthonormal points, there are
// n = |w|^2 steps, whose lengths add up to |w|^2/2, which is not O(|w|). The bound |w~| <= 2 |w|
// holds because each step from 0 leads closer to w.
func TestErratumNormByTriangleInequality(t *testing.T) {
	for _, n := range []int{16, 64, 256} {
		ref := &sparse.Reference{Alpha: make([]float64, n), NormSq: float64(n)}
		for i := range n {
			ref.Alpha[i] = 1
			ref.Scores = append(ref.Scores, 1)
		}
		const eta = 0.5
		l := suite.Must(sparse.NewSparsify(sparse.SparsifyConfig{Eta: eta, Epsilon: 0.5}, explicit(identity(n), n), ref))
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
			t.Errorf("n = %d: the lengths of the steps add up to %g, want |w|^2/2 = %g",
				n, lengths, ref.NormSq/2)
		}
	}
}
