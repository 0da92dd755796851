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
	d := &Discrete{atoms: slices.Clone(atoms), upTo: make([]float64, len(atoms))}
	var sum float64
	for i, a := range atoms {
		if !(a.P > 0) {
			return nil, fmt.Errorf("discrete distribution: probability %d is %v", i+1, a.P)
		}
		sum += a.P
		d.upTo[i] = sum
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return nil, fmt.Errorf("discrete distribution: the probabilities sum to %v, not 1", sum)
	}
	d.upTo[len(atoms)-1] = 1
	return d, nil
}

// Dim implements Distribution.
func (d *Discrete) Dim() int { return len(d.atoms[0].X) }

// Sample implements Distribution. It draws one number from rng.
func (d *Discrete) Sample(dst []float64, rng *rand.Rand) {
	if len(dst) != d.Dim() {
		panic(badLength)
	}
	u := rng.Float64()
	i := sort.Search(len(d.upTo), func(i int) bool { return u < d.upTo[i] })
	copy(dst, d.atoms[i].X)
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
)
