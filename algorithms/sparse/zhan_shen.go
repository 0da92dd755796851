package sparse

import (
	"cmp"
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
)

// ZhanShenConfig configures ZhanShen.
type ZhanShenConfig struct {
	// C is the weight of the hinge losses, relative to |w|^2/2, and of the distances
	// beyond Epsilon in the regression.
	C float64
	// Bias says that the SVM and the regression have an unregularised bias.
	Bias bool
	// Exclude is the fraction of the support vectors that is excluded, 0 <= Exclude < 1.
	Exclude float64
	// Epsilon is the distance that costs nothing in the regression.
	Epsilon float64
	// Tolerance is the violation of the optimality conditions, in units of the
	// scores, to which both problems are solved.
	Tolerance float64
}

// ZhanShen simplifies the separation surface of an SVM before it approximates it:
//
//  1. the SVM is trained: it is given, the reference;
//  2. the support vectors that make the surface most convoluted are excluded from
//     the training points;
//  3. the SVM is trained again on the others;
//  4. its scores are approximated by support vector regression, as by OsunaGirosi.
//
// A step is the curvature at one support vector or a step of an optimisation. The
// first costs O(m d) for m support vectors and is charged m kernel evaluations for
// each time that it evaluates g, or its Hessian times a vector; the others cost O(n), and
// are charged n kernel evaluations for each of their one or two kernel rows. The method is
// deterministic. Before the end its classifier is of no use.
//
// Source: Zhan and Shen 2005, "Design efficient support vector machine for fast
// classification", Pattern Recognition 38(1), 157-161,
// https://doi.org/10.1016/j.patcog.2004.06.001, abstract read, whose four steps these
// are, and Cotter 2013, section "Post-hoc approximation approaches", full text read. The
// curvature of the surface where a support vector is projected onto it along the gradient
// is from memory; the rest of the projection and the curvature (type surface) is ours.
// Excluded is a fraction of the support vectors, those of the greatest curvature, the first
// of equals, if they can be projected; the SVM is trained again from the coefficients that
// are left, as Ramp does it, and the regression from 0, which may choose any points that
// are left, as Cotter describes it; in the abstract, support vectors.
type ZhanShen struct {
	cfg        ZhanShenConfig
	qp         boxQP // the SVM, then the regression
	regression boxQP
	surface    surface // of the reference
	curvature  []float64
	progress
}

var _ Learner = (*ZhanShen)(nil)

// NewZhanShen returns the method at the reference. It returns an error if a parameter is
// out of range, the problem is malformed, or the input space or the reference is missing
// or of other points.
func NewZhanShen(cfg ZhanShenConfig, p svm.Problem, in Inputs, ref *Reference) (*ZhanShen, error) {
	const method = "zhan-shen"
	if err := checkProblem(method, p, cfg.Bias); err != nil {
		return nil, err
	}
	n := p.Rows.Train()
	if !(cfg.Exclude >= 0 && cfg.Exclude < 1) {
		return nil, fmt.Errorf("sparse: %s: exclude = %g; it must be at least 0 and below 1", method, cfg.Exclude)
	}
	qp, err := newBoxQP(method, p, cfg.Bias, 0)
	regression, wrong := newBoxQP(method, p, cfg.Bias, cfg.Epsilon)
	if err := cmp.Or(err, wrong, checkBoxC(method, "C", cfg.C), checkBoxTolerance(method, cfg.Tolerance),
		checkPostHoc(method, ref, n), checkInputs(method, in, n)); err != nil {
		return nil, err
	}
	qp.classify(p, cfg.C)
	qp.startAt(p, ref)
	var e Expansion
	qp.expansionTo(&e, ref.Bias)
	return &ZhanShen{cfg: cfg, qp: qp, regression: regression, surface: surface{in: in, Expansion: e}}, nil
}

// Step implements algorithms.Stepper.
func (z *ZhanShen) Step() algorithms.Status { return z.once(z.step) }

func (z *ZhanShen) step() algorithms.Status {
	if k, points := len(z.curvature), z.surface.Index; k < len(points) {
		z.curvature = append(z.curvature, z.surface.curvature(points[k]))
		z.cost.Iterations++
		z.cost.KernelEvals, z.cost.InnerProducts = z.surface.evals, z.surface.evals
		if k+1 == len(points) {
			z.exclude()
		}
		return algorithms.Status{}
	}
	rows, status := z.qp.Step(z.cfg.Tolerance)
	if status.State == algorithms.Converged && z.qp != z.regression {
		z.regress()
		rows, status = z.qp.Step(z.cfg.Tolerance)
	}
	if status.Stop() {
		return withMethod("zhan-shen", status)
	}
	z.chargeRows(rows, z.qp.N)
	return status
}

// exclude takes the support vectors of the greatest curvature out of the training points.
func (z *ZhanShen) exclude() {
	order := make([]int, len(z.curvature))
	floats.ArgsortStable(floats.ScaleTo(make([]float64, len(order)), -1, z.curvature), order)
	for _, k := range order[:int(z.cfg.Exclude*float64(len(order)))] {
		if z.curvature[k] >= 0 {
			z.qp.Rebox(z.surface.Index[k], 0, 0)
		}
	}
	z.qp.Begin()
}

// regress begins the regression on the scores of the SVM.
func (z *ZhanShen) regress() {
	svm, b := z.qp, z.qp.Offset()
	scores := make([]float64, svm.N)
	for i, x := range svm.V {
		scores[i] = x + svm.Shift[i] + b
	}
	z.qp = z.regression
	z.qp.regress(z.cfg.C, scores, 0)
	for i := range svm.N {
		if svm.Lo[i] == svm.Hi[i] { // excluded
			z.qp.Lo[i], z.qp.Hi[i] = 0, 0
		}
	}
	z.qp.Begin()
}

// Support implements Learner.
func (z *ZhanShen) Support() int { return z.qp.Nonzero }

// Settled implements Learner.
func (z *ZhanShen) Settled() bool { return z.status.State == algorithms.Converged }

// ExpansionTo implements Learner.
func (z *ZhanShen) ExpansionTo(e *Expansion) { z.qp.expansionTo(e, z.qp.Offset()) }
