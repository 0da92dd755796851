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
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"
)

// SpSVMConfig configures SpSVM.
type SpSVMConfig struct {
	// C is the weight of half the sum of squared hinge losses beside |w|^2/2,
	// 1/lambda in the paper. It must be positive and finite.
	C float64
	// Bias says that the classifier has an unregularised bias b.
	Bias bool
	// Support is the number of basis functions to end with, all n if it is 0 or
	// larger than n.
	Support int
	// Candidates is kappa, the number of candidates for every new basis function,
	// 10 if it is 0.
	Candidates int
	// Growth says when all coefficients are optimised: whenever the number of
	// basis functions has grown by this factor since they last were, and at the
	// end. 1, and 0, mean after every addition.
	Growth float64
	// Tolerance is the decrease that a step of Newton's method must promise,
	// relative to the objective, for the coefficients not to count as optimised;
	// 1e-6 if it is 0.
	Tolerance float64
}

// SpSVM chooses the expansion vectors of a classifier greedily from the training
// points, and minimises the squared hinge loss over all of these:
//
//	minimise over J, beta, b:  1/2 beta' K_JJ beta + C/2 sum_i max(0, 1 - y_i o_i)^2,
//	o_i = sum_{j in J} beta_j K(x_j, x_i) + b.
//
// A step adds one basis function. Of kappa points that are drawn from outside J
// without replacement, each is tried with the best coefficient that it can have
// while all others stay as they are, found by Newton's method on a line at O(n)
// an evaluation; the one that lowers the objective most is added. Then all beta
// and b are optimised by Newton's method (see primal), from where they are; H
// and its Cholesky factor are bordered for the new function, and changed by rank
// one for the points whose margin is crossed.
//
// Every step is charged n kernel evaluations for each candidate: the rows of J
// are kept, those of the candidates that lose are not. A step costs O(kappa n +
// n |J| + |J|^2) operations and O(|J|^2) for a point that comes into or leaves
// the loss, at most O(|J|^3). The rows take 4 n |J| bytes, see SpSVMBytes.
//
// Choices. Without Growth the coefficients are optimised after each addition: since
// H is kept up to date that does not change the order of the cost, and every
// support size has its classifier; between the optimisations, if there is a Growth,
// a new function keeps the coefficient that it was tried with. b is one more
// function, constant, optimised with the others and there from the start, when it
// is (n+ - n-)/n. K_JJ has 1e-6 times the largest K(x, x) added to its diagonal: two
// equal points make it singular, and the rounding of kernel rows to 32 bits may
// make it indefinite. A candidate that cannot lower the objective is added if there
// is no better one.
//
// Source: Keerthi, Chapelle & DeCoste 2006, "Building Support Vector Machines
// with Reduced Classifier Complexity",
// https://www.jmlr.org/papers/v7/keerthi06a.html, from memory. Compared with
// sparse_primal_svm, the program of Chapelle, September 2006, that Cotter 2013 ran.
// The same are the objective, b, kappa = 10, that candidates are drawn without
// replacement, and the coefficient that a new function keeps. It differs in that
//
//   - it judges a candidate by one Newton step, on the quadratic that the objective
//     is as long as no margin is crossed; here it is the least on the line;
//   - it optimises all coefficients whenever the support passes a power of 2^(1/4),
//     and at the end, which is about Growth = 1.19; here it is after each addition;
//   - it halves a Newton step until the objective falls, and stops when no margin is
//     crossed any more; here the line search is exact;
//   - its ridge is 1e-10 of the mean of the diagonal of the new part of H.
//
// On stand-ins of Adult, IJCNN and Web (3,000 points, 10 to 250 functions, 5 seeds) the
// first of these moves the test error by at most 0.04 points, and the second by at most
// 0.3, more often for the worse.
type SpSVM struct {
	cfg  SpSVMConfig
	p    svm.Problem
	rng  *rand.Rand
	q    primal
	n    int
	most int // basis functions to end with
	bias int // rows of q that are that of the bias, 0 or 1

	ridge     float64
	basis     []int   // J
	outside   []int32 // the other points, in any order
	best      []float32
	optimised int // |J| when all coefficients were optimised last
	rebuilt   int // |J| when H was computed from the rows
	support   int
	settled   bool
	progress
}

var _ Learner = (*SpSVM)(nil)

// spsvmRidge is what is added to the diagonal of K_JJ, relative to the largest
// K(x, x).
const spsvmRidge = 1e-6

// newtonSteps bounds the steps of one optimisation. A dozen is usual.
const newtonSteps = 200

