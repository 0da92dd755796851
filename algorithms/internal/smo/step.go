package smo

import (
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// MinCurvature replaces a curvature that is not positive, as in vec.SecondOrder.
const MinCurvature = 1e-12

// Step changes one coefficient, or a pair with a bias, and returns the number of kernel rows it used. If
// it returns a status other than Running, it has changed nothing: the problem is solved to the
// tolerance, or cannot be solved. The reason of the status lacks the name of the method.
//
// Steps first move coefficients outside their bounds to the bound, one in each step. With a bias,
// further steps then change the coefficients that cost least until the sum is 0 again.
func (d *Dual) Step(tolerance float64) (rows int, status algorithms.Status) {
	d.Changed = d.Changed[:0]
	switch {
	case len(d.infeasible) > 0:
		return d.stepToBound()
	case d.unbalanced():
		return d.stepBalance()
	case d.Optimal(tolerance):
		return 0, d.Solved()
	case d.Bias:
		return d.stepPair()
	}
	return d.StepAt(d.best())
}

// Optimal reports whether the problem is solved to the tolerance, or as accurately as rounding permits.
func (d *Dual) Optimal(tolerance float64) bool {
	return len(d.infeasible) == 0 && !d.unbalanced() && (d.Stuck.Stuck || d.Violation() <= tolerance)
}

// Solved returns the status Converged, with the accuracy as the reason.
func (d *Dual) Solved() algorithms.Status {
	reason := fmt.Sprintf("the KKT conditions are violated by %.3g at most", d.Violation())
	if d.Stuck.Stuck {
		reason = "the dual objective cannot be improved in floating point"
	}
	return algorithms.Status{State: algorithms.Converged, Reason: reason}
}

// Stop records that rounding prevents any progress, and returns the status Converged.
func (d *Dual) Stop() algorithms.Status {
	d.Stuck.Stuck = true
	return d.Solved()
}

func (d *Dual) stepPair() (int, algorithms.Status) {
	i := d.Up.I
	ki, stop := d.Row(i)
	if stop.Stop() {
		return 0, stop
	}
	j := d.Partner(ki)
	if j < 0 {
		return 0, d.Stop()
	}
	kj, stop := d.Row(j)
	if stop.Stop() {
		return 0, stop
	}
	l, other := d.along(i, 1), d.along(j, -1)
	l.slope += other.slope
	l.limit = min(l.limit, other.limit)
	l.kinks[1] = other.kinks[0]
	l.curvature = d.Diag[i] + d.Diag[j] - 2*float64(ki[j])
	if !(l.curvature > MinCurvature) {
		l.curvature = MinCurvature
	}
	delta, gain := l.maximise()
	a, b := d.Move(i, delta), d.Move(j, -delta)
	if a == 0 && b == 0 {
		return 0, d.Stop()
	}
	d.Update(a, ki, b, kj)
	d.Stuck.Add(gain, d.Objective)
	return 2, algorithms.Status{}
}

// StepAt sets beta_i to its best value, and returns the number of kernel rows it used.
func (d *Dual) StepAt(i int) (rows int, status algorithms.Status) {
	d.Changed = d.Changed[:0]
	delta, gain := d.Best(i)
	if !(gain > 0) {
		return 0, d.Stop()
	}
	k, stop := d.Row(i)
	if stop.Stop() {
		return 0, stop
	}
	a := d.Move(i, delta)
	if a == 0 {
		return 0, d.Stop()
	}
	vec.AddScaled(d.V, a, k)
	d.Stuck.Add(gain, d.Objective)
	return 1, algorithms.Status{}
}

func (d *Dual) stepToBound() (int, algorithms.Status) {
	last := len(d.infeasible) - 1
	i := d.infeasible[last]
	k, stop := d.Row(i)
	if stop.Stop() {
		return 0, stop
	}
	d.infeasible = d.infeasible[:last]
	vec.AddScaled(d.V, d.set(i, min(max(d.Beta[i], d.Lo[i]), d.Hi[i])), k)
	if last == 0 {
		d.Balance()
	}
	return 1, algorithms.Status{}
}

// Balance computes the sum of the coefficients, which must be 0 with a bias. The next steps reduce it to
// 0.
func (d *Dual) Balance() {
	if !d.Bias || len(d.infeasible) > 0 {
		return
	}
	var sum, size float64
	for _, b := range d.Beta {
		sum += b
		size += math.Abs(b)
	}
	d.excess = 0
	if math.Abs(sum) > 0x1p-45*size {
		d.excess = sum
	}
}

// unbalanced reports whether there is an excess to reduce. Since beta = 0 is feasible, an excess that no
// coefficient can reduce is a rounding error.
func (d *Dual) unbalanced() bool {
	if d.excess != 0 {
		d.FindSteepest()
		if d.excess > 0 && d.Down.I < 0 || d.excess < 0 && d.Up.I < 0 {
			d.excess = 0
		}
	}
	return d.excess != 0
}

// stepBalance reduces the excess, as far as possible, by the coefficient that costs least to change.
func (d *Dual) stepBalance() (int, algorithms.Status) {
	sign, i := -1.0, d.Down.I
	if d.excess < 0 {
		sign, i = 1, d.Up.I
	}
	k, stop := d.Row(i)
	if stop.Stop() {
		return 0, stop
	}
	room, size := d.room(i, sign), math.Abs(d.excess)
	a := d.Move(i, sign*min(room, size))
	d.excess += a
	if size <= room {
		d.excess = 0
	}
	vec.AddScaled(d.V, a, k)
	return 1, algorithms.Status{}
}

// line is D along a line. It is piecewise quadratic: its slope decreases with the curvature, and drops
// by 2 epsilon where a coefficient changes its sign.
type line struct {
	slope     float64    // slope at the start
	curvature float64    // >= 0
	limit     float64    // distance to the bound, >= 0
	drop      float64    // decrease of the slope at a kink, >= 0
	kinks     [2]float64 // distances to the kinks
}

// noKink is the distance to a kink that does not exist.
var noKink = math.Inf(1)

// maximise returns the maximiser and the increase of D.
func (l line) maximise() (at, gain float64) {
	if l.kinks[0] > l.kinks[1] {
		l.kinks[0], l.kinks[1] = l.kinks[1], l.kinks[0]
	}
	for k := 0; l.slope > 0 && at < l.limit; k++ {
		end := l.limit
		if k < len(l.kinks) {
			end = min(end, l.kinks[k])
		}
		length := end - at
		if best := l.slope / l.curvature; best < length {
			return at + best, gain + 0.5*float64(l.slope*best)
		}
		gain += length * (l.slope - 0.5*float64(l.curvature*length))
		l.slope = l.slope - float64(l.curvature*length) - l.drop
		at = end
	}
	return at, gain
}
