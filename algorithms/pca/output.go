package pca

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"

	"gonum.org/v1/gonum/mat"
)

// Averaged makes the average of the iterates of a learner,
//
//	M-bar_T = (1/T) sum_{t=1}^T M^(t),
//
// its solution, as the analysis of MSG has it. M^(t) is the iterate that meets
// the sample x_t: the average includes the start M^(1) and not the iterate
// M^(T+1) that the last step leaves. Before the first step it is the start.
//
// The average is kept as a dense matrix: O(d^2) memory, O(m d^2) operations a step
// for an iterate of m explicit eigenpairs, and O(d^3) for StateTo. Cost and Rank
// are those of the learner; none of this is counted.
//
// Source: Cotter 2013, section 6.2, the lemma on the rate of MSG.
type Averaged struct {
	Learner
	cur  State         // the iterate that will meet the next sample
	sum  *mat.SymDense // sum of U diag(Sigma - Bulk) U^T
	bulk float64       // sum of Bulk
	n    int64         // number of terms
}

var _ Learner = (*Averaged)(nil)

// NewAveraged returns the average of the iterates of inner, which has not been
// stepped yet and belongs to the result from now on. It returns an error if inner
// is nil.
func NewAveraged(inner Learner) (*Averaged, error) {
	if inner == nil {
		return nil, errNil("averaged", "learner")
	}
	d, _ := inner.Dims()
	a := &Averaged{Learner: inner, sum: mat.NewSymDense(d, nil)}
	inner.StateTo(&a.cur)
	return a, nil
}

// Step implements algorithms.Stepper.
func (a *Averaged) Step() algorithms.Status {
	status := a.Learner.Step()
	if status.Stop() {
		return status
	}
	a.cur.addTo(a.sum, 1)
	a.bulk += a.cur.Bulk
	a.n++
	a.Learner.StateTo(&a.cur)
	return status
}

// StateTo implements Learner: the average, all d eigenvalues of which are
// explicit.
func (a *Averaged) StateTo(dst *State) {
	if a.n == 0 {
		*dst = *a.cur.Clone()
		return
	}
	d, _ := a.Dims()
	mean := mat.NewSymDense(d, nil)
	mean.ScaleSym(1/float64(a.n), a.sum)
	values, vectors := eigen(mean)
	*dst = newState(d, d)
	for j := range d {
		i := d - 1 - j
		// Rounding takes an eigenvalue out of [0, 1] where the average is on
		// the boundary.
		dst.Sigma[j] = clip01(values[i] + a.bulk/float64(a.n))
		dst.U.SetCol(j, mat.Col(nil, i, vectors))
	}
}

// Sampled makes a uniformly random one of the iterates M^(1), …, M^(T) of a
// learner, those that met the samples x_1, …, x_T, its solution, as the analysis
// of Warmuth & Kuzmin's algorithm has it. Before the first step it is the start.
// It is kept by reservoir sampling, so that it is uniform after every step, though
// from one step to the next it is mostly the same.
//
// Cost and Rank are those of the learner.
//
// Source: Cotter 2013, section 5.4, the lemma on the rate of the algorithm.
type Sampled struct {
	Learner
	rng  *rand.Rand
	n    int64
	held State
}

var _ Learner = (*Sampled)(nil)

// NewSampled returns a random iterate of inner, which has not been stepped yet and
// belongs to the result from now on. rng is for the choice only: it must not be
// the generator of inner. It returns an error if one of them is nil.
func NewSampled(inner Learner, rng *rand.Rand) (*Sampled, error) {
	if inner == nil {
		return nil, errNil("sampled", "learner")
	}
	if rng == nil {
		return nil, errNil("sampled", "random generator")
	}
	s := &Sampled{Learner: inner, rng: rng}
	inner.StateTo(&s.held)
	return s, nil
}

// Step implements algorithms.Stepper.
func (s *Sampled) Step() algorithms.Status {
	take := s.rng.Int64N(s.n+1) == 0
	var met State
	if take {
		s.Learner.StateTo(&met)
	}
	status := s.Learner.Step()
	if status.Stop() {
		return status
	}
	s.n++
	if take {
		s.held = met
	}
	return status
}

// StateTo implements Learner: the sampled iterate.
func (s *Sampled) StateTo(dst *State) { *dst = *s.held.Clone() }

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
