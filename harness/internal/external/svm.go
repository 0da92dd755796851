package external

import (
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// Problem is the training problem of a program.
type Problem struct {
	svm.Problem
	// Order draws training indices.
	Order svm.Order
	// Points are the points in the order of the kernel rows, training points first.
	Points kernel.Vectors
	Kern   kernel.Kernel
}

// SVM is an SVM optimiser that a program performs.
type SVM struct {
	*Process
	problem Problem
	// n is the number of training points, and d the number of features.
	n, d int
	// counts is true if the harness counts kernel evaluations.
	counts bool
	order  []int64
	rows   []float32
	// coef, z and phases are the arrays of the last refreshed classifier, and solution its values.
	coef, z, phases []float64
	solution        svm.Solution
}

var (
	_ svm.Learner             = (*SVM)(nil)
	_ algorithms.BatchStepper = (*SVM)(nil)
	_ algorithms.Refresher    = (*SVM)(nil)
)

// NewSVM starts a run of a program.
func NewSVM(p *Process, i Init, problem Problem) (*SVM, error) {
	a := &SVM{Process: p, problem: problem, n: problem.Rows.Train()}
	_, a.d = problem.Points.Dims()
	i.D, i.N, i.Positive = a.d, a.n, problem.Positive
	if p.serves("data") {
		values, buf := make([]float64, 0, a.n*a.d), make([]float64, a.d)
		for j := range a.n {
			values = append(values, a.point(j, buf)...)
		}
		i.Arrays = map[string]*Array{"X": writeArray(p, "X", values, a.n, a.d)}
	}
	// A program with the data can compute kernel values itself, which cannot be counted.
	var counted []string
	if a.counts = p.serves("rows") && !p.serves("data"); a.counts {
		counted = []string{"kernel_evals", "inner_products"}
	}
	return a, p.begin(i, counted...)
}

// point returns all features of a point. It may store them in buf.
func (a *SVM) point(j int, buf []float64) []float64 {
	if !a.problem.Points.Sparse() {
		return a.problem.Points.Row(j, buf)
	}
	clear(buf)
	indices, values := a.problem.Points.RowNonZero(j)
	for k, i := range indices {
		buf[i] = values[k]
	}
	return buf
}

// serveRows writes kernel rows over the training points and counts their kernel evaluations.
func (a *SVM) serveRows(indices []int64) *Array {
	const most = 256 << 20 // bytes
	if len(indices) > most/4/a.n {
		a.fail("rows: %d rows take more than %d bytes; request fewer at a time", len(indices), most)
		return nil
	}
	a.rows = a.rows[:0]
	for _, i := range indices {
		if i < 0 || i >= int64(a.n) {
			a.fail("rows: index %d is out of range; there are %d training points", i, a.n)
			return nil
		}
		a.rows = append(a.rows, a.problem.Rows.Row(int(i))[:a.n]...)
	}
	if a.counts {
		a.cost.KernelEvals += int64(len(a.rows))
		a.cost.InnerProducts += int64(len(a.rows))
	}
	return writeArray(a.Process, "rows", a.rows, len(indices), a.n)
}

// Step implements algorithms.Stepper.
func (a *SVM) Step() algorithms.Status { return a.StepTo(a.cost.Iterations + 1) }

// StepTo implements algorithms.BatchStepper.
func (a *SVM) StepTo(t int64) (status algorithms.Status) {
	const orderBlock = 1 << 14
	serve := a.serveRows
	if !a.serves("rows") {
		serve = nil
	}
	for a.cost.Iterations < t && !status.Stop() {
		advance := Advance{To: t}
		if a.serves("order") {
			advance.To = min(t, a.cost.Iterations+orderBlock)
			a.order = a.order[:0]
			for range advance.To - a.cost.Iterations {
				a.order = append(a.order, int64(a.problem.Order.Next()))
			}
			advance.Order = writeArray(a.Process, "order", a.order, len(a.order))
		}
		status = a.advance(advance, serve)
	}
	return status
}

// Refresh implements algorithms.Refresher.
func (a *SVM) Refresh() algorithms.Status { return a.refresh(a.take) }

// SolutionTo implements svm.Learner. It returns the last refreshed classifier.
func (a *SVM) SolutionTo(s *svm.Solution) { *s = a.solution }

// Approximates reports whether the last refreshed classifier is outside the space of the kernel. The
// optimum then does not bound its objective.
func (a *SVM) Approximates() bool { return a.phases != nil }

// take checks a state and computes the responses of its classifier to all points and its squared norm. The
// evaluations are not charged. The response to x is one of
//
//	sum_i alpha[i] K(x_i, x) + bias over the training points
//	sum_k coef[k] K(z_k, x) + bias
//	sum_k coef[k] cos(<z_k, x> + phases[k]) + bias
func (a *SVM) take(state *State) {
	s := svm.Solution{Bias: state.Bias, Scores: make([]float64, a.problem.Rows.Len())}
	_, training := state.Arrays["alpha"]
	if a.phases = nil; training {
		a.coef = a.array(state, "alpha", a.n)
	} else {
		a.z = a.array(state, "vectors", -1, a.d)
		a.coef = a.array(state, "coefficients", len(a.z)/a.d)
	}
	if _, ok := state.Arrays["phases"]; ok {
		a.phases = a.array(state, "phases", len(a.coef))
	}
	if a.Failure != nil {
		return
	}
	buf := make([]float64, a.d)
	for j := 0; j < len(s.Scores) && !training; j++ {
		s.Scores[j] = a.respond(a.point(j, buf))
	}
	for i, coef := range a.coef {
		switch {
		case training:
			s.Alpha = append(s.Alpha, coef*a.problem.Label(i))
			if coef != 0 {
				sparse.AddRow(s.Scores, coef, a.problem.Rows.Row(i))
			}
		case a.phases != nil:
			s.NormSq += float64(coef * coef)
		default:
			s.NormSq += float64(coef * a.respond(a.z[i*a.d:(i+1)*a.d]))
		}
	}
	if training {
		s.NormSq = dot(a.coef, s.Scores)
	}
	for j := range s.Scores {
		s.Scores[j] += s.Bias
	}
	a.solution = s
}

// respond returns the response of the expansion vectors to x, without the bias.
func (a *SVM) respond(x []float64) (sum float64) {
	normSq := dot(x, x)
	for k, coef := range a.coef {
		z := a.z[k*a.d : (k+1)*a.d]
		if a.phases != nil {
			sum += float64(coef * math.Cos(dot(x, z)+a.phases[k]))
		} else {
			sum += float64(coef * a.problem.Kern.Eval(dot(x, z), dot(z, z), normSq))
		}
	}
	return sum
}

// dot returns the inner product of x and the first len(x) elements of y.
func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}
