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
	// S is the margin s < 1 below which the loss is constant. Cotter 2013 uses -1; the paper studies
	// -1 < s <= 0. The lower s is, the closer the solution is to the SVM.
	S float64
	// Bias gives the classifier an unregularised bias b.
	Bias bool
	// Tolerance is the violation of the optimality conditions, in units of the scores, to which the
	// convex problems are solved.
	Tolerance float64
}

// Ramp minimises the regularised ramp loss,
//
//	J(w, b) = |w|^2/2 + C sum_i R_s(y_i (<w, Phi(x_i)> + b)),
//	R_s = H_1 - H_s,  H_s(z) = max(0, s - z),
//
// to a local minimum, by the concave-convex procedure. A round replaces -C H_s by its tangent, with
// slope mu_i = C where y_i g(x_i) < s and 0 elsewhere, and solves the resulting convex problem. Its dual
// is the dual of the SVM with the bounds -mu_i <= alpha_i <= C - mu_i. Rounds end when mu does not
// change. They are finite because J decreases in each round. Points with a margin below s have no
// coefficient, so there are fewer expansion vectors than in the SVM.
//
// A round starts from the coefficients of the previous one. Coefficients outside their new bounds first
// move to 0, the nearest bound, one in each step. With a bias, further steps then change the
// coefficients that cost least until the sum is 0 again. After that, sequential minimal optimisation
// continues (smo.Dual).
//
// Final reports the end of a round, so the curve has a point for each round; the first is the SVM. The
// method is deterministic. A step costs O(n) and one or two kernel rows, and is charged n kernel
// evaluations for each row.
//
// Source: Collobert, Sinz, Weston and Bottou 2006, "Trading convexity for scalability", ICML, section 2,
// from memory. b is the mean of y_i - <w, Phi(x_i)> over the coefficients strictly between their bounds,
// and the start is mu = 0. The method also ends when rounding or the tolerance keeps J from decreasing.
// UniverSVM, the program of Sinz, has the same bounds, start from the SVM and default s = -1. It also
// ends when mu does not change. It differs in three points: each round starts from coefficients of 0,
// there are at most 20 rounds, and b is the midpoint between the greatest violations.
type Ramp struct {
	qp            boxQP
	cfg           RampConfig
	problem       svm.Problem
	saturated     []bool // n, mu_i = C
	rounds        int
	lastObjective float64 // J at the end of the last round
	roundEnded    bool
	progress
}

var _ Learner = (*Ramp)(nil)

// NewRamp returns the method at w = 0. It returns an error if a parameter is out of range or if p is
// invalid. With a bias, p must have points of both classes.
func NewRamp(cfg RampConfig, p svm.Problem) (*Ramp, error) {
	const method = "ramp"
	qp, err := newBoxQP(method, p, cfg.C, 0, cfg.Tolerance, cfg.Bias)
	if err := cmp.Or(err, checkProblem(method, p, cfg.Bias)); err != nil {
		return nil, err
	}
	if !(cfg.S < 1) || math.IsInf(cfg.S, -1) {
		return nil, fmt.Errorf("sparse: ramp: s = %g; it must be finite and below 1, the margin where the loss begins", cfg.S)
	}
	qp.classify(p, cfg.C)
	qp.Begin()
	return &Ramp{qp: qp, cfg: cfg, problem: p, saturated: make([]bool, qp.N), lastObjective: math.Inf(1)}, nil
}

// Step implements algorithms.Stepper. If it returns a status other than Running, it changes and charges
// nothing.
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
			r.roundEnded = r.qp.Optimal(r.cfg.Tolerance)
			return status
		}
	}
	return r.status
}

// nextRound ends a round, and begins another unless the method has converged.
func (r *Ramp) nextRound() {
	r.rounds++
	r.roundEnded = true
	j := r.Objective()
	switch {
	case !(j < r.lastObjective):
		r.stop(algorithms.Converged, fmt.Sprintf("ramp: round %d brought no lower ramp loss", r.rounds))
	case r.updateBounds(r.qp.Offset()) == 0:
		r.stop(algorithms.Converged, fmt.Sprintf("ramp: after %d rounds the same points have a margin below s", r.rounds))
	default:
		r.lastObjective, r.roundEnded = j, false
		r.qp.Begin()
	}
}

// updateBounds finds the points that moved across the margin s, changes their bounds and returns their
// number.
func (r *Ramp) updateBounds(bias float64) (changed int) {
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
		q.SetBounds(i, min(0, y*r.cfg.C), max(0, y*r.cfg.C))
	}
	return changed
}

// Support implements Learner.
func (r *Ramp) Support() int { return r.qp.Nonzero }

// Final implements Learner.
func (r *Ramp) Final() bool { return r.roundEnded }

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
