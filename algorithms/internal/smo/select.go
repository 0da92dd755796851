package smo

import (
	"math"

	"stochopt/algorithms/internal/vec"
)

// Working sets.
//
// With a bias, beta_i grows and beta_j falls by the same delta, which raises D by
//
//	delta (s_i + s_j) - delta^2 q/2,  q = K_ii + K_jj - 2 K_ij,
//
// where s_i and s_j are the slopes of D along the two moves: i is the first of the
// greatest s_i, j the first with the greatest (s_i + s_j)^2/q of those with s_i + s_j > 0
// (WSS 2 of Fan, Chen and Lin 2005, "Working set selection using second order
// information for training support vector machines",
// https://www.jmlr.org/papers/v6/fan05a.html, with one coefficient a point where LIBSVM
// has two for a regression). Where q <= 0, which rounding or a kernel that is not
// positive definite may bring, q = 1e-12.
//
// Without a bias, the beta_i whose best move raises D most goes to its best value.

// Direction is a move of coefficient I, and the slope of D along it. I = -1 and
// Slope = -Inf mean that no coefficient can move.
type Direction struct {
	I     int
	Slope float64
}

var none = Direction{-1, math.Inf(-1)}

// class is a range of points with the same Target.
type class struct {
	from, to int
	target   float64
}

// side is the set of the coefficients that can move in the direction of sign and whose
// |beta_i| then costs D so much per unit: epsilon, or -epsilon as it returns to 0. The
// mask is -1 for those and 0 for the others.
type side struct {
	sign, cost float64
	mask       []int8
}

// Look finds the steepest moves, in O(n) unless they are known.
func (d *Dual) Look() {
	if d.looked {
		return
	}
	d.looked = true
	d.Up, d.Down = none, none
	for s := range d.up {
		d.lookAt(s)
	}
}

// lookAt looks through the sides of the same cost.
func (d *Dual) lookAt(s int) {
	up, down := d.up[s].mask, d.down[s].mask
	for _, c := range d.classes {
		i, least := vec.ArgMinIf(d.V[c.from:c.to], up[c.from:c.to])
		j, greatest := vec.ArgMaxIf(d.V[c.from:c.to], down[c.from:c.to])
		d.note(c, d.up[s].cost, i, least, j, greatest)
	}
}

// note updates Up and Down with the least and the greatest V among the points of a class
// that can move at a cost.
func (d *Dual) note(c class, cost float64, i int, least float64, j int, greatest float64) {
	if slope := c.target - least - cost; slope > d.Up.Slope {
		d.Up = Direction{c.from + i, slope}
	}
	if slope := greatest - c.target - cost; slope > d.Down.Slope {
		d.Down = Direction{c.from + j, slope}
	}
}

// Update adds a K_i + b K_j to V and finds the steepest moves in the same pass.
func (d *Dual) Update(a float64, ki []float32, b float64, kj []float32) {
	d.Up, d.Down = none, none
	up, down := d.up[0].mask, d.down[0].mask
	for _, c := range d.classes {
		f, t := c.from, c.to
		i, least, j, greatest := vec.AddScaledPairExtremes(d.V[f:t], a, ki[f:t], b, kj[f:t], up[f:t], down[f:t])
		d.note(c, d.Epsilon, i, least, j, greatest)
	}
	vec.AddScaledPair(d.V[d.N:], a, ki[d.N:], b, kj[d.N:])
	d.looked = true
	if len(d.up) > 1 {
		d.lookAt(1)
	}
}

// Above calls visit for the points whose slope in the direction of sign exceeds bar(), up
// to rounding. It calls bar again before it looks for the next point.
func (d *Dual) Above(sign float64, bar func() float64, visit func(i int)) {
	sides := d.up
	if sign < 0 {
		sides = d.down
	}
	for _, s := range sides {
		for _, c := range d.classes {
			for i := c.from; i < c.to; i++ {
				t := bar() + s.cost - sign*c.target
				j := vec.NextAbove(d.V[i:c.to], -sign, s.mask[i:c.to], t)
				if j < 0 {
					break
				}
				i += j
				visit(i)
			}
		}
	}
}

// Violation returns by how much the optimality conditions are violated, 0 at the
// optimum.
func (d *Dual) Violation() float64 {
	d.Look()
	if d.Bias {
		return max(0, d.Up.Slope+d.Down.Slope)
	}
	return max(0, d.Up.Slope, d.Down.Slope)
}

// Partner returns the j whose fall promises most while Up.I, whose row of the kernel is ki,
// grows; -1 if none does.
func (d *Dual) Partner(ki []float32) int {
	i, price := d.Up.I, -d.Up.Slope
	j, most := -1, 0.0
	for _, s := range d.down {
		// Not i itself, which rounding could make look worth while.
		own := s.mask[i]
		s.mask[i] = 0
		for _, c := range d.classes {
			f, t := c.from, c.to
			k, gain := vec.SecondOrder(d.V[f:t], s.mask[f:t], ki[f:t], d.Diag[f:t], price+s.cost+c.target, d.Diag[i])
			if k >= 0 && (gain > most || gain == most && f+k < j) {
				j, most = f+k, gain
			}
		}
		s.mask[i] = own
	}
	if j < 0 || !(d.along(j, -1).slope > price) {
		return -1
	}
	return j
}

// best returns the coefficient whose best move raises D most, up to rounding. It begins
// with the steepest moves, of which there is one: few others can raise D by more.
func (d *Dual) best() (i int) {
	i = -1
	var most float64
	try := func(j int, sign float64) {
		l := d.along(j, sign)
		if l.slope*l.limit < most {
			return // the gain is at most that
		}
		if _, gain := l.climb(); gain > most || gain == most && j < i {
			i, most = j, gain
		}
	}
	bar := func() float64 { return d.SlopeFor(most) }
	if d.Up.I >= 0 {
		try(d.Up.I, 1)
	}
	if d.Down.I >= 0 {
		try(d.Down.I, -1)
	}
	d.Above(1, bar, func(j int) { try(j, 1) })
	d.Above(-1, bar, func(j int) { try(j, -1) })
	return i
}

// SlopeFor returns a slope that a move must have for D to gain more than that. The gain
// by a slope s is s^2/(2 K_ii), but if the width h of the box is less than s/K_ii it is
// h (s - h K_ii/2).
func (d *Dual) SlopeFor(gain float64) float64 {
	const slightlyMore = 1 + 0x1p-50
	k, h := d.minDiag, d.widest
	if gain <= 0.5*h*h*k {
		return slightlyMore * math.Sqrt(2*k*gain)
	}
	return slightlyMore * (gain/h + 0.5*h*k)
}
