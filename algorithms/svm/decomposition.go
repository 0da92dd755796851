package svm

import (
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/stagnation"
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
// coordinates at a time, to the maximum over these.
//
// Working set: without a bias, the q coordinates whose best change alone raises
// the objective most. With one, the steepest feasible direction with q nonzero
// components of equal size: alternately the i with the least u_i - y_i among those
// whose y_i alpha_i can rise and the j with the greatest among those whose
// y_j alpha_j can fall, as long as there are such. The subproblem is solved by
// gradient projection (gradient_projection.go).
//
// The working set depends on the state alone: the method is deterministic. The
// objective never decreases. A step costs O(q N) and q kernel rows, each fetched
// again if its multiplier changes, and is charged q n kernel evaluations.
//
// Source: Cotter 2013, section "Dual Decomposition"; Joachims 1999, "Making
// large-scale SVM learning practical". SVM-Light's shrinking is left out.
type Decomposition struct {
	dual
	bias      bool
	size      int
	tolerance float64
	stuck     stagnation.Test

	rising, falling topList
	ofClass         topList
	in              []bool // n, whether in the working set
	working         []int
	sub             workingSetQP
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
	if err := checkTolerance("decomposition", cfg.Tolerance); err != nil {
		return nil, err
	}
	d := &Decomposition{bias: cfg.Bias, tolerance: cfg.Tolerance}
	if err := d.init("decomposition", cfg.Lambda, cfg.Bias, p); err != nil {
		return nil, err
	}
	q := min(cfg.Size, d.n)
	d.size = q
	d.stuck = stagnation.New(d.n)
	d.rising, d.falling = newTopList(q), newTopList(q)
	d.ofClass = newTopList(q)
	d.in = make([]bool, d.n)
	d.working = make([]int, 0, q)
	d.sub = newWorkingSetQP(q, cfg.Bias)
	return d, nil
}

// Step implements algorithms.Stepper. Converged, like every status other than
// Running, means that nothing was changed and nothing is charged; Step may then
// be called again and returns the same.
func (d *Decomposition) Step() algorithms.Status {
	switch {
	case d.status.Stop():
		return d.status
	case d.stuck.Stuck:
		return d.stop(algorithms.Converged, stuckReason)
	}
	if v := d.Violation(); v <= d.tolerance {
		return d.stop(algorithms.Converged, "the KKT conditions are violated by %.3g at most", v)
	}
	d.changed = d.changed[:0]
	d.choose()
	for r, i := range d.working {
		row, ok := d.row(i)
		if !ok {
			return d.status
		}
		rise, fall := d.room(i)
		d.sub.set(r, d.u[i]-d.label(i), -fall, rise)
		for c, j := range d.working {
			d.sub.k[r*d.size+c] = float64(row[j])
		}
	}
	gain := d.sub.solve()
	var moved int
	var last float64 // a change still to be made, with its row
	var lastRow []float32
	for r, i := range d.working {
		if d.sub.z[r] == 0 {
			continue
		}
		delta := d.move(i, d.sub.z[r])
		if delta == 0 {
			continue
		}
		moved++
		// The row was found good above.
		row := d.rows.Row(i)
		if lastRow == nil {
			last, lastRow = delta, row
			continue
		}
		vec.AddScaledPair(d.u, last, lastRow, delta, row)
		lastRow = nil
	}
	if lastRow != nil {
		vec.AddScaled(d.u, last, lastRow)
	}
	if moved == 0 {
		return d.stop(algorithms.Converged, stuckReason)
	}
	d.charge(d.size, moved)
	d.stuck.Add(gain, d.DualObjective)
	return algorithms.Status{}
}

// choose selects the working set.
func (d *Decomposition) choose() {
	d.rising.reset()
	d.falling.reset()
	d.working = d.working[:0]
	if !d.bias {
		d.gainful(0, 1)
		d.gainful(1, -1)
		d.working = append(d.working, d.rising.index...)
		return
	}
	for c := range 2 {
		d.greatest(&d.rising, c, -1, d.up)
		d.greatest(&d.falling, c, 1, d.low)
	}
	a, b := d.rising.index, d.falling.index
	for len(d.working) < d.size {
		a = d.take(a)
		if len(d.working) < d.size {
			b = d.take(b)
		}
	}
	for _, i := range d.working {
		d.in[i] = false
	}
}

// gainful adds the coordinates of a class to the rising ones, by their gain.
func (d *Decomposition) gainful(class int, label float64) {
	lo, hi := d.class(class)
	for j := -1; ; {
		var gain float64
		if j, gain = vec.NextGain(d.u[lo:hi], label, d.alpha[lo:hi], d.upper, d.diag[lo:hi], j+1, d.rising.bar()); j < 0 {
			return
		}
		d.rising.add(lo+j, gain)
	}
}

// greatest adds to list the greatest sign (u_i - y_i) of a class. In a class
// they do not decrease as sign u_i increases, whatever their rounding.
func (d *Decomposition) greatest(list *topList, class int, sign float64, mask []int8) {
	lo, hi := d.class(class)
	own := &d.ofClass
	own.reset()
	bar := math.Inf(-1)
	for j := -1; ; {
		if j = vec.NextAbove(d.u[lo:hi], sign, mask[lo:hi], j+1, bar); j < 0 {
			break
		}
		own.add(lo+j, sign*(d.u[lo+j]-d.label(lo+j)))
		if own.full() {
			bar = sign * d.u[own.index[len(own.index)-1]]
		}
	}
	for r, i := range own.index {
		list.add(i, own.key[r])
	}
}

// class returns the range of the points of a class, 0 for the positive one.
func (d *Decomposition) class(c int) (lo, hi int) {
	if c == 0 {
		return 0, d.positive
	}
	return d.positive, d.n
}

// take adds the first of list that is not in the working set yet, if there is
// one, and returns those that follow.
func (d *Decomposition) take(list []int) []int {
	for k, i := range list {
		if !d.in[i] {
			d.in[i] = true
			d.working = append(d.working, i)
			return list[k+1:]
		}
	}
	return nil
}

// Violation returns by how much the current point violates the KKT conditions, as
// SMO.Violation does, in O(n).
func (d *Decomposition) Violation() float64 {
	if d.bias {
		_, least, _, greatest := d.extremes()
		return max(0, greatest-least)
	}
	return d.boxViolation()
}

// Reach implements Sparse.
func (d *Decomposition) Reach() (least, most int) { return d.reach(d.size) }

// SolutionTo implements Learner. With a bias, b is the mean of y_i - u_i over the
// free multipliers.
func (d *Decomposition) SolutionTo(dst *Solution) { d.solutionTo(dst, d.bias) }
