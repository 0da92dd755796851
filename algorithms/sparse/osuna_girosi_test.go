package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/svm"
)

// trained returns a problem of two overlapping clouds and the SVM on it.
func trained(t testing.TB, n int, c float64, bias bool) (*memoryRows, svm.Problem, *Reference) {
	t.Helper()
	m := gaussianRows(cloud(rand.New(rand.NewPCG(11, 12)), n, 2), 0.5, 0.1)
	p := svm.Problem{Rows: m, Positive: n / 2}
	return m, p, svmOn(t, p, c, bias)
}

func ogConfig(edit func(c *OsunaGirosiConfig)) OsunaGirosiConfig {
	c := OsunaGirosiConfig{Epsilon: 0.1, C: 2, Tolerance: 1e-8}
	if edit != nil {
		edit(&c)
	}
	return c
}

// eachOsunaGirosi calls f without a bias and with one.
func eachOsunaGirosi(t *testing.T, f func(t *testing.T, m *memoryRows, ref *Reference, solve func(epsilon, c float64) (*OsunaGirosi, *Expansion))) {
	for _, bias := range []bool{false, true} {
		m, p, ref := trained(t, 40, 2, bias)
		t.Run(fmt.Sprintf("bias=%t", bias), func(t *testing.T) {
			f(t, m, ref, func(epsilon, c float64) (*OsunaGirosi, *Expansion) {
				o, err := NewOsunaGirosi(ogConfig(func(cfg *OsunaGirosiConfig) {
					cfg.Epsilon, cfg.C, cfg.Bias = epsilon, c, bias
				}), p, ref)
				if err != nil {
					t.Fatal(err)
				}
				return o, run(t, o)
			})
		})
	}
}

// TestOsunaGirosiLimits: with epsilon = 0 and the C of the SVM w~ = w, and b~ = b;
// with a large epsilon w~ = 0.
func TestOsunaGirosiLimits(t *testing.T) {
	eachOsunaGirosi(t, func(t *testing.T, m *memoryRows, ref *Reference, solve func(float64, float64) (*OsunaGirosi, *Expansion)) {
		for _, c := range []float64{2, 100} {
			_, e := solve(0, c)
			for j, g := range scoresOf(m, e) {
				if math.Abs(g-ref.Scores[j]) > 1e-5 {
					t.Fatalf("C = %g: score %d is %v, that of the reference %v", c, j, g, ref.Scores[j])
				}
			}
		}
		largest := 0.0
		for _, s := range ref.Scores {
			largest = max(largest, math.Abs(s-ref.Bias))
		}
		o, e := solve(largest, 2)
		if len(e.Coef) != 0 || o.Support() != 0 {
			t.Errorf("epsilon = %g: %d vectors, want none", largest, len(e.Coef))
		}
		if _, e := solve(largest/2, 2); len(e.Coef) == 0 {
			t.Errorf("epsilon = %g: no vectors", largest/2)
		}
	})
}

// TestOsunaGirosiOptimality: the conditions of the primal problem, written down from
// its subdifferential, and fewer vectors for a greater epsilon.
func TestOsunaGirosiOptimality(t *testing.T) {
	eachOsunaGirosi(t, func(t *testing.T, m *memoryRows, ref *Reference, solve func(float64, float64) (*OsunaGirosi, *Expansion)) {
		last := math.MaxInt
		for _, epsilon := range []float64{0.02, 0.1, 0.4, 0.8} {
			const c = 0.7
			o, e := solve(epsilon, c)
			beta := make([]float64, len(m.K))
			for k, i := range e.Index {
				beta[i] = e.Coef[k]
			}
			for j, g := range scoresOf(m, e) {
				// The loss of point j is C max(0, |r| - epsilon), and beta_j is in
				// its subdifferential at r.
				r, low, high := ref.Scores[j]-g, 0.0, 0.0
				if r >= epsilon-1e-6 {
					high = c
				}
				if r > epsilon+1e-6 {
					low = c
				}
				if r <= -epsilon+1e-6 {
					low = -c
				}
				if r < -epsilon-1e-6 {
					high = -c
				}
				if beta[j] < low || beta[j] > high {
					t.Fatalf("epsilon = %g: beta_%d = %v, residual %v: want it in [%v, %v]", epsilon, j, beta[j], r, low, high)
				}
			}
			if o.Support() > last {
				t.Errorf("epsilon = %g: %d vectors, %d with a smaller one", epsilon, o.Support(), last)
			}
			last = o.Support()
		}
	})
}
