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
	// SecondMomentTo makes dst the exact E[x x^T].
	SecondMomentTo(dst *mat.SymDense)
}

// symTo makes dst an all-zero d x d matrix.
func symTo(dst *mat.SymDense, d int) {
	dst.Reset()
	dst.ReuseAsSym(d)
}

type gaussian struct{ variance, sd []float64 }

// NewGaussian returns the normal distribution with mean zero and a diagonal covariance
// matrix of the given variances, none of them negative.
func NewGaussian(variance []float64) Distribution {
	g := &gaussian{variance: variance, sd: make([]float64, len(variance))}
	for i, v := range variance {
		g.sd[i] = math.Sqrt(v)
	}
	return g
}

func (g *gaussian) Dim() int { return len(g.sd) }

func (g *gaussian) Sample(dst []float64, rng *rand.Rand) {
	if len(dst) != len(g.sd) {
		panic(badLength)
	}
	for i, sd := range g.sd {
		dst[i] = sd * rng.NormFloat64()
	}
}

func (g *gaussian) SecondMomentTo(dst *mat.SymDense) {
	symTo(dst, len(g.variance))
	for i, v := range g.variance {
		dst.SetSym(i, i, v)
	}
}

type axes struct {
	p, length []float64
	upTo      []float64 // cumulative probabilities; the last is 1
}

// newAxes returns the discrete distribution that takes length[i] e_i with probability p[i]. It
// draws one number for a sample. It is an error if a probability is not positive, as one too small
// for a float64 is, or if they do not sum to one within 1e-9.
func newAxes(p, length []float64) (Distribution, error) {
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
	return &axes{p, length, upTo}, nil
}

// newCounterexample2D returns the distribution on which the incremental algorithm with k = 1
// converges to the wrong vector [1,0] with probability 5/9: [sqrt 3, 0] with probability 1/3 and
// [0, sqrt 2] with probability 2/3 (Cotter 2013, section 4.5). E[x x^T] = diag(1, 4/3).
func newCounterexample2D() (Distribution, error) {
	return newAxes([]float64{1.0 / 3, 2.0 / 3}, []float64{math.Sqrt(3), math.Sqrt2})
}

func (a *axes) Dim() int { return len(a.p) }

func (a *axes) Sample(dst []float64, rng *rand.Rand) {
	if len(dst) != a.Dim() {
		panic(badLength)
	}
	clear(dst)
	u := rng.Float64()
	i := sort.Search(len(a.upTo), func(i int) bool { return u < a.upTo[i] })
	dst[i] = a.length[i]
}

func (a *axes) SecondMomentTo(dst *mat.SymDense) {
	symTo(dst, a.Dim())
	for i, p := range a.p {
		dst.SetSym(i, i, p*a.length[i]*a.length[i])
	}
}
