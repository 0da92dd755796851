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

// forgetfulness is the share of the Perceptron's progress of 1 a mistake that the
// Forgetron may lose by forgetting: Q <= 15/32 M.
const forgetfulness = 15.0 / 32

// ForgetronConfig configures Forgetron.
type ForgetronConfig struct {
	// Budget is the greatest number B of mistakes that are remembered, and so of
	// expansion vectors, B >= 1. More than n is n. The mistake bound of the paper
	// needs B >= 83 (from memory; 84 on the authors' poster of 2005).
	Budget int
}

// Forgetron is the self-tuned Forgetron, a kernel Perceptron that remembers at
// most B of its mistakes. It looks at one example x_i a step. If
// y_i <w, Phi(x_i)> <= 0, a mistake,
//
//	w' = w + y_i Phi(x_i)                        (Perceptron)
//	w  = phi w' - phi sigma_r y_r Phi(x_r)       (shrink, and remove the oldest)
//
// where the second line is left out, w = w', while no more than B mistakes are
// remembered; r is the oldest of them, sigma_r its coefficient in w'. To forget r
// undoes no more of the Perceptron's progress than
//
//	Psi(phi) = (phi sigma_r)^2 K(x_r, x_r) + 2 phi sigma_r - 2 phi^2 sigma_r y_r <w', Phi(x_r)>,
//
// and phi is the greatest number in (0, 1] with Q + Psi(phi) <= 15/32 M, for M
// mistakes including this one and the sum Q of the Psi before. A u with
// |u| <= sqrt((B+1)/log(B+1))/4 whose hinge losses on the sequence sum to L bounds
// the mistakes by 2 |u|^2 + 4 L.
//
// A step is charged as many kernel evaluations and inner products as there are
// expansion vectors before it: these classify the example, and phi takes no others.
// A mistake costs a kernel row, or two where another is forgotten, and one pass over
// the n training points, another example O(1).
//
// Source: Dekel, Shalev-Shwartz & Singer 2008, "The Forgetron: a kernel-based
// Perceptron on a budget", SIAM J. Comput. 37(5), https://doi.org/10.1137/060666998,
// and NIPS 18, 2005, abstract read, of both; the rest from memory, the terms of Psi
// derived here (see TestForgetronProgress). Q, Psi, 15/32 and phi are the same as in
// three programs of others: DOGMA, the Cognitive Foundry, and one in OCaml.
//
// Choices: the paper has K(x, x) <= 1; here the method runs on K/max_i K(x_i, x_i),
// and the classifier is multiplied by that number again. The paper knows no passes:
// an example that is mistaken again while it is remembered is remembered twice.
type Forgetron struct {
	budgeted
	diag   []float64 // n
	most   float64   // max_i K(x_i, x_i)
	oldest int
	damage float64 // Q
}

var _ Learner = (*Forgetron)(nil)

// NewForgetron returns the Forgetron at w = 0. It returns an error if the budget is
// below 1, the order is nil or the problem malformed.
func NewForgetron(cfg ForgetronConfig, p svm.Problem, order svm.Order) (*Forgetron, error) {
	b, err := newBudgeted("forgetron", cfg.Budget, p, order)
	if err != nil {
		return nil, err
	}
	diag := p.Rows.Diag()
	return &Forgetron{budgeted: b, diag: diag, most: cmp.Or(slices.Max(diag), 1)}, nil
}

// Step implements algorithms.Stepper.
func (a *Forgetron) Step() algorithms.Status { return a.once(a.step) }

func (a *Forgetron) step() algorithms.Status {
	i, row, status := a.look()
	switch {
	case row == nil:
	case a.full():
		r := a.rounds[a.oldest]
		mu := a.margin(r.i) + float64(a.p.Label(r.i)*a.p.Label(i)*float64(row[r.i]))
		room := forgetfulness*float64(a.mistakes) - a.damage
		phi, psi := selfTuned(a.scale*r.coef, mu/a.most, a.diag[r.i]/a.most, room)
		a.damage += psi
		a.replace(a.oldest, i, row, phi)
		a.oldest = (a.oldest + 1) % a.budget
	default:
		a.remember(i, row)
	}
	return status
}

// selfTuned returns the greatest phi in (0, 1] for which
//
//	psi = (phi sigma)^2 k + 2 phi sigma - 2 phi^2 sigma mu = a phi^2 + 2 sigma phi
//
// is at most c > 0, and that psi. The inequality is quadratic and holds at phi = 0.
func selfTuned(sigma, mu, k, c float64) (phi, psi float64) {
	a := float64(sigma*sigma*k) - float64(2*sigma*mu)
	if whole := a + float64(2*sigma); whole <= c {
		return 1, whole
	}
	root := math.Sqrt(max(0, float64(sigma*sigma)+float64(a*c)))
	return min(1, c/(sigma+root)), c
}

// RBPConfig configures RBP.
type RBPConfig struct {
	// Budget is the greatest number B of mistakes that are remembered, and so of
	// expansion vectors, B >= 1. More than n is n.
	Budget int
}

