package sparse

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// SpSVMConfig configures SpSVM.
type SpSVMConfig struct {
	// C is the weight of half the sum of squared hinge losses relative to |w|^2/2, 1/lambda in the
	// paper. It must be positive and finite.
	C float64
	// Bias gives the classifier an unregularised bias b.
	Bias bool
	// Support is the final number of basis functions, 1 <= Support <= n.
	Support int
	// Candidates is kappa, the number of candidates for each new basis function.
	Candidates int
}

// SpSVM chooses a set J of expansion vectors greedily from the training points, and minimises the
// squared hinge loss over all training points:
//
//	minimise over J, beta, b:  1/2 beta' K_JJ beta + C/2 sum_i max(0, 1 - y_i o_i)^2,
//	o_i = sum_{j in J} beta_j K(x_j, x_i) + b.
//
// A step draws kappa points outside J without replacement, and optimises the coefficient of each with
// all others fixed. It adds the candidate that decreases the objective most to J. Then Newton's method
// (see primal) optimises all beta and b from their current values.
//
// A step is charged n kernel evaluations for each candidate, because the rows of J are stored. It costs
// O(kappa n + n |J|), and up to O(n |J|^2 + |J|^3) if many points enter or leave the loss.
//
// Source: Keerthi, Chapelle & DeCoste 2006, "Building Support Vector Machines with Reduced Classifier
// Complexity", https://www.jmlr.org/papers/v7/keerthi06a.html, from memory; compared with
// sparse_primal_svm, the program of Chapelle, September 2006, that Cotter 2013 ran. The program has the
// same objective, b, kappa, draws without replacement and initial coefficient of a new function. The
// abstract leaves these choices open:
//
//   - b is the coefficient of a constant function, in the basis from the start with the
//     value (n+ - n-)/n.
//   - 1e-6 times the largest K(x, x) is added to the diagonal of K_JJ, which equal points
//     would make singular (the program: 1e-10 of the mean of the diagonal of the new part
//     of H).
//   - All coefficients are optimised after each addition (the program: whenever |J| passes
//     a power of 2^(1/4)). This changes the test error on stand-ins by at most 0.3 points.
//   - The coefficient of a candidate is optimal on the line (the program: one Newton step).
//     This changes the error by at most 0.04 points. The line search of Newton's method is
//     exact (the program: halves a step until the objective decreases).
//   - A candidate that cannot decrease the objective is added if there is no better one.
type SpSVM struct {
	cfg     SpSVMConfig
	rng     *rand.Rand
	source  rows.Finite
	ridge   float64
	outside []int // the points outside J, in any order
	final   bool
	primal
	progress
}

var _ Learner = (*SpSVM)(nil)

const (
	// spsvmRidge is the ridge on the diagonal of K_JJ, relative to the largest K(x, x).
	spsvmRidge = 1e-6
	// newtonSteps bounds the number of Newton steps in a step. About 12 are typical.
	newtonSteps = 200
)

// NewSpSVM returns SpSVM without basis functions; rng draws the candidates. If ctx is cancelled, the
// current step ends with the status Failed. NewSpSVM returns an error if ctx or rng is nil, if a
// parameter is out of range, or if p is invalid.
func NewSpSVM(ctx context.Context, cfg SpSVMConfig, p svm.Problem, rng *rand.Rand) (*SpSVM, error) {
	q, err := newPrimal(ctx, "spsvm", cfg.C, p, rng)
	if err != nil {
		return nil, err
	}
	n := p.Rows.Train()
	if cfg.Support < 1 || cfg.Support > n || cfg.Candidates < 1 {
		return nil, fmt.Errorf("sparse: spsvm: support = %d and candidates = %d; the support must be between 1 and %d, "+
			"the number of training points, and candidates at least 1", cfg.Support, cfg.Candidates, n)
	}
	ridge := cmp.Or(spsvmRidge*slices.Max(p.Rows.Diag()[:n]), spsvmRidge)
	a := &SpSVM{cfg: cfg, rng: rng, source: rows.New(p.Rows), primal: q, ridge: ridge}
	a.a, a.h, a.lag = &mat.SymDense{}, &mat.SymDense{}, n/64
	for i := range n {
		a.outside = append(a.outside, i)
	}
	if cfg.Bias {
		ones := slices.Repeat([]float32{1}, n)
		a.add(ones, []float64{0}, float64(2*p.Positive-n)/float64(n))
		a.bias = 1
	}
	return a, nil
}

// Step implements algorithms.Stepper.
func (a *SpSVM) Step() algorithms.Status { return a.advance(a.step) }

func (a *SpSVM) step() algorithms.Status {
	if err := context.Cause(a.ctx); err != nil {
		return interrupted("spsvm", err)
	}
	at, row, column, theta, err := a.choose()
	if err != nil {
		return badRow("spsvm", err)
	}
	a.final = false
	last := len(a.outside) - 1
	a.basis = append(a.basis, a.outside[at])
	a.outside[at] = a.outside[last]
	a.outside = a.outside[:last]
	a.add(row, column, theta)
	for step, done := 0, false; step < newtonSteps && !done; step++ {
		if done, err = a.newton(); err != nil {
			return interrupted("spsvm", err)
		}
	}
	a.final, a.support = true, nonzeros(a.theta[a.bias:])
	a.cost.Iterations++
	if len(a.basis) == a.cfg.Support {
		reason := fmt.Sprintf("all %d basis functions have been chosen", a.cfg.Support)
		return algorithms.Status{State: algorithms.Exhausted, Reason: reason}
	}
	return algorithms.Status{}
}

// choose draws the candidates. It returns the position in outside of the candidate that decreases the
// objective most, with its row, its column of A and its coefficient.
func (a *SpSVM) choose() (at int, row []float32, column []float64, theta float64, err error) {
	m, most := len(a.rows), -1.0
	kappa := min(a.cfg.Candidates, len(a.outside))
	for c := range kappa {
		o := c + a.rng.IntN(len(a.outside)-c)
		a.outside[c], a.outside[o] = a.outside[o], a.outside[c]
		j := a.outside[c]
		r, err := a.source.Checked(j)
		if err != nil {
			return 0, nil, nil, 0, err
		}
		aj := make([]float64, m+1)
		for k, i := range a.basis {
			aj[a.bias+k] = float64(r[i])
		}
		aj[m] = float64(r[j]) + a.ridge
		s := a.margins([]float64{1}, r)
		t, decrease := a.lineSearch(s, floats.Dot(aj[:m], a.theta), aj[m])
		if decrease > most {
			most, at, row, column, theta = decrease, c, slices.Clone(r), aj, t
		}
	}
	a.charge(int64(kappa) * int64(len(a.margin)))
	return at, row, column, theta, nil
}

// Final implements Learner. It reports whether all coefficients have been optimised since the last
// addition.
func (a *SpSVM) Final() bool { return a.final }

// SpSVMBytes returns the bytes that SpSVM takes with m basis functions and n points: the rows, A, H, the
// factor of H and two copies. It omits memory of O(n).
func SpSVMBytes(n, m int) int64 { return int64(m) * (4*int64(n) + 40*int64(m)) }
