package pca

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Decomposed makes a random projection of rank k its solution, whose expectation
// is the solution M of a learner: a component of the convex decomposition of M
// (Unrelax), drawn by its weight. The draw depends on the seed and on the number
// of steps alone, so that asking again gives the same projection.
//
// Of the directions outside U, which share the eigenvalue Bulk and so have no
// eigenvectors of their own, a component takes as many as it needs at random.
//
// Cost and Rank are those of the learner. StateTo takes O(d^2 log d) operations.
//
// Source: Cotter 2013, section 5.2, "Un-relaxing a Solution".
type Decomposed struct {
	Learner
	seed [2]uint64
}

var _ Learner = (*Decomposed)(nil)

// NewDecomposed returns the projections drawn from the solutions of inner, which
// belongs to the result from now on. rng gives a seed, here only. It returns an
// error if one of them is nil.
func NewDecomposed(inner Learner, rng *rand.Rand) (*Decomposed, error) {
	if inner == nil {
		return nil, errNil("decomposed", "learner")
	}
	if rng == nil {
		return nil, errNil("decomposed", "random generator")
	}
	return &Decomposed{Learner: inner, seed: [2]uint64{rng.Uint64(), rng.Uint64()}}, nil
}

// StateTo implements Learner: a projection of rank k. Where the learner's
// solution has a trace below k, as SAA's before it has seen k samples, it is
// completed at random.
func (p *Decomposed) StateTo(dst *State) {
	var m State
	p.Learner.StateTo(&m)
	d, k := p.Dims()
	rng := p.rng()
	u, outside := newBasis(d, 0), newBasis(d, 0)
	for i := range m.Sigma {
		outside.appendCol(1, mat.Col(nil, i, m.U))
	}
	for _, i := range choose(&m, d, k, rng) {
		u.appendCol(1, outside.col(i))
	}
	v := make([]float64, d)
	for u.k < k {
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		if outside.orthonormaliseAgainst(v, outside.k) {
			outside.appendCol(1, v)
			u.appendCol(1, v)
		}
	}
	u.stateTo(dst, k)
}

// rng returns the generator of the draw after the current number of steps.
func (p *Decomposed) rng() *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], p.seed[0])
	binary.LittleEndian.PutUint64(key[8:], p.seed[1])
	binary.LittleEndian.PutUint64(key[16:], uint64(p.Cost().Iterations))
	return rand.New(rand.NewChaCha8(key))
}

// choose draws a component of m and returns which columns of U it takes. The
// others of its k directions are outside the span of U.
func choose(m *State, d, k int, rng *rand.Rand) (columns []int) {
	explicit := len(m.Sigma)
	sigma := slices.Concat(m.Sigma, slices.Repeat([]float64{m.Bulk}, d-explicit))
	if cs, err := Unrelax(sigma, k); err == nil {
		for _, i := range cs[SampleComponent(cs, rng)].Indices {
			if i < explicit {
				columns = append(columns, i)
			}
		}
		return columns
	}
	// Not a feasible M: a subspace of dimension below k.
	for i := range min(explicit, k) {
		columns = append(columns, i)
	}
	return columns
}
