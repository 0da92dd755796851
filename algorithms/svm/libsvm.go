package svm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm/svmtrain"
)

// ErrNoSolver is returned, wrapped, by NewLIBSVM if svm-train cannot be found.
// Runs that need it are skipped, not failed.
var ErrNoSolver = errors.New("svm-train is not installed; it comes with LIBSVM (Debian, Ubuntu: apt install libsvm-tools; macOS: brew install libsvm)")

// LIBSVMConfig configures LIBSVM.
type LIBSVMConfig struct {
	// Binary is svm-train's path, or "" for the one in PATH.
	Binary string
	// Options are svm-train's. C is the upper bound of the dual variables,
	// 1/(lambda n); Epsilon is 0.001 and CacheMB 100 if they are 0. Seconds needs a
	// Clock.
	svmtrain.Options
}

// LIBSVM has another program solve the problem: svm-train, an SMO method with
// second-order selection of pairs, for
//
//	minimise  |w|^2/2 + C sum_i max(0, 1 - y_i g(x_i)),  g(x) = <w, Phi(x)> + b,
//
// with the Gaussian kernel. The training points go to it as a file in a
// temporary folder, in decimal that reads back exactly, and it has the
// classifier from the model file that svm-train writes. There is one Step: it
// writes the file, waits for svm-train and converges. Seconds tells what
// svm-train took, without this program's part.
//
// Kernel evaluations are not counted: svm-train does not report them. LIBSVM
// computes its kernel in float64 and caches it in float32; Problem.Rows must
// hold the same Gaussian kernel of the same points, and serve to evaluate the
// classifier on all of them.
//
// Source: Chang & Lin 2011, "LIBSVM: a library for support vector machines";
// Fan, Chen & Lin 2005; Cotter 2013, section 2.5.
type LIBSVM struct {
	ctx    context.Context
	cfg    LIBSVMConfig
	binary string
	p      Problem
	x      kernel.Vectors

	found  svmtrain.Result
	scores []float64 // nil until they are needed
	cost   algorithms.Cost
}

var _ Learner = (*LIBSVM)(nil)

// NewLIBSVM returns the external solver for the training points of p, the first
// of x. The end of ctx ends svm-train. It returns an error that wraps
// ErrNoSolver if there is no svm-train, and an error if the sizes of p and x do
// not fit, one class has no point, or a parameter is out of its range.
func NewLIBSVM(ctx context.Context, cfg LIBSVMConfig, p Problem, x kernel.Vectors) (*LIBSVM, error) {
	const name = "libsvm"
	if ctx == nil || p.Rows == nil || x == nil {
		return nil, errors.New("svm: " + name + ": a context, kernel rows and points are needed")
	}
	n := p.Rows.Train()
	rows, _ := x.Dims()
	switch {
	case rows != p.Rows.Len():
		return nil, fmt.Errorf("svm: %s: %d points, but kernel rows of %d", name, rows, p.Rows.Len())
	case p.Positive <= 0 || p.Positive >= n:
		return nil, fmt.Errorf("svm: %s: %d of %d training points are positive; both classes must be there", name, p.Positive, n)
	}
	cfg.Epsilon, cfg.CacheMB = cmp.Or(cfg.Epsilon, 0.001), cmp.Or(cfg.CacheMB, 100)
	for _, v := range []struct {
		name  string
		value float64
	}{{"C", cfg.C}, {"gamma", cfg.Gamma}, {"epsilon", cfg.Epsilon}, {"the cache size", cfg.CacheMB}} {
		if err := checkLinearPositive(name, v.name, v.value); err != nil {
			return nil, err
		}
	}
	binary, err := FindLIBSVM(cfg.Binary)
	if err != nil {
		return nil, err
	}
	return &LIBSVM{ctx: ctx, cfg: cfg, binary: binary, p: p, x: x, found: svmtrain.Result{Alpha: make([]float64, n)}}, nil
}

// FindLIBSVM returns the path of svm-train, or of the binary given in place of
// it. It returns an error that wraps ErrNoSolver if svm-train is not installed.
func FindLIBSVM(binary string) (string, error) {
	path, err := exec.LookPath(cmp.Or(binary, "svm-train"))
	if err != nil {
		return "", fmt.Errorf("svm: libsvm: %w (%v)", ErrNoSolver, err)
	}
	return path, nil
}

// Step implements algorithms.Stepper. It runs svm-train.
func (a *LIBSVM) Step() algorithms.Status {
	p := svmtrain.Problem{X: a.x, Train: a.p.Rows.Train(), Positive: a.p.Positive}
	r, err := svmtrain.Train(a.ctx, a.binary, a.cfg.Options, p)
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

// Seconds returns how long svm-train ran by the clock, 0 without one, and what it had
// of the processor's time, reading the data and writing the model included; 0 before
// the step.
func (a *LIBSVM) Seconds() (wall, cpu float64) { return a.found.Wall, a.found.CPU }

// Cost implements algorithms.Stepper: one iteration, no kernel evaluations.
func (a *LIBSVM) Cost() algorithms.Cost { return a.cost }

// SolutionTo implements Learner. The first time after the step it reads the
// kernel row of every support vector, so that the step itself does not.
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
