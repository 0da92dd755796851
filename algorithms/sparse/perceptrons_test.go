package sparse

import (
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// TestSeparablePerceptron compares the method with a Perceptron that recomputes its responses. It
// checks the bound |v|^2 on mistakes, and that the method converges once all points with a margin of
// 1 are classified correctly. The reference has a bias and margin violations.
func TestSeparablePerceptron(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		in := gaussianCloud(seed, 60, 2, 0.5)
		p, ref := in.problem(), in.trained(t)
		a := suite.Must(NewSeparablePerceptron(p, newDrawnOrder(seed, 60), ref))
		order, w, mistakes, wrong := newDrawnOrder(seed, 60), make([]float64, 60), 0, 0
		margin := func(i int) float64 {
			g := ref.Bias
			for j, beta := range w {
				g += beta * in.kernel(in.x[i], in.x[j])
			}
			return p.Label(i) * g
		}
		kept := func(i int) bool { return p.Label(i)*ref.Scores[i] >= 1 }
		status := algorithms.Status{}
		for !status.Stop() {
			i := order.Next()
			if !kept(i) {
				continue
			}
			if status = a.Step(); margin(i) <= 0 {
				w[i] += p.Label(i)
				mistakes++
			}
			wrong = 0
			for i := range w {
				if kept(i) && margin(i) <= 0 {
					wrong++
				}
			}
		}
		if e := run(t, a); status.State != algorithms.Converged || wrong > 0 || e.Bias != ref.Bias {
			t.Errorf("seed %d: %+v with %d training errors, bias %g", seed, status, wrong, e.Bias)
		} else {
			for k, i := range e.Index {
				if e.Coef[k] != w[i] {
					t.Errorf("seed %d: coefficient %g of %d, want %g", seed, e.Coef[k], i, w[i])
				}
			}
		}
		if a.Mistakes() != int64(mistakes) || float64(mistakes) > ref.NormSq || mistakes == 0 {
			t.Errorf("seed %d: %d mistakes, want %d, at most %g", seed, a.Mistakes(), mistakes, ref.NormSq)
		}
	}
	in := gaussianCloud(4, 8, 2, 0.5)
	none := &Reference{Alpha: make([]float64, 8), Scores: make([]float64, 8)}
	if _, err := NewSeparablePerceptron(svm.Problem{Rows: in, Positive: 4}, newDrawnOrder(1, 8), none); err == nil {
		t.Error("no error for a reference without margins")
	}
}
