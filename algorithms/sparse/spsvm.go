package sparse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
// A step draws kappa points from outside J without replacement, tries each with the
// coefficient that is best while all others stay as they are, and adds the one that
// lowers the objective most to J. Then Newton's method (see primal) optimises all beta
// and b, from where they are.
//
// A step is charged n kernel evaluations for each candidate: the rows of J are kept. It
// costs O(kappa n + n |J| + |J|^3), and O(|J|^2) for each point that enters or leaves the
// loss.
//
// Source: Keerthi, Chapelle & DeCoste 2006, "Building Support Vector Machines with
// Reduced Classifier Complexity", https://www.jmlr.org/papers/v7/keerthi06a.html, from
// memory; compared with sparse_primal_svm, the program of Chapelle, September 2006, that
// Cotter 2013 ran. The same are the objective, b, kappa, that candidates are drawn without
// replacement, and the coefficient that a new function starts with. The abstract leaves
// open, and we choose:
//
//   - b is one more function, constant, there from the start with (n+ - n-)/n;
//   - K_JJ has 1e-6 times the largest K(x, x) added to its diagonal, as equal points make
//     it singular (the program: 1e-10 of the mean of the diagonal of the new part of H);
//   - all coefficients are optimised after each addition (the program: whenever |J| passes
//     a power of 2^(1/4)), which moves the test error on stand-ins by at most 0.3 points;
//   - a candidate's coefficient is the best on the line (the program: after one Newton
//     step), which moves it by at most 0.04 points; the line search of Newton's method is
//     exact (the program: halves a step until the objective falls);
//   - a candidate that cannot lower the objective is added if there is no better one.
type SpSVM struct {
	cfg     SpSVMConfig
	rng     *rand.Rand
	source  rows.Finite
	q       primal
	ridge   float64
	basis   []int // J
	outside []int // the other points, in any order
	bias    int   // rows of q that are that of the bias, 0 or 1
	support int
	settled bool
	progress
}

var _ Learner = (*SpSVM)(nil)

const (
	// spsvmRidge is what is added to the diagonal of K_JJ, relative to the largest K(x, x).
	spsvmRidge = 1e-6
	// newtonTolerance is the default of the tolerances of SpSVM and RSVM.
	newtonTolerance = 1e-6
	// newtonSteps bounds the steps of one optimisation. A dozen is usual.
	newtonSteps = 200
)

// NewSpSVM returns SpSVM without basis functions; rng draws the candidates. The
// end of ctx ends a step, which then is Failed. It returns an error if something
// is nil, a parameter out of its range, or the problem malformed.
func NewSpSVM(ctx context.Context, cfg SpSVMConfig, p svm.Problem, rng *rand.Rand) (*SpSVM, error) {
	if ctx == nil || rng == nil {
		return nil, errors.New("sparse: spsvm: a context and a random generator are needed")
	}
	if err := checkBasisProblem("spsvm", cfg.C, cfg.Tolerance, p); err != nil {
		return nil, err
	}
	if cfg.Support < 0 || cfg.Candidates < 0 {
		return nil, fmt.Errorf("sparse: spsvm: a support of %d and %d candidates; give positive numbers, "+
			"or 0 for a support of all points and 10 candidates", cfg.Support, cfg.Candidates)
	}
	n := p.Rows.Train()
	cfg.Candidates, cfg.Tolerance = cmp.Or(cfg.Candidates, 10), cmp.Or(cfg.Tolerance, newtonTolerance)
	cfg.Support = min(cmp.Or(cfg.Support, n), n)
	ridge := cmp.Or(spsvmRidge*slices.Max(p.Rows.Diag()[:n]), spsvmRidge)
	a := &SpSVM{cfg: cfg, rng: rng, source: rows.New(p.Rows), q: newPrimal(ctx, cfg.C, p), ridge: ridge}
	a.q.a, a.q.h = &mat.SymDense{}, &mat.SymDense{}
	for i := range n {
		a.outside = append(a.outside, i)
	}
	if cfg.Bias {
		ones := slices.Repeat([]float32{1}, n)
		a.add(function{row: ones, column: []float64{0}, theta: float64(2*p.Positive-n) / float64(n)})
		a.bias = 1
	}
	return a, nil
}

// function is a function that is or may be added: its values at the n points, its column
// of A with the diagonal element last, and its coefficient.
type function struct {
	row    []float32
	column []float64
	theta  float64
}

// Step implements algorithms.Stepper.
func (a *SpSVM) Step() algorithms.Status { return a.once(a.step) }

