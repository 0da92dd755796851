package external

import (
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// Problem is a training problem as programs are served it.
type Problem struct {
	svm.Problem
	// Order draws training indices.
	Order svm.Order
	// Points are in the order of the rows of the kernel matrix, the training points first.
	Points kernel.Vectors
	Kern   kernel.Kernel
}

// SVM shows a program as an SVM optimiser.
type SVM struct {
	*Process
	problem Problem
	// n is the number of training points, d that of features.
	n, d int
	// counts: the harness counts kernel evaluations.
	counts bool
	order  []int64
	rows   []float32
	// coef, z and phases are the arrays of the classifier that was shown last, solution what they give.
	coef, z, phases []float64
	solution        svm.Solution
}

var (
	_ svm.Learner             = (*SVM)(nil)
	_ algorithms.BatchStepper = (*SVM)(nil)
	_ algorithms.Refresher    = (*SVM)(nil)
)

// NewSVM begins the run of a program.
func NewSVM(p *Process, i Init, problem Problem) (*SVM, error) {
	a := &SVM{Process: p, problem: problem, n: problem.Rows.Train()}
	_, a.d = problem.Points.Dims()
	i.D, i.N, i.Positive = a.d, a.n, problem.Positive
	if p.serves("data") {
		values, buf := make([]float64, 0, a.n*a.d), make([]float64, a.d)
		for j := range a.n {
			values = append(values, a.point(j, buf)...)
		}
		x, err := writeArray(p, "X", values, a.n, a.d)
		if err != nil {
			return nil, p.fail("X: %w", err)
		}
		i.Arrays = map[string]Array{"X": x}
	}
	// A program that has the data can compute kernel values by itself.
	var counted []string
	if a.counts = p.serves("rows") && !p.serves("data"); a.counts {
		counted = []string{"kernel_evals", "inner_products"}
	}
	return a, p.begin(i, counted...)
}

// point returns a point by all of its features, which may be put into buf.
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

// serve writes kernel rows over the training points, and charges for them.
func (a *SVM) serve(indices []int64) (Array, error) {
	const most = 256 << 20 // bytes
	if len(indices) > most/4/a.n {
		return Array{}, fmt.Errorf("%d rows at once take more than %d bytes", len(indices), most)
	}
	a.rows = a.rows[:0]
	for _, i := range indices {
		if i < 0 || i >= int64(a.n) {
			return Array{}, fmt.Errorf("there is no training point %d of %d", i, a.n)
		}
		a.rows = append(a.rows, a.problem.Rows.Row(int(i))[:a.n]...)
	}
	if a.counts {
		evals := int64(len(indices)) * int64(a.n)
		a.cost.KernelEvals += evals
		a.cost.InnerProducts += evals
	}
	return writeArray(a.Process, "rows", a.rows, len(indices), a.n)
}

// Step implements algorithms.Stepper.
func (a *SVM) Step() algorithms.Status { return a.StepTo(a.cost.Iterations + 1) }

// StepTo implements algorithms.BatchStepper.
func (a *SVM) StepTo(t int64) (status algorithms.Status) {
	const orderBlock = 1 << 14
	serve := a.serve
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
			order, err := writeArray(a.Process, "order", a.order, len(a.order))
			if err != nil {
				_ = a.fail("order: %w", err)
				return a.status()
			}
			advance.Order = &order
		}
		status = a.advance(advance, serve)
	}
	return status
}

// Refresh implements algorithms.Refresher.
func (a *SVM) Refresh() algorithms.Status { return a.refresh(a.take) }

// SolutionTo implements svm.Learner: the classifier that was shown last.
func (a *SVM) SolutionTo(s *svm.Solution) {
	s.Scores = append(s.Scores[:0], a.solution.Scores...)
	s.Alpha = append(s.Alpha[:0], a.solution.Alpha...)
	s.Bias, s.NormSq = a.solution.Bias, a.solution.NormSq
}

// Approximates reports whether the classifier shown last is none in the space of the kernel, so that
// the optimum there is no bound on its objective.
func (a *SVM) Approximates() bool { return a.phases != nil }

// take checks a state, and evaluates its classifier: the responses to all points, which is not charged
// for, and the squared norm. The response to x is one of
//
//	sum_i alpha[i] K(x_i, x) + bias over the training points
//	sum_k coef[k] K(z_k, x) + bias
//	sum_k coef[k] cos(<z_k, x> + phases[k]) + bias
func (a *SVM) take(state *State) (err error) {
	s := &a.solution
	*s = svm.Solution{Bias: state.Bias, Scores: make([]float64, a.problem.Rows.Len())}
	a.phases = nil
	defer func() {
		for j := range s.Scores {
			s.Scores[j] += s.Bias
		}
	}()
	if _, ok := state.Arrays["alpha"]; ok {
		if a.coef, err = a.array(state, "alpha", a.coef, a.n); err != nil {
			return err
		}
		for i, coef := range a.coef {
			s.Alpha = append(s.Alpha, coef*a.problem.Label(i))
			if coef != 0 {
				sparse.AddRow(s.Scores, coef, a.problem.Rows.Row(i))
			}
		}
		s.NormSq = dot(a.coef, s.Scores)
		return nil
	}
	if a.z, err = a.array(state, "vectors", a.z, -1, a.d); err != nil {
		return err
	}
	m := len(a.z) / a.d
	if a.coef, err = a.array(state, "coefficients", a.coef, m); err != nil {
		return err
	}
	if _, ok := state.Arrays["phases"]; ok {
		if a.phases, err = a.array(state, "phases", a.phases, m); err != nil {
			return err
		}
	}
	buf := make([]float64, a.d)
	for j := range s.Scores {
		s.Scores[j] = a.respond(a.point(j, buf))
	}
	for k, coef := range a.coef {
		if a.phases != nil {
			s.NormSq += float64(coef * coef)
		} else {
			s.NormSq += float64(coef * a.respond(a.z[k*a.d:(k+1)*a.d]))
		}
	}
	return nil
}

// respond returns the response of the vectors to x, without the bias.
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

// dot returns the inner product of x and y, which may be longer.
func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}
