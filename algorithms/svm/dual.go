package svm

import (
	"fmt"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/vec"
)

// dual is the state of an ascent of the dual objective,
//
//	maximise D(alpha) = 1'alpha - |w|^2/2,  w = sum_i alpha_i y_i Phi(x_i),
//	subject to 0 <= alpha_i <= 1/(lambda n), with a bias also sum_i y_i alpha_i = 0.
//
// The moves are changes of beta_i = y_i alpha_i, in which the classes differ
// only by the interval they may be in and the gradient is dD/dbeta_i = y_i - u_i,
// u_i = <w, Phi(x_i)>. The responses u of all N points are kept up to date.
//
// Source: Cotter 2013, problems "dual-objective" and "biased-dual-objective".
type dual struct {
	method    string
	rows      rows.Finite
	n, length int
	positive  int
	upper     float64 // 1/(lambda n)

	alpha []float64 // n
	u     []float64 // N
	diag  []float64 // n
	// up and low are -1 where beta_i can rise and fall, and 0 elsewhere.
	up, low []int8

	support int // multipliers that are not 0
	// changed holds the multipliers that moves have changed since the last Step
	// began, as they were, in the order of the changes.
	changed []change

	cost   algorithms.Cost
	status algorithms.Status
}

// Range of lambda: no product of multipliers, kernel values and n overflows.
const (
	minLambda = 1e-100
	maxLambda = 1e100
)

// change says what a multiplier was before.
type change struct {
	i     int
	alpha float64
}

// init checks the arguments of the constructor of the named method and sets
// alpha = 0.
func (d *dual) init(method string, lambda float64, bias bool, p Problem) error {
	if err := p.Check(bias); err != nil {
		return fmt.Errorf("svm: %s: %w", method, err)
	}
	if !(lambda >= minLambda && lambda <= maxLambda) {
		return fmt.Errorf("svm: %s: lambda = %g, want a number in [%g, %g]", method, lambda, minLambda, maxLambda)
	}
	n, length := p.Rows.Train(), p.Rows.Len()
	*d = dual{
		method: method, rows: rows.New(p.Rows), n: n, length: length, positive: p.Positive,
		upper: 1 / (lambda * float64(n)),
		alpha: make([]float64, n), u: make([]float64, length), diag: p.Rows.Diag()[:n],
		up: make([]int8, n), low: make([]int8, n),
	}
	for i := range n {
		d.set(i, 0)
	}
	return nil
}

// label returns y_i.
func (d *dual) label(i int) float64 { return label(i, d.positive) }

// Cost implements algorithms.Stepper.
func (d *dual) Cost() algorithms.Cost { return d.cost }

// Support implements Sparse.
func (d *dual) Support() int { return d.support }

// charge counts a step with a working set of k points that changed the
// coefficients of moved.
func (d *dual) charge(k, moved int) {
	d.cost.Iterations++
	d.cost.KernelEvals += int64(k) * int64(d.n)
	d.cost.InnerProducts += int64(k) * int64(d.n)
	d.cost.KernelEvalsMoved += int64(moved) * int64(d.n)
}

// stop ends the run.
func (d *dual) stop(state algorithms.State, format string, args ...any) algorithms.Status {
	d.status = algorithms.Status{State: state, Reason: fmt.Sprintf(d.method+": "+format, args...)}
	return d.status
}

// row fetches a row. A bad one ends the run, and ok is false.
func (d *dual) row(i int) (row []float32, ok bool) {
	row, err := d.rows.Checked(i)
	if err != nil {
		d.stop(rows.State(err), "%v", err)
	}
	return row, err == nil
}

// set makes alpha_i = a, 0 <= a <= upper.
func (d *dual) set(i int, a float64) {
	if (a > 0) != (d.alpha[i] > 0) {
		if a > 0 {
			d.support++
		} else {
			d.support--
		}
	}
	d.alpha[i] = a
	var grow, shrink int8
	if a < d.upper {
		grow = -1
	}
	if a > 0 {
		shrink = -1
	}
	if i < d.positive {
		d.up[i], d.low[i] = grow, shrink
	} else {
		d.up[i], d.low[i] = shrink, grow
	}
}

