package suite

import "stochopt/algorithms/kernel"

// Matrix is a kernel matrix in memory.
type Matrix struct {
	// K holds the rows of the n training points, over all N points.
	K [][]float32
	// D is the diagonal, of all N points.
	D []float64
}

// NewMatrix returns the matrix with the given rows, without evaluation points.
func NewMatrix(k [][]float32) *Matrix {
	m := &Matrix{K: k}
	for i, row := range k {
		m.D = append(m.D, float64(row[i]))
	}
	return m
}

// Train returns n.
func (m *Matrix) Train() int { return len(m.K) }

// Len returns N.
func (m *Matrix) Len() int { return len(m.D) }

// Row returns row i.
func (m *Matrix) Row(i int) []float32 { return m.K[i] }

// Diag returns the diagonal.
func (m *Matrix) Diag() []float64 { return m.D }

// Gram returns the kernel matrix of the points.
func (p Points) Gram(kernel func(x, y []float64) float64) *Matrix {
	m := &Matrix{}
	for i, x := range p.X {
		m.D = append(m.D, float64(float32(kernel(x, x))))
		if i < p.Train() {
			row := make([]float32, len(p.X))
			for j, y := range p.X {
				row[j] = float32(kernel(x, y))
			}
			m.K = append(m.K, row)
		}
	}
	return m
}

// GaussianGram returns the matrix of the Gaussian kernel.
func (p Points) GaussianGram(gamma float64) *Matrix { return p.Gram(Gaussian(gamma)) }

// Gaussian returns the kernel e^(-gamma |x - y|^2), rounded to 32 bits.
func Gaussian(gamma float64) func(x, y []float64) float64 {
	k := kernel.Gaussian{Gamma: gamma}
	return func(x, y []float64) float64 {
		return float64(float32(k.Eval(Linear(x, y), Linear(x, x), Linear(y, y))))
	}
}

// Linear is the linear kernel.
func Linear(x, y []float64) float64 {
	var s float64
	for k, v := range x {
		s += float64(v * y[k])
	}
	return s
}

// Cauchy returns the kernel 1/(1 + gamma |x - x'|^2), which is positive definite and needs no
// exponential.
func Cauchy(gamma float64) func(x, y []float64) float64 {
	return func(x, y []float64) float64 {
		var s float64
		for k, v := range x {
			s += float64((v - y[k]) * (v - y[k]))
		}
		return 1 / (1 + gamma*s)
	}
}
