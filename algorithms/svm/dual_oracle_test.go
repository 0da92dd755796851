package svm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/mat"
)

// dualLearner is what the dual methods have in common.
type dualLearner interface {
	svm.Learner
	DualObjective() float64
	Violation() float64
}

// dualProblem is a problem that the dual methods are tried on.
type dualProblem struct {
	name   string
	points suite.Points
	kernel func(x, y []float64) float64
	lambda float64
}

func (p dualProblem) problem() svm.Problem {
	return svm.Problem{Rows: p.points.Gram(p.kernel), Positive: p.points.Positive}
}

// signed returns Q_ij = y_i y_j K_ij.
func (p dualProblem) signed() *mat.SymDense {
	m := p.points.Gram(p.kernel)
	n := m.Train()
	q := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			v := float64(m.Row(i)[j])
			if (i < p.points.Positive) != (j < p.points.Positive) {
				v = -v
			}
			q.SetSym(i, j, v)
		}
	}
	return q
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
			for _, lambda := range []float64{1, 0.03, 1e-3} {
				problems = append(problems, dualProblem{fmt.Sprintf("%s %s lambda=%g", name, kernel, lambda), p, k, lambda})
			}
		}
	}
	return problems
}

// interiorPoint returns a lower and an upper bound of max 1'a - a'Qa/2 subject to
// 0 <= a <= upper and, if biased, y'a = 0, by a primal-dual interior point method
// with Mehrotra's steps: written down from the optimality conditions
//
//	Qa - 1 + b y - z + s = 0,  a z = mu,  (upper - a) s = mu,  y'a = 0.
func interiorPoint(q *mat.SymDense, y []float64, upper float64, biased bool) (low, high float64) {
	n := q.SymmetricDim()
	a, z, s := make([]float64, n), make([]float64, n), make([]float64, n)
	c := make([]float64, n) // upper - a, without cancellation
	positives := 0.0
	for _, v := range y {
		if v > 0 {
			positives++
		}
	}
	for i := range n {
		// Strictly feasible, with y'a = 0.
		a[i] = upper / 2
		if biased {
			a[i] = upper / 2 * min(positives, float64(n)-positives) / positives
			if y[i] < 0 {
				a[i] = upper / 2 * min(positives, float64(n)-positives) / (float64(n) - positives)
			}
		}
		z[i], s[i], c[i] = 1, 1, upper-a[i]
	}
	var b float64
	m := n
	if biased {
		m++
	}
	for range 200 {
		qa := mat.NewVecDense(n, nil)
		qa.MulVec(q, mat.NewVecDense(n, a))
		var mu, quadratic, sum, boxed, ya float64
		residual := make([]float64, n)
		for i := range n {
			mu += a[i]*z[i] + c[i]*s[i]
			quadratic += a[i] * qa.AtVec(i)
			sum += a[i]
			ya += y[i] * a[i]
			residual[i] = qa.AtVec(i) - 1 + b*y[i] - z[i] + s[i]
			// Whatever a and b: the dual of the dual.
			boxed += upper * max(0, 1-b*y[i]-qa.AtVec(i))
		}
		low, high = sum-quadratic/2, quadratic/2+boxed
		if high-low <= 1e-11*math.Abs(high) && math.Abs(ya) < 1e-12*upper {
			return low, high
		}
		mu /= float64(2 * n)
		target := 0.1 * mu
		k := mat.NewDense(m, m, nil)
		r := mat.NewVecDense(m, nil)
		for i := range n {
			for j := range n {
				k.Set(i, j, q.At(i, j))
			}
			k.Set(i, i, q.At(i, i)+z[i]/a[i]+s[i]/c[i])
			r.SetVec(i, -(residual[i]+z[i]-s[i])+target/a[i]-target/c[i])
			if biased {
				k.Set(i, n, y[i])
				k.Set(n, i, y[i])
			}
		}
		if biased {
			r.SetVec(n, -ya)
		}
		var d mat.VecDense
		if err := d.SolveVec(k, r); err != nil {
			if _, ok := err.(mat.Condition); !ok {
				return low, high
			}
		}
		step := 1.0
		dz, ds := make([]float64, n), make([]float64, n)
		for i := range n {
			da := d.AtVec(i)
			dz[i] = (target-z[i]*da)/a[i] - z[i]
			ds[i] = (target+s[i]*da)/c[i] - s[i]
			for _, pair := range [][2]float64{{a[i], da}, {c[i], -da}, {z[i], dz[i]}, {s[i], ds[i]}} {
				if pair[1] < 0 {
					step = min(step, -0.995*pair[0]/pair[1])
				}
			}
		}
		for i := range n {
			a[i] += step * d.AtVec(i)
			c[i] -= step * d.AtVec(i)
			z[i] += step * dz[i]
			s[i] += step * ds[i]
		}
		if biased {
			b += step * d.AtVec(n)
		}
	}
	return low, high
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
	for _, q := range []int{2, 5, 10, 1000} {
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

// TestDualOptimum: every method ends at the optimum that an interior point method
// finds, never goes down on the way, stays feasible, and ends where the KKT
// conditions hold and the duality gap is closed.
func TestDualOptimum(t *testing.T) {
	t.Parallel()
	for _, p := range dualProblems() {
		for _, biased := range []bool{false, true} {
			n := p.points.Train()
			y := make([]float64, n)
			for i := range y {
				y[i] = p.problem().Label(i)
			}
			upper := 1 / (p.lambda * float64(n))
			low, high := interiorPoint(p.signed(), y, upper, biased)
			if !(high-low <= 1e-9*high) {
				t.Fatalf("%s, biased %t: the oracle itself leaves %v to %v", p.name, biased, low, high)
			}
			for name, l := range dualMethods(t, p, biased) {
				t.Run(fmt.Sprintf("%s/biased=%t/%s", p.name, biased, name), func(t *testing.T) {
					ascend(t, l, biased, y, upper)
					if d := l.DualObjective(); !(d >= low-1e-9*high && d <= high+1e-9*high) {
						t.Errorf("dual objective %v, the optimum is in [%v, %v]; violation %g", d, low, high, l.Violation())
					}
					checkGap(t, l, p, biased)
				})
			}
		}
	}
}

// ascend steps l to its end and checks the ascent.
func ascend(t *testing.T, l dualLearner, biased bool, y []float64, upper float64) {
	t.Helper()
	var s svm.Solution
	last := l.DualObjective()
	for step := range 60_000 {
		if status := l.Step(); status.Stop() {
			if status.State.String() != "converged" {
				t.Fatalf("step %d: %+v", step, status)
			}
			break
		}
		d := l.DualObjective()
		if d < last-1e-12*max(1, math.Abs(last)) {
			t.Fatalf("step %d: the dual objective fell from %v to %v", step, last, d)
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
			t.Fatalf("alpha_%d = %g outside [0, %g]", i, a, upper)
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
	gap := primal - p.lambda*l.DualObjective()
	if !(math.Abs(gap) <= 1e-8*primal) {
		t.Errorf("duality gap %g of P = %g", gap, primal)
	}
	if with := p.lambda/2*s.NormSq + hinge(s.Bias); !(with-primal <= 1e-7*primal) {
		t.Errorf("with the b of the solution, %g, the primal objective is %v, with the best, %g, %v", s.Bias, with, b, primal)
	}
}
