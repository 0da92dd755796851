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
	// C is the weight of the hinge losses of the SVM, and of the losses of the regression, relative to
	// |w|^2/2.
	C float64
	// Bias gives the SVM and the regression an unregularised bias.
	Bias bool
	// Exclude is the fraction of the support vectors to exclude, 0 <= Exclude < 1.
	Exclude float64
	// Epsilon is the largest deviation without a loss in the regression.
	Epsilon float64
	// Tolerance is the violation of the optimality conditions, in units of the scores, to which both
	// problems are solved.
	Tolerance float64
}

// ZhanShen simplifies the separating surface of an SVM before it approximates the SVM:
//
//  1. Train the SVM. Here it is the given reference.
//  2. Exclude the support vectors that make the surface most convoluted from the training
//     points.
//  3. Train the SVM again on the remaining points.
//  4. Approximate its scores by support vector regression, as in OsunaGirosi.
//
// A step computes the curvature at one support vector or is a step of an optimisation. A curvature costs
// O(m d) for m support vectors, and is charged m kernel evaluations for each evaluation of g or of a
// product with its Hessian. Other steps cost O(n) and one or two kernel rows, and are charged n kernel
// evaluations for each row. The method is deterministic. Its classifier is useless before convergence.
//
// Source: Zhan and Shen 2005, "Design efficient support vector machine for fast classification", Pattern
// Recognition 38(1), 157-161, https://doi.org/10.1016/j.patcog.2004.06.001, abstract read, which has the
// four steps, and Cotter 2013, section "Post-hoc approximation approaches", full text read. Taking the
// curvature where a support vector is projected onto the surface along the gradient is from memory. The
// rest of the projection and the curvature (type surface) is ours.
//
// Choices: the excluded support vectors are a fraction, those of the greatest curvature among those that
// can be projected; ties go to the first. The SVM is trained again from the remaining coefficients, as
// in Ramp. The regression starts from 0 and may choose any of the remaining points, as Cotter describes
// it; in the abstract it chooses among support vectors.
type ZhanShen struct {
	cfg        ZhanShenConfig
	qp         boxQP // the SVM, then the regression
	regression boxQP
	surface    surface // of the reference
	curvature  []float64
	progress
}

var _ Learner = (*ZhanShen)(nil)

// NewZhanShen returns the method at the reference. It returns an error if a parameter is out of range,
// or if p, in and ref are invalid or do not match.
func NewZhanShen(cfg ZhanShenConfig, p svm.Problem, in Inputs, ref *Reference) (*ZhanShen, error) {
	const method = "zhan-shen"
	if err := checkProblem(method, p, cfg.Bias); err != nil {
		return nil, err
	}
	n := p.Rows.Train()
	if !(cfg.Exclude >= 0 && cfg.Exclude < 1) {
		return nil, fmt.Errorf("sparse: %s: exclude = %g; it must be at least 0 and below 1", method, cfg.Exclude)
	}
	qp, err := newBoxQP(method, p, cfg.C, 0, cfg.Tolerance, cfg.Bias)
	regression, errRegression := newBoxQP(method, p, cfg.C, cfg.Epsilon, cfg.Tolerance, cfg.Bias)
	if err := cmp.Or(err, errRegression, checkReference(method, ref, n), checkInputs(method, in, n)); err != nil {
		return nil, err
	}
	qp.classify(p, cfg.C)
	qp.startAt(p, ref)
	var e Expansion
	qp.expansionTo(&e, ref.Bias)
	return &ZhanShen{cfg: cfg, qp: qp, regression: regression, surface: surface{in: in, Expansion: e}}, nil
}

// Step implements algorithms.Stepper.
func (z *ZhanShen) Step() algorithms.Status { return z.advance(z.step) }

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

