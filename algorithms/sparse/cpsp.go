package sparse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// CPSPConfig configures CPSP.
type CPSPConfig struct {
	// C is the weight of the sum of hinge losses relative to |w|^2/2.
	C float64
	// Basis is the number of expansion vectors, 1 <= Basis <= n.
	Basis int
	// Tolerance is the precision epsilon of the mean hinge loss. The final objective is within
	// C n epsilon of the minimum in the span of the expansion vectors.
	Tolerance float64
	// Plane makes a new vector the pre-image of the part of the newest cutting plane outside the span.
	// Otherwise it is a pre-image for the solution of the dual program.
	Plane bool
	// Every is the number of iterations between new vectors, 1 or more.
	Every int
	// Starts is the number of random training points with weight in the target, 1 or more. The search
	// for a pre-image starts from the best of them.
	Starts int
	// Bias adds a constant feature 1 to Phi. The classifier then has a bias b, and the objective
	// includes b^2/2.
	Bias bool
}

// CPSP is cutting-plane subspace pursuit: it solves
//
//	minimise |w|^2/2 + C n xi over w in span(Phi(z_1), …, Phi(z_k)) and xi
//	subject to (1/n) sum_i c_i (1 - y_i <w, Phi(x_i)>) <= xi for all c in {0, 1}^n,
//
// which is the SVM with parameter C in the span, and constructs the z. A step
//
//   - adds the most violated constraint, c_i = 1 for the margin violators, with the
//     direction Psi = (1/n) sum_i c_i y_i Phi(x_i), to the working set;
//   - adds an expansion vector, if there are fewer than Basis, every Every iterations or
//     when the program is solved in the span. The vector is an approximate pre-image of
//     the part outside the span of the newest Psi, or of the solution sum_t alpha_t Psi_t
//     of the dual program;
//   - solves the dual program over the working set, projected onto the span (see maximise).
//
// It has converged when there are Basis vectors and the mean hinge loss exceeds xi by at most Tolerance.
// Earlier classifiers are useless. A step costs O(n k + m k^2 + m^2 k) for m constraints, and
// O(f^3 + m^2) for each iteration of the dual program with f nonzero weights. Until there are Basis
// vectors, it is charged n + k kernel evaluations for each evaluation of the pre-image iteration, and n
// for each of the Starts.
//
// Source: Joachims and Yu 2009, "Sparse kernel SVMs via cutting-plane training", Machine Learning 76,
// https://doi.org/10.1007/s10994-009-5126-6, abstract read, Algorithm 2 from memory; compared with
// SVMperf, Joachims's program, which Cotter 2013 ran. The abstract leaves these choices open:
//
//   - Target and frequency of new vectors. SVMperf adds one for the newest plane in every
//     iteration (Plane, Every = 1). With 100 vectors on IJCNN its error is 7.4 %, and with
//     Every = 5 it is 2.9 %. For the dual solution they are 2.3 and 1.7 %. The error of the
//     full SVM is 1.4 %.
//   - The search for a vector starts at the best of Starts points. SVMperf starts at one,
//     and damps the fixed-point steps without checking that they increase f.
//   - If the program is solved early, one vector is added (SVMperf: one for each plane).
//   - Constraints without weight are dropped after 50 iterations (SVMperf: after 5).
//   - The bias is the weight of a constant feature (SVMperf: no bias with a nonlinear kernel).
//   - The method also ends after 50 iterations in which rounding keeps the dual objective
//     from increasing.
type CPSP struct {
	ctx    context.Context
	cfg    CPSPConfig
	p      svm.Problem
	source rows.Finite
	in     Inputs
	rng    *rand.Rand
	pre    *preimage    // its vectors are the z_b
	factor mat.Cholesky // of the kernel matrix of the constant feature and the vectors
	rows   [][]float32  // K(z_b, x_i), after the row of the constant feature
	planes []plane      // the working set; the first has c = 0

	beta     []float64 // the coefficients of rows
	support  int
	xi       float64 // slack of the working set
	solved   bool    // the weights of the planes solve the dual program, to within its tolerance
	dual     float64 // dual objective
	bestDual float64 // the greatest dual objective so far
	stalled  int     // iterations since bestDual or the basis has changed
	progress
}

