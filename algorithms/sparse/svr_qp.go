package sparse

import (
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/stagnation"
	"stochopt/algorithms/svm"
)

// boxQP is sequential minimal optimisation of
//
//	maximise   D(beta) = t'beta - epsilon |beta|_1 - beta'K beta/2
//	subject to lo_i <= beta_i <= hi_i, with a bias also sum_i beta_i = 0,
//
// where lo_i <= 0 <= hi_i. It is the dual of
//
//	minimise |w|^2/2 + sum_i l_i(t_i - <w, Phi(x_i)> - b),
//	l_i(r) = max(0, hi_i (r - epsilon), -lo_i (-r - epsilon)),
//
// with w = sum_i beta_i Phi(x_i), and has as special cases
//
//   - support vector regression: lo = -C, hi = C;
//   - the SVM: t_i = y_i, epsilon = 0, the box between 0 and y_i C;
//   - that of a subset: lo_i = hi_i = 0 for the other points;
//   - the convex problems of the ramp loss: the box of some points is between
//     -y_i C and 0.
//
// The residuals x_i = <w, Phi(x_i)> - t_i of all points are kept up to date. A
// coefficient rises at the price x_i + epsilon, or x_i - epsilon while it is
// negative, and falls for x_i - epsilon, or x_i + epsilon while it is positive:
// where something can rise for less than 0, or fall for more than 0, or, with a
// bias, fall for more than something else rises for, D is not at its maximum.
//
// One step changes one coefficient without a bias, two with one: svr_smo.go. A
// step costs O(n) and one or two kernel rows. The choice depends on the state
// alone, and D never decreases while the boxes stay as they are.
type boxQP struct {
	rows     rows.Finite
	n        int
	epsilon  float64
	bias     bool
	diag     []float64 // n
	minDiag  float64
	widest   float64   // hi_i - lo_i
	beta, x  []float64 // n
	target   []float64 // n, t
	lo, hi   []float64 // n
	nonzero  int
	negative int // coefficients below 0 that pay epsilon
	positive int // above 0

	// Masks, -1 where a coefficient can rise for x + epsilon, rise for
	// x - epsilon, fall for x - epsilon, and fall for x + epsilon.
	rise, rescind, fall, shed []int8

	next     boxSelection
	violated float64 // by how much the optimality conditions are
	release  []int   // coefficients outside of their box
	excess   float64 // of sum_i beta_i, to be taken back after a release
	stale    stagnation.Test
}

// newBoxQP checks the problem for the named method and returns beta = 0 with
// targets 0 and boxes [0, 0]. The caller sets them and calls begin.
func newBoxQP(method string, p svm.Problem, bias bool, epsilon float64) (*boxQP, error) {
	if err := checkProblem(method, p, false); err != nil {
		return nil, err
	}
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return nil, fmt.Errorf("sparse: %s: epsilon = %g; it must be finite and not negative", method, epsilon)
	}
	n, diag := p.Rows.Train(), p.Rows.Diag()
	q := &boxQP{
		rows: rows.New(p.Rows), n: n, epsilon: epsilon, bias: bias, diag: diag, minDiag: slices.Min(diag),
		beta: make([]float64, n), x: make([]float64, n), target: make([]float64, n),
		lo: make([]float64, n), hi: make([]float64, n),
		rise: make([]int8, n), rescind: make([]int8, n), fall: make([]int8, n), shed: make([]int8, n),
	}
	return q, nil
}

// Bounds within which no product of coefficients, kernel values and n overflows.
const (
	boxMinC = 1e-100
	boxMaxC = 1e100
)

func checkBoxC(method, name string, c float64) error {
	if !(c >= boxMinC && c <= boxMaxC) {
		return fmt.Errorf("sparse: %s: %s = %g; it must be in [%g, %g]", method, name, c, boxMinC, boxMaxC)
	}
	return nil
}

func checkBoxTolerance(method string, tolerance float64) error {
	if !(tolerance >= 0) || math.IsInf(tolerance, 1) {
		return fmt.Errorf("sparse: %s: tolerance = %g; it must be finite and not negative", method, tolerance)
	}
	return nil
}

// begin takes note of the coefficients, boxes and residuals that were set.
func (q *boxQP) begin() {
	q.nonzero, q.negative, q.positive = 0, 0, 0
	for i := range q.n {
		q.count(i, 1)
		q.mark(i)
	}
	q.settle()
}

