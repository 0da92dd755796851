package smo

import (
	"math"

	"stochopt/algorithms/internal/vec"
)

// Working sets.
//
// With a bias, a step increases beta_i and decreases beta_j by the same delta. This increases D by
//
//	delta (s_i + s_j) - delta^2 q/2,  q = K_ii + K_jj - 2 K_ij,
//
// where s_i and s_j are the slopes of D along the two moves. i is the first with the greatest s_i. j is
// the first with the greatest (s_i + s_j)^2/q among those with s_i + s_j > 0 (WSS 2 of Fan, Chen and Lin
// 2005, "Working set selection using second order information for training support vector machines",
// https://www.jmlr.org/papers/v6/fan05a.html, but with one coefficient for each point of a regression
// where LIBSVM has two). If q <= 0, because of rounding or a kernel that is not positive definite, q is
// replaced by 1e-12.
//
// Without a bias, a step optimises the beta_i with the greatest gain.

// Direction is a move of coefficient I with the slope of D along it. If no coefficient can move, I is -1
// and Slope is -Inf.
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

// side is the set of the coefficients that can move in the direction of sign at the given cost. The cost
// is the rate at which epsilon |beta_i| increases: epsilon or, if |beta_i| decreases, -epsilon. mask is
// -1 for these coefficients and 0 for the others.
type side struct {
	sign, cost float64
	mask       []int8
}

// FindSteepest sets Up and Down. It costs O(n) unless they are current.
func (d *Dual) FindSteepest() {
	if d.current {
		return
	}
	d.current = true
	d.Up, d.Down = none, none
	for s := range d.up {
		d.searchSide(s)
	}
}

// searchSide updates Up and Down with the coefficients of up[s] and down[s].
func (d *Dual) searchSide(s int) {
	up, down := d.up[s].mask, d.down[s].mask
	for _, c := range d.classes {
		i, least := vec.ArgMinIf(d.V[c.from:c.to], up[c.from:c.to])
		j, greatest := vec.ArgMaxIf(d.V[c.from:c.to], down[c.from:c.to])
		d.updateSteepest(c, d.up[s].cost, i, least, j, greatest)
	}
}

// updateSteepest updates Up with V[from+i] = least and Down with V[from+j] = greatest, the extreme
// values of V in class c at the given cost.
func (d *Dual) updateSteepest(c class, cost float64, i int, least float64, j int, greatest float64) {
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
		d.updateSteepest(c, d.Epsilon, i, least, j, greatest)
	}
	vec.AddScaledPair(d.V[d.N:], a, ki[d.N:], b, kj[d.N:])
	d.current = true
	if len(d.up) > 1 {
		d.searchSide(1)
	}
}

// Above calls visit for the points whose slope in the direction of sign exceeds threshold(), up to
// rounding. It calls threshold before each search for the next point.
func (d *Dual) Above(sign float64, threshold func() float64, visit func(i int)) {
	sides := d.up
	if sign < 0 {
		sides = d.down
	}
	for _, s := range sides {
		for _, c := range d.classes {
			for i := c.from; i < c.to; i++ {
				t := threshold() + s.cost - sign*c.target
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

// Violation returns the violation of the optimality conditions, 0 at the optimum. Without a bias it is
// the slope of the steepest move, with a bias the sum of the slopes of Up and Down.
func (d *Dual) Violation() float64 {
	d.FindSteepest()
	if d.Bias {
		return max(0, d.Up.Slope+d.Down.Slope)
	}
	return max(0, d.Up.Slope, d.Down.Slope)
}

// Partner returns the best j to decrease if Up.I increases, or -1 if no j improves D. ki is the kernel
// row of Up.I.
func (d *Dual) Partner(ki []float32) int {
	i, minSlope := d.Up.I, -d.Up.Slope
	j, most := -1, 0.0
	for _, s := range d.down {
		// Exclude i itself, which rounding could favour.
		own := s.mask[i]
		s.mask[i] = 0
		for _, c := range d.classes {
			f, t := c.from, c.to
			k, gain := vec.SecondOrder(d.V[f:t], s.mask[f:t], ki[f:t], d.Diag[f:t], minSlope+s.cost+c.target, d.Diag[i])
			if k >= 0 && (gain > most || gain == most && f+k < j) {
				j, most = f+k, gain
			}
		}
		s.mask[i] = own
	}
	if j < 0 || !(d.along(j, -1).slope > minSlope) {
		return -1
	}
	return j
}

// best returns the coefficient with the greatest gain, up to rounding. It starts with the steepest
// moves, because few others can have a greater gain.
func (d *Dual) best() (i int) {
	i = -1
	var most float64
	try := func(j int, sign float64) {
		l := d.along(j, sign)
		if l.slope*l.limit < most {
			return // the product bounds the gain
		}
		if _, gain := l.maximise(); gain > most || gain == most && j < i {
			i, most = j, gain
		}
	}
	threshold := func() float64 { return d.SlopeFor(most) }
	if d.Up.I >= 0 {
		try(d.Up.I, 1)
	}
	if d.Down.I >= 0 {
		try(d.Down.I, -1)
	}
	d.Above(1, threshold, func(j int) { try(j, 1) })
	d.Above(-1, threshold, func(j int) { try(j, -1) })
	return i
}

// SlopeFor returns a lower bound on the slope of a move whose gain exceeds the given gain. The gain for
// a slope s is s^2/(2 K_ii), or h (s - h K_ii/2) if the distance h between the bounds is less than
// s/K_ii.
func (d *Dual) SlopeFor(gain float64) float64 {
	const slightlyMore = 1 + 0x1p-50
	k, h := d.minDiag, d.maxWidth
	if gain <= 0.5*h*h*k {
		return slightlyMore * math.Sqrt(2*k*gain)
	}
	return slightlyMore * (gain/h + 0.5*h*k)
}