func (a *SpSVM) step() algorithms.Status {
	if err := context.Cause(a.q.ctx); err != nil {
		return ended("spsvm", err)
	}
	at, best, status := a.choose()
	if status.Stop() {
		return status
	}
	a.settled = false
	last := len(a.outside) - 1
	a.basis = append(a.basis, a.outside[at])
	a.outside[at] = a.outside[last]
	a.outside = a.outside[:last]
	a.add(best)
	for range newtonSteps {
		done, err := a.q.step(a.cfg.Tolerance)
		if err != nil {
			return ended("spsvm", err)
		}
		if done {
			break
		}
	}
	a.settled, a.support = true, nonzeros(a.q.theta[a.bias:])
	a.cost.Iterations++
	if len(a.basis) == a.cfg.Support {
		reason := fmt.Sprintf("all %d basis functions have been chosen", a.cfg.Support)
		return algorithms.Status{State: algorithms.Exhausted, Reason: reason}
	}
	return algorithms.Status{}
}

// choose draws the candidates and returns the place in outside of the one that lowers the
// objective most, and its function.
func (a *SpSVM) choose() (at int, best function, status algorithms.Status) {
	m, n, most := len(a.q.rows), len(a.q.margin), -1.0
	kappa := min(a.cfg.Candidates, len(a.outside))
	for c := range kappa {
		o := c + a.rng.IntN(len(a.outside)-c)
		a.outside[c], a.outside[o] = a.outside[o], a.outside[c]
		j := a.outside[c]
		row, err := a.source.Checked(j)
		if err != nil {
			return 0, best, badRow("spsvm", err)
		}
		column := make([]float64, m+1)
		for k, i := range a.basis {
			column[a.bias+k] = float64(row[i])
		}
		column[m] = float64(row[j]) + a.ridge
		s := a.q.margins([]float64{1}, row)
		t, decrease := a.q.lineSearch(s, floats.Dot(column[:m], a.q.theta), column[m])
		if decrease > most {
			most, at, best = decrease, c, function{slices.Clone(row), column, t}
		}
	}
	a.cost.KernelEvals += int64(kappa) * int64(n)
	a.cost.InnerProducts = a.cost.KernelEvals
	return at, best, algorithms.Status{}
}

// add adds a function to the problem.
func (a *SpSVM) add(f function) {
	q := &a.q
	q.rows, q.theta = append(q.rows, f.row), append(q.theta, f.theta)
	q.a = grown(q.a, f.column)
	w := make([]float64, len(f.row))
	for i, on := range q.active {
		if on {
			w[i] = q.c * float64(f.row[i])
		}
	}
	for k, row := range q.rows {
		f.column[k] += vec.Dot32(w, row)
	}
	q.h = grown(q.h, f.column)
	floats.Add(q.margin, q.margins([]float64{f.theta}, f.row))
}

// grown returns a symmetric matrix with another column, the diagonal element last.
func grown(s *mat.SymDense, column []float64) *mat.SymDense {
	s = s.GrowSym(1).(*mat.SymDense)
	for k, v := range column {
		s.SetSym(k, len(column)-1, v)
	}
	return s
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
// and point, and 40 for each pair of functions.
func SpSVMBytes(n, support int) int64 { return basisBytes(n, support, 40) }

// checkBasisProblem returns an error if C, the tolerance or the problem of a
// method that minimises the squared hinge loss is out of range.
func checkBasisProblem(name string, c, tolerance float64, p svm.Problem) error {
	const most = 1e200 // the squares of kernel values, times C n, are finite
	switch {
	case !(c > 0 && c <= most):
		return fmt.Errorf("sparse: %s: C = %v; it must be positive and at most %g", name, c, most)
	case !(tolerance >= 0 && tolerance < 1):
		return fmt.Errorf("sparse: %s: tolerance = %v; give a relative decrease below 1, or 0 for %g",
			name, tolerance, newtonTolerance)
	}
	return checkProblem(name, p, false)
}

// basisTo writes the classifier with the coefficients theta, that of the bias
// first if bias is 1.
func basisTo(e *Expansion, basis []int, theta []float64, bias int) {
	e.Reset()
	e.Bias = floats.Sum(theta[:bias])
	for k, i := range basis {
		if beta := theta[bias+k]; beta != 0 {
			e.Add(i, beta)
		}
	}
}

// basisBytes returns 4 n m + perPair m^2.
func basisBytes(n, m, perPair int) int64 { return int64(m) * (4*int64(n) + int64(perPair)*int64(m)) }
