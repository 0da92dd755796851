package sparse

import (
	"cmp"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// OsunaGirosiConfig configures OsunaGirosi.
type OsunaGirosiConfig struct {
	// Epsilon is the distance from the scores of w that costs nothing, >= 0.
	Epsilon float64
	// C is the weight of the distances beyond it, relative to |w~|^2/2.
	C float64
	// Bias says that w~ has an unregularised bias of its own.
	Bias bool
	// Tolerance is the violation of the optimality conditions, in units of the
	// scores, at which the method reports algorithms.Converged.
	Tolerance float64
}

// OsunaGirosi approximates a classifier w by support vector regression on its
// scores,
//
//	minimise |w~|^2/2 + C sum_i max(0, |<w, Phi(x_i)> - <w~, Phi(x_i)>| - epsilon)
//
// or, with a bias, the same of <w, Phi(x_i)> + b - <w~, Phi(x_i)> - b~, over b~ as well.
// The greater epsilon, the fewer expansion vectors: those whose score is
// approximated to less than it have none. At epsilon = 0 and a C that is no less
// than the coefficients of w, which that of the SVM is, w~ = w; where epsilon is
// at least the greatest of |<w, Phi(x_i)>|, w~ = 0.
//
// It is solved by steps of smo.Dual, from w~ = 0. The classifier is of no use before the
// end: Settled reports Converged. It is deterministic.
//
// A step costs O(n) and one kernel row without a bias, two with one, and is charged n or 2n
// kernel evaluations.
//
// Source: Osuna and Girosi 1998, "Reducing the run-time complexity of support
// vector machines", from memory; Cotter 2013, problem "objective-osuna-girosi",
// full text read. As we remember it, the paper proposes this regression with a small
// epsilon, or with a bound on the coefficients that is C here; the problem, C = that
// of the SVM, and a choice of epsilon, are Cotter's. He solved it with LIBSVM, whose
// regression has a bias of its own.
type OsunaGirosi struct {
	qp        boxQP
	tolerance float64
	progress
}

var _ Learner = (*OsunaGirosi)(nil)

// NewOsunaGirosi returns the method at its start. It returns an error if a
// parameter is out of range, if the problem has no training points or an
// impossible diagonal, or if there is no reference or one for other points.
func NewOsunaGirosi(cfg OsunaGirosiConfig, p svm.Problem, ref *Reference) (*OsunaGirosi, error) {
	const method = "osuna-girosi"
	qp, err := newBoxQP(method, p, cfg.Bias, cfg.Epsilon)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(checkBoxC(method, "C", cfg.C), checkBoxTolerance(method, cfg.Tolerance),
		checkPostHoc(method, ref, qp.N)); err != nil {
		return nil, err
	}
	qp.regress(cfg.C, ref.Scores, ref.Bias)
	qp.Begin()
	return &OsunaGirosi{qp: qp, tolerance: cfg.Tolerance}, nil
}

// Step implements algorithms.Stepper. A status other than Running means that nothing was
// changed and nothing is charged.
func (o *OsunaGirosi) Step() algorithms.Status { return o.once(o.step) }

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

// Settled implements Learner.
func (o *OsunaGirosi) Settled() bool { return o.status.State == algorithms.Converged }

// ExpansionTo implements Learner. The bias is the mean over the coefficients that are
// neither 0 nor at their bound of what their distances say it is.
func (o *OsunaGirosi) ExpansionTo(e *Expansion) { o.qp.expansionTo(e, o.qp.Offset()) }
