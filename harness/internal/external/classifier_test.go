package external

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
)

// table is a matrix of points, dense or sparse.
type table struct {
	x      [][]float64
	sparse bool
}

func (t table) Dims() (n, d int) { return len(t.x), len(t.x[0]) }

func (t table) Sparse() bool { return t.sparse }

func (t table) Row(i int, _ []float64) []float64 { return t.x[i] }

func (t table) RowNonZero(i int) (indices []int32, values []float64) {
	for j, v := range t.x[i] {
		if v != 0 {
			indices, values = append(indices, int32(j)), append(values, v)
		}
	}
	return indices, values
}

func (t table) eval(k kernel.Kernel, a, b []float64) float64 {
	return k.Eval(product(a, b), product(a, a), product(b, b))
}

func product(a, b []float64) (sum float64) {
	for j := range a {
		sum += a[j] * b[j]
	}
	return sum
}

// matrix has the rows of a kernel matrix.
type matrix struct {
	rows [][]float32
	n    int
}

func (m *matrix) Train() int { return m.n }

func (m *matrix) Len() int { return len(m.rows) }

func (m *matrix) Diag() []float64 { return make([]float64, len(m.rows)) }

func (m *matrix) Row(i int) []float32 { return m.rows[i] }

// The responses and norms of classifiers of each form are those of their definitions.
func TestClassifiersAreEvaluated(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const all, n, positive, d, m = 30, 20, 8, 4, 6
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			if rng.IntN(4) > 0 {
				x[i] = rng.NormFloat64()
			}
		}
		return x
	}
	for _, kern := range []kernel.Kernel{kernel.Gaussian{Gamma: 0.3}, kernel.Linear{}, kernel.Polynomial{Degree: 3, Gamma: 0.5, Coef0: 1}} {
		for _, sparse := range []bool{false, true} {
			points := table{sparse: sparse}
			for range all {
				points.x = append(points.x, draw(d))
			}
			rows := &matrix{n: n}
			for i := range all {
				row := make([]float32, all)
				for j := range row {
					row[j] = float32(points.eval(kern, points.x[i], points.x[j]))
				}
				rows.rows = append(rows.rows, row)
			}
			a := &SVM{n: n, d: d, problem: Problem{Problem: svm.Problem{Rows: rows, Positive: positive}, Points: points, Kern: kern}}
			check := func(what string, c classifier, response func(x []float64) float64, normSq float64, s svm.Solution) {
				t.Helper()
				for j, x := range points.x {
					if want := response(x) + c.bias; math.Abs(s.Scores[j]-want) > 1e-5*(1+math.Abs(want)) {
						t.Fatalf("%s, %v: the response to point %d is %v, want %v", what, kern, j, s.Scores[j], want)
					}
				}
				if math.Abs(s.NormSq-normSq) > 1e-5*(1+normSq) || s.Bias != c.bias {
					t.Errorf("%s, %v: |w|² is %v and the bias %v, want %v and %v", what, kern, s.NormSq, s.Bias, normSq, c.bias)
				}
			}
			var s svm.Solution

			c := classifier{kind: training, coef: draw(n), bias: 0.25}
			expanded := func(z [][]float64, coef []float64) (func(x []float64) float64, float64) {
				response := func(x []float64) (sum float64) {
					for k, b := range coef {
						sum += b * points.eval(kern, z[k], x)
					}
					return sum
				}
				normSq := 0.0
				for k, b := range coef {
					normSq += b * response(z[k])
				}
				return response, normSq
			}
			a.evaluate(&c, &s)
			response, normSq := expanded(points.x[:n], c.coef)
			check("coefficients", c, response, normSq, s)
			for i, alpha := range s.Alpha {
				if alpha*a.problem.Label(i) != c.coef[i] {
					t.Errorf("alpha[%d] = %v of the coefficient %v", i, alpha, c.coef[i])
				}
			}
			if len(s.Alpha) != n {
				t.Errorf("%d coefficients of %d points", len(s.Alpha), n)
			}

			c = classifier{kind: vectors, z: draw(m * d), coef: draw(m), m: m, bias: -1}
			a.evaluate(&c, &s)
			var z [][]float64
			for k := range m {
				z = append(z, c.z[k*d:(k+1)*d])
			}
			response, normSq = expanded(z, c.coef)
			check("vectors", c, response, normSq, s)
			if len(s.Alpha) > 0 {
				t.Error("vectors have no coefficients of training points")
			}

			c = classifier{kind: fourier, z: draw(m * d), coef: draw(m), sines: draw(m), m: m}
			a.evaluate(&c, &s)
			check("frequencies", c, func(x []float64) (sum float64) {
				for k := range m {
					sum += c.coef[k]*math.Cos(product(c.z[k*d:(k+1)*d], x)) + c.sines[k]*math.Sin(product(c.z[k*d:(k+1)*d], x))
				}
				return sum
			}, product(c.coef, c.coef)+product(c.sines, c.sines), s)
		}
	}
}
