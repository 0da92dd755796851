package svm

import (
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// DecompositionConfig configures Decomposition.
type DecompositionConfig struct {
	// Lambda is the regularisation parameter. The dual variables are at most 1/(lambda n).
	Lambda float64
	// Bias gives the classifier an unregularised bias b.
	Bias bool
	// Size is the size q of the working set, usually 10. It must be at least 2 with a bias, and at least
	// 1 without. Values above n mean n.
	Size int
	// Tolerance is the violation of the KKT conditions, in units of the responses, at which the method
	// has converged. With 0 it continues until rounding prevents any progress.
	Tolerance float64
}

// Decomposition is dual decomposition as in SVM-Light, ascent of the dual objective
//
//	maximise 1'alpha - |w|^2/2  subject to 0 <= alpha_i <= 1/(lambda n),
//
// and with a bias also to sum_i y_i alpha_i = 0. A step maximises over a working set of q coordinates
// (dense_qp.go).
//
// Without a bias, the working set consists of the at most q coordinates whose optimal individual changes
// increase the objective most. With a bias, it is the support of the steepest feasible direction with q
// nonzero components of equal size. It takes alternately the points with the least u_i - y_i whose
// y_i alpha_i can increase, and those with the greatest u_j - y_j whose y_j alpha_j can decrease. Ties
// go to the first found.
//
// The working set depends only on the state, so the method is deterministic. The objective never
// decreases. A step costs O(q N) and q kernel rows, each fetched again if its multiplier changes. It is
// charged q n kernel evaluations.
//
// Source: Cotter 2013, section "Dual Decomposition"; Joachims 1999, "Making large-scale SVM learning
// practical". There is no shrinking, unlike in SVM-Light.
type Decomposition struct {
	dual
	size    int
	working []int
}

var _ SupportCounter = (*Decomposition)(nil)

// NewDecomposition returns dual decomposition at alpha = 0. It returns an error if a parameter is out of
// range or if p is invalid. With a bias, p must have points of both classes.
func NewDecomposition(cfg DecompositionConfig, p Problem) (*Decomposition, error) {
	least := 1
	if cfg.Bias {
		least = 2
	}
	if cfg.Size < least {
		return nil, fmt.Errorf("svm: decomposition: working set of size %d; it must be at least %d", cfg.Size, least)
	}
	d, err := newDual("decomposition", cfg.Lambda, cfg.Tolerance, cfg.Bias, p)
	if err != nil {
		return nil, err
	}
	return &Decomposition{dual: d, size: min(cfg.Size, d.qp.N)}, nil
}

// Step implements algorithms.Stepper. If it returns a status other than Running, it changes and charges
// nothing, and further calls return the same status.
func (d *Decomposition) Step() algorithms.Status {
	if d.status.Stop() {
		return d.status
	}
	qp := d.qp
	qp.Changed = qp.Changed[:0]
	if qp.Optimal(d.tolerance) {
		return d.stop(qp.Solved())
	}
	d.choose()
	sub := newDenseQP(len(d.working), qp.Bias)
	for r, i := range d.working {
		row, status := qp.Row(i)
		if status.Stop() {
			return d.stop(status)
		}
		sub.b[r] = qp.V[i] - qp.Target[i]
		sub.lo[r], sub.hi[r] = qp.Lo[i]-qp.Beta[i], qp.Hi[i]-qp.Beta[i]
		for c, j := range d.working {
			sub.k.Data[r*sub.k.Stride+c] = float64(row[j])
		}
	}
	gain := sub.solve()
	for r, i := range d.working {
		qp.Move(i, sub.z[r])
	}
	if len(qp.Changed) == 0 {
		return d.stop(qp.Stop())
	}
	for changed := range slices.Chunk(qp.Changed, 2) {
		a, last := changed[0], changed[len(changed)-1]
		row, by := qp.Rows.Row(a.I), qp.Beta[a.I]-a.Beta
		if len(changed) == 1 {
			vec.AddScaled(qp.V, by, row)
		} else {
			vec.AddScaledPair(qp.V, by, row, qp.Beta[last.I]-last.Beta, qp.Rows.Row(last.I))
		}
	}
	d.charge(d.size)
	qp.Stuck.Add(gain, qp.Objective)
	return d.status
}

// choose selects the working set.
func (d *Decomposition) choose() {
	qp := d.qp
	if !qp.Bias {
		best := newRanking(d.size, func(i int) float64 {
			_, gain := qp.Best(i)
			return gain
		})
		threshold := func() float64 { return qp.SlopeFor(max(0, best.least())) }
		qp.Above(1, threshold, best.add)
		qp.Above(-1, threshold, best.add)
		d.working = best.index
		return
	}
	var lists [2][]int
	for side, sign := range [2]float64{1, -1} {
		steepest := newRanking(d.size, func(i int) float64 { return sign * (qp.Target[i] - qp.V[i]) })
		qp.Above(sign, steepest.least, steepest.add)
		lists[side] = steepest.index
	}
	d.working = d.working[:0]
	for rank := range d.size {
		for _, list := range lists {
			if rank < len(list) && len(d.working) < d.size && !slices.Contains(d.working, list[rank]) {
				d.working = append(d.working, list[rank])
			}
		}
	}
}

// ranking holds the coordinates with the greatest keys, in decreasing order.
type ranking struct {
	size  int
	key   func(i int) float64
	index []int
	keys  []float64
}

func newRanking(size int, key func(i int) float64) ranking {
	return ranking{size, key, make([]int, 0, size+1), make([]float64, 0, size+1)}
}

// least returns the key that a new coordinate must exceed.
func (r *ranking) least() float64 {
	if len(r.index) < r.size {
		return math.Inf(-1)
	}
	return r.keys[r.size-1]
}

func (r *ranking) add(i int) {
	key := r.key(i)
	if !(key > r.least()) {
		return
	}
	at := len(r.keys)
	for at > 0 && key > r.keys[at-1] {
		at--
	}
	r.keys, r.index = slices.Insert(r.keys, at, key), slices.Insert(r.index, at, i)
	if len(r.index) > r.size {
		r.keys, r.index = r.keys[:r.size], r.index[:r.size]
	}
}

// SupportBounds implements SupportCounter.
func (d *Decomposition) SupportBounds() (least, most int) { return d.supportAfter(d.size) }
