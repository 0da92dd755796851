package svm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

func smallProblem(seed uint64) (svm.Problem, suite.Points) {
	p := suite.Blobs(rand.New(rand.NewPCG(seed, 5)), 20, 30, 10, 3, 1, 0.2)
	return svm.Problem{Rows: p.Gram(suite.Cauchy(0.3)), Positive: p.Positive}, p
}

// TestDualTolerance checks that Converged is reported if and only if the violation is within the
// tolerance.
func TestDualTolerance(t *testing.T) {
	problem, _ := smallProblem(2)
	for _, tolerance := range []float64{0.5, 1e-3, 1e-7} {
		for _, bias := range []bool{false, true} {
			smo, err := svm.NewSMO(svm.SMOConfig{Lambda: 1e-3, Bias: bias, Tolerance: tolerance}, problem)
			if err != nil {
				t.Fatal(err)
			}
			dec, err := svm.NewDecomposition(svm.DecompositionConfig{Lambda: 1e-3, Bias: bias, Size: 4, Tolerance: tolerance}, problem)
			if err != nil {
				t.Fatal(err)
			}
			for name, l := range map[string]dualLearner{"smo": smo, "decomposition": dec} {
				every := int64(1)
				if name == "smo" && !bias {
					every = 32 // steps between checks
				}
				for {
					before := l.Violation()
					status := l.Step()
					if status.Stop() {
						if status.State != algorithms.Converged || !(before <= tolerance) || status.Reason == "" {
							t.Errorf("%s, bias %t, tolerance %g: %+v at violation %g", name, bias, tolerance, status, before)
						}
						break
					}
					if before <= tolerance && (l.Cost().Iterations-1)%every == 0 {
						t.Errorf("%s, bias %t, tolerance %g: running at violation %g", name, bias, tolerance, before)
						break
					}
				}
			}
		}
	}
}

// TestSMOTakesTheGreatestIncrease checks that, without a bias, a step increases the objective by the
// greatest increase of any single coordinate.
func TestSMOTakesTheGreatestIncrease(t *testing.T) {
	problem, points := smallProblem(3)
	const lambda = 1e-3
	n := points.Train()
	upper := 1 / (lambda * float64(n))
	s, err := svm.NewSMO(svm.SMOConfig{Lambda: lambda}, problem)
	if err != nil {
		t.Fatal(err)
	}
	var sol svm.Solution
	for step := range 400 {
		s.SolutionTo(&sol)
		best := 0.0
		for i := range n {
			g, k := 1-problem.Label(i)*sol.Scores[i], problem.Rows.Diag()[i]
			delta := min(max(sol.Alpha[i]+g/k, 0), upper) - sol.Alpha[i]
			best = max(best, delta*g-delta*delta*k/2)
		}
		before := s.DualObjective()
		if s.Step().Stop() {
			break
		}
		if got := s.DualObjective() - before; math.Abs(got-best) > 1e-10*max(1, before) {
			t.Fatalf("step %d: increase %g, want %g", step, got, best)
		}
	}
}

// TestSMOPair checks that, with a bias, a step changes the pair of the second-order selection, and
// that no other change of the pair is better.
func TestSMOPair(t *testing.T) {
	problem, points := smallProblem(4)
	const lambda = 1e-3
	n := points.Train()
	upper := 1 / (lambda * float64(n))
	s, err := svm.NewSMO(svm.SMOConfig{Lambda: lambda, Bias: true}, problem)
	if err != nil {
		t.Fatal(err)
	}
	kernel := func(i, j int) float64 { return float64(problem.Rows.Row(i)[j]) }
	var before, after svm.Solution
	for step := range 300 {
		s.SolutionTo(&before)
		if s.Step().Stop() {
			break
		}
		s.SolutionTo(&after)
		i, x := -1, make([]float64, n)
		up, low := make([]bool, n), make([]bool, n)
		for k := range n {
			y, a := problem.Label(k), before.Alpha[k]
			x[k] = before.Scores[k] - before.Bias - y
			up[k] = y > 0 && a < upper || y < 0 && a > 0
			low[k] = y < 0 && a < upper || y > 0 && a > 0
			if up[k] && (i < 0 || x[k] < x[i]) {
				i = k
			}
		}
		j, best := -1, 0.0
		for k := range n {
			if d := x[k] - x[i]; low[k] && d > 0 {
				if gain := d * d / (kernel(i, i) + kernel(k, k) - 2*kernel(i, k)); gain > best*(1+1e-9) {
					j, best = k, gain
				}
			}
		}
		for k := range n {
			if changed := before.Alpha[k] != after.Alpha[k]; changed != (k == i || k == j) {
				t.Fatalf("step %d: pair (%d, %d), but alpha_%d went from %v to %v", step, i, j, k, before.Alpha[k], after.Alpha[k])
			}
		}
		value := func(delta float64) float64 {
			q := kernel(i, i) + kernel(j, j) - 2*kernel(i, j)
			return delta*(x[j]-x[i]) - delta*delta*q/2
		}
		delta := problem.Label(i) * (after.Alpha[i] - before.Alpha[i])
		for _, other := range []float64{0.99 * delta, 1.01 * delta} {
			ai, aj := before.Alpha[i]+problem.Label(i)*other, before.Alpha[j]-problem.Label(j)*other
			if ai >= 0 && ai <= upper && aj >= 0 && aj <= upper && value(other) > value(delta)*(1+1e-9) {
				t.Fatalf("step %d: delta = %g is worse than %g", step, delta, other)
			}
		}
	}
}

// TestSMOPairsWhereTheKernelIsNearlyConstant checks that pairs converge much faster than single
// coordinates with a wide kernel.
func TestSMOPairsWhereTheKernelIsNearlyConstant(t *testing.T) {
	p := suite.Blobs(rand.New(rand.NewPCG(31, 5)), 60, 90, 0, 3, 2, 0)
	problem := svm.Problem{Rows: p.Gram(suite.Cauchy(0.01)), Positive: p.Positive}
	steps := map[bool]int64{}
	for _, pairs := range []bool{false, true} {
		s, err := svm.NewSMO(svm.SMOConfig{Lambda: 1e-4, Pairs: pairs, Tolerance: 1e-3}, problem)
		if err != nil {
			t.Fatal(err)
		}
		for s.Cost().Iterations < 200_000 && !s.Step().Stop() {
		}
		steps[pairs] = s.Cost().Iterations
		if pairs && s.Violation() > 1e-3 {
			t.Errorf("pairs: violation %g after %d steps", s.Violation(), steps[pairs])
		}
	}
	t.Logf("%d steps of single coordinates, %d of pairs", steps[false], steps[true])
	if steps[true]*5 > steps[false] {
		t.Errorf("%d steps of single coordinates, %d of pairs", steps[false], steps[true])
	}
}
