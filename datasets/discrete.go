package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// Atom is a vector X that a discrete distribution takes with probability P.
type Atom struct {
	P float64
	X []float64
}

// Discrete is a distribution over finitely many vectors.
type Discrete struct {
	atoms []Atom
	upTo  []float64 // cumulative probabilities; the last is 1
}

// NewDiscrete returns the distribution over atoms, of which there is one at least, and
// whose vectors have the same dimension. It is an error if a probability is not positive,
// as one too small for a float64 is, or if they do not sum to one within 1e-9.
func NewDiscrete(atoms []Atom) (*Discrete, error) {
	p := make([]float64, len(atoms))
	for i, a := range atoms {
		p[i] = a.P
	}
	upTo, err := cumulative(p)
	return &Discrete{slices.Clone(atoms), upTo}, err
}

// cumulative returns the sums of the first probabilities, the last of which is 1.
func cumulative(p []float64) ([]float64, error) {
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
	return upTo, nil
}

// draw returns which of the probabilities a number from rng stands for.
func draw(upTo []float64, rng *rand.Rand) int {
	u := rng.Float64()
	return sort.Search(len(upTo), func(i int) bool { return u < upTo[i] })
}

// Dim implements Distribution.
func (d *Discrete) Dim() int { return len(d.atoms[0].X) }

// Sample implements Distribution. It draws one number from rng.
func (d *Discrete) Sample(dst []float64, rng *rand.Rand) {
	if len(dst) != d.Dim() {
		panic(badLength)
	}
	copy(dst, d.atoms[draw(d.upTo, rng)].X)
}

// SecondMomentTo implements Distribution.
func (d *Discrete) SecondMomentTo(dst *mat.SymDense) {
	symTo(dst, d.Dim())
	for _, a := range d.atoms {
		for i, xi := range a.X {
			if xi == 0 {
				continue
			}
			for j := i; j < len(a.X); j++ {
				if a.X[j] != 0 {
					dst.SetSym(i, j, dst.At(i, j)+a.P*xi*a.X[j])
				}
			}
		}
	}
}

// Axes is a discrete distribution over one multiple of each vector of the standard basis,
// in memory of the order of d: as atoms these would take d x d.
type Axes struct{ p, length, upTo []float64 }

// NewAxes returns the distribution that takes length[i] e_i with probability p[i]. The
// errors are those of NewDiscrete.
func NewAxes(p, length []float64) (*Axes, error) {
	upTo, err := cumulative(p)
	return &Axes{p, length, upTo}, err
}

// Dim implements Distribution.
func (a *Axes) Dim() int { return len(a.p) }

// Sample implements Distribution. It draws one number from rng.
func (a *Axes) Sample(dst []float64, rng *rand.Rand) {
	if len(dst) != a.Dim() {
		panic(badLength)
	}
	clear(dst)
	i := draw(a.upTo, rng)
	dst[i] = a.length[i]
}

// SecondMomentTo implements Distribution.
func (a *Axes) SecondMomentTo(dst *mat.SymDense) {
	symTo(dst, a.Dim())
	for i, p := range a.p {
		dst.SetSym(i, i, p*a.length[i]*a.length[i])
	}
}

// NewCounterexample2D returns the distribution on which the incremental
// algorithm with k = 1 converges to the wrong vector [1,0] with probability
// 5/9: [sqrt 3, 0] with probability 1/3 and [0, sqrt 2] with probability 2/3
// (Cotter 2013, section 4.5). E[x x^T] = diag(1, 4/3).
func NewCounterexample2D() *Discrete {
	d, err := NewDiscrete([]Atom{
		{P: 1.0 / 3, X: []float64{math.Sqrt(3), 0}},
		{P: 2.0 / 3, X: []float64{0, math.Sqrt2}},
	})
	if err != nil {
		panic("datasets: " + err.Error())
	}
	return d
}

var (
	_ Distribution = (*Gaussian)(nil)
	_ Distribution = (*Discrete)(nil)
	_ Distribution = (*Axes)(nil)
)
