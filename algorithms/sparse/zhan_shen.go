package sparse

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// ZhanShenConfig configures ZhanShen.
type ZhanShenConfig struct {
	// C is the weight of the hinge losses beside |w|^2/2, RegressionC that of the
	// distances beyond Epsilon.
	C, RegressionC float64
	// Bias says that the SVM has an unregularised bias.
	Bias bool
	// Exclude is the fraction of the support vectors that is excluded in a round,
	// 0 <= Exclude < 1.
	Exclude float64
	// Rounds is how often support vectors are excluded and the SVM is trained
	// again, >= 0.
	Rounds int
	// Epsilon is the distance that costs nothing in the regression at the end.
	Epsilon float64
	// Relearn says that the regression has an unregularised bias of its own. It
	// is without effect where Bias is false.
	Relearn bool
	// Tolerance is the violation of the optimality conditions, in units of the
	// scores, to which all problems are solved.
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
// Source: Zhan and Shen 2005, "Design efficient support vector machine for fast
// classification", Pattern Recognition 38(1), 157-161,
// https://doi.org/10.1016/j.patcog.2004.06.001, abstract read, whose four steps these
// are, and Cotter 2013, section "Post-hoc approximation approaches", full text read.
// As we remember it, the paper's too is that a support vector is judged by the
// curvature of the surface where it is projected onto it along the gradient. In the
// abstract's last step a subset of the support vectors stands for all of them; the
// regression here, as Cotter describes it, may choose any points that are left. Ours
// is the reading of the rest:
//
//   - the projection is where the straight line along the gradient of g at the
//     support vector first meets the surface; a support vector whose line does not
//     within 8 standard deviations of the kernel is not excluded;
//   - the curvature is the greatest magnitude of the principal curvatures, from the
//     gradient and the Hessian of the Gaussian kernels (zhan_shen_surface.go);
//   - excluded is a fraction of the support vectors, those of the greatest
//     curvature, the first of equals; further rounds repeat 2 and 3;
//   - the SVM is trained again from the coefficients that are left, as Ramp does
//     it, and the regression is over the points that are left, from w~ = 0.
//
// The classifier is of no use before the end: Settled reports Converged. Until the
// regression starts it is the SVM, as far as it is trained. The method is
// deterministic.
//
// A step is the curvature at one support vector or a step of an optimisation. The
// first costs O(m d) for m support vectors and is charged m kernel evaluations for
// each time that it evaluates g, its gradient, or its Hessian times a vector; the others cost O(n), and
// are charged n kernel evaluations for each of their one or two kernel rows.
type ZhanShen struct {
	cfg     ZhanShenConfig
	problem svm.Problem
	qp      boxQP
	surface *surface
	phase   zhanShenPhase
	round   int // 1, 2, …
	bias    float64

	current   Expansion // the SVM whose surface is looked at
	looked    int       // how many of its vectors were
	curvature []float64 // of those, -1 for none
	excluded  []bool    // n

	progress
}

var _ Learner = (*ZhanShen)(nil)

type zhanShenPhase int

const (
	zhanShenLook zhanShenPhase = iota
	zhanShenTrain
	zhanShenRegress
)

// NewZhanShen returns the method at the reference. It returns an error if a
// parameter is out of range, if the problem has no training points, or with a bias
// only one class of them, or an impossible diagonal, if the input space is missing
// or of other points, or if there is no reference or one for other points.
func NewZhanShen(cfg ZhanShenConfig, p svm.Problem, in Inputs, ref *Reference) (*ZhanShen, error) {
	const method = "zhan-shen"
	cfg.Relearn = cfg.Relearn && cfg.Bias
	qp, err := newBoxQP(method, p, cfg.Bias, 0)
	if err != nil {
		return nil, err
	}
	for _, err := range []error{
		checkProblem(method, p, cfg.Bias),
		checkBoxC(method, "C", cfg.C),
		checkBoxC(method, "C of the regression", cfg.RegressionC),
		checkBoxTolerance(method, cfg.Tolerance),
		checkPostHoc(method, ref, qp.N),
	} {
		if err != nil {
			return nil, err
		}
	}
	switch {
	case !(cfg.Exclude >= 0 && cfg.Exclude < 1):
		return nil, fmt.Errorf("sparse: %s: exclude = %g; it must be at least 0 and below 1", method, cfg.Exclude)
	case cfg.Rounds < 0:
		return nil, fmt.Errorf("sparse: %s: %d rounds; there must be none or more", method, cfg.Rounds)
	case !(cfg.Epsilon >= 0) || math.IsInf(cfg.Epsilon, 1):
		return nil, fmt.Errorf("sparse: %s: epsilon = %g; it must be finite and not negative", method, cfg.Epsilon)
	}
	if err := checkInputs(method, in, qp.N); err != nil {
		return nil, err
	}
	z := &ZhanShen{cfg: cfg, problem: p, qp: qp, surface: newSurface(in), bias: ref.Bias, excluded: make([]bool, qp.N)}
	qp.classify(p, cfg.C)
	qp.startAt(p, ref)
	z.look()
	return z, nil
}

// look begins a round, or the regression if there is none left, or nothing left to
// exclude.
func (z *ZhanShen) look() {
	z.round++
	if z.round > z.cfg.Rounds || z.qp.Nonzero == 0 {
		z.regress()
		return
	}
	z.phase = zhanShenLook
	z.qp.expansionTo(&z.current, z.bias)
	z.surface.setTo(&z.current)
	z.looked, z.curvature = 0, z.curvature[:0]
}

// Step implements algorithms.Stepper. Converged, like every status other than
// Running, means that nothing was changed and nothing is charged; Step may then
// be called again and returns the same.
func (z *ZhanShen) Step() algorithms.Status {
	for !z.status.Stop() {
		if z.phase == zhanShenLook {
			if z.looked < len(z.current.Index) {
				return z.stepLook()
			}
			z.exclude()
		}
		rows, status := z.qp.Step(z.cfg.Tolerance)
		switch {
		case !status.Stop():
			chargeRows(&z.cost, rows, z.qp.N)
			return status
		case status.State == algorithms.Converged && z.phase == zhanShenTrain:
			z.bias = z.qp.Offset()
			z.look()
		default:
			z.status = withMethod("zhan-shen", status)
		}
	}
	return z.status
}

// stepLook finds the curvature at the projection of a support vector.
func (z *ZhanShen) stepLook() algorithms.Status {
	before := z.surface.passes
	kappa, found := z.surface.curvature(z.current.Index[z.looked])
	switch {
	case !found:
		kappa = -1
	case !(kappa <= math.MaxFloat64):
		z.status = algorithms.Status{State: algorithms.Diverged,
			Reason: fmt.Sprintf("zhan-shen: the curvature at support vector %d is %g", z.current.Index[z.looked], kappa)}
		return z.status
	}
	z.curvature = append(z.curvature, kappa)
	z.looked++
	z.cost.Iterations++
	evals := (z.surface.passes - before) * int64(len(z.current.Index))
	z.cost.KernelEvals += evals
	z.cost.InnerProducts += evals
	return algorithms.Status{}
}

// exclude takes the support vectors of the greatest curvature out of the training
// points.
func (z *ZhanShen) exclude() {
	order := make([]int, 0, len(z.curvature))
	for k, kappa := range z.curvature {
		if kappa >= 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(z.curvature[b], z.curvature[a]) })
	count := min(int(z.cfg.Exclude*float64(len(z.curvature))), len(order))
	for _, k := range order[:count] {
		i := z.current.Index[k]
		z.excluded[i] = true
		z.qp.Rebox(i, 0, 0)
	}
	z.qp.Begin()
	z.phase = zhanShenTrain
}

