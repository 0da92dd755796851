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

// newStarted returns the relaxation of a stream at its start, where value maps the
// starting M to the matrix that is kept, eigenvalue by eigenvalue. It returns an
// error if the start is unknown or needs a generator that is not there.
func newStarted(
	name string, s stream, start Start, rng *rand.Rand, value func(sigma float64) float64,
) (relaxation, error) {
	switch start {
	case StartUniform:
	case StartRandomLowRank, StartRandomSubspace:
		if rng == nil {
			return relaxation{}, fmt.Errorf("pca: %s: the random generator is nil: pass one, or start at %q", name, StartUniform)
		}
	default:
		return relaxation{}, fmt.Errorf("pca: %s: unknown start %q: use %q, %q or %q",
			name, start, StartRandomLowRank, StartUniform, StartRandomSubspace)
	}
	k := float64(s.k)
	f := newEigenFactor(newBasis(s.d, 0), 0, value(k/float64(s.d)))
	switch {
	case start == StartRandomSubspace:
		f = newEigenFactor(newRandomBasis(s.d, s.k, rng), value(1), value(0))
	case start == StartRandomLowRank && s.k+1 < s.d:
		f = newEigenFactor(newRandomBasis(s.d, s.k+1, rng), value(k/(k+1)), value(0))
	}
	return newRelaxation(s, f), nil
}
