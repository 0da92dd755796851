package sparse

import (
	"cmp"
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/exp"
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

// surface is the separation surface g = 0 of a classifier in training points,
//
//	g(x) = sum_k c_k exp(-gamma |z_k - x|^2) + b,
//
// in the input space, evaluated in 64 bits, by passes over the m points z_k in O(m d).
type surface struct {
	in Inputs
	Expansion
	distance []float64 // |z_k - x|^2, x being the last point where g was evaluated
	weight   []float64 // c_k K(z_k, x)
	gradient []float64 // of g at x
	evals    int64     // kernel evaluations or inner products so far
}

// evaluate returns g(x) and finds its gradient, 2 gamma sum_k c_k K(z_k, x) (z_k - x).
func (s *surface) evaluate(x []float64) (g float64) {
	m, gamma, norm, sum := len(s.Index), s.in.Gamma(), floats.Dot(x, x), 0.0
	s.distance, s.weight, s.gradient = make([]float64, m), make([]float64, m), make([]float64, len(x))
	for k, j := range s.Index {
		s.distance[k] = s.in.NormSq(j) + norm - 2*s.in.Dot(x, j)
		s.weight[k] = s.Coef[k] * exp.Neg(gamma*s.distance[k])
		sum += s.weight[k]
		s.in.AddTo(s.gradient, s.weight[k], j)
	}
	s.evals += int64(m)
	for f, v := range x {
		s.gradient[f] -= float64(sum * v) // not fused, so that it is 0 in the only point
	}
	floats.Scale(2*gamma, s.gradient)
	return sum + s.Bias
}

// hessianTo sets dst to the Hessian of g at x, where it was evaluated, times v:
// sum_k c_k K(z_k, x) (4 gamma^2 (z_k - x)(z_k - x)' - 2 gamma I) v.
func (s *surface) hessianTo(dst, x, v []float64) {
	gamma, vx, total := s.in.Gamma(), floats.Dot(v, x), 0.0
	clear(dst)
	for k, j := range s.Index {
		c := s.weight[k] * (s.in.Dot(v, j) - vx)
		s.in.AddTo(dst, c, j)
		total += c
	}
	s.evals += int64(len(s.Index))
	floats.AddScaled(dst, -total, x)
	floats.Scale(4*gamma*gamma, dst)
	floats.AddScaled(dst, -2*gamma*floats.Sum(s.weight), v)
}

// curvature projects training point i onto the surface and returns the curvature there:
// the greatest magnitude of the d-1 principal curvatures, which are the eigenvalues of
//
//	PHP/|G|,  P = I - GG'/|G|^2,
//
// G and H the gradient and the Hessian of g, by power iteration, which may end early
// where two are about as great: it is there to tell flat from convoluted. (Their mean
// would not in many dimensions: each has 2 gamma b/|G| in it, whatever the shape.) It
// returns -1 if there is no projection.
func (s *surface) curvature(i int) (kappa float64) {
	const steps, leastGain = 30, 0.005
	x := make([]float64, s.in.Dim())
	s.in.AddTo(x, 1, i)
	if !s.project(x) {
		return -1
	}
	s.evaluate(x)
	length := floats.Norm(s.gradient, 2)
	floats.Scale(1/length, s.gradient)
	v, image := make([]float64, len(x)), make([]float64, len(x))
	for f := range image {
		// Any direction: the multiples of the golden ratio, modulo 1.
		_, image[f] = math.Modf(float64(f+1) * (math.Phi - 1))
		image[f] -= 0.5
	}
	tangent := func() (size float64) {
		floats.AddScaled(image, -floats.Dot(image, s.gradient), s.gradient)
		return floats.Norm(image, 2)
	}
	size := tangent()
	for step := 0; step < steps && size > 0; step++ {
		s.hessianTo(image, x, floats.ScaleTo(v, 1/size, image))
		size = tangent()
		last := kappa
		if kappa = size / length; kappa <= (1+leastGain)*last {
			break
		}
	}
	return kappa
}

// project moves x along the gradient of g there to where the line meets the surface: by
// steps of Newton's method, no longer than a standard deviation 1/sqrt(2 gamma) of the
// kernel, until g has changed its sign, and then inside the bracket, halving it where
// they leave it. It reports false if there is no gradient, or no crossing within 8
// standard deviations.
func (s *surface) project(x []float64) bool {
	const reach, turns, precision = 8, 64, 1e-8
	g0 := s.evaluate(x)
	length := floats.Norm(s.gradient, 2)
	if !(length > 0) {
		return false
	}
	v := s.gradient
	floats.Scale(-math.Copysign(1/length, g0), v)
	along, stride := s.along(x, v), 1/math.Sqrt(2*s.in.Gamma())
	g, slope, t, low, high := g0, -math.Copysign(length, g0), 0.0, 0.0, math.Inf(1)
	for turn := 0; turn < turns && math.Abs(g) > precision*math.Abs(g0); turn++ {
		if (g > 0) == (g0 > 0) {
			low = t
		} else {
			high = t
		}
		t -= g / slope
		if !(t > low && t < min(high, low+stride)) {
			t = 0.5 * (low + min(high, low+2*stride))
		}
		if t > reach*stride {
			return false
		}
		g, slope = along(t)
	}
	floats.AddScaled(x, t, v)
	return math.Abs(g) <= precision*math.Abs(g0) || !math.IsInf(high, 1)
}

// along returns g(x + t v) and its derivative as a function of t, in O(m), where g was
// evaluated at x and |v| = 1: |z_k - x - t v|^2 = |z_k - x|^2 - 2 t <z_k - x, v> + t^2.
func (s *surface) along(x, v []float64) func(t float64) (g, slope float64) {
	gamma, vx, ahead := s.in.Gamma(), floats.Dot(v, x), make([]float64, len(s.Index))
	for k, j := range s.Index {
		ahead[k] = s.in.Dot(v, j) - vx
	}
	return func(t float64) (g, slope float64) {
		g = s.Bias
		for k, c := range s.Coef {
			w := c * exp.Neg(gamma*(s.distance[k]+t*(t-2*ahead[k])))
			g += w
			slope -= 2 * gamma * w * (t - ahead[k])
		}
		s.evals += int64(len(s.Index))
		return g, slope
	}
}
