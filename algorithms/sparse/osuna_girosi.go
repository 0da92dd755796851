package sparse

import (
	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// OsunaGirosiConfig configures OsunaGirosi.
type OsunaGirosiConfig struct {
	// Epsilon is the largest deviation from a score of w without a loss, >= 0.
	Epsilon float64
	// C is the weight of the losses relative to |w~|^2/2.
	C float64
	// Bias gives w~ an unregularised bias of its own.
	Bias bool
	// Tolerance is the violation of the optimality conditions, in units of the scores, at which the
	// method has converged.
	Tolerance float64
}

// OsunaGirosi approximates a classifier w by support vector regression on its scores,
//
//	minimise |w~|^2/2 + C sum_i max(0, |<w, Phi(x_i)> - <w~, Phi(x_i)>| - epsilon)
//
// or, with a bias, over w~ and b~ with the deviations <w, Phi(x_i)> + b - <w~, Phi(x_i)> - b~.
// A larger epsilon gives fewer expansion vectors, because points with deviations below
// epsilon have coefficient 0. If epsilon = 0 and C is at least the coefficients of w, as
// the C of the SVM is, then w~ = w. If epsilon >= max_i |<w, Phi(x_i)>|, then w~ = 0.
//
// Steps are those of smo.Dual, from w~ = 0. The classifier is useless before convergence, so Final
// reports Converged. The method is deterministic.
//
// A step costs O(n) and one kernel row without a bias, two with a bias. It is charged n or 2n kernel
// evaluations.
//
// Source: Osuna and Girosi 1998, "Reducing the run-time complexity of support vector machines", from
// memory; Cotter 2013, problem "objective-osuna-girosi", full text read. From memory, the paper proposes
// this regression with a small epsilon and with a bound on the coefficients, here C. The problem, the
// use of the C of the SVM and a choice of epsilon are from Cotter 2013. He solved it with LIBSVM, whose
// regression has a bias of its own.
type OsunaGirosi struct {
	qp        boxQP
	tolerance float64
	progress
}

var _ Learner = (*OsunaGirosi)(nil)

// NewOsunaGirosi returns the method at w~ = 0. It returns an error if a parameter is out of range, if p
// or ref is invalid, or if they do not match.
func NewOsunaGirosi(cfg OsunaGirosiConfig, p svm.Problem, ref *Reference) (*OsunaGirosi, error) {
	const method = "osuna-girosi"
	qp, err := newBoxQP(method, p, cfg.C, cfg.Epsilon, cfg.Tolerance, cfg.Bias)
	if err != nil {
		return nil, err
	}
	if err := checkReference(method, ref, qp.N); err != nil {
		return nil, err
	}
	qp.regress(cfg.C, ref.Scores, ref.Bias)
	qp.Begin()
	return &OsunaGirosi{qp: qp, tolerance: cfg.Tolerance}, nil
}

// Step implements algorithms.Stepper. If it returns a status other than Running, it changes and charges
// nothing.
func (o *OsunaGirosi) Step() algorithms.Status { return o.advance(o.step) }

func (o *OsunaGirosi) step() algorithms.Status {
	rows, status := o.qp.Step(o.tolerance)
	if status.Stop() {
		return withMethod("osuna-girosi", status)
	}
	o.chargeRows(rows, o.qp.N)
	return status
}

// Support implements Learner.
func (o *OsunaGirosi) Support() int { return o.qp.Nonzero }

// Final implements Learner.
func (o *OsunaGirosi) Final() bool { return o.status.State == algorithms.Converged }

// ExpansionTo implements Learner. The bias is the mean of the biases implied by the optimality
// conditions of the coefficients that are neither 0 nor at a bound.
func (o *OsunaGirosi) ExpansionTo(e *Expansion) { o.qp.expansionTo(e, o.qp.Offset()) }