// room returns by how much beta_i can rise and fall.
func (d *dual) room(i int) (rise, fall float64) {
	if i < d.positive {
		return d.upper - d.alpha[i], d.alpha[i]
	}
	return d.alpha[i], d.upper - d.alpha[i]
}

// move adds delta to beta_i as far as the bounds and the floating-point numbers
// permit, and returns the change that was made. A multiplier that comes within
// rounding of a bound is put there: it would pass for a free one.
func (d *dual) move(i int, delta float64) float64 {
	const rounding = 0x1p-50
	y := d.label(i)
	old := d.alpha[i]
	a := old + y*delta
	switch near := rounding * d.upper; {
	case a <= near:
		a = 0
	case a >= d.upper-near:
		a = d.upper
	}
	d.set(i, a)
	d.changed = append(d.changed, change{i, old})
	return y * (a - old)
}

// PreviousTo implements PreviousKeeper for a problem without a bias.
func (d *dual) PreviousTo(s *Solution) {
	s.Alpha = append(s.Alpha[:0], d.alpha...)
	for _, c := range slices.Backward(d.changed) {
		s.Alpha[c.i] = c.alpha
	}
	s.Bias = 0
}

// reach returns bounds on the support after a step on so many points.
func (d *dual) reach(points int) (least, most int) {
	return max(d.support-points, 0), min(d.support+points, d.n)
}

// count is the number of coefficients that a change changes.
func count(change float64) int {
	if change == 0 {
		return 0
	}
	return 1
}

// extremes returns the least u_i - y_i where beta_i can rise and the greatest
// where it can fall, with the first index to attain it, or -1 and +Inf or -Inf.
func (d *dual) extremes() (i int, least float64, j int, greatest float64) {
	p := d.positive
	i0, v0 := vec.ArgMinIf(d.u[:p], d.up[:p])
	i1, v1 := vec.ArgMinIf(d.u[p:d.n], d.up[p:])
	j0, w0 := vec.ArgMaxIf(d.u[:p], d.low[:p])
	j1, w1 := vec.ArgMaxIf(d.u[p:d.n], d.low[p:])
	i, least = d.lesser(i0, v0, i1, v1)
	j, greatest = d.greater(j0, w0, j1, w1)
	return i, least, j, greatest
}

// lesser returns the lesser of the u - y of positive i0 and negative i1, counted
// from the first negative, whose responses are v0 and v1.
func (d *dual) lesser(i0 int, v0 float64, i1 int, v1 float64) (int, float64) {
	if i1 >= 0 && v1+1 < v0-1 {
		return d.positive + i1, v1 + 1
	}
	return i0, v0 - 1
}

// greater is lesser for the greater.
func (d *dual) greater(j0 int, v0 float64, j1 int, v1 float64) (int, float64) {
	if j1 >= 0 && v1+1 > v0-1 {
		return d.positive + j1, v1 + 1
	}
	return j0, v0 - 1
}

// DualObjective returns D(alpha), computed from alpha and the responses in O(n).
func (d *dual) DualObjective() float64 {
	var sum float64
	for i, a := range d.alpha {
		sum += float64(a * (2 - float64(d.label(i)*d.u[i])))
	}
	return 0.5 * sum
}

// boxViolation returns the violation of the KKT conditions of the problem
// without a bias: the greatest |dD/dalpha_i| in a direction in which alpha_i can
// go.
func (d *dual) boxViolation() float64 {
	_, least, _, greatest := d.extremes()
	return max(0, -least, greatest)
}

// solutionTo implements Learner.SolutionTo. With a bias, b is the mean of
// y_i - u_i over the free multipliers (see dualBias).
func (d *dual) solutionTo(s *Solution, bias bool) {
	var b float64
	if bias {
		b = d.dualBias()
	}
	s.Alpha = append(s.Alpha[:0], d.alpha...)
	s.Scores = append(s.Scores[:0], d.u...)
	s.Bias = b
	var norm float64
	for i, a := range d.alpha {
		norm += float64(float64(a*d.label(i)) * d.u[i])
	}
	s.NormSq = max(norm, 0)
	if b != 0 {
		for j := range s.Scores {
			s.Scores[j] += b
		}
	}
}