// regress begins the regression on the scores of the SVM.
func (z *ZhanShen) regress() {
	old := z.qp
	scores := make([]float64, old.N)
	for i, x := range old.V {
		scores[i] = x + old.Shift[i]
		if z.cfg.Relearn {
			scores[i] += z.bias
		}
	}
	// The SVM has checked everything but epsilon.
	qp, err := newBoxQP("zhan-shen", z.problem, z.cfg.Relearn, z.cfg.Epsilon)
	if err != nil {
		z.status = algorithms.Status{State: algorithms.Failed, Reason: err.Error()}
		return
	}
	qp.Rows = old.Rows
	qp.regress(z.cfg.RegressionC, scores, 0)
	for i, out := range z.excluded {
		if out {
			qp.Lo[i], qp.Hi[i] = 0, 0
		}
	}
	qp.Begin()
	z.qp, z.phase = qp, zhanShenRegress
}

// Support implements Learner.
func (z *ZhanShen) Support() int { return z.qp.Nonzero }

// Settled implements Learner.
func (z *ZhanShen) Settled() bool { return z.status.State == algorithms.Converged }

// ExpansionTo implements Learner.
func (z *ZhanShen) ExpansionTo(e *Expansion) {
	b := z.bias
	switch {
	case z.phase == zhanShenTrain, z.phase == zhanShenRegress && z.cfg.Relearn:
		b = z.qp.Offset()
	}
	z.qp.expansionTo(e, b)
}
