package svm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// dualLearner is the common interface of the dual methods.
type dualLearner interface {
	svm.Learner
	DualObjective() float64
	Violation() float64
}

// dualProblem is a test problem for the dual methods.
type dualProblem struct {
	name   string
	points suite.Points
	kernel func(x, y []float64) float64
	lambda float64
}

func (p dualProblem) problem() svm.Problem {
	return svm.Problem{Rows: p.points.Gram(p.kernel), Positive: p.points.Positive}
}

func dualProblems() []dualProblem {
	rng := func(s uint64) *rand.Rand { return rand.New(rand.NewPCG(42, s)) }
	overlapping := suite.Blobs(rng(1), 15, 25, 6, 3, 1.5, 0.3)
	apart := suite.Blobs(rng(2), 20, 10, 0, 2, 7, 1)
	repeated := suite.Points{Positive: 10, X: slices.Concat(overlapping.X[:6], overlapping.X[:6], overlapping.X[20:26], overlapping.X[20:26])}
	few := suite.Blobs(rng(3), 1, 2, 1, 2, 1, 0)
	var problems []dualProblem
	for name, p := range map[string]suite.Points{"overlapping": overlapping, "apart": apart, "repeated": repeated, "few": few} {
		for kernel, k := range map[string]func(x, y []float64) float64{"cauchy": suite.Cauchy(0.5), "linear": suite.Linear} {
			for _, lambda := range []float64{1, 1e-3} {
				problems = append(problems, dualProblem{fmt.Sprintf("%s %s lambda=%g", name, kernel, lambda), p, k, lambda})
			}
		}
	}
	return problems
}

// dualMethods returns the methods that maximise the dual objective.
func dualMethods(t *testing.T, p dualProblem, biased bool) map[string]dualLearner {
	t.Helper()
	methods := map[string]dualLearner{}
	add := func(name string, l dualLearner, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		methods[name] = l
	}
	smo, err := svm.NewSMO(svm.SMOConfig{Lambda: p.lambda, Bias: biased}, p.problem())
	add("smo", smo, err)
	for _, q := range []int{2, 10, 1000} {
		d, err := svm.NewDecomposition(svm.DecompositionConfig{Lambda: p.lambda, Bias: biased, Size: q}, p.problem())
		add(fmt.Sprint("decomposition ", q), d, err)
	}
	if !biased {
		pairs, err := svm.NewSMO(svm.SMOConfig{Lambda: p.lambda, Pairs: true}, p.problem())
		add("smo pairs", pairs, err)
		s, err := svm.NewSDCA(svm.SDCAConfig{Lambda: p.lambda}, p.problem(), suite.Uniform{Rng: rand.New(rand.NewPCG(1, 1)), N: p.points.Train()})
		add("sdca", s, err)
	}
	return methods
}

// TestDualOptimum checks that every method never decreases the objective, stays feasible, and ends
// with a duality gap of 0, which certifies the optimum.
func TestDualOptimum(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	for _, p := range dualProblems() {
		for _, biased := range []bool{false, true} {
			n := p.points.Train()
			y := make([]float64, n)
			for i := range y {
				y[i] = p.problem().Label(i)
			}
			for name, l := range dualMethods(t, p, biased) {
				t.Run(fmt.Sprintf("%s/biased=%t/%s", p.name, biased, name), func(t *testing.T) {
					ascend(t, l, biased, y, 1/(p.lambda*float64(n)))
					checkGap(t, l, p, biased)
				})
			}
		}
	}
}

// ascend steps l until it converges, and checks feasibility and the objective.
func ascend(t *testing.T, l dualLearner, biased bool, y []float64, upper float64) {
	t.Helper()
	var s svm.Solution
	last := l.DualObjective()
	for step := range 60_000 {
		if status := l.Step(); status.Stop() {
			if status.State != algorithms.Converged {
				t.Fatalf("step %d: %+v", step, status)
			}
			break
		}
		d := l.DualObjective()
		if d < last-1e-12*max(1, math.Abs(last)) {
			t.Fatalf("step %d: the dual objective decreased from %v to %v", step, last, d)
		}
		last = d
		if step%97 == 0 || step < 20 {
			checkFeasible(t, l, &s, biased, y, upper)
		}
	}
	checkFeasible(t, l, &s, biased, y, upper)
}

func checkFeasible(t *testing.T, l dualLearner, s *svm.Solution, biased bool, y []float64, upper float64) {
	t.Helper()
	l.SolutionTo(s)
	var sum float64
	for i, a := range s.Alpha {
		if a < 0 || a > upper {
			t.Fatalf("alpha_%d = %g, want it in [0, %g]", i, a, upper)
		}
		sum += y[i] * a
	}
	if biased && math.Abs(sum) > 1e-12*upper*float64(len(y)) {
		t.Fatalf("sum_i y_i alpha_i = %g, upper bound %g", sum, upper)
	}
}

// checkGap computes the duality gap from the solution, with the best b.
func checkGap(t *testing.T, l dualLearner, p dualProblem, biased bool) {
	t.Helper()
	var s svm.Solution
	l.SolutionTo(&s)
	n := p.points.Train()
	u := make([]float64, n)
	for i := range u {
		u[i] = s.Scores[i] - s.Bias
	}
	hinge := func(b float64) (sum float64) {
		for i, v := range u {
			sum += max(0, 1-p.problem().Label(i)*(v+b))
		}
		return sum / float64(n)
	}
	b := 0.0
	if biased {
		b = svm.BestBias(u, p.points.Positive)
	}
	primal := p.lambda/2*s.NormSq + hinge(b)
	dual := -s.NormSq / 2
	for _, a := range s.Alpha {
		dual += a
	}
	if d := l.DualObjective(); !(math.Abs(d-dual) <= 1e-9*dual) {
		t.Errorf("the dual objective is %v, want %v", d, dual)
	}
	if gap := primal - p.lambda*dual; !(math.Abs(gap) <= 1e-8*primal) {
		t.Errorf("duality gap %g of P = %g, violation %g", gap, primal, l.Violation())
	}
	if with := p.lambda/2*s.NormSq + hinge(s.Bias); !(with-primal <= 1e-7*primal) {
		t.Errorf("the primal objective is %v for b = %g, but %v for b = %g", with, s.Bias, primal, b)
	}
}
