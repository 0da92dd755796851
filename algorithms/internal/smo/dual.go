// Package smo maximises the dual objectives of kernel machines by sequential minimal
// optimisation.
package smo

import (
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/stagnation"
)

// Dual is a point beta of the problem
//
//	maximise   D(beta) = t'beta - epsilon |beta|_1 - beta'K beta/2
//	subject to lo_i <= beta_i <= hi_i, with a bias also sum_i beta_i = 0,
//
// where lo_i <= 0 <= hi_i. It is the dual of
//
//	minimise |w|^2/2 + sum_i l_i(t_i - <w, Phi(x_i)> - b),
//	l_i(r) = max(0, hi_i (r - epsilon), -lo_i (-r - epsilon)),
//
// with w = sum_i beta_i Phi(x_i). Special cases are
//
//   - the SVM: t_i = y_i, epsilon = 0, the box between 0 and y_i C;
//   - support vector regression: lo = -C, hi = C;
//   - the problem of a subset: lo_i = hi_i = 0 for the other points;
//   - the convex problems of the ramp loss: some boxes are between -y_i C and 0.
//
// The responses u = K beta of all N points are kept as V = u - Shift, so that
// t = Shift + Target. For the SVM, V holds the responses themselves: Shift = 0 and
// Target has the labels. For a regression, V holds the residuals: Shift = t, Target = 0.
type Dual struct {
	Rows    rows.Finite
	N       int // training points
	Epsilon float64
	Bias    bool
	Diag    []float64 // n
	Target  []float64 // n
	// Shift is for the caller to set, as are Beta, V, Lo and Hi, before Begin.
	Shift, Beta, Lo, Hi []float64 // n
	V                   []float64 // N

	Nonzero int // coefficients that are not 0
	// Changed holds the coefficients that the last step changed, as they were.
	Changed []Change
	// Up and Down are the steepest moves as Look or Update found them.
	Up, Down Direction
	looked   bool // they are those of Beta
	Stuck    stagnation.Test

	classes  []class
	up, down []side
	release  []int   // coefficients outside of their box
	excess   float64 // of sum_i beta_i, to be taken back after a release
	minDiag  float64
	widest   float64 // hi_i - lo_i
}

// Change says what a coefficient was.
type Change struct {
	I    int
	Beta float64
}

// New returns the problem with beta = 0 and the boxes [0, 0].
func New(r rows.Finite, diag, target []float64, epsilon float64, bias bool) *Dual {
	n := len(target)
	zero := func() []float64 { return make([]float64, n) }
	d := &Dual{
		Rows: r, N: n, Epsilon: epsilon, Bias: bias, Diag: diag[:n], Target: target,
		minDiag: slices.Min(diag[:n]),
		Shift:   zero(), Beta: zero(), Lo: zero(), Hi: zero(), V: make([]float64, r.Len()),
	}
	for i, t := range target {
		if i == 0 || t != target[i-1] {
			d.classes = append(d.classes, class{from: i, target: t})
		}
		d.classes[len(d.classes)-1].to = i + 1
	}
	for _, cost := range []float64{epsilon, -epsilon} {
		if len(d.up) == 0 || epsilon > 0 {
			d.up = append(d.up, side{1, cost, make([]int8, n)})
			d.down = append(d.down, side{-1, cost, make([]int8, n)})
		}
	}
	return d
}

// Begin takes note of Beta, V, Lo and Hi.
func (d *Dual) Begin() {
	d.Stuck = stagnation.New(d.N)
	d.Nonzero, d.widest = 0, math.SmallestNonzeroFloat64
	for i, b := range d.Beta {
		if b != 0 {
			d.Nonzero++
		}
		d.mark(i)
		d.widest = max(d.widest, d.Hi[i]-d.Lo[i])
	}
	d.looked = false
}

// Rebox changes the box of beta_i. If beta_i is outside of it, a step of its own moves it
// to the nearest bound. The caller calls Begin after the last.
func (d *Dual) Rebox(i int, lo, hi float64) {
	d.Lo[i], d.Hi[i] = lo, hi
	if d.Beta[i] < lo || d.Beta[i] > hi {
		d.release = append(d.release, i)
	}
}

// mark brings the masks of beta_i up to date.
func (d *Dual) mark(i int) {
	for _, sides := range [2][]side{d.up, d.down} {
		sign := sides[0].sign
		can, returns := d.room(i, sign) > 0, d.returns(i, sign)
		sides[0].mask[i] = mask(can && !returns)
		if d.Epsilon > 0 {
			sides[1].mask[i] = mask(can && returns)
		}
	}
}

