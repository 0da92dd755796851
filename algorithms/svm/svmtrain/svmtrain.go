// Package svmtrain runs svm-train, the solver that comes with LIBSVM, on a file of
// points, and reads the classifier that it writes.
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

// Options are svm-train's, for a C-SVC with a Gaussian kernel; all numbers are
// positive.
type Options struct {
	C         float64 // upper bound of the dual variables
	Gamma     float64 // parameter of the kernel exp(-Gamma |x - x'|^2)
	Epsilon   float64 // violation of the optimality conditions at which it stops
	CacheMB   float64 // size of its kernel cache
	Shrinking bool    // whether it uses its shrinking heuristic
	// Clock, if not nil, returns the seconds since a moment of its own.
	Clock func() float64
}

// Problem is what svm-train is given: the first Train of the points X, of which the
// first Positive, at least one, have the label +1 and the others -1.
type Problem struct {
	X               kernel.Vectors
	Train, Positive int
}

// Result is what svm-train found.
type Result struct {
	Alpha      []float64 // dual variables of the training points
	Bias       float64   // b
	Iterations int64     // of SMO, as it reported them
	Objective  float64   // dual objective, six decimals of |w|^2/2 - 1'alpha
	// Wall and CPU are the seconds that it took by the clock, and of the processor's
	// time. They are known also if it failed.
	Wall, CPU float64
}

// Train has the program of that path solve the problem. The points go to it as a
// file in a temporary folder, in decimal that reads back exactly, and the result
// is that of the model file that it writes. The end of ctx ends the program, a
// kill -9 of this process does not. The next Train removes the folder that this leaves.
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
		return r, fmt.Errorf("svm-train has written no model: %w", err)
	}
	r.Alpha, r.Bias, err = p.readModel(string(text))
	return r, err
}

// write writes the training points in LIBSVM's format: a line "label index:value …"
// for each, indices from 1, zeros left out. The values read back exactly.
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

// point returns an iterator over the non-zeros of a point, by increasing feature.
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

// run executes svm-train and notes what it took and what it reported.
func (r *Result) run(ctx context.Context, path string, o Options, data, model string) (err error) {
	cmd := exec.CommandContext(ctx, path, "-s", "0", "-t", "2", "-h", map[bool]string{false: "0", true: "1"}[o.Shrinking],
		"-g", decimal(o.Gamma), "-c", decimal(o.C), "-e", decimal(o.Epsilon), "-m", decimal(o.CacheMB), data, model)
	cmd.WaitDelay = 5e9 // a program that it has started may hold its output open
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
		// A signal that ends this process, too, may end svm-train first.
		soon, cancel := context.WithTimeout(ctx, 1e9)
		defer cancel()
		<-soon.Done()
	}
	if ctx.Err() != nil {
		return fmt.Errorf("svm-train was ended: %w", context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("svm-train failed, %w; on its standard error it said %q", err, bytes.TrimSpace(stderr.Bytes()))
	}
	r.Iterations, r.Objective, err = parseTrainLog(stdout.Bytes())
	return err
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
	if iterations, err = strconv.ParseInt(string(i[1]), 10, 64); err == nil {
		objective, err = finite(string(o[1]))
	}
	return iterations, objective, err
}

// finite parses a finite number.
func finite(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("svm-train wrote %q for a finite number", text)
	}
	return v, nil
}

// readModel returns the classifier of a model file of the problem: a header of lines
// "key value", and after a line "SV" the support vectors of each class, a line
// "alpha_i y_i index:value …" for each. Those of a class are in the order of its points, so
// each is the first equal point after the one before it; among equal points it makes no
// difference to the classifier which is taken.
func (p Problem) readModel(text string) (alpha []float64, bias float64, err error) {
	head, body, _ := strings.Cut(strings.ReplaceAll(text, "\r", ""), "\nSV\n")
	header := map[string]string{}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		header[key] = value
	}
	if kind := header["svm_type"] + " " + header["label"]; kind != "c_svc 1 -1" {
		return nil, 0, fmt.Errorf("svm-train's model is %q; a c_svc with the labels 1 and -1 is expected", kind)
	}
	rho, err := finite(header["rho"])
	if err != nil {
		return nil, 0, err
	}
	var positive, negative int
	if _, err := fmt.Sscanf(header["nr_sv"], "%d %d", &positive, &negative); err != nil {
		return nil, 0, fmt.Errorf("svm-train's model has nr_sv %q; two counts are expected", header["nr_sv"])
	}
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if body == "" || len(lines) != positive+negative {
		return nil, 0, fmt.Errorf("svm-train's model has %d support vectors of %d", len(lines), positive+negative)
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
			return nil, 0, fmt.Errorf("svm-train's support vector %d equals no remaining point of its class", k)
		}
		alpha[i] = math.Abs(v)
		i++
	}
	return alpha, -rho, nil
}

// isPoint reports whether point i is the one that a model file shows. It shows 8
// significant digits, or 17 in some versions of LIBSVM.
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
