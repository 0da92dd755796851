package external

import (
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
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
	counts     bool
	order      []int64
	rows       []float32
	classifier classifier
	solution   svm.Solution
}

var (
	_ svm.Learner             = (*SVM)(nil)
	_ algorithms.BatchStepper = (*SVM)(nil)
	_ algorithms.Refresher    = (*SVM)(nil)
)

// NewSVM begins the run of a program. i states the regularisation and the bias of the problem.
func NewSVM(p *Process, i Init, problem Problem) (*SVM, error) {
	a := &SVM{Process: p, problem: problem, n: problem.Rows.Train()}
	_, a.d = problem.Points.Dims()
	i.D, i.N, i.Positive, i.Kernel = a.d, a.n, problem.Positive, describe(problem.Kern)
	if p.serves(ServeData) {
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
	if a.counts = p.serves(ServeRows) && !p.serves(ServeData); a.counts {
		counted = []string{"kernel_evals", "inner_products"}
	}
	return a, p.begin(i, counted...)
}

// describe returns a kernel by its name and parameters.
func describe(k kernel.Kernel) map[string]any {
	switch k := k.(type) {
	case kernel.Gaussian:
		return map[string]any{"name": "gaussian", "gamma": k.Gamma}
	case kernel.Polynomial:
		return map[string]any{"name": "polynomial", "degree": k.Degree, "gamma": k.Gamma, "coef0": k.Coef0}
	}
	return map[string]any{"name": "linear"}
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

// mostRowBytes bounds the kernel rows that a program may ask for at once.
const mostRowBytes = 256 << 20

// serve writes kernel rows over the training points, and charges for them.
func (a *SVM) serve(indices []int64) (Array, error) {
	if len(indices) > mostRowBytes/4/a.n {
		return Array{}, fmt.Errorf("%d rows at once take more than %d bytes", len(indices), mostRowBytes)
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
	if !a.serves(ServeRows) {
		serve = nil
	}
	for a.cost.Iterations < t && !status.Stop() {
		advance := Advance{To: t}
		if a.serves(ServeOrder) {
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

// Refresh implements algorithms.Refresher. The responses of all points are evaluated here, which is
// not charged for.
func (a *SVM) Refresh() algorithms.Status {
	return a.refresh(func(s *State) error {
		if err := a.classifier.take(a.Process, s, a.n, a.d); err != nil {
			return err
		}
		a.evaluate(&a.classifier, &a.solution)
		return nil
	})
}

// SolutionTo implements svm.Learner: the classifier that was shown last.
func (a *SVM) SolutionTo(s *svm.Solution) {
	s.Scores = append(s.Scores[:0], a.solution.Scores...)
	s.Alpha = append(s.Alpha[:0], a.solution.Alpha...)
	s.Bias, s.NormSq = a.solution.Bias, a.solution.NormSq
}

// Approximates reports whether the classifier shown last is none in the space of the kernel, so that
// the optimum there is no bound on its objective.
func (a *SVM) Approximates() bool { return a.classifier.kind == fourier }

// form says how a classifier is given, by the array that the others belong to.
type form string

// A classifier has coefficients of the training points, or vectors and their coefficients, or
// frequencies and the weights of their cosines and sines.
const (
	training form = "alpha"
	vectors  form = "vectors"
	fourier  form = "frequencies"
)

// classifier is a classifier as a program gives it. Its response to x is
//
//	training  sum_i coef[i] K(x_i, x) + bias over the training points
//	vectors   sum_k coef[k] K(z_k, x) + bias
//	fourier   sum_k coef[k] cos<z_k, x> + sines[k] sin<z_k, x> + bias
type classifier struct {
	kind        form
	coef, sines []float64
	// z has m rows of d features.
	z    []float64
	m    int
	bias float64
}

// take checks a state and keeps it. There are n training points of d features.
func (c *classifier) take(p *Process, s *State, n, d int) (err error) {
	*c = classifier{bias: s.Bias}
	for _, kind := range []form{training, vectors, fourier} {
		if a, ok := s.Arrays[string(kind)]; ok && c.kind == "" {
			c.kind = kind
			if len(a.Shape) > 0 {
				c.m = a.Shape[0]
			}
		}
	}
	read := func(name string, shape ...int) (values []float64) {
		if err == nil {
			values, err = p.array(s, name, nil, shape...)
		}
		return values
	}
	switch c.kind {
	case training:
		c.coef = read("alpha", n)
	case vectors:
		c.z, c.coef = read("vectors", c.m, d), read("coefficients", c.m)
	case fourier:
		c.z, c.coef, c.sines = read("frequencies", c.m, d), read("cosines", c.m), read("sines", c.m)
	default:
		err = p.fail("state: a classifier has one of the arrays alpha, vectors and frequencies")
	}
	return err
}

// evaluate writes a classifier with its responses to all points and its norm.
func (a *SVM) evaluate(c *classifier, s *svm.Solution) {
	points := a.problem.Rows.Len()
	s.Bias, s.Alpha, s.NormSq = c.bias, s.Alpha[:0], 0
	s.Scores = slices.Repeat([]float64{0}, points)
	if c.kind == training {
		for i, coef := range c.coef {
			s.Alpha = append(s.Alpha, coef*a.problem.Label(i))
			if coef != 0 {
				for j, v := range a.problem.Rows.Row(i) {
					s.Scores[j] += float64(coef * float64(v))
				}
			}
		}
		s.NormSq = dot(c.coef, s.Scores)
	} else {
		buf := make([]float64, a.d)
		for j := range points {
			s.Scores[j] = a.respond(c, a.point(j, buf))
		}
	}
	for k := range c.m {
		switch c.kind {
		case vectors:
			s.NormSq += float64(c.coef[k] * a.respond(c, c.z[k*a.d:(k+1)*a.d]))
		case fourier:
			s.NormSq += float64(c.coef[k]*c.coef[k]) + float64(c.sines[k]*c.sines[k])
		}
	}
	for j := range s.Scores {
		s.Scores[j] += c.bias
	}
}

// respond returns the response of a classifier with rows z to x, without its bias.
func (a *SVM) respond(c *classifier, x []float64) (sum float64) {
	normSq := dot(x, x)
	for k := range c.m {
		z := c.z[k*a.d : (k+1)*a.d]
		if c.kind == vectors {
			sum += float64(c.coef[k] * a.problem.Kern.Eval(dot(x, z), dot(z, z), normSq))
		} else {
			sin, cos := math.Sincos(dot(x, z))
			sum += float64(c.coef[k]*cos) + float64(c.sines[k]*sin)
		}
	}
	return sum
}

// dot returns the inner product of x and y.
func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}
