package svm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm/svmtrain"
)

// ErrNoSolver is wrapped by the error of NewLIBSVM if svm-train is not installed. Runs that need it are
// skipped and do not count as failures.
var ErrNoSolver = errors.New("svm-train is not installed; it comes with LIBSVM (Debian, Ubuntu: apt install libsvm-tools; macOS: brew install libsvm)")

// LIBSVM solves the problem with an external program, svm-train. This is an SMO method with second-order
// selection of pairs for
//
//	minimise  |w|^2/2 + C sum_i max(0, 1 - y_i g(x_i)),  g(x) = <w, Phi(x)> + b,
//
// with the Gaussian kernel. Points and classifier are exchanged as files in a temporary folder, with
// exact decimal representations of the points. The only Step runs svm-train and converges. Seconds
// returns the time of svm-train, without the work of this program.
//
// Kernel evaluations are not counted, because svm-train does not report them. LIBSVM computes its kernel
// in float64 and caches it in float32. Problem.Rows must hold the same Gaussian kernel of the same
// points. It is used to evaluate the classifier on all points.
//
// Source: Chang & Lin 2011, "LIBSVM: a library for support vector machines"; Fan, Chen & Lin 2005;
// Cotter 2013, section 2.5.
type LIBSVM struct {
	ctx     context.Context
	options svmtrain.Options
	binary  string
	p       Problem
	x       kernel.Vectors

	found  svmtrain.Result
	scores []float64 // nil until they are needed
	cost   algorithms.Cost
}

var _ Learner = (*LIBSVM)(nil)

// NewLIBSVM returns the external solver for the training points of p, which are the first points of x. C
// is the upper bound of the dual variables, 1/(lambda n). The wall time of Seconds needs a Clock. If ctx
// is cancelled, svm-train is killed. NewLIBSVM returns an error if an option is not positive, if a class
// is empty, or if p and x do not match. The error wraps ErrNoSolver if svm-train is not installed.
func NewLIBSVM(ctx context.Context, options svmtrain.Options, p Problem, x kernel.Vectors) (*LIBSVM, error) {
	const name = "libsvm"
	if ctx == nil || p.Rows == nil || x == nil {
		return nil, errors.New("svm: " + name + ": the context, the kernel rows or the points are nil")
	}
	n := p.Rows.Train()
	rows, _ := x.Dims()
	switch {
	case rows != p.Rows.Len():
		return nil, fmt.Errorf("svm: %s: there are %d points, but the kernel rows have %d entries", name, rows, p.Rows.Len())
	case p.Positive <= 0 || p.Positive >= n:
		return nil, fmt.Errorf("svm: %s: %d of %d training points are positive; there must be points of both classes",
			name, p.Positive, n)
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"C", options.C}, {"gamma", options.Gamma}, {"epsilon", options.Epsilon}, {"the cache size", options.CacheMB}} {
		if err := checkLinearPositive(name, v.name, v.value); err != nil {
			return nil, err
		}
	}
	binary, err := FindLIBSVM()
	if err != nil {
		return nil, err
	}
	return &LIBSVM{
		ctx: ctx, options: options, binary: binary, p: p, x: x, found: svmtrain.Result{Alpha: make([]float64, n)},
	}, nil
}

// FindLIBSVM searches PATH for svm-train and returns its path. If it does not find the program, it
// returns an error that wraps ErrNoSolver.
func FindLIBSVM() (string, error) {
	path, err := exec.LookPath("svm-train")
	if err != nil {
		return "", fmt.Errorf("svm: libsvm: %w (%v)", ErrNoSolver, err)
	}
	return path, nil
}

// Step implements algorithms.Stepper. It runs svm-train.
func (a *LIBSVM) Step() algorithms.Status {
	p := svmtrain.Problem{X: a.x, Train: a.p.Rows.Train(), Positive: a.p.Positive}
	r, err := svmtrain.Train(a.ctx, a.binary, a.options, p)
	if err != nil {
		a.found.Wall, a.found.CPU = r.Wall, r.CPU
		return algorithms.Status{State: algorithms.Failed, Reason: "svm: libsvm: " + err.Error()}
	}
	a.found, a.scores = r, nil
	a.cost.Iterations++
	return algorithms.Status{
		State:  algorithms.Converged,
		Reason: fmt.Sprintf("svm-train stopped after %d iterations at the objective %g", r.Iterations, r.Objective),
	}
}

// Seconds returns the wall time and the CPU time of svm-train in seconds, including reading the data and
// writing the model. wall is 0 without a Clock, and both are 0 before the step.
func (a *LIBSVM) Seconds() (wall, cpu float64) { return a.found.Wall, a.found.CPU }

// Cost implements algorithms.Stepper. The step counts as one iteration without kernel evaluations.
func (a *LIBSVM) Cost() algorithms.Cost { return a.cost }

// SolutionTo implements Learner. The first call after the step reads the kernel row of every support
// vector.
func (a *LIBSVM) SolutionTo(s *Solution) {
	if a.scores == nil {
		a.scores = make([]float64, a.p.Rows.Len())
		for i, v := range a.found.Alpha {
			if v == 0 {
				continue
			}
			v *= a.p.Label(i)
			for j, k := range a.p.Rows.Row(i) {
				a.scores[j] += float64(v * float64(k))
			}
		}
	}
	s.Scores = append(s.Scores[:0], a.scores...)
	s.Alpha = append(s.Alpha[:0], a.found.Alpha...)
	s.Bias = a.found.Bias
	s.NormSq = 0
	for i, v := range a.found.Alpha {
		s.NormSq += float64(v * a.p.Label(i) * s.Scores[i])
	}
	for j := range s.Scores {
		s.Scores[j] += a.found.Bias
	}
}
