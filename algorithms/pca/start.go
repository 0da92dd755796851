package pca

import (
	"fmt"
	"math/rand/v2"
)

// Start says where a relaxed algorithm starts.
type Start string

const (
	// StartDefault is the default of the algorithm.
	StartDefault Start = ""
	// StartRandomLowRank gives k+1 random orthonormal directions the eigenvalue
	// k/(k+1) of M, and the others 0. In the scale of Warmuth & Kuzmin, W has
	// d-k-1 eigenvalues 1/(d-k) and k+1 eigenvalues 1/((k+1)(d-k)) (Cotter 2013,
	// figure fig:pca-warmuth:efficiency, right). For k+1 = d it is StartUniform.
	StartRandomLowRank Start = "random-low-rank"
	// StartUniform is M = (k/d) I, which is W = (1/d) I.
	StartUniform Start = "uniform"
	// StartRandomSubspace is the projection onto a random subspace of dimension
	// k. It is not open to Warmuth & Kuzmin's algorithm, since ln W does not
	// exist there.
	StartRandomSubspace Start = "random-subspace"
)

// resolveStart returns the start to use, where def replaces the default, or an
// error if it is unknown or needs a generator that is not there.
func resolveStart(name string, start, def Start, rng *rand.Rand) (Start, error) {
	if start == StartDefault {
		start = def
	}
	switch start {
	case StartUniform:
		return start, nil
	case StartRandomLowRank, StartRandomSubspace:
		if rng == nil {
			return "", fmt.Errorf("pca: %s: the start %q draws random directions, but the generator is nil: pass one, or start at %q", name, start, StartUniform)
		}
		return start, nil
	}
	return "", fmt.Errorf("pca: %s: unknown start %q: use %q, %q or %q", name, start, StartRandomLowRank, StartUniform, StartRandomSubspace)
}

// newStartFactor returns the matrix that value maps the starting M to, eigenvalue
// by eigenvalue.
func newStartFactor(d, k int, start Start, rng *rand.Rand, value func(sigma float64) float64) *eigenFactor {
	switch {
	case start == StartRandomSubspace:
		return newEigenFactor(newRandomBasis(d, k, rng), value(1), value(0))
	case start == StartRandomLowRank && k+1 < d:
		return newEigenFactor(newRandomBasis(d, k+1, rng), value(float64(k)/float64(k+1)), value(0))
	}
	return newEigenFactor(newBasis(d, 0), 0, value(float64(k)/float64(d)))
}
