package sparse

import (
	"fmt"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"
)

// foldScaleBelow is the scale of a budgeted iterate below which it is multiplied
// into what it scales.
const foldScaleBelow = 0x1p-256

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
	method string
	p      svm.Problem
	n      int
	budget int
	order  svm.Order
	diag   []float64 // n
	rows   rows.Finite
	progress

	mistakes int64 // M

	scale   float64 // s
	rounds  []round
	u       []float64 // n
	alpha   []float64 // n, the sums of coef over the rounds of a point
	count   []int32   // n, the numbers of those rounds
	support int       // points with a round

	points []int // scratch of ExpansionTo
}

// newBudgeted returns w = 0, or what is wrong with the arguments of the named
// method.
func newBudgeted(method string, budget int, p svm.Problem, order svm.Order) (budgeted, error) {
	fail := func(format string, args ...any) (budgeted, error) {
		return budgeted{}, fmt.Errorf("sparse: "+method+": "+format, args...)
	}
	if err := checkProblem(method, p, false); err != nil {
		return budgeted{}, err
	}
	switch {
	case budget < 1:
		return fail("support = %d; the budget must be at least 1", budget)
	case order == nil:
		return fail("no order of the training points given")
	}
	n := p.Rows.Train()
	return budgeted{
		method: method, p: p, n: n, budget: min(budget, n), order: order, diag: p.Rows.Diag(), rows: rows.New(p.Rows),
		scale: 1, u: make([]float64, n), alpha: make([]float64, n), count: make([]int32, n),
	}, nil
}

// Support implements Learner.
func (b *budgeted) Support() int { return b.support }

// Settled implements Learner: every iterate is a classifier.
func (b *budgeted) Settled() bool { return true }

// response returns y_i <w, Phi(x_i)>.
func (b *budgeted) response(i int) float64 { return b.p.Label(i) * (b.scale * b.u[i]) }

// full reports whether a round must go before another can be kept.
func (b *budgeted) full() bool { return len(b.rounds) == b.budget }

// look takes the next example i, and returns its kernel row if it is a mistake for
// which another one must be forgotten. Otherwise row is nil and the step is done:
// the example is classified correctly, or remembered, or its row is of no use.
func (b *budgeted) look() (i int, row []float32, status algorithms.Status) {
	i = b.order.Next()
	if b.response(i) > 0 {
		b.charge(false)
		return i, nil, algorithms.Status{}
	}
	if row = b.row(i); row == nil {
		return i, nil, b.unsound(i)
	}
	if b.full() {
		return i, row, algorithms.Status{}
	}
	b.charge(true)
	b.remember(i, row)
	return i, nil, algorithms.Status{}
}

// known returns the kernel row of round r, given that of point i; nil if it is of
// no use.
func (b *budgeted) known(r round, i int, row []float32) ([]float32, algorithms.Status) {
	if r.i == i {
		return row, algorithms.Status{}
	}
	old := b.row(r.i)
	if old == nil {
		return nil, b.unsound(r.i)
	}
	return old, algorithms.Status{}
}

// charge counts a step and whether it was a mistake: the expansion vectors before
// it classify the example.
func (b *budgeted) charge(mistake bool) {
	if mistake {
		b.mistakes++
	}
	b.cost.Iterations++
	b.cost.KernelEvals += int64(b.support)
	b.cost.InnerProducts += int64(b.support)
}

// row returns row i of the kernel, nil if it is of no use.
func (b *budgeted) row(i int) []float32 {
	row, _ := b.rows.Checked(i)
	return row
}

// unsound says that row i of the kernel is of no use.
func (b *budgeted) unsound(i int) algorithms.Status {
	return algorithms.Status{
		State:  algorithms.Diverged,
		Reason: fmt.Sprintf("sparse: %s: row %d of the kernel is not finite, or not of length %d, at iteration %d", b.method, i, b.n, b.cost.Iterations+1),
	}
}

// remember adds y_i Phi(x_i) to w, given row i of the kernel.
func (b *budgeted) remember(i int, row []float32) {
	b.rounds = append(b.rounds, b.enter(i))
	vec.AddScaled(b.u, b.p.Label(i)/b.scale, row)
}

// replace adds y_i Phi(x_i) to w, given row i of the kernel, in the place of
// round k, given the row of its point, and multiplies w by shrink, 0 < shrink <= 1.
func (b *budgeted) replace(k, i int, row, old []float32, shrink float64) {
	entered := b.enter(i)
	gone := b.rounds[k]
	b.rounds[k] = entered
	b.leave(gone)
	vec.AddScaledPair(b.u, b.p.Label(i)*entered.coef, row, -b.p.Label(gone.i)*gone.coef, old)
	b.scale *= shrink
	if b.scale < foldScaleBelow {
		b.fold()
	}
}

// enter counts a new round for point i.
func (b *budgeted) enter(i int) round {
	r := round{i, 1 / b.scale}
	if b.count[i] == 0 {
		b.support++
	}
	b.count[i]++
	b.alpha[i] += r.coef
	return r
}

// leave takes a round away from its point.
func (b *budgeted) leave(r round) {
	b.count[r.i]--
	b.alpha[r.i] -= r.coef
	if b.count[r.i] == 0 {
		b.support--
		b.alpha[r.i] = 0
	}
}

// fold multiplies v by s and sets s = 1.
func (b *budgeted) fold() {
	for k := range b.rounds {
		b.rounds[k].coef *= b.scale
	}
	for i := range b.u {
		b.u[i] *= b.scale
		b.alpha[i] *= b.scale
	}
	b.scale = 1
}

// ExpansionTo implements Learner, in O(B log B) for a budget of B: the training
// points in ascending order.
func (b *budgeted) ExpansionTo(e *Expansion) {
	e.Reset()
	b.points = b.points[:0]
	for _, r := range b.rounds {
		b.points = append(b.points, r.i)
	}
	slices.Sort(b.points)
	for _, i := range slices.Compact(b.points) {
		e.Add(i, b.p.Label(i)*(b.scale*b.alpha[i]))
	}
}
