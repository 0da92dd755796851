package external

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
)

// Sizes of the problem of the suite, and the regularisation.
const (
	checkRows, checkFeatures, checkRank = 60, 12, 3
	checkPositive                       = 25
	checkGamma, checkC                  = 0.1, 1.0
)

// checkTrial is a run of the suite: the learner that experiments have, on a small problem.
type checkTrial struct {
	*run
	// to goes on to an iteration; show has the iterate shown.
	to   func(t int64) algorithms.Status
	show func() algorithms.Status
	// numbers returns those of the iterate, and its rank in the task pca.
	numbers func() (state []float64, rank int)
}

// newCheckTrial begins the run of the suite.
func newCheckTrial(ctx context.Context, p *Process, given map[string]any) (*checkTrial, error) {
	params, err := p.Hello.Resolve(given, []string{"k", "step.c", "step.schedule"})
	if err != nil {
		return nil, fmt.Errorf("%w; give it by --with NAME=VALUE", err)
	}
	i := Init{Seed: 20130719, Iterations: checkSteps[len(checkSteps)-1], Params: params}
	data := newCheckData()
	if p.program.Task == "pca" {
		i.K, params["k"] = checkRank, int64(checkRank)
		a, err := NewPCA(ctx, p, i, data)
		if err != nil {
			return nil, err
		}
		return &checkTrial{&a.run, a.StepTo, a.Refresh, func() ([]float64, int) {
			return slices.Concat([]float64{a.state.Bulk}, a.sigma, a.u), a.Rank()
		}}, nil
	}
	gaussian := kernel.Gaussian{Gamma: checkGamma}
	problem := Kernel{
		Problem: svm.Problem{Rows: newCheckMatrix(data, gaussian), Positive: checkPositive}, Order: checkOrder{data}, Points: checkPoints{data}, Kern: gaussian,
		C: checkC, Lambda: 1 / (checkC * checkRows), Nu: math.NaN(), R: math.NaN(),
	}
	a, err := NewSVM(ctx, p, i, problem)
	if err != nil {
		return nil, err
	}
	return &checkTrial{&a.run, a.StepTo, a.Refresh, func() ([]float64, int) {
		return slices.Concat([]float64{a.solution.Bias, a.solution.NormSq}, a.solution.Alpha, a.solution.Scores), 0
	}}, nil
}

// checkData are the points of the suite, which are drawn as samples.
type checkData struct {
	x   [checkRows][checkFeatures]float64
	rng *rand.Rand
}

func newCheckData() *checkData {
	d := &checkData{rng: rand.New(rand.NewPCG(1, 2))}
	for i := range d.x {
		for l := range d.x[i] {
			d.x[i][l] = d.rng.NormFloat64() / float64(1+l)
		}
	}
	return d
}

// Dim implements pca.Source.
func (d *checkData) Dim() int { return checkFeatures }

// Next implements pca.Source.
func (d *checkData) Next() (x []float64, ok bool) { return d.x[d.rng.IntN(checkRows)][:], true }

// checkOrder draws the points as training indices.
type checkOrder struct{ *checkData }

// Next implements svm.Order.
func (o checkOrder) Next() int { return o.rng.IntN(checkRows) }

// checkPoints are the points as a dense matrix.
type checkPoints struct{ *checkData }

// Dims implements kernel.Vectors.
func (checkPoints) Dims() (n, d int) { return checkRows, checkFeatures }

// Sparse implements kernel.Vectors.
func (checkPoints) Sparse() bool { return false }

// Row implements kernel.Vectors.
func (p checkPoints) Row(i int, _ []float64) []float64 { return p.x[i][:] }

// RowNonZero implements kernel.Vectors.
func (checkPoints) RowNonZero(int) (indices []int32, values []float64) { return nil, nil }

// checkMatrix is the kernel matrix of the points.
type checkMatrix struct {
	rows [checkRows][]float32
	diag []float64
}

func newCheckMatrix(d *checkData, k kernel.Kernel) *checkMatrix {
	m := new(checkMatrix)
	for i := range d.x {
		x := d.x[i][:]
		for j := range d.x {
			z := d.x[j][:]
			m.rows[i] = append(m.rows[i], float32(k.Eval(floats.Dot(x, z), floats.Dot(x, x), floats.Dot(z, z))))
		}
		m.diag = append(m.diag, 1)
	}
	return m
}

// Train implements svm.Rows.
func (m *checkMatrix) Train() int { return checkRows }

// Len implements svm.Rows.
func (m *checkMatrix) Len() int { return checkRows }

// Row implements svm.Rows.
func (m *checkMatrix) Row(i int) []float32 { return m.rows[i] }

// Diag implements svm.Rows.
func (m *checkMatrix) Diag() []float64 { return m.diag }
