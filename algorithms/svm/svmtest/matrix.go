package svmtest

import (
	"fmt"
	"math/rand/v2"

	"stochopt/algorithms/svm"
)

// Points are labelled points: the positive training points first, then the
// negative ones, then the evaluation points.
type Points struct {
	X               [][]float64
	Train, Positive int
	// EvalPositive is how many of the evaluation points, the first of them, are
	// positive.
	EvalPositive int
}

// Blobs draws two Gaussian clouds in d dimensions with unit variance, whose
// centres have a distance of separation along the first axis and lie on either
// side of offset there. The numbers of positive and negative training points are
// given, and that of evaluation points, half of them of each class.
func Blobs(rng *rand.Rand, positive, negative, eval, d int, separation, offset float64) Points {
	draw := func(sign float64) []float64 {
		x := make([]float64, d)
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		x[0] += offset + sign*separation/2
		return x
	}
	p := Points{Train: positive + negative, Positive: positive, EvalPositive: eval / 2}
	for i := range positive + negative + eval {
		sign := -1.0
		if i < positive || i >= p.Train && i < p.Train+p.EvalPositive {
			sign = 1
		}
		p.X = append(p.X, draw(sign))
	}
	return p
}

// Without returns the points without the evaluation points.
func (p Points) Without() Points {
	p.X, p.EvalPositive = p.X[:p.Train], 0
	return p
}

// Swapped returns the points with the training classes exchanged: what was
// negative is positive and comes first.
func (p Points) Swapped() Points {
	s := Points{Train: p.Train, Positive: p.Train - p.Positive}
	s.X = append(s.X, p.X[p.Positive:p.Train]...)
	s.X = append(s.X, p.X[:p.Positive]...)
	s.X = append(s.X, p.X[p.Train:]...)
	return s
}

// Dims implements kernel.Vectors, as do Sparse, Row and RowNonZero.
func (p Points) Dims() (n, d int) { return len(p.X), len(p.X[0]) }

// Sparse returns false.
func (p Points) Sparse() bool { return false }

// Row returns point i.
func (p Points) Row(i int) []float64 { return p.X[i] }

// RowNonZero is not to be called: the points are dense.
func (p Points) RowNonZero(int) ([]int32, []float64) { panic("svmtest: the points are dense") }

// Features returns the points for a linear learner.
func (p Points) Features() svm.Features {
	_, d := p.Dims()
	var data []float64
	for _, x := range p.X {
		data = append(data, x...)
	}
	f, err := svm.NewDenseFeatures(data, d, p.Train)
	if err != nil {
		panic(fmt.Sprintf("svmtest: %v", err))
	}
	return f
}

// Linear is the linear kernel.
func Linear(x, y []float64) float64 {
	var s float64
	for k, v := range x {
		s += float64(v * y[k])
	}
	return s
}

// Cauchy returns the kernel 1/(1 + gamma |x - x'|^2), which is positive definite
// and, unlike the Gaussian kernel, takes no exponential.
func Cauchy(gamma float64) func(x, y []float64) float64 {
	return func(x, y []float64) float64 {
		var s float64
		for k, v := range x {
			s += float64((v - y[k]) * (v - y[k]))
		}
		return 1 / (1 + gamma*s)
	}
}

// Matrix is a kernel matrix in memory.
type Matrix struct {
	n, length int
	k         []float32 // n x N
	diag      []float64 // N
}

var _ svm.Rows = (*Matrix)(nil)

// Gram returns the kernel matrix of the points.
func (p Points) Gram(kernel func(x, y []float64) float64) *Matrix {
	m := &Matrix{n: p.Train, length: len(p.X)}
	for i, x := range p.X {
		m.diag = append(m.diag, float64(float32(kernel(x, x))))
		if i < p.Train {
			for _, y := range p.X {
				m.k = append(m.k, float32(kernel(x, y)))
			}
		}
	}
	return m
}

// Train implements svm.Rows.
func (m *Matrix) Train() int { return m.n }

// Len implements svm.Rows.
func (m *Matrix) Len() int { return m.length }

// Row implements svm.Rows.
func (m *Matrix) Row(i int) []float32 {
	return m.k[i*m.length : (i+1)*m.length : (i+1)*m.length]
}

// Diag implements svm.Rows.
func (m *Matrix) Diag() []float64 { return m.diag }

// Uniform draws training indices uniformly with replacement.
type Uniform struct {
	Rng *rand.Rand
	N   int
}

// Next implements svm.Order.
func (u Uniform) Next() int { return u.Rng.IntN(u.N) }

// mapped is an order after a relabelling of the points.
type mapped struct {
	svm.Order
	to func(i int) int
}

func (m mapped) Next() int { return m.to(m.Order.Next()) }
