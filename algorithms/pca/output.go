package pca

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"stochopt/algorithms"
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
	inner Learner
	d     int
	cur   State         // the iterate that will meet the next sample
	sum   *mat.SymDense // sum of U diag(Sigma - Bulk) U^T
	bulk  float64       // sum of Bulk
	n     int64         // number of terms
	work  []float64
	mean  State // the decomposition of the average of meanOf terms
	meanN int64
	ok    bool // whether mean could be computed
}

var _ Learner = (*Averaged)(nil)

// NewAveraged returns the average of the iterates of inner, which has not been
// stepped yet and belongs to the result from now on. It returns an error if inner
// is nil.
func NewAveraged(inner Learner) (*Averaged, error) {
	if inner == nil {
		return nil, errNoLearner("averaged")
	}
	d, _ := inner.Dims()
	a := &Averaged{inner: inner, d: d, sum: mat.NewSymDense(d, nil), work: make([]float64, d)}
	inner.StateTo(&a.cur)
	a.mean.CopyFrom(&a.cur)
	a.ok = true
	return a, nil
}

// Step implements algorithms.Stepper.
func (a *Averaged) Step() algorithms.Status {
	if !a.ok {
		return algorithms.Status{State: algorithms.Failed, Reason: fmt.Sprintf("the eigendecomposition of the average of %d iterates did not converge", a.n)}
	}
	status := a.inner.Step()
	if status.Stop() {
		return status
	}
	addDense(a.sum, &a.cur, 1, a.work)
	a.bulk += a.cur.Bulk
	a.n++
	a.inner.StateTo(&a.cur)
	return status
}

// Dims implements Learner.
func (a *Averaged) Dims() (d, k int) { return a.inner.Dims() }

// Cost implements algorithms.Stepper. It is the cost of the learner.
func (a *Averaged) Cost() algorithms.Cost { return a.inner.Cost() }

// Rank implements Learner. It is the rank of the iterate, not of the average.
func (a *Averaged) Rank() int { return a.inner.Rank() }

// StateTo implements Learner: the average, all d eigenvalues of which are
// explicit.
func (a *Averaged) StateTo(dst *State) {
	if a.meanN != a.n {
		a.meanN = a.n
		a.ok = a.decompose()
	}
	dst.CopyFrom(&a.mean)
}

// decompose computes the eigendecomposition of the average. If it fails, the one
// before stays.
func (a *Averaged) decompose() bool {
	scaled := mat.NewSymDense(a.d, nil)
	scaled.ScaleSym(1/float64(a.n), a.sum)
	var eig mat.EigenSym
	if !eig.Factorize(scaled, true) {
		return false
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	values := eig.Values(nil)
	a.mean.setShape(a.d, a.d)
	for j := range a.d {
		i := a.d - 1 - j
		// Rounding takes an eigenvalue out of [0, 1] where the average is on
		// the boundary.
		a.mean.Sigma[j] = min(max(values[i]+a.bulk/float64(a.n), 0), 1)
		mat.Col(a.work, i, &vectors)
		a.mean.U.SetCol(j, a.work)
	}
	return true
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
	inner      Learner
	rng        *rand.Rand
	n          int64
	held, cand State
}

var _ Learner = (*Sampled)(nil)

// NewSampled returns a random iterate of inner, which has not been stepped yet and
// belongs to the result from now on. rng is for the choice only: it must not be
// the generator of inner. It returns an error if one of them is nil.
func NewSampled(inner Learner, rng *rand.Rand) (*Sampled, error) {
	if inner == nil {
		return nil, errNoLearner("sampled")
	}
	if rng == nil {
		return nil, errNoRand("sampled")
	}
	s := &Sampled{inner: inner, rng: rng}
	inner.StateTo(&s.held)
	return s, nil
}

// Step implements algorithms.Stepper.
func (s *Sampled) Step() algorithms.Status {
	take := s.rng.Int64N(s.n+1) == 0
	if take {
		s.inner.StateTo(&s.cand)
	}
	status := s.inner.Step()
	if status.Stop() {
		return status
	}
	s.n++
	if take {
		s.held, s.cand = s.cand, s.held
	}
	return status
}

// Dims implements Learner.
func (s *Sampled) Dims() (d, k int) { return s.inner.Dims() }

// Cost implements algorithms.Stepper. It is the cost of the learner.
func (s *Sampled) Cost() algorithms.Cost { return s.inner.Cost() }

// Rank implements Learner. It is the rank of the current iterate, not of the
// sampled one.
func (s *Sampled) Rank() int { return s.inner.Rank() }

// StateTo implements Learner: the sampled iterate.
func (s *Sampled) StateTo(dst *State) { dst.CopyFrom(&s.held) }

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
	inner Learner
	seed  [2]uint64
	cur   State
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
	return &Decomposed{inner: inner, seed: [2]uint64{rng.Uint64(), rng.Uint64()}}, nil
}

// Step implements algorithms.Stepper.
func (p *Decomposed) Step() algorithms.Status { return p.inner.Step() }

// Dims implements Learner.
func (p *Decomposed) Dims() (d, k int) { return p.inner.Dims() }

// Cost implements algorithms.Stepper. It is the cost of the learner.
func (p *Decomposed) Cost() algorithms.Cost { return p.inner.Cost() }

// Rank implements Learner. It is the rank of the iterate, not of the projection.
func (p *Decomposed) Rank() int { return p.inner.Rank() }

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

func errNoLearner(name string) error {
	return errors.New("pca: " + name + ": the learner is nil")
}
