package sparse

import (
	"fmt"
	"math"

	"stochopt/algorithms/svm"
)

// checkProblem reports what is wrong with a problem for the named method.
func checkProblem(method string, p svm.Problem) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("sparse: "+method+": "+format, args...)
	}
	if p.Rows == nil {
		return fail("the problem has no kernel rows")
	}
	n := p.Rows.Train()
	switch {
	case n < 1:
		return fail("n = %d training points; there must be at least one", n)
	case n > math.MaxInt32:
		return fail("n = %d training points; at most %d are possible", n, math.MaxInt32)
	case p.Rows.Len() != n:
		return fail("the kernel rows have %d entries; they must have one for each of the n = %d training points", p.Rows.Len(), n)
	case p.Positive < 0 || p.Positive > n:
		return fail("%d positive points of n = %d training points", p.Positive, n)
	}
	diag := p.Rows.Diag()
	if len(diag) != n {
		return fail("the diagonal of the kernel has %d entries for n = %d training points", len(diag), n)
	}
	for i, k := range diag {
		if !(k >= 0 && k <= math.MaxFloat32) {
			return fail("K(x, x) = %g for training point %d; a kernel is finite and not negative there: check the features and the parameters of the kernel", k, i)
		}
	}
	return nil
}

// maxScore bounds the scores and coefficients of references, so that no product of
// them with kernel values and n overflows.
const maxScore = 1e100

// checkPostHoc reports what is wrong with a reference for n training points.
func checkPostHoc(method string, ref *Reference, n int) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("sparse: "+method+": "+format, args...)
	}
	switch {
	case ref == nil:
		return fail("there is no reference; train a classifier first")
	case len(ref.Alpha) != n || len(ref.Scores) != n:
		return fail("the reference has %d coefficients and %d scores for n = %d training points", len(ref.Alpha), len(ref.Scores), n)
	case ref.Bias-ref.Bias != 0 || !(ref.NormSq >= 0) || math.IsInf(ref.NormSq, 1):
		return fail("the reference has b = %g and |w|^2 = %g; they must be finite, and |w|^2 not negative", ref.Bias, ref.NormSq)
	}
	for i, a := range ref.Alpha {
		if s := ref.Scores[i]; !(math.Abs(a) <= maxScore && math.Abs(s) <= maxScore) {
			return fail("the reference has the coefficient %g and the score %g for training point %d; they must be at most %g in magnitude", a, s, i, maxScore)
		}
	}
	return nil
}
