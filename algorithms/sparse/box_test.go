package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// solve steps q until it converges. From a feasible start, it checks that every step takes one or
// two rows and does not decrease the dual objective.
func solve(t *testing.T, q boxQP, feasible bool) {
	t.Helper()
	q.Begin()
	last := q.Objective()
	for range 100000 {
		rows, status := q.Step(1e-9)
		if status.Stop() {
			if status.State != algorithms.Converged {
				t.Fatalf("%v: %s", status.State, status.Reason)
			}
			return
		}
		if want := map[bool]int{true: 2, false: 1}[q.Bias]; feasible && rows != want {
			t.Fatalf("a step took %d rows, want %d", rows, want)
		}
		now := q.Objective()
		if feasible && now < last-1e-12*math.Abs(last) {
			t.Fatalf("the dual objective decreased from %v to %v", last, now)
		}
		last = now
	}
	t.Fatal("no convergence in 100000 steps")
}

// boxProblems calls f on random small problems with and without a bias, for several epsilon.
func boxProblems(t *testing.T, f func(t *testing.T, rng *rand.Rand, m *memoryRows, q boxQP)) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 30 {
		n := 4 + 3*(trial%5)
		bias, epsilon := trial%2 == 0, [3]float64{0, 0.1, 0.5}[trial%3]
		m := gaussianRows(cloud(rng, n, 2), 0.7, 0.05)
		q := suite.Must(newBoxQP("test", svm.Problem{Rows: m, Positive: n / 2}, 1, epsilon, 0, bias))
		for i := range n {
			q.Shift[i] = 2 * rng.NormFloat64()
			q.Lo[i], q.Hi[i] = -2*rng.Float64(), 2*rng.Float64()
			switch rng.IntN(6) {
			case 0:
				q.Lo[i] = 0
			case 1:
				q.Hi[i] = 0
			case 2:
				q.Lo[i], q.Hi[i] = 0, 0
			}
			q.V[i] = -q.Shift[i]
		}
		t.Run(fmt.Sprintf("%d n=%d bias=%t epsilon=%g", trial, n, bias, epsilon), func(t *testing.T) { f(t, rng, m, q) })
	}
}

// TestBoxQP checks the optimality of solutions from three starts: from 0, from infeasible
// coefficients, and from a solution whose bounds have changed.
func TestBoxQP(t *testing.T) {
	t.Parallel()
	boxProblems(t, func(t *testing.T, rng *rand.Rand, m *memoryRows, q boxQP) {
		solve(t, q, true)
		checkOptimal(t, m, q)
		p := svm.Problem{Rows: m, Positive: q.N / 2}
		ref := &Reference{Alpha: make([]float64, q.N), Scores: make([]float64, q.N), Bias: 0.3}
		for i := range q.N {
			ref.Alpha[i] = 2 * rng.NormFloat64()
		}
		for i := range q.N {
			ref.Scores[i] = ref.Bias
			for j, v := range m.K[i] {
				ref.Scores[i] += float64(v) * p.Label(j) * ref.Alpha[j]
			}
		}
		q.startAt(p, ref)
		solve(t, q, false)
		checkOptimal(t, m, q)
		for i := range q.N {
			switch i % 3 {
			case 0:
				q.SetBounds(i, 0, 0)
			case 1:
				q.SetBounds(i, -q.Hi[i], -q.Lo[i])
			}
		}
		solve(t, q, false)
		checkOptimal(t, m, q)
	})
}

// checkOptimal checks the residuals, feasibility and the duality gap of beta.
func checkOptimal(t *testing.T, m *memoryRows, q boxQP) {
	t.Helper()
	var sum float64
	var nonzero int
	for i, b := range q.Beta {
		u := 0.0
		for j, v := range m.K[i] {
			u += float64(v) * q.Beta[j]
		}
		if math.Abs(u-q.Shift[i]-q.V[i]) > 1e-9 {
			t.Fatalf("residual %d is %v, want %v", i, q.V[i], u-q.Shift[i])
		}
		if b < q.Lo[i] || b > q.Hi[i] {
			t.Fatalf("beta_%d = %v, want it in [%v, %v]", i, b, q.Lo[i], q.Hi[i])
		}
		if b != 0 {
			nonzero++
		}
		sum += b
	}
	if nonzero != q.Nonzero {
		t.Errorf("%d nonzero coefficients, want %d", q.Nonzero, nonzero)
	}
	if q.Bias && math.Abs(sum) > 1e-9 {
		t.Errorf("the coefficients sum to %v", sum)
	}
	got := q.Objective()
	if gap := q.primal(q.Offset()) - got; gap < -1e-9 || gap > 1e-6*max(1, math.Abs(got)) {
		t.Errorf("duality gap %v of %v", gap, got)
	}
}

// TestBestCoordinateIsBest checks that, without a bias, a step changes a coefficient of the
// greatest gain.
func TestBestCoordinateIsBest(t *testing.T) {
	boxProblems(t, func(t *testing.T, rng *rand.Rand, m *memoryRows, q boxQP) {
		if q.Bias {
			return
		}
		q.Begin()
		for range 50 {
			var most float64
			gains := make([]float64, q.N)
			for i := range gains {
				_, gains[i] = q.Best(i)
				most = max(most, gains[i])
			}
			if _, status := q.Step(1e-12); status.Stop() {
				return
			}
			if i := q.Changed[0].I; len(q.Changed) != 1 || gains[i] < most*(1-1e-12) {
				t.Fatalf("chose coefficient %d with a gain of %v; the greatest gain is %v", i, gains[i], most)
			}
		}
	})
}

// TestBoxQPExcessOfRounding uses bounds that force all coefficients to 0. Rounding must not leave
// a nonzero coefficient.
func TestBoxQPExcessOfRounding(t *testing.T) {
	const n = 9
	rng := rand.New(rand.NewPCG(3, 14))
	for range 50 {
		m := gaussianRows(cloud(rng, n, 2), 1, 0)
		q := suite.Must(newBoxQP("test", svm.Problem{Rows: m, Positive: 1}, 1, 0, 0, true))
		// beta_0 = -(beta_1 + … + beta_8), as after steps on pairs.
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
		q.SetBounds(0, -20, 0)
		solve(t, q, false)
		for i, b := range q.Beta {
			if b != 0 {
				t.Fatalf("beta_%d = %v, want 0, the only feasible value", i, b)
			}
		}
	}
}