var _ Learner = (*CPSP)(nil)

const (
	// idleLimit is the number of iterations without weight after which a constraint is dropped, and the
	// number without progress after which the method ends.
	idleLimit = 50
	// minIncrease is the smallest relative increase of the dual objective that counts as progress.
	minIncrease = 1e-12
	// dualTolerance is the tolerance of the dual program relative to Tolerance.
	dualTolerance = 0.1
)

// NewCPSP returns CPSP at w = 0; rng draws the starts. If ctx is cancelled, the current step ends with
// the status Failed. NewCPSP returns an error if a parameter is out of range, if ctx or rng is nil, or
// if p and in are invalid or do not match.
func NewCPSP(ctx context.Context, cfg CPSPConfig, p svm.Problem, in Inputs, rng *rand.Rand) (*CPSP, error) {
	if err := checkConstructing("cpsp", ctx, p, in); err != nil {
		return nil, err
	}
	n := p.Rows.Train()
	switch {
	case rng == nil:
		return nil, errors.New("sparse: cpsp: the random generator is nil")
	case !(cfg.C > 0) || math.IsInf(cfg.C*float64(n), 1):
		return nil, fmt.Errorf("sparse: cpsp: C = %g; it must be positive and finite", cfg.C)
	case cfg.Basis < 1 || cfg.Basis > n:
		return nil, fmt.Errorf("sparse: cpsp: basis = %d; it must be between 1 and %d, the number of training points",
			cfg.Basis, n)
	case !(cfg.Tolerance > 0) || math.IsInf(cfg.Tolerance, 1):
		return nil, fmt.Errorf("sparse: cpsp: tolerance = %g; it must be positive and finite", cfg.Tolerance)
	case cfg.Every < 1 || cfg.Starts < 1:
		return nil, fmt.Errorf("sparse: cpsp: every = %d and starts = %d; they must be at least 1", cfg.Every, cfg.Starts)
	}
	constant := make([]float32, n)
	if cfg.Bias {
		constant = slices.Repeat([]float32{1}, n)
	}
	a := &CPSP{
		ctx: ctx, cfg: cfg, p: p, source: rows.New(p.Rows), in: in, rng: rng, solved: true,
		pre:  newPreimage(in, make([]float64, n), in.RowTo, in.CombineTo),
		rows: [][]float32{constant}, beta: []float64{0},
		planes: []plane{{signed: make([]float64, n), inner: []float64{0}, alpha: cfg.C * float64(n)}},
	}
	a.factor.Factorize(mat.NewSymDense(1, []float64{1}))
	return a, nil
}

// Step implements algorithms.Stepper. It reports Converged when the problem is solved in the span of all
// Basis vectors.
func (a *CPSP) Step() algorithms.Status { return a.advance(a.step) }

func (a *CPSP) step() algorithms.Status {
	if err := context.Cause(a.ctx); err != nil {
		return interrupted("cpsp", err)
	}
	next, loss := a.mostViolated()
	if a.stalled == idleLimit {
		return a.stop(algorithms.Converged, fmt.Sprintf("the dual objective cannot be improved in floating point, "+
			"with a constraint violated by %.3g", loss-a.xi))
	}
	solved, grown := a.solved && loss <= a.xi+a.cfg.Tolerance, false
	a.planes = append(a.planes, next)
	if len(a.pre.vectors) < a.cfg.Basis && (solved || a.cost.Iterations%int64(a.cfg.Every) == 0) {
		var err error
		grown, err = a.extend()
		a.cost.KernelEvals, a.cost.InnerProducts = a.pre.evals, a.pre.evals
		if err != nil {
			return badRow("cpsp", err)
		}
	}
	if solved && !grown {
		return a.stop(algorithms.Converged, fmt.Sprintf("no constraint is violated by more than %g in the span "+
			"of the %d vectors", a.cfg.Tolerance, len(a.pre.vectors)))
	}
	a.solve()
	a.cost.Iterations++
	a.stalled++
	if grown || a.dual > float64((1+minIncrease)*a.bestDual) {
		a.bestDual, a.stalled = a.dual, 0
	}
	return algorithms.Status{}
}