// startAt begins at the coefficients of a reference, whose scores say the
// residuals. Those that the boxes exclude are released, and with a bias what their
// sum is away from 0 is made up for.
func (q *boxQP) startAt(p svm.Problem, ref *Reference) {
	for i, a := range ref.Alpha {
		q.beta[i] = float64(p.Label(i)*a) + 0 // no -0
		q.x[i] = (ref.Scores[i] - ref.Bias) - q.target[i]
	}
	q.begin()
	for i := range q.beta {
		q.rebox(i, q.lo[i], q.hi[i])
	}
	if len(q.release) == 0 {
		q.measureExcess()
		q.choose()
	}
}

// settle chooses the next working set after the boxes have changed.
func (q *boxQP) settle() {
	q.stale = stagnation.New(q.n)
	q.widest = math.SmallestNonzeroFloat64
	for i, lo := range q.lo {
		q.widest = max(q.widest, q.hi[i]-lo)
	}
	q.choose()
}

// count adds sign to the tallies that beta_i belongs to.
func (q *boxQP) count(i, sign int) {
	b := q.beta[i]
	if b != 0 {
		q.nonzero += sign
	}
	if q.epsilon > 0 && b < 0 {
		q.negative += sign
	}
	if q.epsilon > 0 && b > 0 {
		q.positive += sign
	}
}

// mark brings the masks of beta_i up to date.
func (q *boxQP) mark(i int) {
	b := q.beta[i]
	up, down := b < q.hi[i], b > q.lo[i]
	below, above := q.epsilon > 0 && b < 0, q.epsilon > 0 && b > 0
	q.rise[i] = boxMask(up && !below)
	q.rescind[i] = boxMask(up && below)
	q.fall[i] = boxMask(down && !above)
	q.shed[i] = boxMask(down && above)
}

func boxMask(set bool) int8 {
	if set {
		return -1
	}
	return 0
}

// move adds delta to beta_i as far as the box and the floating-point numbers
// permit, and returns the change that was made. A coefficient that comes within
// rounding of 0 or of a bound is put there: it would pass for another.
func (q *boxQP) move(i int, delta float64) float64 {
	const rounding = 0x1p-50
	old, lo, hi := q.beta[i], q.lo[i], q.hi[i]
	b := old + delta
	switch near := rounding * max(hi, -lo); {
	case b >= hi-near:
		b = hi
	case b <= lo+near:
		b = lo
	case math.Abs(b) <= near:
		b = 0
	}
	return q.put(i, b)
}

// put makes beta_i = b and returns the change.
func (q *boxQP) put(i int, b float64) float64 {
	old := q.beta[i]
	q.count(i, -1)
	q.beta[i] = b + 0 // no -0
	q.count(i, 1)
	q.mark(i)
	return q.beta[i] - old
}

// row fetches a row. A bad one ends the run: stop says why.
func (q *boxQP) row(i int) (row []float32, stop algorithms.Status) {
	row, err := q.rows.Checked(i)
	if err != nil {
		return nil, algorithms.Status{State: rows.State(err), Reason: err.Error()}
	}
	return row, algorithms.Status{}
}

// objective returns D(beta) in O(n).
func (q *boxQP) objective() float64 {
	var sum, abs float64
	for i, b := range q.beta {
		sum += float64(b * (q.target[i] - q.x[i]))
		abs += math.Abs(b)
	}
	return 0.5*sum - float64(q.epsilon*abs)
}

// normSq returns |w|^2 in O(n).
func (q *boxQP) normSq() float64 {
	var sum float64
	for i, b := range q.beta {
		sum += float64(b * (q.target[i] + q.x[i]))
	}
	return max(sum, 0)
}

// offset returns the b that belongs to a solution, 0 without a bias: the mean of
// what the residuals of the coefficients that are neither 0 nor at a bound say it
// is, and if there are none the middle of the interval that the optimality
// conditions leave for it.
func (q *boxQP) offset() float64 {
	if !q.bias {
		return 0
	}
	var sum float64
	var free int
	for i, b := range q.beta {
		if b == q.lo[i] || b == q.hi[i] || q.epsilon > 0 && b == 0 {
			continue
		}
		free++
		switch {
		case b > 0:
			sum -= q.x[i] + q.epsilon
		default:
			sum -= q.x[i] - q.epsilon
		}
	}
	if free > 0 {
		return sum / float64(free)
	}
	if q.next.i < 0 || q.next.j < 0 {
		return 0
	}
	return -0.5 * (q.next.least + q.next.greatest)
}

// expansionTo writes the classifier with the bias b.
func (q *boxQP) expansionTo(e *Expansion, b float64) {
	e.Reset()
	for i, v := range q.beta {
		if v != 0 {
			e.Add(i, v)
		}
	}
	e.Bias = b
}
