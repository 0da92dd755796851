package sparse

import (
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
)

// round is a mistake that a budgeted learner remembers: the training point and
// its coefficient in v.
type round struct {
	i    int
	coef float64
}

// budgeted is the state of a kernel Perceptron on a budget,
//
//	w = s v,  v = sum over the rounds k kept of coef_k y_k Phi(x_k),
//
// with the responses u_j = <v, Phi(x_j)> of the n training points. At most budget
// rounds are kept. In several passes a point may be that of several rounds, which
// then count as several: to the papers each is an example of its own. It is one
// expansion vector.
type budgeted struct {
	method   string
	p        svm.Problem
	budget   int
	order    svm.Order
	rows     rows.Finite
	mistakes int64   // M
	scale    float64 // s
	rounds   []round
	u        []float64 // n
	alpha    []float64 // n, the sums of coef over the rounds of a point
	kept     []int     // n, the numbers of those rounds
	support  int       // points with a round
	progress
}

// newBudgeted returns w = 0, or what is wrong with the arguments of the named
// method.
func newBudgeted(method string, budget int, p svm.Problem, order svm.Order) (budgeted, error) {
	if err := checkProblem(method, p, false); err != nil {
		return budgeted{}, err
	}
	switch {
	case budget < 1:
		return budgeted{}, fmt.Errorf("sparse: %s: support = %d; the budget must be at least 1", method, budget)
	case order == nil:
		return budgeted{}, fmt.Errorf("sparse: %s: no order of the training points given", method)
	}
	n := p.Rows.Train()
	return budgeted{
		method: method, p: p, budget: min(budget, n), order: order, rows: rows.New(p.Rows),
		scale: 1, u: make([]float64, n), alpha: make([]float64, n), kept: make([]int, n),
	}, nil
}

// margin returns y_i <w, Phi(x_i)>.
func (b *budgeted) margin(i int) float64 { return b.p.Label(i) * (b.scale * b.u[i]) }

// full reports whether a round must go before another can be kept.
func (b *budgeted) full() bool { return len(b.rounds) == b.budget }

// look takes the next example i, and returns its kernel row if it is a mistake.
// The expansion vectors before the step classify it, and are charged.
func (b *budgeted) look() (i int, row []float32, status algorithms.Status) {
	i = b.order.Next()
	if !(b.margin(i) > 0) {
		var err error
		if row, err = b.rows.Checked(i); err != nil {
			return i, nil, badRow(b.method, err)
		}
		b.mistakes++
	}
	b.chargeRows(1, b.support)
	return i, row, algorithms.Status{}
}

// remember adds y_i Phi(x_i) to w, given row i of the kernel.
func (b *budgeted) remember(i int, row []float32) {
	r := round{i, 1 / b.scale}
	b.rounds = append(b.rounds, r)
	b.count(i, 1, r.coef)
	vec.AddScaled(b.u, b.p.Label(i)*r.coef, row)
}

// replace adds y_i Phi(x_i) to w, given row i of the kernel, in the place of
// round k, and multiplies w by phi, 0 < phi <= 1.
func (b *budgeted) replace(k, i int, row []float32, phi float64) {
	r, old := round{i, 1 / b.scale}, b.rounds[k]
	b.rounds[k] = r
	b.count(i, 1, r.coef)
	b.count(old.i, -1, -old.coef)
	vec.AddScaledPair(b.u, b.p.Label(i)*r.coef, row, -b.p.Label(old.i)*old.coef, b.rows.Row(old.i))
	b.scale *= phi
	if b.scale < 0x1p-256 {
		for k := range b.rounds {
			b.rounds[k].coef *= b.scale
		}
		floats.Scale(b.scale, b.u)
		floats.Scale(b.scale, b.alpha)
		b.scale = 1
	}
}

// count adds a round to point i, or takes one away.
func (b *budgeted) count(i, change int, coef float64) {
	before := b.kept[i]
	b.kept[i] += change
	b.alpha[i] += coef
	switch {
	case before == 0:
		b.support++
	case b.kept[i] == 0:
		b.support--
		b.alpha[i] = 0
	}
}

// Support implements Learner.
func (b *budgeted) Support() int { return b.support }

// Settled implements Learner: every iterate is a classifier.
func (b *budgeted) Settled() bool { return true }

// ExpansionTo implements Learner, in O(n).
func (b *budgeted) ExpansionTo(e *Expansion) {
	e.Reset()
	for i, rounds := range b.kept {
		if rounds > 0 {
			e.Add(i, b.p.Label(i)*(b.scale*b.alpha[i]))
		}
	}
}
