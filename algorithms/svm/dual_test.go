package svm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

func smallProblem(seed uint64) (svm.Problem, suite.Points) {
	p := suite.Blobs(rand.New(rand.NewPCG(seed, 5)), 20, 30, 10, 3, 1, 0.2)
	return svm.Problem{Rows: p.Gram(suite.Cauchy(0.3)), Positive: p.Positive}, p
}

// badRows is a problem with an impossible diagonal or shape.
type badRows struct {
	svm.Rows
	n, length int
	diag      []float64
}

func (b badRows) Train() int      { return b.n }
func (b badRows) Len() int        { return b.length }
func (b badRows) Diag() []float64 { return b.diag }

func TestDualConstructorErrors(t *testing.T) {
	good, points := smallProblem(1)
	n := points.Train()
	diag := func(v float64) svm.Problem {
		d := append([]float64(nil), good.Rows.Diag()...)
		d[n/2] = v
		return svm.Problem{Rows: badRows{good.Rows, n, good.Rows.Len(), d}, Positive: good.Positive}
	}
	for _, test := range []struct {
		name    string
		lambda  float64
		problem svm.Problem
		bias    bool
		want    string
	}{
		{"lambda 0", 0, good, false, "lambda = 0"},
		{"lambda < 0", -1, good, true, "lambda = -1"},
		{"lambda NaN", math.NaN(), good, false, "lambda = NaN"},
		{"lambda infinite", math.Inf(1), good, false, "lambda = +Inf"},
		{"lambda tiny", 1e-200, good, false, "lambda = 1e-200"},
		{"no rows", 1, svm.Problem{}, false, "no kernel rows"},
		{"negative count", 1, svm.Problem{Rows: good.Rows, Positive: -1}, false, "-1 positive"},
		{"too many", 1, svm.Problem{Rows: good.Rows, Positive: n + 1}, false, "51 positive"},
		{"all positive with a bias", 1, svm.Problem{Rows: good.Rows, Positive: n}, true, "both classes"},
		{"all negative with a bias", 1, svm.Problem{Rows: good.Rows}, true, "both classes"},
		{"no points", 1, svm.Problem{Rows: badRows{good.Rows, 0, 0, nil}}, false, "n = 0"},
		{"N < n", 1, svm.Problem{Rows: badRows{good.Rows, n, n - 1, good.Rows.Diag()}}, false, "N = 49"},
		{"short diagonal", 1, svm.Problem{Rows: badRows{good.Rows, n, n, make([]float64, 3)}}, false, "diagonal"},
		{"negative diagonal", 1, diag(-1), false, "point 25"},
		{"NaN on the diagonal", 1, diag(math.NaN()), false, "point 25"},
		{"infinite diagonal", 1, diag(math.Inf(1)), false, "point 25"},
	} {
		check := func(method string, err error) {
			t.Helper()
			if err == nil {
				t.Errorf("%s: %s: no error", test.name, method)
			} else if msg := err.Error(); !strings.Contains(msg, test.want) || !strings.HasPrefix(msg, "svm: "+method+": ") {
				t.Errorf("%s: %s: %q, want it to say %q", test.name, method, msg, test.want)
			}
		}
		_, err := svm.NewSMO(svm.SMOConfig{Lambda: test.lambda, Bias: test.bias}, test.problem)
		check("smo", err)
		_, err = svm.NewDecomposition(svm.DecompositionConfig{Lambda: test.lambda, Bias: test.bias, Size: 10}, test.problem)
		check("decomposition", err)
		if !test.bias {
			_, err = svm.NewSDCA(svm.SDCAConfig{Lambda: test.lambda}, test.problem, suite.Uniform{Rng: rand.New(rand.NewPCG(1, 1)), N: n})
			check("sdca", err)
		}
	}
	for _, tolerance := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := svm.NewSMO(svm.SMOConfig{Lambda: 1, Tolerance: tolerance}, good); err == nil || !strings.Contains(err.Error(), "tolerance") {
			t.Errorf("smo, tolerance %g: %v", tolerance, err)
		}
		if _, err := svm.NewDecomposition(svm.DecompositionConfig{Lambda: 1, Size: 4, Tolerance: tolerance}, good); err == nil || !strings.Contains(err.Error(), "tolerance") {
			t.Errorf("decomposition, tolerance %g: %v", tolerance, err)
		}
	}
	for size, bias := range map[int]bool{-3: false, 0: false, 1: true} {
		if _, err := svm.NewDecomposition(svm.DecompositionConfig{Lambda: 1, Size: size, Bias: bias}, good); err == nil || !strings.Contains(err.Error(), "size") {
			t.Errorf("decomposition, size %d, bias %t: %v", size, bias, err)
		}
	}
	if _, err := svm.NewSDCA(svm.SDCAConfig{Lambda: 1}, good, nil); err == nil || !strings.Contains(err.Error(), "order") {
		t.Errorf("sdca without an order: %v", err)
	}
	// One class only is legal without a bias.
	for _, positive := range []int{0, n} {
		s, err := svm.NewSMO(svm.SMOConfig{Lambda: 0.1}, svm.Problem{Rows: good.Rows, Positive: positive})
		if err != nil {
			t.Fatal(err)
		}
		for !s.Step().Stop() {
		}
		if v := s.Violation(); v > 1e-6 {
			t.Errorf("%d positive of %d: violation %g at the end", positive, n, v)
		}
	}
}

