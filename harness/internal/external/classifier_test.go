package external

import (
	"math"
	"math/rand/v2"
	"slices"
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

// matrix is a kernel matrix with n training points.
type matrix struct {
	rows [][]float32
	n    int
}

func (m *matrix) Train() int { return m.n }

func (m *matrix) Len() int { return len(m.rows) }

func (m *matrix) Diag() []float64 { return make([]float64, len(m.rows)) }

func (m *matrix) Row(i int) []float32 { return m.rows[i] }

// For each form of classifier, responses and norms match their definitions.
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
			a := &SVM{
				Process: &Process{dir: t.TempDir()}, n: n, d: d,
				problem: Problem{Problem: svm.Problem{Rows: rows, Positive: positive}, Points: points, Kern: kern},
			}
			// check evaluates a state with the given arrays.
			check := func(response func(x []float64) float64, normSq float64, arrays map[string][]float64) {
				t.Helper()
				state := &State{Arrays: make(map[string]Array), Bias: 0.25}
				for name, values := range arrays {
					shape := []int{len(values)}
					if name == "vectors" {
						shape = []int{m, d}
					}
					state.Arrays[name] = *writeArray(a.Process, name, values, shape...)
				}
				if a.take(state); a.Failure != nil {
					t.Fatal(a.Failure)
				}
				s := &a.solution
				for j, x := range points.x {
					if want := response(x) + state.Bias; math.Abs(s.Scores[j]-want) > 1e-5*(1+math.Abs(want)) {
						t.Fatalf("%v: the response to point %d is %v, want %v", kern, j, s.Scores[j], want)
					}
				}
				if math.Abs(s.NormSq-normSq) > 1e-5*(1+normSq) || s.Bias != state.Bias {
					t.Errorf("%v: |w|² is %v and the bias %v, want %v and %v", kern, s.NormSq, s.Bias, normSq, state.Bias)
				}
			}
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
			coef := draw(n)
			response, normSq := expanded(points.x[:n], coef)
			check(response, normSq, map[string][]float64{"alpha": coef})
			for i, alpha := range a.solution.Alpha {
				if alpha*a.problem.Label(i) != coef[i] {
					t.Errorf("alpha[%d] = %v for the coefficient %v", i, alpha, coef[i])
				}
			}
			if len(a.solution.Alpha) != n || a.Approximates() {
				t.Errorf("%d coefficients of %d points", len(a.solution.Alpha), n)
			}

			vectors, coef, phases := draw(m*d), draw(m), draw(m)
			z := slices.Collect(slices.Chunk(vectors, d))
			response, normSq = expanded(z, coef)
			check(response, normSq, map[string][]float64{"vectors": vectors, "coefficients": coef})
			if len(a.solution.Alpha) > 0 || a.Approximates() {
				t.Error("a classifier with vectors has coefficients of training points or is approximate")
			}

			check(func(x []float64) (sum float64) {
				for k := range m {
					sum += coef[k] * math.Cos(product(z[k], x)+phases[k])
				}
				return sum
			}, product(coef, coef), map[string][]float64{"vectors": vectors, "coefficients": coef, "phases": phases})
			if !a.Approximates() {
				t.Error("a sum of cosines is not approximate")
			}
		}
	}
}
