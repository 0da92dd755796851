package sparse

import (
	"fmt"
	"math"
	"math/bits"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// newtonTolerance is the default of the tolerances of SpSVM and RSVM.
const newtonTolerance = 1e-6

// checkBasisProblem returns an error if C, the tolerance or the problem of a
// method that minimises the squared hinge loss is out of range.
func checkBasisProblem(name string, c, tolerance float64, p svm.Problem) error {
	if !(c > 0) || math.IsInf(c, 1) {
		return fmt.Errorf("sparse: %s: C = %v; it must be positive and finite", name, c)
	}
	if !(tolerance >= 0 && tolerance < 1) {
		return fmt.Errorf("sparse: %s: tolerance = %v; give a relative decrease below 1, or 0 for %g", name, tolerance, newtonTolerance)
	}
	if p.Rows == nil {
		return fmt.Errorf("sparse: %s: no kernel rows given", name)
	}
	n := p.Rows.Train()
	if n < 1 || p.Rows.Len() != n {
		return fmt.Errorf("sparse: %s: %d training points and rows of length %d; at least one point is needed, and rows over the training points alone", name, n, p.Rows.Len())
	}
	if n > math.MaxInt32 {
		return fmt.Errorf("sparse: %s: %d training points; at most %d are supported", name, n, math.MaxInt32)
	}
	if p.Positive < 0 || p.Positive > n {
		return fmt.Errorf("sparse: %s: %d positive points among %d training points", name, p.Positive, n)
	}
	diag := p.Rows.Diag()
	if len(diag) != n {
		return fmt.Errorf("sparse: %s: the kernel diagonal has length %d, want %d, the number of points", name, len(diag), n)
	}
	for j, k := range diag {
		if !(k >= 0) || math.IsInf(k, 1) {
			return fmt.Errorf("sparse: %s: K(x, x) = %g for point %d; a kernel is finite and not negative there: check the features and the parameters of the kernel", name, k, j)
		}
	}
	return nil
}

// ones returns the row of a bias.
func ones(n int) []float32 {
	row := make([]float32, n)
	for i := range row {
		row[i] = 1
	}
	return row
}

// basisTo writes the classifier with the coefficients theta, that of the bias
// first if bias is 1.
func basisTo(e *Expansion, basis []int, theta []float64, bias int) {
	e.Reset()
	if bias == 1 {
		e.Bias = theta[0]
	}
	for k, i := range basis {
		if beta := theta[bias+k]; beta != 0 {
			e.Add(i, beta)
		}
	}
}

// ended is the status of a step that could not be finished.
func ended(name string, err error) algorithms.Status {
	return algorithms.Status{State: algorithms.Failed, Reason: fmt.Sprintf("sparse: %s: the step was ended: %v", name, err)}
}

// basisBytes returns 4 n m + perPair m^2, or math.MaxInt64 if it is that or more.
func basisBytes(n, m, perPair int) int64 {
	hi, lo := bits.Mul64(uint64(m), 4*uint64(n)+uint64(perPair)*uint64(m))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
