package sparse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/mat"
)

// RSVMConfig configures RSVM.
type RSVMConfig struct {
	// C is the weight of half the sum of squared hinge losses, nu in the paper.
	// It must be positive and finite.
	C float64
	// Bias says that the classifier has a bias b, which is regularised.
	Bias bool
	// Ratio is the share of the training points that the classifier may be
	// supported on, above 0 and at most 1.
	Ratio float64
	// Tolerance is the decrease that a step of Newton's method must promise,
	// relative to the objective, for it not to have converged; 1e-6 if it is 0.
	Tolerance float64
}

// RSVM is the reduced support vector machine: a classifier that is supported on
// a random subset R of the training points, and trained on all of them,
//
//	minimise over u, b:  1/2 (|u|^2 + b^2) + C/2 sum_i max(0, 1 - y_i o_i)^2,
//	o_i = sum_{j in R} u_j K(x_j, x_i) + b.
//
// The regulariser is that of the coefficients, not of w. R is drawn without
// replacement; it has max(1, round(Ratio n)) points. A step
// is one of Newton's method (see primal), from 0; the first also computes the
// kernel rows of R. When no step lowers the objective noticeably any more the
// method has converged.
//
// The first step is charged |R| n kernel evaluations, the others none. A step costs
// O(n |R| + |R|^3), and O(|R|^2) for each point that enters or leaves the loss; with
// more than 2048 points in R it solves the Newton equations by conjugate gradients
// instead, at O(n |R|) an iteration. The rows take 4 n |R| bytes, see RSVMBytes.
//
// The paper smooths the plus function, with log(1 + exp(-alpha x))/alpha added
// to x, for the sake of Newton's method with an Armijo line search. This is the
// limit of large alpha: a generalised Newton method on the objective itself,
// with an exact line search. The paper writes u for the coefficient times the
// label, which is the same problem, and -gamma for b.
//
// Source: Lee & Mangasarian 2001, "RSVM: Reduced Support Vector Machines", SIAM
// International Conference on Data Mining,
// https://doi.org/10.1137/1.9781611972719.13, abstract read, the problem from
// memory; Keerthi & DeCoste 2005, "A Modified Finite Newton Method for Fast
// Solution of Large Scale Linear SVMs", from memory. The authors' program for the
// smooth SVM, in a translation to R, takes the limit of large alpha too and has b in
// the regulariser, but searches the line, with Armijo's rule, only where a full Newton
// step does not lower the objective. The program that Cotter 2013 ran, that of LIBSVM
// Tools, was not found.
type RSVM struct {
	cfg     RSVMConfig
	p       svm.Problem
	q       primal
	bias    int
	basis   []int // R
	started bool  // its rows have been computed
	support int
	progress
	// directRows is the constant, but for tests.
	directRows int
}

var _ Learner = (*RSVM)(nil)

// directRows is the number of rows up to which the Newton equations are factored.
const directRows = 2048

// NewRSVM returns RSVM at 0; rng draws R. The end of ctx ends a step, which then
// is Failed. It returns an error if something is nil, a parameter out of its
// range, or the problem malformed.
func NewRSVM(ctx context.Context, cfg RSVMConfig, p svm.Problem, rng *rand.Rand) (*RSVM, error) {
	const name = "rsvm"
	if ctx == nil || rng == nil {
		return nil, errors.New("sparse: " + name + ": a context and a random generator are needed")
	}
	if err := checkBasisProblem(name, cfg.C, cfg.Tolerance, p); err != nil {
		return nil, err
	}
	switch {
	case !(cfg.Ratio > 0 && cfg.Ratio <= 1):
		return nil, fmt.Errorf("sparse: %s: ratio = %v; it must be above 0 and at most 1", name, cfg.Ratio)
	}
	cfg.Tolerance = cmp.Or(cfg.Tolerance, newtonTolerance)
	n := p.Rows.Train()
	a := &RSVM{cfg: cfg, p: p, directRows: directRows}
	if cfg.Bias {
		a.bias = 1
	}
	pool := make([]int32, n)
	for i := range pool {
		pool[i] = int32(i)
	}
	a.basis = make([]int, RSVMPoints(n, cfg.Ratio))
	for k := range a.basis {
		o := k + rng.IntN(n-k)
		pool[k], pool[o] = pool[o], pool[k]
		a.basis[k] = int(pool[k])
	}
	a.q = newPrimal(ctx, cfg.C, p)
	return a, nil
}

// RSVMPoints returns the number of points in R, of n training points.
func RSVMPoints(n int, ratio float64) int { return max(1, int(math.Round(ratio*float64(n)))) }

// Step implements algorithms.Stepper.
func (a *RSVM) Step() algorithms.Status { return a.once(a.step) }

func (a *RSVM) step() algorithms.Status {
	if !a.started {
		if status := a.start(); status.Stop() {
			return status
		}
		a.started = true
	}
	done, err := a.q.step(a.cfg.Tolerance)
	if err != nil {
		return ended("rsvm", err)
	}
	a.cost.Iterations++
	a.support = nonzeros(a.q.theta[a.bias:])
	if done {
		const reason = "no step lowers the objective by more than %g of it"
		return a.stop(algorithms.Converged, fmt.Sprintf(reason, a.cfg.Tolerance))
	}
	return algorithms.Status{}
}

// start computes the rows of R, and H at 0.
func (a *RSVM) start() algorithms.Status {
	n := len(a.q.margin)
	m, source := a.bias+len(a.basis), rows.New(a.p.Rows)
	a.q.theta = make([]float64, m)
	if m <= a.directRows {
		a.q.h = mat.NewSymDense(m, nil)
		a.q.h.CopySym(mat.NewDiagDense(m, slices.Repeat([]float64{1}, m)))
	}
	if a.bias == 1 {
		a.q.rows = append(a.q.rows, slices.Repeat([]float32{1}, n))
	}
	for _, j := range a.basis {
		if err := context.Cause(a.q.ctx); err != nil {
			return ended("rsvm", err)
		}
		row, err := source.Checked(j)
		if err != nil {
			return badRow("rsvm", err)
		}
		a.q.rows = append(a.q.rows, slices.Clone(row))
	}
	a.cost.KernelEvals = int64(len(a.basis)) * int64(n)
	a.cost.InnerProducts = a.cost.KernelEvals
	return algorithms.Status{}
}

// Support implements Learner.
func (a *RSVM) Support() int { return a.support }

// Settled implements Learner: whether Newton's method has converged.
func (a *RSVM) Settled() bool { return a.status.State == algorithms.Converged }

// ExpansionTo implements Learner.
func (a *RSVM) ExpansionTo(e *Expansion) {
	if !a.started {
		e.Reset()
		return
	}
	basisTo(e, a.basis, a.q.theta, a.bias)
}

// RSVMBytes returns the number of bytes that RSVM takes with so many points in R
// of n, besides what is in proportion to n: 4 for each of those points and each
// point, and 16 for each pair of those points if the Newton equations are
// factored.
func RSVMBytes(n, m int) int64 {
	if m > directRows {
		return basisBytes(n, m, 0)
	}
	return basisBytes(n, m, 16)
}
