package sparse

import (
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// TestBoxQPExcessOfRounding: boxes that leave nothing but 0 to the coefficients of
// one sign; what is left of the excess when all are there is rounding.
func TestBoxQPExcessOfRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	for range 50 {
		const n = 9
		m := gaussianRows(cloud(rng, n, 2), 1, 0)
		q, err := newBoxQP("test", svm.Problem{Rows: m, Positive: 1}, true, 0)
		if err != nil {
			t.Fatal(err)
		}
		// beta_0 = -(beta_1 + … + beta_8), as it comes out of steps on pairs.
		for i := 1; i < n; i++ {
			q.Lo[i], q.Hi[i] = -2, 0
			q.Beta[i] = -rng.Float64()
			q.Beta[0] -= q.Beta[i]
		}
		q.Hi[0] = 20
		for i := range q.V {
			for j, v := range m.K[i] {
				q.V[i] += float64(float64(v) * q.Beta[j])
			}
		}
		q.Begin()
		q.Rebox(0, -20, 0)
		q.Begin()
		var status algorithms.Status
		for range 100 {
			if _, status = q.Step(1e-9); status.Stop() {
				break
			}
		}
		if status.State != algorithms.Converged {
			t.Fatalf("%v: %s", status.State, status.Reason)
		}
		for i, b := range q.Beta {
			if b != 0 {
				t.Fatalf("beta_%d = %v, 0 is all that is possible", i, b)
			}
		}
	}
}
