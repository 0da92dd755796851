package svm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
)

// ErrNoSolver is returned, wrapped, by NewLIBSVM if svm-train cannot be found.
// Runs that need it are skipped, not failed.
var ErrNoSolver = errors.New("svm-train is not installed; it comes with LIBSVM (Debian, Ubuntu: apt install libsvm-tools; macOS: brew install libsvm)")

// LIBSVMConfig configures LIBSVM.
type LIBSVMConfig struct {
	// Binary is svm-train's path, or "" for the one in PATH.
	Binary string
	// C is the upper bound of the dual variables, 1/(lambda n), positive.
	C float64
	// Gamma is the parameter of the Gaussian kernel exp(-gamma |x - x'|^2),
	// positive.
	Gamma float64
	// Epsilon is the tolerance of LIBSVM's stopping rule, the violation of the
	// optimality conditions, 0.001 if it is 0.
	Epsilon float64
	// CacheMB is the size of svm-train's kernel cache, 100 if it is 0.
	CacheMB float64
	// Shrinking says whether svm-train uses its shrinking heuristic.
	Shrinking bool
	// Clock returns the seconds since a moment of its own; Seconds needs it.
	Clock func() float64
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
// svm-train took, without this program's part. Should this process be killed,
// Linux kills svm-train, and the next Step, in any process, removes the folder
// that was left.
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

	alpha      []float64
	bias       float64
	scores     []float64 // nil until they are needed
	iterations int64
	objective  float64
	seconds    float64
	cost       algorithms.Cost
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
	if cfg.Epsilon == 0 {
		cfg.Epsilon = 0.001
	}
	if cfg.CacheMB == 0 {
		cfg.CacheMB = 100
	}
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
	return &LIBSVM{ctx: ctx, cfg: cfg, binary: binary, p: p, x: x, alpha: make([]float64, n)}, nil
}

// FindLIBSVM returns the path of svm-train, or of the binary given in place of
// it. It returns an error that wraps ErrNoSolver if there is none.
func FindLIBSVM(binary string) (string, error) {
	path, err := exec.LookPath(cmp.Or(binary, "svm-train"))
	if err != nil {
		return "", fmt.Errorf("svm: libsvm: %w (%v)", ErrNoSolver, err)
	}
	return path, nil
}

// Step implements algorithms.Stepper. It runs svm-train.
func (a *LIBSVM) Step() algorithms.Status {
	if err := a.train(); err != nil {
		return algorithms.Status{State: algorithms.Failed, Reason: "svm: libsvm: " + err.Error()}
	}
	a.cost.Iterations++
	return algorithms.Status{
		State:  algorithms.Converged,
		Reason: fmt.Sprintf("svm-train stopped after %d iterations at the objective %g", a.iterations, a.objective),
	}
}

func (a *LIBSVM) train() (err error) {
	dir, done, err := tempFolder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	data, model := filepath.Join(dir, "train"), filepath.Join(dir, "model")
	if err := writeLIBSVM(data, a.x, a.p); err != nil {
		return err
	}
	log, err := a.run(data, model)
	if err != nil {
		return err
	}
	if a.iterations, a.objective, err = parseTrainLog(log); err != nil {
		return err
	}
	f, err := os.Open(model)
	if err != nil {
		return fmt.Errorf("svm-train has written no model: %w", err)
	}
	defer f.Close()
	m, err := readModel(f)
	if err != nil {
		return err
	}
	alpha, err := m.coefficients(a.x, a.p)
	if err != nil {
		return err
	}
	a.alpha, a.bias, a.scores = alpha, m.bias, nil
	return nil
}

// run executes svm-train and returns what it wrote to its standard output.
func (a *LIBSVM) run(data, model string) ([]byte, error) {
	shrinking := "0"
	if a.cfg.Shrinking {
		shrinking = "1"
	}
	cmd := exec.CommandContext(a.ctx, a.binary, "-s", "0", "-t", "2", "-h", shrinking,
		"-g", decimal(a.cfg.Gamma), "-c", decimal(a.cfg.C), "-e", decimal(a.cfg.Epsilon), "-m", decimal(a.cfg.CacheMB), data, model)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := a.clock()
	err := runTied(cmd)
	a.seconds = a.clock() - start
	if a.ctx.Err() != nil {
		return nil, fmt.Errorf("svm-train was ended: %w", context.Cause(a.ctx))
	}
	if err != nil {
		said := strings.TrimSpace(stderr.String())
		if said == "" {
			said = "it said nothing on its standard error"
		}
		return nil, fmt.Errorf("svm-train failed, %w: %s", err, said)
	}
	return stdout.Bytes(), nil
}

func (a *LIBSVM) clock() float64 {
	if a.cfg.Clock == nil {
		return 0
	}
	return a.cfg.Clock()
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

var (
	iterationsLine = regexp.MustCompile(`(?m)optimization finished, #iter = (\d+)`)
	objectiveLine  = regexp.MustCompile(`(?m)^obj = ([^,\s]+)`)
)

// parseTrainLog finds the number of iterations and the objective in what
// svm-train prints.
func parseTrainLog(log []byte) (iterations int64, objective float64, err error) {
	i, o := iterationsLine.FindSubmatch(log), objectiveLine.FindSubmatch(log)
	if i == nil || o == nil {
		return 0, 0, fmt.Errorf("svm-train printed no number of iterations or no objective: %.200q", log)
	}
	if iterations, err = strconv.ParseInt(string(i[1]), 10, 64); err != nil {
		return 0, 0, fmt.Errorf("svm-train's number of iterations: %w", err)
	}
	if objective, err = strconv.ParseFloat(string(o[1]), 64); err != nil {
		return 0, 0, fmt.Errorf("svm-train's objective: %w", err)
	}
	return iterations, objective, nil
}

// Iterations returns the number of SMO iterations that svm-train reported.
func (a *LIBSVM) Iterations() int64 { return a.iterations }

// Objective returns the dual objective as svm-train reported it, six decimals
// of |w|^2/2 - 1'alpha, which is minimised.
func (a *LIBSVM) Objective() float64 { return a.objective }

// Seconds returns how long svm-train ran by LIBSVMConfig.Clock, reading the data
// and writing the model included; 0 without a clock or before the step.
func (a *LIBSVM) Seconds() float64 { return a.seconds }

// Cost implements algorithms.Stepper: one iteration, no kernel evaluations.
func (a *LIBSVM) Cost() algorithms.Cost { return a.cost }

// SolutionTo implements Learner. The first time after the step it reads the
// kernel row of every support vector, so that the step itself does not.
func (a *LIBSVM) SolutionTo(s *Solution) {
	if a.scores == nil {
		a.scores = make([]float64, a.p.Rows.Len())
		for i, v := range a.alpha {
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
	s.Alpha = append(s.Alpha[:0], a.alpha...)
	s.Bias = a.bias
	s.NormSq = 0
	for i, v := range a.alpha {
		s.NormSq += float64(v * a.p.Label(i) * s.Scores[i])
	}
	for j := range s.Scores {
		s.Scores[j] += a.bias
	}
}
