package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// memoryRows is a kernel matrix in memory.
type memoryRows = suite.Matrix

// gaussianRows returns the kernel matrix of the points x, with ridge added to its diagonal.
func gaussianRows(x [][]float64, gamma, ridge float64) *memoryRows {
	m := suite.Points{X: x}.Gram(func(x, y []float64) float64 {
		var d float64
		for f := range x {
			d += (x[f] - y[f]) * (x[f] - y[f])
		}
		return math.Exp(-gamma * d)
	})
	for i, row := range m.K {
		row[i] += float32(ridge)
		m.D[i] = float64(row[i])
	}
	return m
}

func cloud(rng *rand.Rand, n, d int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, d)
		for f := range x[i] {
			x[i][f] = rng.NormFloat64()
		}
		// Two clouds; the first half of the points is positive.
		if i < n/2 {
			x[i][0] += 1.5
		}
	}
	return x
}

// gaussianPoints holds training points with a Gaussian kernel. It implements the rows and the
// input space, and counts kernel evaluations.
type gaussianPoints struct {
	Inputs
	x     [][]float64
	gamma float64
	evals int64
}

var _ svm.Rows = (*gaussianPoints)(nil)

// gaussianCloud returns two overlapping clouds of n points in total, half of them positive.
func gaussianCloud(seed uint64, n, d int, gamma float64) *gaussianPoints {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &gaussianPoints{gamma: gamma}
	for i := range n {
		x := make([]float64, d)
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		if i < n/2 {
			x[0]++
		}
		p.x = append(p.x, x)
	}
	p.Inputs = suite.Points{X: p.x}.Inputs(gamma)
	return p
}

func (p *gaussianPoints) kernel(x, z []float64) float64 {
	sum := 0.0
	for k, v := range x {
		sum += (v - z[k]) * (v - z[k])
	}
	return float64(float32(math.Exp(-p.gamma * sum)))
}

func (p *gaussianPoints) problem() svm.Problem { return svm.Problem{Rows: p, Positive: len(p.x) / 2} }
func (p *gaussianPoints) Len() int             { return len(p.x) }
func (p *gaussianPoints) Diag() []float64      { return slices.Repeat([]float64{1}, len(p.x)) }
func (p *gaussianPoints) Eval(z, other []float64) float64 {
	p.evals++
	return p.kernel(z, other)
}
func (p *gaussianPoints) RowTo(dst []float32, z []float64) {
	for j, x := range p.x {
		dst[j] = float32(p.kernel(z, x))
	}
	p.evals += int64(len(p.x))
}
func (p *gaussianPoints) Row(i int) []float32 {
	row := make([]float32, len(p.x))
	p.RowTo(row, p.x[i])
	return row
}
func (p *gaussianPoints) Pack(points []int) (rowTo func([]float32, []float64), combineTo func(z, w []float64)) {
	_, combineTo = p.Inputs.Pack(points)
	return func(dst []float32, z []float64) {
		for k, j := range points {
			dst[k] = float32(p.kernel(z, p.x[j]))
		}
		p.evals += int64(len(points))
	}, combineTo
}

// trained returns the SVM of the points with C = 1 and a bias.
func (p *gaussianPoints) trained(t testing.TB) *Reference {
	t.Helper()
	ref := svmOn(t, p.problem(), 1, true)
	p.evals = 0
	return ref
}

// svmOn returns the SVM with parameter C on a problem.
func svmOn(t testing.TB, p svm.Problem, c float64, bias bool) *Reference {
	t.Helper()
	s := suite.Must(svm.NewSMO(svm.SMOConfig{Lambda: 1 / (c * float64(p.Rows.Train())), Bias: bias, Tolerance: 1e-10}, p))
	for !s.Step().Stop() {
	}
	var sol svm.Solution
	s.SolutionTo(&sol)
	return &Reference{Alpha: sol.Alpha, Scores: sol.Scores, Bias: sol.Bias, NormSq: sol.NormSq}
}

// run steps l until it converges and returns its expansion.
func run(t testing.TB, l Learner) *Expansion {
	t.Helper()
	for range 200000 {
		if status := l.Step(); status.Stop() {
			if status.State != algorithms.Converged {
				t.Fatalf("%v: %s", status.State, status.Reason)
			}
			if !l.Final() {
				t.Fatal("Final is false at the end")
			}
			e := new(Expansion)
			l.ExpansionTo(e)
			return e
		}
	}
	t.Fatal("no convergence in 200000 steps")
	return nil
}

// scoresOf returns the training scores of an expansion over training points.
func scoresOf(rows svm.Rows, e *Expansion) []float64 {
	g := slices.Repeat([]float64{e.Bias}, rows.Train())
	AddRows(g, e.Index, e.Coef, rows.Row)
	return g
}
