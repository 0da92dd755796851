package sparse

import (
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
)

// mistake is a stored mistake of a budgeted learner: the training point and its coefficient in v.
type mistake struct {
	i    int
	coef float64
}

// budgeted is the state of a kernel Perceptron on a budget,
//
//	w = s v,  v = sum over the stored mistakes k of coef_k y_k Phi(x_k),
//
// with the responses u_j = <v, Phi(x_j)> of the n training points. It stores at most budget mistakes. In
// several passes a point may be stored several times. Each time counts towards the budget, because the
// papers have a single pass, but the point is one expansion vector.
type budgeted struct {
	method   string
	p        svm.Problem
	budget   int
	order    svm.Order
	rows     rows.Finite
	mistakes int64   // M
	scale    float64 // s
	stored   []mistake
	u        []float64 // n
	alpha    []float64 // n, sum of coef over the stored mistakes of each point
	count    []int     // n, number of stored mistakes of each point
	support  int       // number of points with stored mistakes
	progress
}

// newBudgeted returns w = 0 for the named method. It returns an error if an argument is invalid.
func newBudgeted(method string, budget int, p svm.Problem, order svm.Order) (budgeted, error) {
	if err := checkProblem(method, p, false); err != nil {
		return budgeted{}, err
	}
	switch {
	case budget < 1:
		return budgeted{}, fmt.Errorf("sparse: %s: support = %d; the budget must be at least 1", method, budget)
	case order == nil:
		return budgeted{}, fmt.Errorf("sparse: %s: the order of the training points is nil", method)
	}
	n := p.Rows.Train()
	return budgeted{
		method: method, p: p, budget: min(budget, n), order: order, rows: rows.New(p.Rows),
		scale: 1, u: make([]float64, n), alpha: make([]float64, n), count: make([]int, n),
	}, nil
}

// margin returns y_i <w, Phi(x_i)>.
func (b *budgeted) margin(i int) float64 { return b.p.Label(i) * (b.scale * b.u[i]) }

// full reports whether the number of stored mistakes has reached the budget.
func (b *budgeted) full() bool { return len(b.stored) == b.budget }

// classifyNext classifies the next example i. It returns the kernel row of i if w makes a mistake on it,
// otherwise nil. It charges one kernel evaluation for each expansion vector.
func (b *budgeted) classifyNext() (i int, row []float32, status algorithms.Status) {
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

// store adds y_i Phi(x_i) to w. row is row i of the kernel.
func (b *budgeted) store(i int, row []float32) {
	r := mistake{i, 1 / b.scale}
	b.stored = append(b.stored, r)
	b.update(i, 1, r.coef)
	vec.AddScaled(b.u, b.p.Label(i)*r.coef, row)
}

// replace removes mistake k from w, adds y_i Phi(x_i), and multiplies w by phi, 0 < phi <= 1. row is row
// i of the kernel.
func (b *budgeted) replace(k, i int, row []float32, phi float64) {
	r, old := mistake{i, 1 / b.scale}, b.stored[k]
	b.stored[k] = r
	b.update(i, 1, r.coef)
	b.update(old.i, -1, -old.coef)
	vec.AddScaledPair(b.u, b.p.Label(i)*r.coef, row, -b.p.Label(old.i)*old.coef, b.rows.Row(old.i))
	b.scale *= phi
	if b.scale < 0x1p-256 {
		for k := range b.stored {
			b.stored[k].coef *= b.scale
		}
		floats.Scale(b.scale, b.u)
		floats.Scale(b.scale, b.alpha)
		b.scale = 1
	}
}

// update adds change, 1 or -1, to the number of stored mistakes of point i, and coef to the sum of their
// coefficients.
func (b *budgeted) update(i, change int, coef float64) {
	before := b.count[i]
	b.count[i] += change
	b.alpha[i] += coef
	switch {
	case before == 0:
		b.support++
	case b.count[i] == 0:
		b.support--
		b.alpha[i] = 0
	}
}

// Support implements Learner.
func (b *budgeted) Support() int { return b.support }

// Final implements Learner. Every iterate is final.
func (b *budgeted) Final() bool { return true }

// ExpansionTo implements Learner. It costs O(n).
func (b *budgeted) ExpansionTo(e *Expansion) {
	e.Reset()
	for i, count := range b.count {
		if count > 0 {
			e.Add(i, b.p.Label(i)*(b.scale*b.alpha[i]))
		}
	}
}