// RBP is the Randomized Budget Perceptron, a kernel Perceptron that remembers at
// most B of its mistakes. It looks at one example x_i a step. If
// y_i <w, Phi(x_i)> <= 0, a mistake,
//
//	w <- w + y_i Phi(x_i)                  while B are not remembered,
//	w <- w - y_r Phi(x_r) + y_i Phi(x_i)   after that,
//
// where r is drawn uniformly from the B mistakes that are remembered, not the new
// one: in expectation w shrinks by 1 - 1/B. The expected number of mistakes is within
// a constant factor of the sum of the hinge losses of any u, |u| up to the order of
// sqrt(B), up to lower-order terms.
//
// A step is charged as many kernel evaluations and inner products as there are
// expansion vectors before it: these classify the example. A mistake costs a kernel
// row, or two where another is forgotten, and one pass over the n training points,
// another example O(1).
//
// Source: Cavallanti, Cesa-Bianchi & Gentile 2007, "Tracking the best hyperplane
// with a simple budget Perceptron", Machine Learning 69,
// https://doi.org/10.1007/s10994-007-5003-0, abstract read, which has the rule and
// the sqrt(B). That the new mistake is not among those that are drawn from is from
// memory, and the same in DOGMA, a program of others. The paper knows no passes: an
// example that is mistaken again while it is remembered is remembered twice.
type RBP struct {
	budgeted
	rng *rand.Rand
}

var _ Learner = (*RBP)(nil)

// NewRBP returns the Randomized Budget Perceptron at w = 0; rng draws what is
// forgotten. It returns an error if the budget is below 1, the order or rng
// is nil, or the problem malformed.
func NewRBP(cfg RBPConfig, p svm.Problem, order svm.Order, rng *rand.Rand) (*RBP, error) {
	b, err := newBudgeted("rbp", cfg.Budget, p, order)
	if err != nil {
		return nil, err
	}
	if rng == nil {
		return nil, errors.New("sparse: rbp: no random numbers given")
	}
	return &RBP{b, rng}, nil
}

// Step implements algorithms.Stepper.
func (a *RBP) Step() algorithms.Status { return a.once(a.step) }

func (a *RBP) step() algorithms.Status {
	i, row, status := a.look()
	switch {
	case row == nil:
	case a.full():
		a.replace(a.rng.IntN(a.budget), i, row, 1)
	default:
		a.remember(i, row)
	}
	return status
}

// SeparablePerceptron is the Perceptron on what a trained classifier v separates with a
// margin of 1: the points with y_i g_v(x_i) < 1 are ignored, and of the others it looks at
// one x_i a step, with the bias b of v,
//
//	w <- w + y_i Phi(x_i)  if  y_i (<w, Phi(x_i)> + b) <= 0,
//
// until it classifies all of them correctly. Then it makes at most as many training errors as v
// has margin violations. Where K(x, x) <= 1 a mistake takes at least 1 off |w - v|^2, also with
// b, so that there are at most |v|^2 of them.
//
// A step is charged as many kernel evaluations and inner products as there are expansion
// vectors before it: these classify the example. A mistake costs a kernel row and one pass
// over the n training points, another example O(1).
//
// Source: Cotter 2013, section 3.2, full text read. Left open there: the bias.
type SeparablePerceptron struct {
	budgeted
	bias float64
	// right holds 1 + the mistakes before a point was last classified correctly, 0 if it never
	// was; since the last mistake clean points were, of the total.
	right        []int64
	clean, total int
}

// marginOrder leaves out the points that are ignored.
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

var _ Steady = (*SeparablePerceptron)(nil)

// NewSeparablePerceptron returns the Perceptron at w = 0. It returns an error if the order
// is nil, the problem malformed, or the reference does not belong to it or has no point at
// a margin of 1.
func NewSeparablePerceptron(p svm.Problem, order svm.Order, ref *Reference) (*SeparablePerceptron, error) {
	const method = "perceptron-separable"
	b, err := newBudgeted(method, math.MaxInt, p, order)
	if err != nil {
		return nil, err
	}
	if err := checkPostHoc(method, ref, len(b.u)); err != nil {
		return nil, err
	}
	a := &SeparablePerceptron{budgeted: b, bias: ref.Bias, right: make([]int64, len(b.u))}
	ignored := make([]bool, len(b.u))
	a.order = marginOrder{order, ignored}
	for i, g := range ref.Scores {
		a.u[i] = a.bias
		if ignored[i] = p.Label(i)*g < 1; !ignored[i] {
			a.total++
		}
	}
	if a.total == 0 {
		return nil, fmt.Errorf("sparse: %s: the reference has a margin of 1 on none of the n = %d training points",
			method, len(b.u))
	}
	return a, nil
}

// Step implements algorithms.Stepper. It converges when all points that are not ignored have been
// classified correctly since the last mistake.
func (a *SeparablePerceptron) Step() algorithms.Status { return a.once(a.step) }

func (a *SeparablePerceptron) step() algorithms.Status {
	i, row, status := a.look()
	switch {
	case status.Stop():
		return status
	case row != nil:
		a.remember(i, row)
		a.clean = 0
	case a.right[i] <= a.mistakes:
		a.right[i] = a.mistakes + 1
		a.clean++
	}
	if a.clean == a.total {
		return a.stop(algorithms.Converged, fmt.Sprintf("none of the %d points with a margin is wrong", a.total))
	}
	return status
}

// ExpansionTo implements Learner, in O(n).
func (a *SeparablePerceptron) ExpansionTo(e *Expansion) {
	a.budgeted.ExpansionTo(e)
	e.Bias = a.bias
}

// Reach implements Steady.
func (a *SeparablePerceptron) Reach() (least, most int) { return a.support, a.support + 1 }

// KeepsPrevious implements Steady.
func (a *SeparablePerceptron) KeepsPrevious() bool { return false }

// PreviousTo implements Steady.
func (a *SeparablePerceptron) PreviousTo(*Expansion) {
	panic("sparse: perceptron-separable: no previous classifier")
}
