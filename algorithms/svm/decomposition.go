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
	// Lambda is the regularisation parameter. The dual variables are at most
	// 1/(lambda n).
	Lambda float64
	// Bias says that the classifier has an unregularised bias b.
	Bias bool
	// Size is the size q of the working set, usually 10; at least 2 with a bias,
	// at least 1 without. It is n if it is larger.
	Size int
	// Tolerance is the violation of the KKT conditions, in units of the
	// responses, at which the method reports algorithms.Converged. At 0 it runs
	// on until nothing can be improved in floating point.
	Tolerance float64
}

// Decomposition is dual decomposition as in SVM-Light: ascent of the dual
// objective,
//
//	maximise 1'alpha - |w|^2/2  subject to 0 <= alpha_i <= 1/(lambda n),
//
// and with a bias also to sum_i y_i alpha_i = 0, over a working set of q
// coordinates at a time, to the maximum over these (dense_qp.go).
//
// Working set: without a bias, the q coordinates whose best change alone raises
// the objective most, or fewer if fewer do. With one, the steepest feasible direction with q nonzero
// components of equal size: alternately the i with the least u_i - y_i among those
// whose y_i alpha_i can grow and the j with the greatest among those whose
// y_j alpha_j can fall, as long as there are such. Of equals it takes those that it finds
// first.
//
// The working set depends on the state alone: the method is deterministic. The
// objective never decreases. A step costs O(q N) and q kernel rows, each fetched
// again if its multiplier changes, and is charged q n kernel evaluations.
//
// Source: Cotter 2013, section "Dual Decomposition"; Joachims 1999, "Making
// large-scale SVM learning practical". SVM-Light's shrinking is left out.
type Decomposition struct {
	dual
	size    int
	working []int
}

var _ Sparse = (*Decomposition)(nil)

// NewDecomposition returns dual decomposition at alpha = 0. It returns an error if
// lambda, the size or the tolerance is out of range, if the problem has no training
// points or an impossible diagonal, and, with a bias, if one class is empty.
func NewDecomposition(cfg DecompositionConfig, p Problem) (*Decomposition, error) {
	least := 1
	if cfg.Bias {
		least = 2
	}
	if cfg.Size < least {
		return nil, fmt.Errorf("svm: decomposition: working set of size %d, want at least %d", cfg.Size, least)
	}
	d, err := newDual("decomposition", cfg.Lambda, cfg.Tolerance, cfg.Bias, p)
	if err != nil {
		return nil, err
	}
	return &Decomposition{dual: d, size: min(cfg.Size, d.qp.N)}, nil
}

// Step implements algorithms.Stepper. Converged, like every status other than
// Running, means that nothing was changed and nothing is charged; Step may then
// be called again and returns the same.
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
		bar := func() float64 { return qp.SlopeFor(max(0, best.least())) }
		qp.Above(1, bar, best.add)
		qp.Above(-1, bar, best.add)
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

// ranking lists the coordinates with the greatest keys, in decreasing order.
type ranking struct {
	size  int
	key   func(i int) float64
	index []int
	keys  []float64
}

func newRanking(size int, key func(i int) float64) ranking {
	return ranking{size, key, make([]int, 0, size+1), make([]float64, 0, size+1)}
}

// least returns the key that another must exceed to be listed.
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

// Reach implements Sparse.
func (d *Decomposition) Reach() (least, most int) { return d.reach(d.size) }
