package sparse

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// maxDamage is the share of the Perceptron's progress, 1 for each mistake, that the Forgetron may undo
// by removing examples: Q <= 15/32 M.
const maxDamage = 15.0 / 32

// BudgetConfig configures Forgetron and RBP.
type BudgetConfig struct {
	// Budget is the largest number B of stored mistakes, and so of expansion vectors, B >= 1. Values
	// above n mean n.
	Budget int
}

// Forgetron is the self-tuned Forgetron, a kernel Perceptron that stores at most B of its mistakes. A
// step classifies one example x_i. If y_i <w, Phi(x_i)> <= 0, it is a mistake and
//
//	w' = w + y_i Phi(x_i)                        (Perceptron)
//	w  = phi w' - phi sigma_r y_r Phi(x_r)       (shrink, and remove the oldest)
//
// where the second line is skipped, w = w', unless more than B mistakes are stored. Here r is the oldest
// stored mistake and sigma_r its coefficient in w'. Removing r undoes at most
//
//	Psi(phi) = (phi sigma_r)^2 K(x_r, x_r) + 2 phi sigma_r - 2 phi^2 sigma_r y_r <w', Phi(x_r)>
//
// of the Perceptron's progress. phi is the greatest number in (0, 1] with Q + Psi(phi) <= 15/32 M. M is
// the number of mistakes, including this one, and Q is the sum of the previous Psi. There are at most
// 2 |u|^2 + 4 L mistakes for any u with |u| <= sqrt((B+1)/log(B+1))/4, whose hinge losses on the
// sequence sum to L, if B >= 83 (from memory; 84 on the authors' poster of 2005).
//
// A step is charged one kernel evaluation and one inner product for each expansion vector before it, to
// classify the example; finding phi needs no others. A mistake costs a kernel row, or two if an example
// is removed, and a pass over the n training points. A correctly classified example costs O(1).
//
// Source: Dekel, Shalev-Shwartz & Singer 2008, "The Forgetron: a kernel-based Perceptron on a budget",
// SIAM J. Comput. 37(5), https://doi.org/10.1137/060666998, and NIPS 18, 2005, abstracts read; the rest
// from memory, with the terms of Psi derived here (see TestForgetronProgress). Q, Psi, 15/32 and phi
// agree with three third-party programs: DOGMA, the Cognitive Foundry, and one in OCaml.
//
// Choices: the paper assumes K(x, x) <= 1. Here the method runs on K/max_i K(x_i, x_i), and the
// classifier is scaled back. The paper has a single pass over the examples. Here an example that is
// misclassified again while it is stored is stored twice.
type Forgetron struct {
	budgeted
	diag    []float64 // n
	maxDiag float64   // max_i K(x_i, x_i)
	oldest  int       // index in stored
	damage  float64   // Q
}

var _ Learner = (*Forgetron)(nil)

// NewForgetron returns the Forgetron at w = 0. It returns an error if the budget is below 1, if order is
// nil or if p is invalid.
func NewForgetron(cfg BudgetConfig, p svm.Problem, order svm.Order) (*Forgetron, error) {
	b, err := newBudgeted("forgetron", cfg.Budget, p, order)
	if err != nil {
		return nil, err
	}
	diag := p.Rows.Diag()
	return &Forgetron{budgeted: b, diag: diag, maxDiag: cmp.Or(slices.Max(diag), 1)}, nil
}

// Step implements algorithms.Stepper.
func (a *Forgetron) Step() algorithms.Status { return a.advance(a.step) }

func (a *Forgetron) step() algorithms.Status {
	i, row, status := a.classifyNext()
	switch {
	case row == nil:
	case a.full():
		r := a.stored[a.oldest]
		mu := a.margin(r.i) + float64(a.p.Label(r.i)*a.p.Label(i)*float64(row[r.i]))
		allowed := maxDamage*float64(a.mistakes) - a.damage
		phi, psi := selfTuned(a.scale*r.coef, mu/a.maxDiag, a.diag[r.i]/a.maxDiag, allowed)
		a.damage += psi
		a.replace(a.oldest, i, row, phi)
		a.oldest = (a.oldest + 1) % a.budget
	default:
		a.store(i, row)
	}
	return status
}

// selfTuned returns the greatest phi in (0, 1] for which
//
//	psi = (phi sigma)^2 k + 2 phi sigma - 2 phi^2 sigma mu = a phi^2 + 2 sigma phi
//
// is at most c > 0, and psi. The inequality is quadratic and holds at phi = 0.
func selfTuned(sigma, mu, k, c float64) (phi, psi float64) {
	a := float64(sigma*sigma*k) - float64(2*sigma*mu)
	if whole := a + float64(2*sigma); whole <= c {
		return 1, whole
	}
	root := math.Sqrt(max(0, float64(sigma*sigma)+float64(a*c)))
	return min(1, c/(sigma+root)), c
}

// RBP is the Randomized Budget Perceptron, a kernel Perceptron that stores at most B of its mistakes. A
// step classifies one example x_i. If y_i <w, Phi(x_i)> <= 0, it is a mistake and
//
//	w <- w + y_i Phi(x_i)                  while fewer than B are stored,
//	w <- w - y_r Phi(x_r) + y_i Phi(x_i)   after that,
//
// where r is drawn uniformly from the B stored mistakes, which exclude the new one. In expectation w
// shrinks by 1 - 1/B. For any u with |u| of order at most sqrt(B), the expected number of mistakes is at
// most of the order of the sum of the hinge losses of u, up to lower-order terms.
//
// A step is charged one kernel evaluation and one inner product for each expansion vector before it, to
// classify the example. A mistake costs a kernel row, or two if an example is removed, and a pass over
// the n training points. A correctly classified example costs O(1).
//
// Source: Cavallanti, Cesa-Bianchi & Gentile 2007, "Tracking the best hyperplane with a simple budget
// Perceptron", Machine Learning 69, https://doi.org/10.1007/s10994-007-5003-0, abstract read, which has
// the rule and the sqrt(B). Drawing r from the old mistakes only is from memory, and agrees with DOGMA,
// a third-party program. The paper has a single pass over the examples. Here an example that is
// misclassified again while it is stored is stored twice.
type RBP struct {
	budgeted
	rng *rand.Rand
}

