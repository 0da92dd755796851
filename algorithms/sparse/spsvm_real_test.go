package sparse_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// TestBasisOnAdult: on Adult (the first 1605 points of a8a), 50 basis functions that
// SpSVM has chosen do as well as the SVM with all its support vectors, and as
// many random ones nearly so.
func TestBasisOnAdult(t *testing.T) {
	all := adult(t, "a8a")
	const n, most = 1605, 8000 // points to train and to test on
	var order []int
	positive := 0
	for _, label := range []float64{1, -1} {
		for i := range n {
			if all.Labels[i] == label {
				order = append(order, i)
				if label == 1 {
					positive++
				}
			}
		}
	}
	for i := range most {
		order = append(order, n+i)
	}
	points, err := kernel.NewPoints(all, order)
	if err != nil {
		t.Fatal(err)
	}
	open := func(from, to int) svm.Rows {
		c, err := kernel.NewCache(kernel.CacheConfig{Kernel: kernel.Gaussian{Gamma: 0.1}, Points: points, Train: n, From: from, To: to, Pool: kernel.NewPool(128 << 20)})
		if err != nil {
			t.Fatal(err)
		}
		r := c.Reader()
		t.Cleanup(func() { r.Close(); c.Close() })
		return r
	}
	train, test := open(0, n), open(n, n+most)
	wrong := func(e *sparse.Expansion) float64 {
		g := make([]float64, most)
		for k, i := range e.Index {
			for j, v := range test.Row(i) {
				g[j] += e.Coef[k] * float64(v)
			}
		}
		errors := 0
		for j, v := range g {
			if (v+e.Bias)*all.Labels[n+j] <= 0 {
				errors++
			}
		}
		return float64(errors) / most
	}
	p := svm.Problem{Rows: train, Positive: positive}

	smo, err := svm.NewSMO(svm.SMOConfig{Lambda: 1 / float64(n), Bias: true, Tolerance: 1e-3}, p)
	if err != nil {
		t.Fatal(err)
	}
	for !smo.Step().Stop() {
	}
	var s svm.Solution
	smo.SolutionTo(&s)
	var dense sparse.Expansion
	for i, a := range s.Alpha {
		if a != 0 {
			dense.Add(i, p.Label(i)*a)
		}
	}
	dense.Bias = s.Bias

	greedy, err := sparse.NewSpSVM(context.Background(), sparse.SpSVMConfig{C: 1, Bias: true, Support: 50, Candidates: 10}, p, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	for !greedy.Step().Stop() {
	}
	random, err := sparse.NewRSVM(context.Background(), sparse.RSVMConfig{C: 1, Bias: true, Ratio: 50.0 / float64(n)}, p, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	for !random.Step().Stop() {
	}
	var few, drawn sparse.Expansion
	greedy.ExpansionTo(&few)
	random.ExpansionTo(&drawn)
	full, chosen, rsvm := wrong(&dense), wrong(&few), wrong(&drawn)
	t.Logf("test error: SVM %.4f with %d support vectors, SpSVM %.4f with %d, RSVM %.4f with %d", full, len(dense.Coef), chosen, len(few.Coef), rsvm, len(drawn.Coef))
	if len(few.Coef) != 50 || len(drawn.Coef) != 50 {
		t.Fatalf("support %d and %d, want 50", len(few.Coef), len(drawn.Coef))
	}
	if chosen > full+0.005 {
		t.Errorf("SpSVM with 50 basis functions has test error %v, the SVM %v", chosen, full)
	}
	if rsvm > full+0.03 {
		t.Errorf("RSVM with 50 points has test error %v, the SVM %v", rsvm, full)
	}
}