// exclude removes the support vectors of the greatest curvature from the training points.
func (z *ZhanShen) exclude() {
	order := make([]int, len(z.curvature))
	floats.ArgsortStable(floats.ScaleTo(make([]float64, len(order)), -1, z.curvature), order)
	for _, k := range order[:int(z.cfg.Exclude*float64(len(order)))] {
		if z.curvature[k] >= 0 {
			z.qp.SetBounds(z.surface.Index[k], 0, 0)
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

// Final implements Learner.
func (z *ZhanShen) Final() bool { return z.status.State == algorithms.Converged }

// ExpansionTo implements Learner.
func (z *ZhanShen) ExpansionTo(e *Expansion) { z.qp.expansionTo(e, z.qp.Offset()) }

// surface is the separating surface g = 0 in the input space of a classifier whose m expansion vectors
// z_k are training points,
//
//	g(x) = sum_k c_k exp(-gamma |z_k - x|^2) + b.
//
// g is evaluated in 64 bits. An evaluation costs O(m d).
type surface struct {
	in Inputs
	Expansion
	distance []float64 // |z_k - x|^2 for the last argument x of evaluate
	weight   []float64 // c_k K(z_k, x)
	gradient []float64 // of g at x
	evals    int64     // kernel evaluations or inner products so far
}

// evaluate returns g(x) and stores its gradient, 2 gamma sum_k c_k K(z_k, x) (z_k - x).
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
		s.gradient[f] -= float64(sum * v) // not fused, so that it is 0 at a single z_k
	}
	floats.Scale(2*gamma, s.gradient)
	return sum + s.Bias
}

// hessianTo sets dst to H v, for the Hessian H of g at x,
//
//	H = sum_k c_k K(z_k, x) (4 gamma^2 (z_k - x)(z_k - x)' - 2 gamma I).
//
// x must be the last argument of evaluate.
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

// curvature projects training point i onto the surface and returns the greatest magnitude of the d-1
// principal curvatures there. These are the eigenvalues of
//
//	PHP/|G|,  P = I - GG'/|G|^2,
//
// for the gradient G and the Hessian H of g. curvature uses power iteration, which may stop early if two
// eigenvalues are similar. This is enough to distinguish flat from convoluted surfaces. The mean
// curvature is not: in many dimensions it is dominated by the term 2 gamma b/|G| of each eigenvalue,
// whatever the shape. curvature returns -1 if there is no projection.
func (s *surface) curvature(i int) (kappa float64) {
	const steps, minIncrease = 30, 0.005
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
		// An arbitrary direction: multiples of the golden ratio, modulo 1.
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
		if kappa = size / length; kappa <= (1+minIncrease)*last {
			break
		}
	}
	return kappa
}

// project moves x along the gradient of g at x to the surface. Newton steps are at most one standard
// deviation of the kernel, 1/sqrt(2 gamma), until g has changed its sign. After that a step that leaves
// the bracket is replaced by a bisection. project returns false if the gradient is 0 or if there is no
// crossing within 8 standard deviations.
func (s *surface) project(x []float64) bool {
	const maxDeviations, maxSteps, precision = 8, 64, 1e-8
	g0 := s.evaluate(x)
	length := floats.Norm(s.gradient, 2)
	if !(length > 0) {
		return false
	}
	v := s.gradient
	floats.Scale(-math.Copysign(1/length, g0), v)
	along, deviation := s.along(x, v), 1/math.Sqrt(2*s.in.Gamma())
	g, slope, t, low, high := g0, -math.Copysign(length, g0), 0.0, 0.0, math.Inf(1)
	for step := 0; step < maxSteps && math.Abs(g) > precision*math.Abs(g0); step++ {
		if (g > 0) == (g0 > 0) {
			low = t
		} else {
			high = t
		}
		t -= g / slope
		if !(t > low && t < min(high, low+deviation)) {
			t = 0.5 * (low + min(high, low+2*deviation))
		}
		if t > maxDeviations*deviation {
			return false
		}
		g, slope = along(t)
	}
	floats.AddScaled(x, t, v)
	return math.Abs(g) <= precision*math.Abs(g0) || !math.IsInf(high, 1)
}

// along returns a function that computes g(x + t v) and its derivative in O(m), from
// |z_k - x - t v|^2 = |z_k - x|^2 - 2 t <z_k - x, v> + t^2. x must be the last argument of evaluate, and
// |v| = 1.
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
