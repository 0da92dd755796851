package datasets

import (
	"math/rand/v2"

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