var _ Learner = (*RBP)(nil)

// NewRBP returns the Randomized Budget Perceptron at w = 0; rng draws the examples to remove. It returns
// an error if the budget is below 1, if order or rng is nil, or if p is invalid.
func NewRBP(cfg BudgetConfig, p svm.Problem, order svm.Order, rng *rand.Rand) (*RBP, error) {
	b, err := newBudgeted("rbp", cfg.Budget, p, order)
	if err != nil {
		return nil, err
	}
	if rng == nil {
		return nil, errors.New("sparse: rbp: the random generator is nil")
	}
	return &RBP{b, rng}, nil
}

// Step implements algorithms.Stepper.
func (a *RBP) Step() algorithms.Status { return a.advance(a.step) }

func (a *RBP) step() algorithms.Status {
	i, row, status := a.classifyNext()
	switch {
	case row == nil:
	case a.full():
		a.replace(a.rng.IntN(a.budget), i, row, 1)
	default:
		a.store(i, row)
	}
	return status
}

// SeparablePerceptron is the Perceptron on the points that a trained classifier v separates with a
// margin of 1. It ignores the points with y_i g_v(x_i) < 1. A step classifies one of the others, x_i,
// with the bias b of v,
//
//	w <- w + y_i Phi(x_i)  if  y_i (<w, Phi(x_i)> + b) <= 0,
//
// until all of them are classified correctly. Then w has at most as many training errors as v has margin
// violations. If K(x, x) <= 1, each mistake reduces |w - v|^2 by at least 1, also with a bias, so there
// are at most |v|^2 mistakes.
//
// A step is charged one kernel evaluation and one inner product for each expansion vector before it, to
// classify the example. A mistake costs a kernel row and a pass over the n training points. A correctly
// classified example costs O(1).
//
// Source: Cotter 2013, section 3.2, full text read. It leaves the bias open.
type SeparablePerceptron struct {
	budgeted
	bias float64
	// lastRight[i] is 1 + the number of mistakes before point i was last classified correctly, or 0 if
	// it never was.
	lastRight []int64
	// right counts the points that were classified correctly since the last mistake, of the total that
	// are not ignored.
	right, total int
}

// marginOrder is an order that skips the ignored points.
type marginOrder struct {
	svm.Order
	ignored []bool
}

// Next implements svm.Order.
func (o marginOrder) Next() int {
	for {
		if i := o.Order.Next(); !o.ignored[i] {
			return i
		}
	}
}

var _ BoundedSupport = (*SeparablePerceptron)(nil)

// NewSeparablePerceptron returns the Perceptron at w = 0. It returns an error if order is nil, if p or
// ref is invalid, if they do not match, or if no point has a margin of 1 under ref.
func NewSeparablePerceptron(p svm.Problem, order svm.Order, ref *Reference) (*SeparablePerceptron, error) {
	const method = "perceptron-separable"
	b, err := newBudgeted(method, math.MaxInt, p, order)
	if err != nil {
		return nil, err
	}
	if err := checkReference(method, ref, len(b.u)); err != nil {
		return nil, err
	}
	a := &SeparablePerceptron{budgeted: b, bias: ref.Bias, lastRight: make([]int64, len(b.u))}
	ignored := make([]bool, len(b.u))
	a.order = marginOrder{order, ignored}
	for i, g := range ref.Scores {
		a.u[i] = a.bias
		if ignored[i] = p.Label(i)*g < 1; !ignored[i] {
			a.total++
		}
	}
	if a.total == 0 {
		return nil, fmt.Errorf("sparse: %s: the reference classifies none of the n = %d training points with a "+
			"margin of at least 1; train it longer or with a larger C", method, len(b.u))
	}
	return a, nil
}

// Step implements algorithms.Stepper. It converges when all points that are not ignored have been
// classified correctly since the last mistake.
func (a *SeparablePerceptron) Step() algorithms.Status { return a.advance(a.step) }

func (a *SeparablePerceptron) step() algorithms.Status {
	i, row, status := a.classifyNext()
	switch {
	case status.Stop():
		return status
	case row != nil:
		a.store(i, row)
		a.right = 0
	case a.lastRight[i] <= a.mistakes:
		a.lastRight[i] = a.mistakes + 1
		a.right++
	}
	if a.right == a.total {
		return a.stop(algorithms.Converged, fmt.Sprintf("none of the %d points with a margin is wrong", a.total))
	}
	return status
}

// ExpansionTo implements Learner. It costs O(n).
func (a *SeparablePerceptron) ExpansionTo(e *Expansion) {
	a.budgeted.ExpansionTo(e)
	e.Bias = a.bias
}

// SupportBounds implements BoundedSupport.
func (a *SeparablePerceptron) SupportBounds() (least, most int) { return a.support, a.support + 1 }

// KeepsPrevious implements BoundedSupport.
func (a *SeparablePerceptron) KeepsPrevious() bool { return false }

// PreviousTo implements BoundedSupport.
func (a *SeparablePerceptron) PreviousTo(*Expansion) {
	panic("sparse: perceptron-separable: no previous classifier")
}
