package pca

import (
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