func mask(in bool) int8 {
	if in {
		return -1
	}
	return 0
}

// returns reports whether a move of beta_i in the direction of sign makes |beta_i| less
// and thereby saves epsilon per unit.
func (d *Dual) returns(i int, sign float64) bool { return d.Epsilon > 0 && sign*d.Beta[i] < 0 }

// room returns how far beta_i can move in the direction of sign.
func (d *Dual) room(i int, sign float64) float64 {
	if sign > 0 {
		return d.Hi[i] - d.Beta[i]
	}
	return d.Beta[i] - d.Lo[i]
}

// along returns the line from beta_i in the direction of sign.
func (d *Dual) along(i int, sign float64) line {
	cost, kink := d.Epsilon, noKink
	if b := d.Beta[i]; d.returns(i, sign) {
		cost, kink = -d.Epsilon, math.Abs(b)
	}
	return line{
		slope: sign*(d.Target[i]-d.V[i]) - cost, curvature: d.Diag[i], limit: d.room(i, sign),
		drop: 2 * d.Epsilon, kinks: [2]float64{kink, noKink},
	}
}

// Best returns the change of beta_i alone that raises D most, and by how much it does:
// soft thresholding, clipped.
func (d *Dual) Best(i int) (delta, gain float64) {
	l, sign := d.along(i, 1), 1.0
	if l.slope <= 0 {
		l, sign = d.along(i, -1), -1
	}
	delta, gain = l.climb()
	return sign * delta, gain
}

// Move adds delta to beta_i as far as the box and the floating-point numbers permit,
// and returns the change that was made. V is left to the caller. A coefficient that
// comes within rounding of 0 or of a bound is put there: it would pass for another.
func (d *Dual) Move(i int, delta float64) float64 {
	const rounding = 0x1p-50
	old, lo, hi := d.Beta[i], d.Lo[i], d.Hi[i]
	b := old + delta
	switch near := rounding * max(hi, -lo); {
	case b >= hi-near:
		b = hi
	case b <= lo+near:
		b = lo
	case math.Abs(b) <= near:
		b = 0
	}
	return d.put(i, b)
}

// put makes beta_i = b and returns the change.
func (d *Dual) put(i int, b float64) float64 {
	old := d.Beta[i]
	if b == old {
		return 0
	}
	switch {
	case old == 0:
		d.Nonzero++
	case b == 0:
		d.Nonzero--
	}
	d.Changed = append(d.Changed, Change{i, old})
	d.Beta[i] = b + 0 // no -0
	d.looked = false
	d.mark(i)
	return b - old
}

// Objective returns D(beta) in O(n).
func (d *Dual) Objective() float64 {
	var sum, abs float64
	for i, b := range d.Beta {
		sum += float64(b * (2*d.Target[i] + d.Shift[i] - d.V[i]))
		abs += math.Abs(b)
	}
	return 0.5*sum - float64(d.Epsilon*abs)
}

// NormSq returns |w|^2 in O(n).
func (d *Dual) NormSq() float64 {
	var sum float64
	for i, b := range d.Beta {
		sum += float64(b * (d.V[i] + d.Shift[i]))
	}
	return max(sum, 0)
}

// Offset returns the b that belongs to a solution, 0 without a bias: the mean of the
// values at which the coefficients that are neither 0 nor at a bound have slope 0. Without
// such coefficients it is the middle of the interval that the optimality conditions allow;
// away from the optimum the ends of that interval may be swapped.
func (d *Dual) Offset() float64 {
	if !d.Bias {
		return 0
	}
	var sum float64
	var free int
	for i, b := range d.Beta {
		if b == d.Lo[i] || b == d.Hi[i] || d.Epsilon > 0 && b == 0 {
			continue
		}
		free++
		sum += d.Target[i] - d.V[i] - math.Copysign(d.Epsilon, b)
	}
	if free > 0 {
		return sum / float64(free)
	}
	d.Look()
	if d.Up.I < 0 || d.Down.I < 0 {
		return 0
	}
	return 0.5 * (d.Up.Slope - d.Down.Slope)
}

// Row fetches a row. A bad one ends the run: stop says why.
func (d *Dual) Row(i int) (row []float32, stop algorithms.Status) {
	row, err := d.Rows.Checked(i)
	if err != nil {
		return nil, algorithms.Status{State: rows.State(err), Reason: err.Error()}
	}
	return row, algorithms.Status{}
}
