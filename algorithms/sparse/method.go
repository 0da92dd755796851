package sparse

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/svm"
)

// progress holds the cost of a method and its stopping status.
type progress struct {
	cost   algorithms.Cost
	status algorithms.Status
}

// Cost implements algorithms.Stepper.
func (p *progress) Cost() algorithms.Cost { return p.cost }

// advance calls step, unless the run has stopped. It returns the resulting status.
func (p *progress) advance(step func() algorithms.Status) algorithms.Status {
	if !p.status.Stop() {
		p.status = step()
	}
	return p.status
}

// stop records the end of the run and returns its status.
func (p *progress) stop(state algorithms.State, reason string) algorithms.Status {
	p.status = algorithms.Status{State: state, Reason: reason}
	return p.status
}

// charge counts kernel evaluations.
func (p *progress) charge(evals int64) {
	p.cost.KernelEvals += evals
	p.cost.InnerProducts += evals
}

// chargeRows counts an iteration that took rows kernel rows of n entries.
func (p *progress) chargeRows(rows, n int) {
	p.cost.Iterations++
	p.charge(int64(rows) * int64(n))
}

// withMethod prefixes the reason with the name of the method.
func withMethod(method string, s algorithms.Status) algorithms.Status {
	s.Reason = method + ": " + s.Reason
	return s
}

// interrupted returns the status of a step that ended with err before it was complete.
func interrupted(method string, err error) algorithms.Status {
	reason := fmt.Sprintf("sparse: %s: interrupted: %v", method, err)
	return algorithms.Status{State: algorithms.Failed, Reason: reason}
}

// badRow returns the status of a step that needs an invalid kernel row.
func badRow(method string, err error) algorithms.Status {
	return algorithms.Status{State: rows.State(err), Reason: fmt.Sprintf("sparse: %s: %v", method, err)}
}

func nonzeros(x []float64) int {
	count := 0
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	return count
}

// checkProblem returns an error if p is invalid for the named method. With a bias, p must have points of
// both classes.
func checkProblem(method string, p svm.Problem, bias bool) error {
	if p.Rows != nil && p.Rows.Len() != p.Rows.Train() {
		return fmt.Errorf("sparse: %s: the kernel rows have %d entries; they must have n = %d, one for each "+
			"training point", method, p.Rows.Len(), p.Rows.Train())
	}
	if err := p.Check(bias); err != nil {
		return fmt.Errorf("sparse: %s: %w", method, err)
	}
	return nil
}

// maxScore bounds the scores and coefficients of references, so that their products with kernel values
// and n do not overflow.
const maxScore = 1e100

// checkReference returns an error if ref is invalid for n training points.
func checkReference(method string, ref *Reference, n int) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("sparse: "+method+": "+format, args...)
	}
	switch {
	case ref == nil:
		return fail("the reference is nil; train a classifier first")
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

// checkConstructing returns an error if the context, problem or input space of a method that constructs
// vectors is invalid.
func checkConstructing(method string, ctx context.Context, p svm.Problem, in Inputs) error {
	if ctx == nil {
		return fmt.Errorf("sparse: %s: the context is nil", method)
	}
	if err := checkProblem(method, p, false); err != nil {
		return err
	}
	if err := checkInputs(method, in, p.Rows.Train()); err != nil {
		return err
	}
	for i, k := range p.Rows.Diag() {
		if k != 1 {
			return fmt.Errorf("sparse: %s: K(x_i, x_i) = %g for i = %d; it must be 1, as for a Gaussian kernel", method, k, i)
		}
	}
	return nil
}

// checkInputs returns an error if the input space is invalid for n training points.
func checkInputs(method string, in Inputs, n int) error {
	switch {
	case in == nil:
		return fmt.Errorf("sparse: %s: the input space is nil; the method needs a Gaussian kernel and the features", method)
	case in.Train() != n:
		return fmt.Errorf("sparse: %s: the input space has %d training points; it must have n = %d", method, in.Train(), n)
	case in.Dim() < 1:
		return fmt.Errorf("sparse: %s: the input space has no features", method)
	case !(in.Gamma() > 0) || math.IsInf(in.Gamma(), 1):
		return fmt.Errorf("sparse: %s: gamma = %g; it must be positive and finite", method, in.Gamma())
	}
	return nil
}

// checkReducedSet returns an error if an argument is invalid for a method that approximates a reference
// by support constructed vectors.
func checkReducedSet(method string, support int, p svm.Problem, in Inputs, ref *Reference) error {
	if err := checkProblem(method, p, false); err != nil {
		return err
	}
	n := p.Rows.Train()
	if err := cmp.Or(checkInputs(method, in, n), checkReference(method, ref, n)); err != nil {
		return err
	}
	if support < 1 || support > n {
		return fmt.Errorf("sparse: %s: support = %d; it must be between 1 and %d, the number of training points", method, support, n)
	}
	return nil
}
