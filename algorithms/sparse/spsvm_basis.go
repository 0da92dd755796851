package sparse

import (
	"fmt"
	"math"
	"math/bits"

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
	return checkProblem(name, p, false)
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

// basisBytes returns 4 n m + perPair m^2, or math.MaxInt64 if it is that or more.
func basisBytes(n, m, perPair int) int64 {
	hi, lo := bits.Mul64(uint64(m), 4*uint64(n)+uint64(perPair)*uint64(m))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
