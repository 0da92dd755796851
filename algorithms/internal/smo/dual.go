// Package smo maximises the dual objectives of kernel machines by sequential minimal optimisation.
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
//   - the SVM: t_i = y_i, epsilon = 0, bounds 0 and y_i C;
//   - support vector regression: lo = -C, hi = C;
//   - a problem on a subset of the points: lo_i = hi_i = 0 for the other points;
//   - the convex problems of the ramp loss: some bounds are -y_i C and 0.
//
// The responses u = K beta of all N points are stored as V = u - Shift, with t = Shift + Target. For the
// SVM, Shift is 0 and Target holds the labels, so V holds the responses. For a regression, Shift is t
// and Target is 0, so V holds the residuals.
type Dual struct {
	Rows    rows.Finite
	N       int // training points
	Epsilon float64
	Bias    bool
	Diag    []float64 // n
	Target  []float64 // n
	// The caller sets Shift, Beta, Lo, Hi and V before Begin.
	Shift, Beta, Lo, Hi []float64 // n
	V                   []float64 // N

	Nonzero int // number of nonzero coefficients
	// Changed holds the previous values of the coefficients changed by the last step.
	Changed []Change
	// Up and Down are the steepest moves found by FindSteepest or Update.
	Up, Down Direction
	current  bool // Up and Down belong to the current Beta
	Stuck    stagnation.Test

	classes    []class
	up, down   []side
	infeasible []int   // coefficients outside their bounds
	excess     float64 // sum_i beta_i, to be reduced to 0 by steps
	minDiag    float64
	maxWidth   float64 // max_i (hi_i - lo_i)
}

// Change is the previous value of coefficient I.
type Change struct {
	I    int
	Beta float64
}

// New returns the problem with beta = 0 and all bounds 0.
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

// Begin must be called after changes of Beta, V, Lo and Hi.
func (d *Dual) Begin() {
	d.Stuck = stagnation.New(d.N)
	d.Nonzero, d.maxWidth = 0, math.SmallestNonzeroFloat64
	for i, b := range d.Beta {
		if b != 0 {
			d.Nonzero++
		}
		d.mark(i)
		d.maxWidth = max(d.maxWidth, d.Hi[i]-d.Lo[i])
	}
	d.current = false
}

// SetBounds changes the bounds of beta_i. If beta_i is outside them, a separate step moves it to the
// nearest bound. The caller must call Begin after the last SetBounds.
func (d *Dual) SetBounds(i int, lo, hi float64) {
	d.Lo[i], d.Hi[i] = lo, hi
	if d.Beta[i] < lo || d.Beta[i] > hi {
		d.infeasible = append(d.infeasible, i)
	}
}

// mark updates the masks of beta_i.
func (d *Dual) mark(i int) {
	for _, sides := range [2][]side{d.up, d.down} {
		sign := sides[0].sign
		can, shrinks := d.room(i, sign) > 0, d.shrinks(i, sign)
		sides[0].mask[i] = mask(can && !shrinks)
		if d.Epsilon > 0 {
			sides[1].mask[i] = mask(can && shrinks)
		}
	}
}

func mask(in bool) int8 {
	if in {
		return -1
	}
	return 0
}

// shrinks reports whether a move of beta_i in the direction of sign decreases epsilon |beta_i|.
func (d *Dual) shrinks(i int, sign float64) bool { return d.Epsilon > 0 && sign*d.Beta[i] < 0 }

// room returns the distance from beta_i to its bound in the direction of sign.
func (d *Dual) room(i int, sign float64) float64 {
	if sign > 0 {
		return d.Hi[i] - d.Beta[i]
	}
	return d.Beta[i] - d.Lo[i]
}

// along returns D along the line from beta_i in the direction of sign.
func (d *Dual) along(i int, sign float64) line {
	cost, kink := d.Epsilon, noKink
	if b := d.Beta[i]; d.shrinks(i, sign) {
		cost, kink = -d.Epsilon, math.Abs(b)
	}
	return line{
		slope: sign*(d.Target[i]-d.V[i]) - cost, curvature: d.Diag[i], limit: d.room(i, sign),
		drop: 2 * d.Epsilon, kinks: [2]float64{kink, noKink},
	}
}

// Best returns the change of beta_i that increases D most, with the other coefficients fixed, and the
// increase.
func (d *Dual) Best(i int) (delta, gain float64) {
	l, sign := d.along(i, 1), 1.0
	if l.slope <= 0 {
		l, sign = d.along(i, -1), -1
	}
	delta, gain = l.maximise()
	return sign * delta, gain
}

// Move adds delta to beta_i, within its bounds, and returns the actual change. The caller must update V.
// A coefficient within rounding of 0 or of a bound is set to it, because otherwise it would count as
// nonzero or as free.
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
	return d.set(i, b)
}

// set sets beta_i to b and returns the change.
func (d *Dual) set(i int, b float64) float64 {
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
	d.current = false
	d.mark(i)
	return b - old
}

// Objective returns D(beta). It costs O(n).
func (d *Dual) Objective() float64 {
	var sum, abs float64
	for i, b := range d.Beta {
		sum += float64(b * (2*d.Target[i] + d.Shift[i] - d.V[i]))
		abs += math.Abs(b)
	}
	return 0.5*sum - float64(d.Epsilon*abs)
}

// NormSq returns |w|^2. It costs O(n).
func (d *Dual) NormSq() float64 {
	var sum float64
	for i, b := range d.Beta {
		sum += float64(b * (d.V[i] + d.Shift[i]))
	}
	return max(sum, 0)
}

// Offset returns the bias b of the solution, or 0 without a bias. It is the mean of the values of b for
// which the coefficients that are neither 0 nor at a bound have slope 0. Without such coefficients it is
// the midpoint of the interval allowed by the optimality conditions, whose ends may be swapped away from
// the optimum.
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
	d.FindSteepest()
	if d.Up.I < 0 || d.Down.I < 0 {
		return 0
	}
	return 0.5 * (d.Up.Slope - d.Down.Slope)
}

// Row returns row i. If the row is invalid, stop is the status that ends the run.
func (d *Dual) Row(i int) (row []float32, stop algorithms.Status) {
	row, err := d.Rows.Checked(i)
	if err != nil {
		return nil, algorithms.Status{State: rows.State(err), Reason: err.Error()}
	}
	return row, algorithms.Status{}
}