// NewSpSVM returns SpSVM without basis functions; rng draws the candidates. The
// end of ctx ends a step, which then is Failed. It returns an error if something
// is nil, a parameter out of its range, or the problem malformed.
func NewSpSVM(ctx context.Context, cfg SpSVMConfig, p svm.Problem, rng *rand.Rand) (*SpSVM, error) {
	const name = "spsvm"
	if ctx == nil || rng == nil {
		return nil, errors.New("sparse: " + name + ": a context and a random generator are needed")
	}
	if err := checkBasisProblem(name, cfg.C, cfg.Tolerance, p); err != nil {
		return nil, err
	}
	switch {
	case cfg.Support < 0:
		return nil, fmt.Errorf("sparse: %s: a support of %d; give the number of basis functions to end with, or 0 for as many as there are points", name, cfg.Support)
	case cfg.Candidates < 0:
		return nil, fmt.Errorf("sparse: %s: %d candidates; give a positive number, or 0 for 10", name, cfg.Candidates)
	case cfg.Growth != 0 && !(cfg.Growth >= 1) || math.IsInf(cfg.Growth, 1):
		return nil, fmt.Errorf("sparse: %s: growth = %v; it must be at least 1 and finite, or 0 for 1", name, cfg.Growth)
	}
	n := p.Rows.Train()
	cfg.Candidates, cfg.Tolerance = cmp.Or(cfg.Candidates, 10), cmp.Or(cfg.Tolerance, newtonTolerance)
	a := &SpSVM{cfg: cfg, p: p, rng: rng, n: n, best: make([]float32, n), most: n, outside: make([]int32, n)}
	if cfg.Support > 0 {
		a.most = min(cfg.Support, n)
	}
	for i := range a.outside {
		a.outside[i] = int32(i)
	}
	a.ridge = cmp.Or(spsvmRidge*slices.Max(p.Rows.Diag()[:n]), spsvmRidge)
	if cfg.Bias {
		a.bias = 1
	}
	a.q = newPrimal(ctx, cfg.C, p, a.bias+a.most)
	if cfg.Bias {
		a.q.a = [][]float64{{0}}
		a.q.addRows(slices.Repeat([]float32{1}, n))
		a.q.theta[0] = float64(2*p.Positive-n) / float64(n)
	}
	a.q.refresh()
	if err := a.q.rebuild(); err != nil {
		return nil, fmt.Errorf("sparse: %s: %w", name, err)
	}
	return a, nil
}

// Step implements algorithms.Stepper.
func (a *SpSVM) Step() algorithms.Status { return a.once(a.step) }

func (a *SpSVM) step() algorithms.Status {
	if len(a.basis) == a.most {
		return a.exhausted()
	}
	at, t, status := a.choose()
	if status.Stop() {
		return status
	}
	a.settled = false
	err := a.add(at, t)
	due := float64(len(a.basis)) >= float64(a.cfg.Growth*float64(a.optimised))
	last := len(a.basis) == a.most
	if err == nil && (due || last) {
		err = a.optimise()
		a.settled = err == nil
	}
	a.support = nonzeros(a.q.theta[a.bias:])
	if err != nil {
		return ended("spsvm", err)
	}
	a.cost.Iterations++
	if last {
		return a.exhausted()
	}
	return algorithms.Status{}
}

func (a *SpSVM) exhausted() algorithms.Status {
	return algorithms.Status{State: algorithms.Exhausted, Reason: fmt.Sprintf("all %d basis functions have been chosen", a.most)}
}

// add adds the candidate at outside[at], whose row is best, to J with the
// coefficient t.
func (a *SpSVM) add(at int, t float64) error {
	j := int(a.outside[at])
	last := len(a.outside) - 1
	a.outside[at] = a.outside[last]
	a.outside = a.outside[:last]

	row, m := a.best, a.q.r.m
	regular := make([]float64, m+1)
	for k, i := range a.basis {
		regular[a.bias+k] = float64(row[i])
	}
	regular[m] = float64(row[j]) + a.ridge
	a.basis = append(a.basis, j)
	a.q.a = append(a.q.a, regular)
	a.q.addRows(row)
	if err := a.q.border(row); err != nil {
		return err
	}
	a.q.theta[m] = t
	vec.AddScaled(a.q.slack[:a.p.Positive], -t, row[:a.p.Positive])
	vec.AddScaled(a.q.slack[a.p.Positive:], t, row[a.p.Positive:])
	return a.q.follow()
}

// optimise optimises all coefficients. Each time that |J| has doubled, what is
// kept up to date is computed afresh first.
func (a *SpSVM) optimise() error {
	if len(a.basis) >= 2*a.rebuilt {
		a.rebuilt = len(a.basis)
		a.q.refresh()
		if err := a.q.rebuild(); err != nil {
			return err
		}
	}
	for range newtonSteps {
		done, err := a.q.step(a.cfg.Tolerance)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	a.optimised = len(a.basis)
	return nil
}

// Support implements Learner.
func (a *SpSVM) Support() int { return a.support }

// Settled implements Learner: whether all coefficients have been optimised since
// the last addition.
func (a *SpSVM) Settled() bool { return a.settled }

// ExpansionTo implements Learner.
func (a *SpSVM) ExpansionTo(e *Expansion) { basisTo(e, a.basis, a.q.theta, a.bias) }

// SpSVMBytes returns the number of bytes that SpSVM takes with so many basis
// functions of n points, besides what is in proportion to n: 4 for each function
// and point, and 24 for each pair of functions.
func SpSVMBytes(n, support int) int64 { return basisBytes(n, support, 24) }
