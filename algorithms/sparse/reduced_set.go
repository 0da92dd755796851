package sparse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"
	"stochopt/internal/finite"
)

// ReducedSetConfig configures ReducedSet.
type ReducedSetConfig struct {
	// Support is the number of expansion vectors at which the greedy phase ends,
	// 1 <= Support <= n.
	Support int
	// Starts is the number of support vectors that the search for a new vector
	// starts from: 1 or more.
	Starts int
	// Relearn says that the bias of the approximation is chosen so that its decisions
	// agree with those of w on as many training points as possible, instead of being
	// that of w.
	Relearn bool
}

// ReducedSet is the reduced-set method: w = sum_i alpha_i y_i Phi(x_i) is
// approximated by few constructed vectors, greedily,
//
//	minimise |w - sum_{j<=m} beta_j Phi(z_j)|^2  over z_m, then over all beta.
//
// A step finds z_m as an approximate pre-image of the residual w - sum_{j<m}
// beta_j Phi(z_j) by the fixed-point iteration (type preimage), started from the
// support vectors at which the residual is greatest in magnitude, and solves
// K_zz beta = K_zx alpha by a Cholesky factor that grows by a row. The norm of
// the residual never increases.
//
// A step costs a pass over the support vectors of w and the vectors so far for
// each evaluation of the iteration, typically 10 to 40 of them, and O(s m + m^2)
// for s support vectors; it is charged a kernel evaluation for each pair that is
// evaluated, not n for a row: only the support vectors of w matter. To relearn
// the bias a step needs a row over all training points besides, which is charged
// n, and O(n m + n log n).
//
// The papers end with a joint optimisation over all z_j and beta_j; here the
// support size is chosen along one greedy path, whose every classifier is used,
// and there is no such phase. They leave the starting points open (Burges:
// random), and the bias. Relearned, it is the threshold that agrees with w most
// (function agreeingThreshold): the margin of an approximation has no fixed scale
// that a hinge loss could refer to, and w has been fitted to some labels so that
// the threshold of least training error is worse on new points.
//
// Source: Burges 1996, "Simplified support vector decision rules", from memory;
// Burges and Schölkopf 1997, "Improving the accuracy and speed of support vector
// learning machines", from memory; Schölkopf et al. 1999, "Input space versus feature
// space in kernel-based methods", abstract read, the rest from memory. The order of a
// turn, a pre-image of the residual and then all coefficients anew, is that of rsrbf
// in the Statistical Pattern Recognition Toolbox. Cotter 2013 could not run one.
type ReducedSet struct {
	ctx  context.Context
	cfg  ReducedSetConfig
	p    svm.Problem
	ref  *Reference
	in   Inputs
	sv   []int // support vectors of w
	pre  *preimage
	gram gramFactor
	rows [][]float32 // K(z_j, x_i) for the support vectors
	beta []float64
	bias float64

	support int // beta_j that are not 0

	relearned
	residual []float64
	start    []float64
	found    state

	progress
}

var _ Learner = (*ReducedSet)(nil)

// NewReducedSet returns ReducedSet with no vectors. The end of ctx ends a step,
// which then is Failed. It returns an error if there is no context, the
// configuration is out of range, or the problem, the input space and the
// reference do not belong together or are not finite.
func NewReducedSet(ctx context.Context, cfg ReducedSetConfig, p svm.Problem, in Inputs, ref *Reference) (*ReducedSet, error) {
	const method = "reduced-set"
	if err := checkCondensing(method, ctx, cfg.Support, p, in, ref); err != nil {
		return nil, err
	}
	n := p.Rows.Train()
	if cfg.Starts < 1 {
		return nil, fmt.Errorf("sparse: %s: starts = %d; it must be at least 1", method, cfg.Starts)
	}
	r := &ReducedSet{ctx: ctx, cfg: cfg, p: p, ref: ref, in: in, bias: ref.Bias}
	var a []float64
	for i, alpha := range ref.Alpha {
		if alpha != 0 {
			r.sv, a = append(r.sv, i), append(a, p.Label(i)*alpha)
		}
	}
	r.pre = newPreimage(in, somePoints(in, r.sv))
	r.pre.a = a
	r.residual, r.start = make([]float64, len(r.sv)), make([]float64, in.Dim())
	if cfg.Relearn {
		r.scores = make([]float64, n)
	}
	return r, nil
}

// Step implements algorithms.Stepper: it finds another vector. It reports
// Converged once there are as many as were asked for, or if no further vector
// brings the approximation closer.
func (r *ReducedSet) Step() algorithms.Status {
	if r.status.Stop() {
		return r.status
	}
	m := r.gram.size()
	if m >= r.cfg.Support {
		return r.stop(algorithms.Converged, fmt.Sprintf("the reduced set has the %d vectors asked for", m))
	}
	evals := r.pre.evals
	state, reason := r.search()
	if state == algorithms.Running {
		state, reason = r.admit()
	}
	r.cost.KernelEvals += r.pre.evals - evals
	r.cost.InnerProducts = r.cost.KernelEvals
	if state != algorithms.Running {
		return r.stop(state, reason)
	}
	r.cost.Iterations++
	return algorithms.Status{}
}

const noVector = "no further vector brings the approximation closer to w"

