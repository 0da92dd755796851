// Package svmtrain runs svm-train, the solver that comes with LIBSVM, on a file of
// points, and reads the classifier that it writes.
package svmtrain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"stochopt/internal/scratch"
)

// Options are svm-train's, for a C-SVC with a Gaussian kernel; all numbers are
// positive.
type Options struct {
	// C is the upper bound of the dual variables.
	C float64
	// Gamma is the parameter of the kernel exp(-Gamma |x - x'|^2).
	Gamma float64
	// Epsilon is the tolerance of its stopping rule, the violation of the
	// optimality conditions.
	Epsilon float64
	// CacheMB is the size of its kernel cache.
	CacheMB float64
	// Shrinking says whether it uses its shrinking heuristic.
	Shrinking bool
	// Clock, if not nil, returns the seconds since a moment of its own.
	Clock func() float64
}

// folderPrefix begins the names of temporary folders.
const folderPrefix = "stochopt-svm-train-"

// Result is what svm-train found.
type Result struct {
	// Alpha holds the dual variables of the training points, Bias is b.
	Alpha []float64
	Bias  float64
	// Iterations is the number of SMO iterations that it reported, and Objective
	// the dual objective, six decimals of |w|^2/2 - 1'alpha.
	Iterations int64
	Objective  float64
}

// Took is how many seconds the program took: by the clock, and of the processor's time.
type Took struct{ Wall, CPU float64 }

// Train has the program of that path solve the problem. The points go to it as a
// file in a temporary folder, in decimal that reads back exactly, and the result
// is that of the model file that it writes. The end of ctx ends the program and
// all that it has started; should this process be killed, Linux kills the program,
// and the next Train, in any process, removes the folder that was left. Took is what
// the program took, also if it failed.
func Train(ctx context.Context, path string, o Options, p Problem) (r Result, took Took, err error) {
	dir, done, err := scratch.Folder(os.TempDir(), folderPrefix)
	if err != nil {
		return Result{}, Took{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	data, written := filepath.Join(dir, "train"), filepath.Join(dir, "model")
	if err := p.write(data); err != nil {
		return Result{}, Took{}, err
	}
	log, took, err := run(ctx, path, o, data, written)
	if err != nil {
		return Result{}, took, err
	}
	if r.Iterations, r.Objective, err = parseTrainLog(log); err != nil {
		return Result{}, took, err
	}
	f, err := os.Open(written)
	if err != nil {
		return Result{}, took, fmt.Errorf("svm-train has written no model: %w", err)
	}
	defer f.Close()
	m, err := readModel(f)
	if err != nil {
		return Result{}, took, err
	}
	r.Bias = m.bias
	r.Alpha, err = m.coefficients(p)
	return r, took, err
}

// run executes svm-train and returns what it wrote to its standard output, and
// what it took.
func run(ctx context.Context, path string, o Options, data, model string) (log []byte, took Took, err error) {
	shrinking := "0"
	if o.Shrinking {
		shrinking = "1"
	}
	cmd := exec.CommandContext(ctx, path, "-s", "0", "-t", "2", "-h", shrinking,
		"-g", decimal(o.Gamma), "-c", decimal(o.C), "-e", decimal(o.Epsilon), "-m", decimal(o.CacheMB), data, model)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	clock := o.Clock
	if clock == nil {
		clock = func() float64 { return 0 }
	}
	start := clock()
	err = runTied(cmd)
	took.Wall = clock() - start
	if state := cmd.ProcessState; state != nil {
		took.CPU = (state.UserTime() + state.SystemTime()).Seconds()
	}
	if ctx.Err() != nil {
		return nil, took, fmt.Errorf("svm-train was ended: %w", context.Cause(ctx))
	}
	if err != nil {
		said := strings.TrimSpace(stderr.String())
		if said == "" {
			said = "it said nothing on its standard error"
		}
		return nil, took, fmt.Errorf("svm-train failed, %w: %s", err, said)
	}
	return stdout.Bytes(), took, nil
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
	if math.IsInf(objective, 0) || math.IsNaN(objective) {
		return 0, 0, fmt.Errorf("svm-train's objective is %v", objective)
	}
	return iterations, objective, nil
}
