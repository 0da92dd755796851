// Package svmtrain runs svm-train, the command-line solver of LIBSVM, and reads its model file.
package svmtrain

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"stochopt/algorithms/kernel"
	"stochopt/internal/scratch"
)

// Options are the options of svm-train for a C-SVC with a Gaussian kernel. All numbers must be positive.
type Options struct {
	C         float64 // upper bound of the dual variables
	Gamma     float64 // parameter of the kernel exp(-Gamma |x - x'|^2)
	Epsilon   float64 // violation of the optimality conditions at which it stops
	CacheMB   float64 // size of the kernel cache in megabytes
	Shrinking bool    // use the shrinking heuristic
	// Clock, if not nil, returns the seconds since an arbitrary fixed time.
	Clock func() float64
}

// Problem is a training set: the first Train points of X. The first Positive of these, at least one,
// have the label +1, and the others -1.
type Problem struct {
	X               kernel.Vectors
	Train, Positive int
}

// Result is the result of a run of svm-train.
type Result struct {
	Alpha      []float64 // dual variables of the training points
	Bias       float64   // b
	Iterations int64     // reported number of SMO iterations
	Objective  float64   // reported objective |w|^2/2 - 1'alpha, with six decimals
	// Wall and CPU are the wall time and the CPU time in seconds. They are also set if svm-train failed.
	Wall, CPU float64
}

// Train runs the program at path on the problem. It writes the points to a file in a temporary folder,
// in exact decimal representation, and reads the model file. If ctx is cancelled, the program is killed.
// If this process is killed by kill -9, the program continues, and the next Train removes the folder.
func Train(ctx context.Context, path string, o Options, p Problem) (r Result, err error) {
	dir, done, err := scratch.Folder(os.TempDir(), "stochopt-svm-train-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, done()) }()
	data, model := filepath.Join(dir, "train"), filepath.Join(dir, "model")
	if err := p.write(data); err != nil {
		return r, err
	}
	if err := r.run(ctx, path, o, data, model); err != nil {
		return r, err
	}
	text, err := os.ReadFile(model)
	if err != nil {
		return r, fmt.Errorf("svm-train wrote no model file: %w", err)
	}
	r.Alpha, r.Bias, err = p.readModel(string(text))
	return r, err
}

// write writes the training points in LIBSVM's format: one line "label index:value …" for each point,
// with indices from 1 and without zeros. The decimal values are exact.
func (p Problem) write(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<16)
	for i := range p.Train {
		if i < p.Positive {
			w.WriteString("+1")
		} else {
			w.WriteString("-1")
		}
		for j, v := range p.point(i) {
			w.WriteString(" " + strconv.Itoa(j+1) + ":" + decimal(v))
		}
		w.WriteByte('\n')
	}
	return w.Flush()
}

// point returns an iterator over the nonzeros of point i, in increasing order of features.
func (p Problem) point(i int) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		if !p.X.Sparse() {
			for j, v := range p.X.Row(i, nil) {
				if v != 0 && !yield(j, v) {
					return
				}
			}
			return
		}
		indices, values := p.X.RowNonZero(i)
		for k, j := range indices {
			if values[k] != 0 && !yield(int(j), values[k]) {
				return
			}
		}
	}
}