// search finds the pre-image of the residual and leaves it in r.found.
func (r *ReducedSet) search() (algorithms.State, string) {
	for k, i := range r.sv {
		r.residual[k] = r.ref.Scores[i] - r.ref.Bias
	}
	r.pre.b = r.pre.b[:0]
	for j, row := range r.rows {
		vec.AddScaled(r.residual, -r.beta[j], row)
		r.pre.b = append(r.pre.b, -r.beta[j])
	}
	found := false
	for range min(r.cfg.Starts, len(r.sv)) {
		k := mostOf(r.residual)
		if k < 0 {
			break
		}
		if err := context.Cause(r.ctx); err != nil {
			return algorithms.Failed, ended("reduced-set", err).Reason
		}
		r.residual[k] = 0
		clear(r.start)
		r.in.AddTo(r.start, 1, r.sv[k])
		if !r.pre.climb(r.start) {
			if !finite.Is(r.pre.best.g) {
				return algorithms.Diverged, "the kernel between a constructed vector and the training points is not finite"
			}
			continue
		}
		if found && math.Abs(r.pre.best.g) <= math.Abs(r.found.g) {
			continue
		}
		found = true
		r.pre.best, r.found = r.found, r.pre.best
		if r.pre.best.z == nil {
			r.pre.best = state{z: make([]float64, len(r.start)), row: make([]float32, len(r.sv))}
		}
	}
	if !found || !(r.found.g*r.found.g > negligible*r.ref.NormSq) {
		return algorithms.Converged, noVector
	}
	return algorithms.Running, ""
}

// negligible is the part of |w|^2 that a vector must explain.
const negligible = 1e-10

// mostOf returns the index of the element greatest in magnitude, the first of
// them, or -1 if all are 0.
func mostOf(x []float64) int {
	best, k := 0.0, -1
	for i, v := range x {
		if a := math.Abs(v); a > best {
			best, k = a, i
		}
	}
	return k
}

// admit adds r.found to the expansion.
func (r *ReducedSet) admit() (algorithms.State, string) {
	f := &r.found
	h := vec.Dot32(r.pre.a, f.row)
	var full []float32
	if r.cfg.Relearn {
		full = make([]float32, len(r.scores))
		r.in.RowTo(full, f.z)
		r.pre.evals += int64(len(full))
		if !vec.AllFinite(full) {
			return algorithms.Diverged, "the kernel between a constructed vector and the training points is not finite"
		}
	}
	if !r.gram.add(f.at, 1, h) {
		return algorithms.Converged, noVector
	}
	r.pre.vectors = append(r.pre.vectors, slices.Clone(f.z))
	r.rows = append(r.rows, slices.Clone(f.row))
	r.beta = r.gram.solveTo(r.beta)
	r.support = nonzeros(r.beta)
	if r.cfg.Relearn {
		r.full = append(r.full, full)
		r.bias = r.threshold(r.beta, r.ref)
	}
	return algorithms.Running, ""
}

// Support implements Learner.
func (r *ReducedSet) Support() int { return r.support }

// Settled implements Learner.
func (r *ReducedSet) Settled() bool { return true }

// ExpansionTo implements Learner.
func (r *ReducedSet) ExpansionTo(e *Expansion) {
	e.Reset()
	e.Bias = r.bias
	for j, z := range r.pre.vectors {
		if r.beta[j] != 0 {
			e.AddVector(z, r.beta[j])
		}
	}
}

// ReducedSetBytes returns how much memory a ReducedSet takes at most on n points in
// d dimensions, with a vector for each of the support.
func ReducedSetBytes(n, d, support int, relearn bool) int64 {
	m := int64(support)
	bytes := m * (4*int64(n) + 8*int64(d) + 4*m)
	if relearn {
		bytes += 4 * m * int64(n)
	}
	return bytes
}

// checkVirtual reports what is wrong with the context, the problem and the input
// space of a method that constructs vectors.
func checkVirtual(method string, ctx context.Context, p svm.Problem, in Inputs) error {
	if ctx == nil {
		return fmt.Errorf("sparse: %s: no context given", method)
	}
	if err := checkProblem(method, p, false); err != nil {
		return err
	}
	if err := checkInputs(method, in, p.Rows.Train()); err != nil {
		return err
	}
	for i, k := range p.Rows.Diag() {
		if k != 1 {
			return fmt.Errorf("sparse: %s: K(x_i, x_i) = %g for i = %d; the Gaussian kernel has 1", method, k, i)
		}
	}
	return nil
}

// checkInputs reports what is wrong with the input space of a method on n points.
func checkInputs(method string, in Inputs, n int) error {
	switch {
	case in == nil:
		return fmt.Errorf("sparse: %s: no input space given; the method needs the Gaussian kernel and its features", method)
	case in.Train() != n:
		return fmt.Errorf("sparse: %s: the input space has %d training points, the problem %d", method, in.Train(), n)
	case in.Dim() < 1:
		return fmt.Errorf("sparse: %s: the input space has no features", method)
	case !(in.Gamma() > 0) || math.IsInf(in.Gamma(), 1):
		return fmt.Errorf("sparse: %s: gamma = %g; it must be positive and finite", method, in.Gamma())
	}
	return nil
}

// checkCondensing is checkVirtual, and checkPostHoc, for a method that ends with
// the given number of vectors.
func checkCondensing(method string, ctx context.Context, support int, p svm.Problem, in Inputs, ref *Reference) error {
	if err := checkVirtual(method, ctx, p, in); err != nil {
		return err
	}
	n := p.Rows.Train()
	if err := checkPostHoc(method, ref, n); err != nil {
		return err
	}
	if support < 1 || support > n {
		return fmt.Errorf("sparse: %s: support = %d; it must be between 1 and %d, the number of training points", method, support, n)
	}
	return nil
}
