package sparse

import (
	"fmt"
	"math"

	"stochopt/algorithms/svm"
)

// checkProblem reports what is wrong with a problem for the named method, which finds
// a bias between both classes or not.
func checkProblem(method string, p svm.Problem, bias bool) error {
	if p.Rows != nil && p.Rows.Len() != p.Rows.Train() {
		return fmt.Errorf("sparse: %s: the kernel rows have %d entries; they must have one for each of the n = %d "+
			"training points", method, p.Rows.Len(), p.Rows.Train())
	}
	if err := p.Check(bias); err != nil {
		return fmt.Errorf("sparse: %s: %w", method, err)
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
		return fail("the reference has %d coefficients and %d scores for n = %d training points",
			len(ref.Alpha), len(ref.Scores), n)
	case ref.Bias-ref.Bias != 0 || !(ref.NormSq >= 0) || math.IsInf(ref.NormSq, 1):
		return fail("the reference has b = %g and |w|^2 = %g; they must be finite, and |w|^2 not negative",
			ref.Bias, ref.NormSq)
	}
	for i, a := range ref.Alpha {
		if s := ref.Scores[i]; !(math.Abs(a) <= maxScore && math.Abs(s) <= maxScore) {
			return fail("the reference has the coefficient %g and the score %g for training point %d; "+
				"they must be at most %g in magnitude", a, s, i, maxScore)
		}
	}
	return nil
}
