package sparse

import (
	"cmp"
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// RampConfig configures Ramp.
type RampConfig struct {
	// C is the weight of the losses relative to |w|^2/2.
	C float64
	// S is the margin s < 1 below which the loss does not grow any more. At -1 it
	// is that of Cotter 2013; the paper looks at -1 < s <= 0. The lower s is, the
	// closer the solution is to the SVM.
	S float64
	// Bias says that the classifier has an unregularised bias b.
	Bias bool
	// Tolerance is the violation of the optimality conditions, in units of the
	// scores, to which the convex problems are solved.
	Tolerance float64
}

// Ramp minimises the regularised ramp loss,
//
//	J(w, b) = |w|^2/2 + C sum_i R_s(y_i (<w, Phi(x_i)> + b)),
//	R_s = H_1 - H_s,  H_s(z) = max(0, s - z),
//
// to a local minimum, by the concave-convex procedure. -C H_s is replaced by its
// tangent, whose slope is mu_i = C where y_i g(x_i) < s and 0 elsewhere, and the
// convex problem that results is solved: in its dual, that of the SVM, alpha_i is
// between -mu_i and C - mu_i. This is repeated until mu does not change. J falls
// in each round, so that it ends. The points that are too far on the wrong side
// have no coefficient: hence fewer expansion vectors than the SVM's.
//
// Each round starts from the coefficients of the one before: those that its bounds
// exclude go to 0, the nearest value that is left, one a step, with a bias followed
// by those that it costs least to change until their sum is 0 again, also one a
// step; then sequential minimal optimisation goes on (smo.Dual).
//
// Settled reports the end of a round: the curve has a point for each, of which the first
// is the SVM. The method is deterministic. A step costs O(n) and one or two kernel rows,
// and is charged n kernel evaluations for each.
//
// Source: Collobert, Sinz, Weston and Bottou 2006, "Trading convexity for scalability",
// ICML, section 2, from memory. b is the mean of y_i - <w, Phi(x_i)> over the
// coefficients strictly between their bounds, and the start is mu = 0. Where rounding
// or the tolerance keep J from falling it ends as well. Compared with UniverSVM, the
// program of Sinz: the same are the bounds, the start from the SVM, s = -1 by default,
// and that it ends when mu does not change. It differs in that each round starts from
// coefficients of 0, that it ends after 20 rounds, and that b is in the middle between
// the greatest violations.
type Ramp struct {
	qp        boxQP
	cfg       RampConfig
	problem   svm.Problem
	saturated []bool // n, mu_i = C
	rounds    int
	least     float64 // J at the end of the last round
	ended     bool
	progress
}

var _ Learner = (*Ramp)(nil)

// NewRamp returns the method at w = 0. It returns an error if a parameter is out of range,
// if the problem has no training points, or with a bias only one class of them, or an
// impossible diagonal.
func NewRamp(cfg RampConfig, p svm.Problem) (*Ramp, error) {
	const method = "ramp"
	qp, err := newBoxQP(method, p, cfg.Bias, 0)
	if err := cmp.Or(err, checkProblem(method, p, cfg.Bias), checkBoxC(method, "C", cfg.C),
		checkBoxTolerance(method, cfg.Tolerance)); err != nil {
		return nil, err
	}
	if !(cfg.S < 1) || math.IsInf(cfg.S, -1) {
		return nil, fmt.Errorf("sparse: ramp: s = %g; it must be finite and below 1, where the loss starts", cfg.S)
	}
	qp.classify(p, cfg.C)
	qp.Begin()
	return &Ramp{qp: qp, cfg: cfg, problem: p, saturated: make([]bool, qp.N), least: math.Inf(1)}, nil
}

// Step implements algorithms.Stepper. A status other than Running means that nothing was
// changed and nothing is charged.
func (r *Ramp) Step() algorithms.Status {
	for !r.status.Stop() {
		rows, status := r.qp.Step(r.cfg.Tolerance)
		switch {
		case status.State == algorithms.Converged:
			r.nextRound()
		case status.Stop():
			r.status = withMethod("ramp", status)
		default:
			r.chargeRows(rows, r.qp.N)
			r.ended = r.qp.Optimal(r.cfg.Tolerance)
			return status
		}
	}
	return r.status
}

// nextRound ends a round, and begins another unless the method is done.
func (r *Ramp) nextRound() {
	r.rounds++
	r.ended = true
	j := r.Objective()
	switch {
	case !(j < r.least):
		r.stop(algorithms.Converged, fmt.Sprintf("ramp: round %d brought no lower ramp loss", r.rounds))
	case r.saturate(r.qp.Offset()) == 0:
		r.stop(algorithms.Converged, fmt.Sprintf("ramp: after %d rounds the same points have a margin below s", r.rounds))
	default:
		r.least, r.ended = j, false
		r.qp.Begin()
	}
}

// saturate looks which points have a margin below s, changes the boxes of those
// for which this is new, and returns how many they are.
func (r *Ramp) saturate(bias float64) (changed int) {
	q := r.qp
	for i, x := range q.V {
		y := r.problem.Label(i)
		below := y*((x+q.Shift[i])+bias) < r.cfg.S
		if below == r.saturated[i] {
			continue
		}
		changed++
		r.saturated[i] = below
		if below {
			y = -y
		}
		q.Rebox(i, min(0, y*r.cfg.C), max(0, y*r.cfg.C))
	}
	return changed
}

// Support implements Learner.
func (r *Ramp) Support() int { return r.qp.Nonzero }

// Settled implements Learner.
func (r *Ramp) Settled() bool { return r.ended }

// ExpansionTo implements Learner.
func (r *Ramp) ExpansionTo(e *Expansion) { r.qp.expansionTo(e, r.qp.Offset()) }

// Objective returns J(w, b) in O(n).
func (r *Ramp) Objective() float64 {
	q, b := r.qp, r.qp.Offset()
	var loss float64
	for i, x := range q.V {
		z := r.problem.Label(i) * ((x + q.Shift[i]) + b)
		loss += min(max(0, 1-z), 1-r.cfg.S)
	}
	return 0.5*q.NormSq() + float64(r.cfg.C*loss)
}
