package registry

import (
	"context"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

// TestVirtualRun: with the defaults, of which some are above the number of points,
// each method runs; the number of vectors reaches it, and so do the bias and, where a
// step may be long, the context.
func TestVirtualRun(t *testing.T) {
	t.Parallel()
	const n, gamma = 40, 0.3
	points := sparsetest.Blobs(rand.New(rand.NewPCG(4, 5)), 20, 20, 2, 1, 0)
	rows := points.GaussianGram(gamma)
	for id, count := range map[string]string{"reduced-set": "support", "csvm": "support", "cpsp": "basis"} {
		for _, bias := range []bool{false, true} {
			ref, err := sparsetest.Train(rows, points.Positive, 1, bias)
			if err != nil {
				t.Fatal(err)
			}
			run := func(ctx context.Context, with Params) (e sparse.Expansion, status algorithms.Status) {
				p := Params{"kernel": "gaussian", "gamma": gamma, "C": 1.0, "bias": bias}
				for _, q := range Catalog().Task(TaskSparse).Algorithm(id).Params {
					if q.Default != nil && !p.has(q.Name) {
						p[q.Name] = q.Default
					}
				}
				for name, v := range with {
					p[name] = v
				}
				if err := of(TaskSparse, id).CheckTrainRows(p, n); err != nil {
					t.Fatal(err)
				}
				l, err := NewSparse(of(TaskSparse, id), Env{
					Kernel:    func() svm.Problem { return svm.Problem{Rows: rows, Positive: points.Positive} },
					Inputs:    func() sparse.Inputs { return points.Inputs(gamma) },
					Reference: func() *sparse.Reference { return ref },
					Rand:      func(string) *rand.Rand { return rand.New(rand.NewPCG(1, 2)) },
					Context:   ctx, C: 1, Bias: bias,
				}, p)
				if err != nil {
					t.Fatalf("%s: %v", id, err)
				}
				for range 5000 {
					if status = l.Step(); status.Stop() {
						break
					}
				}
				l.ExpansionTo(&e)
				return e, status
			}
			e, status := run(t.Context(), nil)
			if status.State != algorithms.Converged || len(e.Coef) == 0 {
				t.Errorf("%s, bias %t: %v: %s, %d vectors", id, bias, status.State, status.Reason, len(e.Coef))
			}
			if (e.Bias != 0) != bias {
				t.Errorf("%s, bias %t: b = %g", id, bias, e.Bias)
			}
			if e, _ := run(t.Context(), Params{count: int64(3)}); len(e.Coef) != 3 {
				t.Errorf("%s, bias %t: %d vectors, want 3", id, bias, len(e.Coef))
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if _, status := run(ended, nil); id != "reduced-set" && status.State != algorithms.Failed {
				t.Errorf("%s, bias %t: %v after its context has ended", id, bias, status.State)
			}
		}
	}
}
