package smo

import (
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// MinCurvature replaces a q that is not positive, as in vec.SecondOrder.
const MinCurvature = 1e-12

// Step changes one coefficient, or a pair with a bias, and returns how many kernel rows it
// took. Status other than Running, whose reason lacks the name of the method, means that
// nothing was changed: the problem is solved to the tolerance, or cannot be.
//
// Coefficients that are outside of their box go to its bound first, one a step; with a
// bias those that it costs least to change then make up for it, also one a step.
func (d *Dual) Step(tolerance float64) (rows int, status algorithms.Status) {
	d.Changed = d.Changed[:0]
	switch {
	case len(d.release) > 0:
		return d.stepRelease()
	case d.unbalanced():
		return d.stepBalance()
	case d.Optimal(tolerance):
		return 0, d.Solved()
	case d.Bias:
		return d.stepPair()
	}
	return d.StepAt(d.best())
}

// Optimal reports whether the problem is solved to the tolerance, or as well as can be
// in floating point.
func (d *Dual) Optimal(tolerance float64) bool {
	return len(d.release) == 0 && !d.unbalanced() && (d.Stuck.Stuck || d.Violation() <= tolerance)
}

// Solved says how well the problem is solved.
func (d *Dual) Solved() algorithms.Status {
	reason := fmt.Sprintf("the KKT conditions are violated by %.3g at most", d.Violation())
	if d.Stuck.Stuck {
		reason = "the dual objective cannot be improved in floating point"
	}
	return algorithms.Status{State: algorithms.Converged, Reason: reason}
}

// Stop notes that nothing can be improved.
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
	delta, gain := l.climb()
	a, b := d.Move(i, delta), d.Move(j, -delta)
	if a == 0 && b == 0 {
		return 0, d.Stop()
	}
	d.Update(a, ki, b, kj)
	d.Stuck.Add(gain, d.Objective)
	return 2, algorithms.Status{}
}

// StepAt moves beta_i to its best value, and returns how many kernel rows it took.
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

func (d *Dual) stepRelease() (int, algorithms.Status) {
	last := len(d.release) - 1
	i := d.release[last]
	k, stop := d.Row(i)
	if stop.Stop() {
		return 0, stop
	}
	d.release = d.release[:last]
	vec.AddScaled(d.V, d.put(i, min(max(d.Beta[i], d.Lo[i]), d.Hi[i])), k)
	if last == 0 {
		d.Balance()
	}
	return 1, algorithms.Status{}
}

// Balance notes by how much the sum of the coefficients, which is 0 with a bias, is off.
// The next steps take it back.
func (d *Dual) Balance() {
	if !d.Bias || len(d.release) > 0 {
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

// unbalanced reports whether there is an excess. 0 is in every box: where nothing can take
// the excess back, it is rounding.
func (d *Dual) unbalanced() bool {
	if d.excess != 0 {
		d.Look()
		if d.excess > 0 && d.Down.I < 0 || d.excess < 0 && d.Up.I < 0 {
			d.excess = 0
		}
	}
	return d.excess != 0
}

// stepBalance takes back the excess, or as much of it as the coefficient permits that it
// costs least to change.
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

// line is D along a line, from where it starts. D is piecewise quadratic: its slope falls
// at the rate of the curvature, and by 2 epsilon at once where a coefficient changes its
// sign.
type line struct {
	slope     float64 // of the first piece
	curvature float64 // >= 0
	limit     float64 // >= 0, how far the boxes let it go
	drop      float64 // >= 0, by how much the slope falls at a kink
	kinks     [2]float64
}

// noKink is the place of the kink of a line without one.
var noKink = math.Inf(1)

// climb returns the maximiser and by how much D is greater there.
func (l line) climb() (at, gain float64) {
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
