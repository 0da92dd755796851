package sparse

import (
	"fmt"
	"math"

	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/smo"
	"stochopt/algorithms/svm"
)

// boxQP is the dual of a regression or an SVM. V holds the residuals <w, Phi(x_i)> - t_i.
type boxQP struct{ *smo.Dual }

// newBoxQP returns the problem of the named method at beta = 0, with targets 0 and bounds [0, 0]. The
// caller sets targets and bounds, and calls Begin. newBoxQP returns an error if p is invalid, or if C,
// epsilon or the tolerance is out of range.
func newBoxQP(method string, p svm.Problem, c, epsilon, tolerance float64, bias bool) (boxQP, error) {
	const minC, maxC = 1e-100, 1e100 // no product of coefficients, kernel values and n overflows
	if err := checkProblem(method, p, false); err != nil {
		return boxQP{}, err
	}
	const notNegative = "sparse: %s: %s = %g; it must be finite and not negative"
	switch {
	case !(c >= minC && c <= maxC):
		return boxQP{}, fmt.Errorf("sparse: %s: C = %g; it must be in [%g, %g]", method, c, minC, maxC)
	case !(epsilon >= 0) || math.IsInf(epsilon, 1):
		return boxQP{}, fmt.Errorf(notNegative, method, "epsilon", epsilon)
	case !(tolerance >= 0) || math.IsInf(tolerance, 1):
		return boxQP{}, fmt.Errorf(notNegative, method, "tolerance", tolerance)
	}
	target := make([]float64, p.Rows.Train())
	return boxQP{smo.New(rows.New(p.Rows), p.Rows.Diag(), target, epsilon, bias)}, nil
}

// classify sets q to the dual of the SVM, at beta = 0.
func (q boxQP) classify(p svm.Problem, c float64) {
	for i := range q.N {
		y := p.Label(i)
		q.Shift[i], q.V[i], q.Beta[i] = y, -y, 0
		q.Lo[i], q.Hi[i] = min(0, y*c), max(0, y*c)
	}
}

// regress sets q to the regression on scores, at beta = 0. If q has no bias, the targets are the scores
// minus the given bias.
func (q boxQP) regress(c float64, scores []float64, bias float64) {
	for i, s := range scores {
		if !q.Bias {
			s -= bias
		}
		q.Shift[i], q.V[i], q.Beta[i] = s, -s, 0
		q.Lo[i], q.Hi[i] = -c, c
	}
}

// startAt sets beta to the coefficients of ref and takes the residuals from its scores. The first steps
// move coefficients that are outside their bounds and, with a bias, bring the sum of all coefficients to
// 0.
func (q boxQP) startAt(p svm.Problem, ref *Reference) {
	for i, a := range ref.Alpha {
		q.Beta[i] = float64(p.Label(i)*a) + 0 // no -0
		q.V[i] = (ref.Scores[i] - ref.Bias) - q.Shift[i]
		q.SetBounds(i, q.Lo[i], q.Hi[i])
	}
	q.Begin()
	q.Balance()
}

// expansionTo writes the classifier with the bias b.
func (q boxQP) expansionTo(e *Expansion, b float64) {
	e.Reset()
	for i, v := range q.Beta {
		if v != 0 {
			e.Add(i, v)
		}
	}
	e.Bias = b
}