// TestDualTolerance: Converged is reported as soon as the violation is within the
// tolerance, and not before.
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
					every = 32 // the violation is looked at from time to time
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

// TestSMOTakesTheGreatestIncrease: without a bias, the increase of the objective in
// a step is the greatest that any one coordinate offers.
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
			t.Fatalf("step %d: increase %g, the best coordinate offers %g", step, got, best)
		}
	}
}

// TestSMOPair: with a bias, a step changes the pair of the second-order selection,
// found here by its definition, and leaves it where no other step of the pair is
// better.
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

// TestDualResponsesDoNotDrift: after 200,000 updates the responses are those that
// are computed afresh.
func TestDualResponsesDoNotDrift(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("200,000 updates")
	}
	p := suite.Blobs(rand.New(rand.NewPCG(9, 9)), 30, 40, 8, 12, 0.1, 0)
	gram := p.Gram(suite.Linear) // a singular kernel, contradicting labels: slow convergence
	problem := svm.Problem{Rows: gram, Positive: p.Positive}
	const lambda = 1e-5
	order := suite.Uniform{Rng: rand.New(rand.NewPCG(1, 2)), N: p.Train()}
	sdca, err := svm.NewSDCA(svm.SDCAConfig{Lambda: lambda}, problem, order)
	if err != nil {
		t.Fatal(err)
	}
	smo, err := svm.NewSMO(svm.SMOConfig{Lambda: lambda, Bias: true}, problem)
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]dualLearner{"sdca": sdca, "smo": smo} {
		var steps int
		for steps = range 200_000 {
			if l.Step().Stop() {
				break
			}
		}
		var s svm.Solution
		l.SolutionTo(&s)
		u := make([]float64, len(s.Scores))
		largest, sum := 0.0, 0.0
		for i, a := range s.Alpha {
			largest = max(largest, a)
			sum += problem.Label(i) * a
			for j, k := range gram.Row(i) {
				u[j] += a * problem.Label(i) * float64(k)
			}
		}
		worst := 0.0
		for j, v := range u {
			worst = max(worst, math.Abs(v+s.Bias-s.Scores[j]))
		}
		t.Logf("%s: %d steps, %d changes, largest alpha %g, sum %g, drift %g", name, steps+1, l.Cost().KernelEvalsMoved/int64(p.Train()), largest, sum, worst)
		if !(worst <= 1e-9) {
			t.Errorf("%s: the responses are off by %g", name, worst)
		}
		if name == "smo" && !(math.Abs(sum) <= 1e-12*largest*float64(p.Train())) {
			t.Errorf("smo: sum_i y_i alpha_i = %g", sum)
		}
	}
}

// TestDualBadRows: a row of the wrong length or that is not finite ends the run
// before it does any harm.
func TestDualBadRows(t *testing.T) {
	problem, points := smallProblem(6)
	short := shortRows{problem.Rows}
	for name, create := range map[string]func(p svm.Problem) (svm.Learner, error){
		"smo":      func(p svm.Problem) (svm.Learner, error) { return svm.NewSMO(svm.SMOConfig{Lambda: 1}, p) },
		"smo bias": func(p svm.Problem) (svm.Learner, error) { return svm.NewSMO(svm.SMOConfig{Lambda: 1, Bias: true}, p) },
		"decomposition": func(p svm.Problem) (svm.Learner, error) {
			return svm.NewDecomposition(svm.DecompositionConfig{Lambda: 1, Size: 3}, p)
		},
		"sdca": func(p svm.Problem) (svm.Learner, error) {
			return svm.NewSDCA(svm.SDCAConfig{Lambda: 1}, p, suite.Uniform{Rng: rand.New(rand.NewPCG(1, 2)), N: points.Train()})
		},
	} {
		l, err := create(svm.Problem{Rows: short, Positive: points.Positive})
		if err != nil {
			t.Fatal(err)
		}
		status := l.Step()
		if status.State != algorithms.Failed || !strings.Contains(status.Reason, fmt.Sprint(len(points.X)-1, " entries")) {
			t.Errorf("%s: %+v for a row that is too short", name, status)
		}
		if l.Cost() != (algorithms.Cost{}) {
			t.Errorf("%s: a step that was not made is charged %+v", name, l.Cost())
		}
	}
}

type shortRows struct{ svm.Rows }

func (s shortRows) Row(i int) []float32 { return s.Rows.Row(i)[:s.Len()-1] }

// TestSMOPairsWhereTheKernelIsNearlyConstant: a wide kernel, on which pairs arrive
// long before single coordinates.
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
