package pca

import (
	"errors"
	"fmt"

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
	wrapped
	d     int
	cur   State         // the iterate that will meet the next sample
	sum   *mat.SymDense // sum of U diag(Sigma - Bulk) U^T
	bulk  float64       // sum of Bulk
	n     int64         // number of terms
	work  []float64
	mean  State // the decomposition of the average of meanN terms
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
	a := &Averaged{wrapped: wrapped{inner}, d: d, sum: mat.NewSymDense(d, nil), work: make([]float64, d)}
	inner.StateTo(&a.cur)
	a.mean.CopyFrom(&a.cur)
	a.ok = true
	return a, nil
}

// Step implements algorithms.Stepper.
func (a *Averaged) Step() algorithms.Status {
	if !a.ok {
		return a.Status()
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

// Status implements Checker. It is Failed when the average could not be
// decomposed, and else the status of the learner.
func (a *Averaged) Status() algorithms.Status {
	if !a.ok {
		return algorithms.Status{State: algorithms.Failed, Reason: fmt.Sprintf("the eigendecomposition of the average of %d iterates did not converge", a.n)}
	}
	return a.wrapped.Status()
}

// StateTo implements Learner: the average, all d eigenvalues of which are
// explicit. If its eigendecomposition fails, dst receives the average that was
// last decomposed, and Status says so from then on.
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

// wrapped is the learner that another makes a solution of. Dimensions, cost, rank and
// status are its own.
type wrapped struct{ inner Learner }

// Dims implements Learner.
func (w wrapped) Dims() (d, k int) { return w.inner.Dims() }

// Cost implements algorithms.Stepper. It is the cost of the learner.
func (w wrapped) Cost() algorithms.Cost { return w.inner.Cost() }

// Rank implements Learner. It is the rank of the learner's current iterate, not of
// what is made of it.
func (w wrapped) Rank() int { return w.inner.Rank() }

// Status implements Checker. It is the status of the learner, Running if that is no
// Checker.
func (w wrapped) Status() algorithms.Status {
	if c, ok := w.inner.(Checker); ok {
		return c.Status()
	}
	return algorithms.Status{}
}

func errNoLearner(name string) error {
	return errors.New("pca: " + name + ": the learner is nil")
}
