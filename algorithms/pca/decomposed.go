package pca

import (
	"encoding/binary"
	"math/rand/v2"

	"stochopt/algorithms"

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
	wrapped
	seed [2]uint64
	cur  State
}

var _ Learner = (*Decomposed)(nil)

// NewDecomposed returns the projections drawn from the solutions of inner, which
// belongs to the result from now on. rng gives a seed, here only. It returns an
// error if one of them is nil.
func NewDecomposed(inner Learner, rng *rand.Rand) (*Decomposed, error) {
	if inner == nil {
		return nil, errNoLearner("decomposed")
	}
	if rng == nil {
		return nil, errNoRand("decomposed")
	}
	return &Decomposed{wrapped: wrapped{inner}, seed: [2]uint64{rng.Uint64(), rng.Uint64()}}, nil
}

// Step implements algorithms.Stepper.
func (p *Decomposed) Step() algorithms.Status { return p.inner.Step() }

// StateTo implements Learner: a projection of rank k. Where the learner's
// solution has a trace below k, as SAA's before it has seen k samples, it is
// completed at random.
func (p *Decomposed) StateTo(dst *State) {
	p.inner.StateTo(&p.cur)
	d, k := p.inner.Dims()
	rng := p.rng()
	chosen, outside := p.choose(d, k, rng)
	u := newBasis(d, k)
	for j, i := range chosen {
		mat.Col(u.col(j), i, p.cur.U)
	}
	completeBasis(u, len(chosen), outside, &p.cur, rng)
	u.stateTo(dst, k)
}

// rng returns the generator of the draw after the current number of steps.
func (p *Decomposed) rng() *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], p.seed[0])
	binary.LittleEndian.PutUint64(key[8:], p.seed[1])
	binary.LittleEndian.PutUint64(key[16:], uint64(p.inner.Cost().Iterations))
	return rand.New(rand.NewChaCha8(key))
}

// choose draws a component of the current state: the columns of U it takes, and
// the number of directions outside.
func (p *Decomposed) choose(d, k int, rng *rand.Rand) (columns []int, outside int) {
	m := len(p.cur.Sigma)
	sigma := make([]float64, d)
	copy(sigma, p.cur.Sigma)
	for i := m; i < d; i++ {
		sigma[i] = p.cur.Bulk
	}
	if cs, err := Unrelax(sigma, k); err == nil {
		for _, i := range cs[SampleComponent(cs, rng)].Indices {
			if i < m {
				columns = append(columns, i)
			}
		}
		return columns, k - len(columns)
	}
	// Not a feasible M: a subspace of dimension below k.
	for i := range min(m, k) {
		columns = append(columns, i)
	}
	return columns, k - len(columns)
}

// completeBasis sets the n columns of u after the first m to random orthonormal
// directions outside the span of s.U.
func completeBasis(u *basis, m, n int, s *State, rng *rand.Rand) {
	if n == 0 {
		return
	}
	explicit := len(s.Sigma)
	all := newBasis(u.d, explicit+n)
	for j := range explicit {
		mat.Col(all.col(j), j, s.U)
	}
	for j := 0; j < n; {
		v := all.col(explicit + j)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		if all.orthonormaliseAgainst(v, explicit+j) {
			copy(u.col(m+j), v)
			j++
		}
	}
}
