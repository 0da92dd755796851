package sparsetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// Points are labelled training points: the positive ones first.
type Points struct {
	X        [][]float64
	Positive int
}

// Blobs draws two Gaussian clouds in d dimensions with unit variance, whose
// centres have a distance of separation along the first axis and lie on either
// side of offset there.
func Blobs(rng *rand.Rand, positive, negative, d int, separation, offset float64) Points {
	p := Points{Positive: positive}
	for i := range positive + negative {
		x := make([]float64, d)
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		if i < positive {
			x[0] += offset + separation/2
		} else {
			x[0] += offset - separation/2
		}
		p.X = append(p.X, x)
	}
	return p
}

// Permuted returns the points in another order within each class, and where each
// point of it was.
func (p Points) Permuted(rng *rand.Rand) (q Points, from []int) {
	from = append(rng.Perm(p.Positive), rng.Perm(len(p.X)-p.Positive)...)
	for j := p.Positive; j < len(from); j++ {
		from[j] += p.Positive
	}
	q.Positive = p.Positive
	for _, i := range from {
		q.X = append(q.X, p.X[i])
	}
	return q, from
}

// Label returns the label of point i.
func (p Points) Label(i int) float64 {
	if i < p.Positive {
		return 1
	}
	return -1
}

// Gaussian returns e^(-gamma |x - z|^2), rounded to 32 bits as kernel rows are.
func Gaussian(gamma float64, x, z []float64) float64 {
	var s float64
	for k, v := range x {
		s += float64((v - z[k]) * (v - z[k]))
	}
	return float64(float32(exponential(gamma * s)))
}

// exponential returns e^-z for z >= 0.
func exponential(z float64) float64 {
	if !(z < 700) {
		if math.IsNaN(z) {
			return z
		}
		return 0
	}
	// The series at -z/2^16, squared 16 times.
	h := -z / (1 << 16)
	e := 1 + float64(h*(1+float64(h/2*(1+float64(h/3*(1+float64(h/4*(1+float64(h/5*(1+float64(h/6)))))))))))
	for range 16 {
		e *= e
	}
	return e
}

// Matrix is a kernel matrix in memory. It implements svm.Rows.
type Matrix struct {
	n    int
	k    []float32 // n x n
	diag []float64
}

var _ svm.Rows = (*Matrix)(nil)

// Gram returns the matrix of a kernel function of the points.
func (p Points) Gram(kernel func(x, z []float64) float64) *Matrix {
	m := &Matrix{n: len(p.X)}
	for _, x := range p.X {
		m.diag = append(m.diag, float64(float32(kernel(x, x))))
		for _, z := range p.X {
			m.k = append(m.k, float32(kernel(x, z)))
		}
	}
	return m
}

// GaussianGram returns the matrix of the Gaussian kernel.
func (p Points) GaussianGram(gamma float64) *Matrix {
	return p.Gram(func(x, z []float64) float64 { return Gaussian(gamma, x, z) })
}

// Train implements svm.Rows.
func (m *Matrix) Train() int { return m.n }

// Len implements svm.Rows.
func (m *Matrix) Len() int { return m.n }

// Row implements svm.Rows.
func (m *Matrix) Row(i int) []float32 { return m.k[i*m.n : (i+1)*m.n : (i+1)*m.n] }

// Diag implements svm.Rows.
func (m *Matrix) Diag() []float64 { return m.diag }

// Inputs is the input space of points. It implements sparse.Inputs.
type Inputs struct {
	points Points
	gamma  float64
}

var _ sparse.Inputs = (*Inputs)(nil)

// Inputs returns the input space with the Gaussian kernel.
func (p Points) Inputs(gamma float64) *Inputs { return &Inputs{p, gamma} }

// Train implements sparse.Inputs.
func (in *Inputs) Train() int { return len(in.points.X) }

// Dim implements sparse.Inputs.
func (in *Inputs) Dim() int { return len(in.points.X[0]) }

// Gamma implements sparse.Inputs.
func (in *Inputs) Gamma() float64 { return in.gamma }

// NormSq implements sparse.Inputs.
func (in *Inputs) NormSq(j int) float64 { return in.Dot(in.points.X[j], j) }

// Dot implements sparse.Inputs.
func (in *Inputs) Dot(z []float64, j int) float64 {
	var s float64
	for k, v := range in.points.X[j] {
		s += float64(v * z[k])
	}
	return s
}

// AddTo implements sparse.Inputs.
func (in *Inputs) AddTo(z []float64, a float64, j int) {
	for k, v := range in.points.X[j] {
		z[k] += float64(a * v)
	}
}

// Eval implements sparse.Inputs.
func (in *Inputs) Eval(z, other []float64) float64 { return Gaussian(in.gamma, z, other) }

// RowTo implements sparse.Inputs.
func (in *Inputs) RowTo(dst []float32, z []float64) {
	for j, x := range in.points.X {
		dst[j] = float32(Gaussian(in.gamma, z, x))
	}
}

// Train returns the SVM of the points: SMO, with a bias or without, run until the
// KKT conditions hold to within 1e-9, or until nothing improves any more.
func Train(rows svm.Rows, positive int, c float64, bias bool) (*sparse.Reference, error) {
	n := rows.Train()
	l, err := svm.NewSMO(svm.SMOConfig{Lambda: 1 / (c * float64(n)), Bias: bias, Tolerance: 1e-9}, svm.Problem{Rows: rows, Positive: positive})
	if err != nil {
		return nil, err
	}
	for range 200 * (n + 50) {
		if l.Step().Stop() {
			break
		}
	}
	var s svm.Solution
	l.SolutionTo(&s)
	return &sparse.Reference{Alpha: s.Alpha, Scores: slices.Clone(s.Scores[:n]), Bias: s.Bias, NormSq: s.NormSq}, nil
}

// Uniform draws training indices uniformly with replacement.
type Uniform struct {
	Rng *rand.Rand
	N   int
}

// Next implements svm.Order.
func (u Uniform) Next() int { return u.Rng.IntN(u.N) }

// Scores returns the scores of the points under an expansion, with the Gaussian
// kernel, evaluated afresh.
func (p Points) Scores(e *sparse.Expansion, gamma float64) []float64 {
	return p.scores(e, func(x, z []float64) float64 { return Gaussian(gamma, x, z) })
}

func (p Points) scores(e *sparse.Expansion, kernel func(x, z []float64) float64) []float64 {
	scores := make([]float64, len(p.X))
	for j, x := range p.X {
		for k, c := range e.Coef {
			z := e.Vectors[k]
			if i := e.Index[k]; i >= 0 {
				z = p.X[i]
			}
			scores[j] += c * kernel(z, x)
		}
		scores[j] += e.Bias
	}
	return scores
}

// Errors returns how many of the points the scores get wrong. A score of 0 is
// wrong.
func (p Points) Errors(scores []float64) int {
	if len(scores) != len(p.X) {
		panic(fmt.Sprintf("sparsetest: %d scores for %d points", len(scores), len(p.X)))
	}
	wrong := 0
	for i, s := range scores {
		if !(p.Label(i)*s > 0) {
			wrong++
		}
	}
	return wrong
}
