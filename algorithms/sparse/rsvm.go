package sparse

import (
	"context"
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

// RSVMConfig configures RSVM.
type RSVMConfig struct {
	// C is the weight of half the sum of squared hinge losses, nu in the paper. It must be positive and
	// finite.
	C float64
	// Bias gives the classifier a bias b, which is regularised.
	Bias bool
	// Ratio is the share of the training points that are in the basis, above 0 and at most 1.
	Ratio float64
}

// RSVM is the reduced support vector machine: a classifier with expansion vectors from a random subset R
// of the training points, trained on all of them,
//
//	minimise over u, b:  1/2 (|u|^2 + b^2) + C/2 sum_i max(0, 1 - y_i o_i)^2,
//	o_i = sum_{j in R} u_j K(x_j, x_i) + b.
//
// R, of max(1, round(Ratio n)) points, is drawn without replacement. A step is a step of Newton's method
// (see primal), starting from 0. The method has converged when a step no longer decreases the objective
// noticeably.
//
// The first step is charged |R| n kernel evaluations, the others none. A step costs O(n |R| + |R|^3),
// and O(|R|^2) for each point that enters or leaves the loss. If R has more than 2048 points, the Newton
// equations are solved by conjugate gradients instead, at O(n |R|) for each iteration.
//
// The paper smooths the plus function, by adding log(1 + exp(-alpha x))/alpha to x, and uses Newton's
// method with an Armijo line search. This implementation is the limit of large alpha: a generalised
// Newton method on the objective itself, with an exact line search. The paper writes u for the
// coefficient times the label, which gives the same problem, and -gamma for b.
//
// Source: Lee & Mangasarian 2001, "RSVM: Reduced Support Vector Machines", SIAM International Conference
// on Data Mining, https://doi.org/10.1137/1.9781611972719.13, abstract read, the problem from memory;
// Keerthi & DeCoste 2005, "A Modified Finite Newton Method for Fast Solution of Large Scale Linear
// SVMs", from memory. The authors' program for the smooth SVM, in a translation to R, also takes the
// limit of large alpha and regularises b. However, it searches along the line only if a full Newton step
// does not decrease the objective. The program that Cotter 2013 ran, from LIBSVM Tools, was not found.
type RSVM struct {
	source     rows.Finite
	directRows int // directRows, except in tests
	primal         // basis is R
	progress
}

var _ Learner = (*RSVM)(nil)

// directRows is the largest number of rows for which the Newton equations are factored.
const directRows = 2048

// NewRSVM returns RSVM at 0; rng draws R. If ctx is cancelled, the current step ends with the status
// Failed. NewRSVM returns an error if ctx or rng is nil, if a parameter is out of range, or if p is
// invalid.
func NewRSVM(ctx context.Context, cfg RSVMConfig, p svm.Problem, rng *rand.Rand) (*RSVM, error) {
	q, err := newPrimal(ctx, "rsvm", cfg.C, p, rng)
	if err != nil {
		return nil, err
	}
	if !(cfg.Ratio > 0 && cfg.Ratio <= 1) {
		return nil, fmt.Errorf("sparse: rsvm: ratio = %v; it must be above 0 and at most 1", cfg.Ratio)
	}
	n := p.Rows.Train()
	if cfg.Bias {
		q.bias, q.rows = 1, [][]float32{slices.Repeat([]float32{1}, n)}
	}
	for i := range n {
		q.basis = append(q.basis, i)
	}
	m := RSVMPoints(n, cfg.Ratio)
	for k := range m {
		o := k + rng.IntN(n-k)
		q.basis[k], q.basis[o] = q.basis[o], q.basis[k]
	}
	q.basis, q.theta = q.basis[:m], make([]float64, q.bias+m)
	return &RSVM{source: rows.New(p.Rows), directRows: directRows, primal: q}, nil
}

// RSVMPoints returns the number of points in R for n training points.
func RSVMPoints(n int, ratio float64) int { return max(1, int(math.Round(ratio*float64(n)))) }

// Step implements algorithms.Stepper.
func (a *RSVM) Step() algorithms.Status { return a.advance(a.step) }

func (a *RSVM) step() algorithms.Status {
	if a.cost.Iterations == 0 {
		if err := a.start(); err != nil {
			return badRow("rsvm", err)
		}
	}
	done, err := a.newton()
	if err != nil {
		return interrupted("rsvm", err)
	}
	a.cost.Iterations++
	if done {
		const reason = "no step lowers the objective by more than %g of it"
		return a.stop(algorithms.Converged, fmt.Sprintf(reason, a.tolerance))
	}
	return algorithms.Status{}
}

// start computes the rows of R, and H at 0.
func (a *RSVM) start() error {
	for _, j := range a.basis {
		if err := context.Cause(a.ctx); err != nil {
			return err
		}
		row, err := a.source.Checked(j)
		if err != nil {
			return err
		}
		a.rows = append(a.rows, slices.Clone(row))
	}
	if m := len(a.rows); m <= a.directRows {
		a.h = mat.NewSymDense(m, nil)
		for k := range m {
			a.h.SetSym(k, k, 1)
		}
	}
	a.charge(int64(len(a.basis)) * int64(len(a.margin)))
	return nil
}

// Final implements Learner. Only the last classifier is final.
func (a *RSVM) Final() bool { return a.status.State == algorithms.Converged }

// RSVMBytes returns the bytes that RSVM takes with m of n points in R: the rows of R and, if the Newton
// equations are factored, two matrices. It omits memory of O(n).
func RSVMBytes(n, m int) int64 {
	bytes := 4 * int64(n) * int64(m)
	if m <= directRows {
		bytes += 16 * int64(m) * int64(m)
	}
	return bytes
}

// conjugateGradients approximates -H^-1 g for A = I without forming H, until the norm of the residual is
// at most |g|/100. An iteration costs two passes over the rows.
func (q *primal) conjugateGradients(g []float64) ([]float64, error) {
	m := len(g)
	delta, r := make([]float64, m), make([]float64, m)
	floats.SubTo(r, r, g)
	d, rr := slices.Clone(r), floats.Dot(r, r)
	enough := 1e-4 * rr
	for step := 0; rr > enough && step < 10*m+10; step++ {
		if q.ctx.Err() != nil {
			return nil, context.Cause(q.ctx)
		}
		hd := q.multiply(d)
		length := rr / floats.Dot(d, hd)
		floats.AddScaled(delta, length, d)
		floats.AddScaled(r, -length, hd)
		next := floats.Dot(r, r)
		floats.AddScaledTo(d, r, next/rr, d)
		rr = next
	}
	return delta, nil
}

// multiply returns H x for A = I.
func (q *primal) multiply(x []float64) []float64 {
	s := q.margins(x, q.rows...)
	for i, on := range q.active {
		if !on {
			s[i] = 0
		}
		s[i] = float64(q.p.Label(i) * q.c * s[i])
	}
	hx := slices.Clone(x)
	for k, row := range q.rows {
		hx[k] += vec.Dot32(s, row)
	}
	return hx
}
