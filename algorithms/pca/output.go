package pca

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"

	"gonum.org/v1/gonum/mat"
)

// Averaged wraps a learner. Its solution is the average of the iterates,
//
//	M-bar_T = (1/T) sum_{t=1}^T M^(t),
//
// as in the analysis of MSG. M^(t) is the iterate before sample x_t, so the average includes the start
// M^(1), but not M^(T+1), the result of the last step. Before the first step the solution is the start.
//
// The average is a dense matrix. It takes O(d^2) memory, O(m d^2) operations in each step for an iterate
// with m explicit eigenpairs, and O(d^3) for StateTo. Cost does not include them. Cost and Rank are
// those of the learner.
//
// Source: Cotter 2013, section 6.2, the lemma on the rate of MSG.
type Averaged struct {
	Learner
	cur  State         // current iterate of the learner
	sum  *mat.SymDense // sum of U diag(Sigma - Bulk) U^T
	bulk float64       // sum of Bulk
	n    int64         // number of terms
}

var _ Learner = (*Averaged)(nil)

// NewAveraged returns the average of the iterates of inner, which must not have taken a step. It takes
// ownership of inner. It returns an error if inner is nil.
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

// StateTo implements Learner. It writes the average, with all d eigenvalues explicit.
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
		// Rounding may move an eigenvalue out of [0, 1].
		dst.Sigma[j] = clip01(values[i] + a.bulk/float64(a.n))
		dst.U.SetCol(j, mat.Col(nil, i, vectors))
	}
}

// Sampled wraps a learner. Its solution is a uniformly random iterate among M^(1), …, M^(T), the
// iterates before the samples x_1, …, x_T, as in the analysis of Warmuth & Kuzmin's algorithm. Before
// the first step it is the start. Reservoir sampling makes it uniform after every step.
//
// Cost and Rank are those of the learner.
//
// Source: Cotter 2013, section 5.4, the lemma on the rate of the algorithm.
type Sampled struct {
	Learner
	rng    *rand.Rand
	n      int64
	sample State
}

var _ Learner = (*Sampled)(nil)

// NewSampled returns a random iterate of inner, which must not have taken a step. It takes ownership of
// inner. rng draws the iterate and must not be the generator of inner. It returns an error if inner or
// rng is nil.
func NewSampled(inner Learner, rng *rand.Rand) (*Sampled, error) {
	if inner == nil {
		return nil, errNil("sampled", "learner")
	}
	if rng == nil {
		return nil, errNil("sampled", "random generator")
	}
	s := &Sampled{Learner: inner, rng: rng}
	inner.StateTo(&s.sample)
	return s, nil
}

// Step implements algorithms.Stepper.
func (s *Sampled) Step() algorithms.Status {
	replace := s.rng.Int64N(s.n+1) == 0
	var iterate State
	if replace {
		s.Learner.StateTo(&iterate)
	}
	status := s.Learner.Step()
	if status.Stop() {
		return status
	}
	s.n++
	if replace {
		s.sample = iterate
	}
	return status
}

// StateTo implements Learner. It writes the sampled iterate.
func (s *Sampled) StateTo(dst *State) { *dst = *s.sample.Clone() }

// Decomposed wraps a learner. Its solution is a random projection of rank k whose expectation is the
// solution M of the learner. The projection is a component of the convex decomposition of M (Unrelax),
// drawn with probability equal to its weight. The draw depends only on the seed and the number of steps,
// so repeated calls give the same projection.
//
// The directions outside U share the eigenvalue Bulk and have no particular eigenvectors. A component
// draws as many of them as it needs at random.
//
// Cost and Rank are those of the learner. StateTo costs O(d^2 log d).
//
// Source: Cotter 2013, section 5.2, "Un-relaxing a Solution".
type Decomposed struct {
	Learner
	seed [2]uint64
}

var _ Learner = (*Decomposed)(nil)

// NewDecomposed returns projections drawn from the solutions of inner. It takes ownership of inner, and
// draws a seed from rng. It returns an error if inner or rng is nil.
func NewDecomposed(inner Learner, rng *rand.Rand) (*Decomposed, error) {
	if inner == nil {
		return nil, errNil("decomposed", "learner")
	}
	if rng == nil {
		return nil, errNil("decomposed", "random generator")
	}
	return &Decomposed{Learner: inner, seed: [2]uint64{rng.Uint64(), rng.Uint64()}}, nil
}

// StateTo implements Learner. It writes a projection of rank k. If the trace of the learner's solution
// is below k, as in SAA before k samples, the projection is completed at random.
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

// choose draws a component of m and returns its columns of U. The rest of its k directions are outside
// the span of U.
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
	// M is not feasible: it is a subspace of dimension below k.
	for i := range min(explicit, k) {
		columns = append(columns, i)
	}
	return columns
}
