package sparse

import (
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// basisMatrix is a kernel matrix for tests: it counts its rows, and spoils the
// one before the last two.
type basisMatrix struct {
	*suite.Matrix
	asked []int
	bufs  [3][]float32
}

func newBasisMatrix(k [][]float32) *basisMatrix {
	return &basisMatrix{Matrix: suite.NewMatrix(k)}
}

func (m *basisMatrix) Row(i int) []float32 {
	b := len(m.asked) % 3
	m.asked = append(m.asked, i)
	m.bufs[b] = slices.Clone(m.K[i])
	for j := range m.bufs[(b+1)%3] {
		m.bufs[(b+1)%3][j] = float32(math.NaN())
	}
	return m.bufs[b]
}

// basisPoints draws two overlapping clouds in the plane.
func basisPoints(rng *rand.Rand, n, positive int) [][2]float64 {
	x := make([][2]float64, n)
	for i := range x {
		x[i] = [2]float64{rng.NormFloat64(), rng.NormFloat64()}
		if i < positive {
			x[i][0] += 1.5
		}
	}
	return x
}

// basisProblem returns a problem with the Cauchy kernel 1/(1 + |x-x'|^2).
func basisProblem(x [][2]float64, positive int) (svm.Problem, *basisMatrix) {
	p := suite.Points{Positive: positive}
	for _, v := range x {
		p.X = append(p.X, v[:])
	}
	m := &basisMatrix{Matrix: p.Gram(suite.Cauchy(1))}
	return svm.Problem{Rows: m, Positive: positive}, m
}

func basisRand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(41, stream)) }

// naiveObjective computes 1/2 theta' A theta + C/2 sum of squared hinge losses
// for the expansion over basis with coefficients beta and bias b: A is K_JJ +
// ridge I, or, for ridge < 0, the identity, with b regularised, too.
func naiveObjective(k [][]float32, positive int, c, ridge float64, basis []int, beta []float64, b float64) float64 {
	var f float64
	for s, i := range basis {
		if ridge < 0 {
			f += beta[s] * beta[s] / 2
			continue
		}
		f += ridge * beta[s] * beta[s] / 2
		for t, j := range basis {
			f += beta[s] * beta[t] * float64(k[i][j]) / 2
		}
	}
	if ridge < 0 {
		f += b * b / 2
	}
	for i := range k {
		o := b
		for s, j := range basis {
			o += beta[s] * float64(k[j][i])
		}
		if i >= positive {
			o = -o
		}
		if o < 1 {
			f += c / 2 * (1 - o) * (1 - o)
		}
	}
	return f
}

// steepest returns the largest central difference of the objective in a
// coefficient, or in b if there is a bias.
func steepest(f func(beta []float64, b float64) float64, beta []float64, b float64, bias bool) float64 {
	const h = 1e-6
	var most float64
	for k := range beta {
		up, down := slices.Clone(beta), slices.Clone(beta)
		up[k] += h
		down[k] -= h
		most = max(most, math.Abs(f(up, b)-f(down, b))/(2*h))
	}
	if bias {
		most = max(most, math.Abs(f(beta, b+h)-f(beta, b-h))/(2*h))
	}
	return most
}