// extend adds a vector to the basis, if it finds one outside the span.
func (a *CPSP) extend() (grown bool, err error) {
	a.setTarget()
	z, err := a.startPoint()
	if z == nil || err != nil || !a.pre.search(z) {
		return false, err
	}
	found, k := &a.pre.best, len(a.rows)
	column := mat.NewVecDense(k+1, slices.Concat([]float64{0}, found.gram, []float64{1}))
	var factor mat.Cholesky
	if !factor.ExtendVecSym(&a.factor, column) || factor.RawU().At(k, k) < math.Sqrt(minPivot) {
		return false, nil
	}
	a.factor = factor
	row := slices.Clone(found.row)
	a.pre.vectors, a.rows = append(a.pre.vectors, slices.Clone(found.z)), append(a.rows, row)
	for t, p := range a.planes {
		a.planes[t].inner = append(p.inner, vec.Dot32(p.signed, row))
	}
	return true, nil
}

// setTarget sets the target of the pre-image: the part outside the span of the newest plane, or of the
// solution of the dual program, sum_t alpha_t Psi_t.
func (a *CPSP) setTarget() {
	weights := make([]float64, len(a.planes))
	for t := 1; t < len(weights) && !a.cfg.Plane; t++ {
		weights[t] = a.planes[t].alpha
	}
	if floats.Sum(weights) == 0 {
		weights[len(weights)-1] = 1
	}
	clear(a.pre.a)
	inner := mat.NewVecDense(len(a.rows), nil)
	for t, w := range weights {
		floats.AddScaled(a.pre.a, w, a.planes[t].signed)
		floats.AddScaled(inner.RawVector().Data, -w, a.planes[t].inner)
	}
	_ = a.factor.SolveVecTo(inner, inner) // no error: the pivots are at least sqrt(minPivot)
	a.pre.b = inner.RawVector().Data[1:]
}

// startPoint draws points with weight in the target, and returns the one where the target is greatest in
// magnitude. It returns nil if the target is 0.
func (a *CPSP) startPoint() (z []float64, err error) {
	var points []int
	for i, c := range a.pre.a {
		if c != 0 {
			points = append(points, i)
		}
	}
	if len(points) == 0 {
		return nil, nil
	}
	best, most := 0, -1.0
	for range a.cfg.Starts {
		i := points[a.rng.IntN(len(points))]
		a.pre.evals += int64(len(a.pre.a))
		row, err := a.source.Checked(i)
		if err != nil {
			return nil, err
		}
		g := vec.Dot32(a.pre.a, row)
		for b, x := range a.pre.b {
			g += float64(x * float64(a.rows[1+b][i]))
		}
		if m := math.Abs(g); m > most {
			best, most = i, m
		}
	}
	z = make([]float64, a.in.Dim())
	a.in.AddTo(z, 1, best)
	return z, nil
}

// CPSPBytes estimates the memory of a CPSP in bytes, for n points in d dimensions and the given number
// of vectors. It assumes about as many constraints as vectors.
func CPSPBytes(n, d, basis int) int64 {
	m := int64(basis)
	return m*(12*int64(n)+8*int64(d)+48*m) + 64*int64(n)
}

// Support implements Learner.
func (a *CPSP) Support() int { return a.support }

// Final implements Learner. Only the last classifier is final.
func (a *CPSP) Final() bool { return a.status.State == algorithms.Converged }

// ExpansionTo implements Learner.
func (a *CPSP) ExpansionTo(e *Expansion) {
	e.Reset()
	e.Bias = a.beta[0]
	for b, x := range a.beta[1:] {
		if x != 0 {
			e.AddVector(a.pre.vectors[b], x)
		}
	}
}