// run runs svm-train and sets the times, the iterations and the objective.
func (r *Result) run(ctx context.Context, path string, o Options, data, model string) (err error) {
	cmd := exec.CommandContext(ctx, path, "-s", "0", "-t", "2", "-h", map[bool]string{false: "0", true: "1"}[o.Shrinking],
		"-g", decimal(o.Gamma), "-c", decimal(o.C), "-e", decimal(o.Epsilon), "-m", decimal(o.CacheMB), data, model)
	cmd.WaitDelay = 5e9 // a child process may keep the output open
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if o.Clock != nil {
		start := o.Clock()
		defer func() { r.Wall = o.Clock() - start }()
	}
	err = cmd.Run()
	state := cmd.ProcessState
	if state != nil {
		r.CPU = (state.UserTime() + state.SystemTime()).Seconds()
	}
	if err != nil && state != nil && state.ExitCode() < 0 {
		// A signal to the process group may end svm-train before it cancels ctx.
		soon, cancel := context.WithTimeout(ctx, 1e9)
		defer cancel()
		<-soon.Done()
	}
	if ctx.Err() != nil {
		return fmt.Errorf("svm-train was interrupted: %w", context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("svm-train failed: %w; its standard error was %q", err, bytes.TrimSpace(stderr.Bytes()))
	}
	r.Iterations, r.Objective, err = parseTrainLog(stdout.Bytes())
	return err
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

var (
	iterationsLine = regexp.MustCompile(`(?m)optimization finished, #iter = (\d+)`)
	objectiveLine  = regexp.MustCompile(`(?m)^obj = ([^,\s]+)`)
)

// parseTrainLog parses the number of iterations and the objective in the output of svm-train.
func parseTrainLog(log []byte) (iterations int64, objective float64, err error) {
	i, o := iterationsLine.FindSubmatch(log), objectiveLine.FindSubmatch(log)
	if i == nil || o == nil {
		return 0, 0, fmt.Errorf("svm-train did not print its number of iterations and its objective: %.200q", log)
	}
	if iterations, err = strconv.ParseInt(string(i[1]), 10, 64); err == nil {
		objective, err = finite(string(o[1]))
	}
	return iterations, objective, err
}

// finite parses a finite number.
func finite(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("svm-train wrote %q; want a finite number", text)
	}
	return v, nil
}

// readModel parses a model file. It has a header of lines "key value", a line "SV", and a line "alpha_i
// y_i index:value …" for each support vector, by class. The support vectors of a class are in the order
// of the points, so readModel matches each with the next equal point. It does not matter which of
// several equal points it takes.
func (p Problem) readModel(text string) (alpha []float64, bias float64, err error) {
	head, body, _ := strings.Cut(strings.ReplaceAll(text, "\r", ""), "\nSV\n")
	header := map[string]string{}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		header[key] = value
	}
	if kind := header["svm_type"] + " " + header["label"]; kind != "c_svc 1 -1" {
		return nil, 0, fmt.Errorf("svm-train wrote a model of type %q; want c_svc with the labels 1 and -1", kind)
	}
	rho, err := finite(header["rho"])
	if err != nil {
		return nil, 0, err
	}
	var positive, negative int
	if _, err := fmt.Sscanf(header["nr_sv"], "%d %d", &positive, &negative); err != nil {
		return nil, 0, fmt.Errorf("svm-train wrote a model with nr_sv %q; want two numbers", header["nr_sv"])
	}
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if body == "" || len(lines) != positive+negative {
		return nil, 0, fmt.Errorf("svm-train wrote a model with %d lines of support vectors; nr_sv is %d",
			len(lines), positive+negative)
	}
	alpha = make([]float64, p.Train)
	i := 0
	for k, line := range lines {
		end := p.Positive
		if k >= positive {
			i, end = max(i, p.Positive), p.Train
		}
		coefficient, features, _ := strings.Cut(line, " ")
		fields := strings.Fields(features)
		v, err := finite(coefficient)
		if err != nil {
			return nil, 0, err
		}
		for i < end && !p.isPoint(i, fields) {
			i++
		}
		if i == end {
			return nil, 0, fmt.Errorf("svm-train wrote a model whose support vector %d equals no remaining point of its class",
				k)
		}
		alpha[i] = math.Abs(v)
		i++
	}
	return alpha, -rho, nil
}

// isPoint reports whether point i has the given features in a model file. They have 8 significant
// digits, or 17 in some versions of LIBSVM.
func (p Problem) isPoint(i int, fields []string) bool {
	k := 0
	for j, v := range p.point(i) {
		if k == len(fields) || !strings.HasPrefix(fields[k], strconv.Itoa(j+1)+":") {
			return false
		}
		shown := fields[k][strings.Index(fields[k], ":")+1:]
		if exact, err := finite(shown); shown != strconv.FormatFloat(v, 'g', 8, 64) && (err != nil || exact != v) {
			return false
		}
		k++
	}
	return k == len(fields)
}
