package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// Distribution is a known distribution over R^d.
type Distribution interface {
	// Dim returns the dimension d.
	Dim() int
	// Sample writes one sample to dst, which must have length Dim, using no
	// source of randomness but rng.
	Sample(dst []float64, rng *rand.Rand)
	// SecondMomentTo writes the exact E[x x^T] to dst, which must be empty or
	// d x d.
	SecondMomentTo(dst *mat.SymDense)
}

// symTo makes dst an all-zero d x d matrix.
func symTo(dst *mat.SymDense, d int) {
	if dst.IsEmpty() {
		dst.ReuseAsSym(d)
		return
	}
	if dst.SymmetricDim() != d {
		panic("datasets: destination has the wrong dimension")
	}
	dst.Zero()
}

// Gaussian is the normal distribution with mean zero and a diagonal covariance
// matrix.
type Gaussian struct {
	variance, sd []float64
}

// NewGaussian returns the Gaussian with the given variances, none of them
// negative.
func NewGaussian(variance []float64) *Gaussian {
	g := &Gaussian{variance: variance, sd: make([]float64, len(variance))}
	for i, v := range variance {
		g.sd[i] = math.Sqrt(v)
	}
	return g
}

// Dim implements Distribution.
func (g *Gaussian) Dim() int { return len(g.sd) }

// Sample implements Distribution.
func (g *Gaussian) Sample(dst []float64, rng *rand.Rand) {
	if len(dst) != len(g.sd) {
		panic(badLength)
	}
	for i, sd := range g.sd {
		dst[i] = sd * rng.NormFloat64()
	}
}

// SecondMomentTo implements Distribution.
func (g *Gaussian) SecondMomentTo(dst *mat.SymDense) {
	symTo(dst, len(g.variance))
	for i, v := range g.variance {
		dst.SetSym(i, i, v)
	}
}

// Axes is a discrete distribution over one multiple of each vector of the standard basis. It
// takes memory of the order of the dimension d.
type Axes struct {
	p, length []float64
	upTo      []float64 // cumulative probabilities; the last is 1
}

// NewAxes returns the distribution that takes length[i] e_i with probability p[i]. It is an error
// if a probability is not positive, as one too small for a float64 is, or if they do not sum to
// one within 1e-9.
func NewAxes(p, length []float64) (*Axes, error) {
	upTo := make([]float64, len(p))
	var sum float64
	for i, v := range p {
		if !(v > 0) {
			return nil, fmt.Errorf("discrete distribution: probability %d is %v", i+1, v)
		}
		sum += v
		upTo[i] = sum
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return nil, fmt.Errorf("discrete distribution: the probabilities sum to %v, not 1", sum)
	}
	upTo[len(p)-1] = 1
	return &Axes{p, length, upTo}, nil
}

// NewCounterexample2D returns the distribution on which the incremental
// algorithm with k = 1 converges to the wrong vector [1,0] with probability
// 5/9: [sqrt 3, 0] with probability 1/3 and [0, sqrt 2] with probability 2/3
// (Cotter 2013, section 4.5). E[x x^T] = diag(1, 4/3).
func NewCounterexample2D() (*Axes, error) {
	return NewAxes([]float64{1.0 / 3, 2.0 / 3}, []float64{math.Sqrt(3), math.Sqrt2})
}

// Dim implements Distribution.
func (a *Axes) Dim() int { return len(a.p) }

// Sample implements Distribution. It draws one number from rng.
func (a *Axes) Sample(dst []float64, rng *rand.Rand) {
	if len(dst) != a.Dim() {
		panic(badLength)
	}
	clear(dst)
	u := rng.Float64()
	i := sort.Search(len(a.upTo), func(i int) bool { return u < a.upTo[i] })
	dst[i] = a.length[i]
}

// SecondMomentTo implements Distribution.
func (a *Axes) SecondMomentTo(dst *mat.SymDense) {
	symTo(dst, a.Dim())
	for i, p := range a.p {
		dst.SetSym(i, i, p*a.length[i]*a.length[i])
	}
}
