package objective

import (
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms/loss"
	"stochopt/algorithms/svm"
	"stochopt/internal/finite"
)

// SVMPoints describes the points of an SVM problem. They are ordered by split: training points with the
// positives first, then validation points, then test points. Scores of solutions have the same order.
type SVMPoints struct {
	// Train, Validation and Test are the numbers of points in the splits. The first Positive training
	// points have the label +1.
	Train, Validation, Test, Positive int
	// Labels has the labels y_j = ±1 of all points.
	Labels []float64
}

// Split is the range of points From <= j < To.
type Split struct {
	Name     string
	From, To int
}

// Splits returns the nonempty splits.
func (p *SVMPoints) Splits() []Split {
	var out []Split
	from := 0
	for _, s := range [...]Split{{"train", 0, p.Train}, {"validation", 0, p.Validation}, {"test", 0, p.Test}} {
		if s.To > 0 {
			out = append(out, Split{s.Name, from, from + s.To})
		}
		from += s.To
	}
	return out
}

// len returns the number of points.
func (p *SVMPoints) len() int { return p.Train + p.Validation + p.Test }

// SplitNames returns the names of the nonempty splits.
func (p *SVMPoints) SplitNames() (names []string) {
	for _, s := range p.Splits() {
		names = append(names, s.Name)
	}
	return names
}

// Losses has the mean 0/1 and hinge losses on each nonempty split. A score of 0 is an error.
type Losses struct {
	Error, Hinge []float64
}

// NotFiniteError reports a number of an iterate that is not finite.
type NotFiniteError string

// Error implements error.
func (e NotFiniteError) Error() string { return string(e) }

// losses returns the losses and the mean slant losses of scores on each nonempty split. It returns a
// NotFiniteError for the first score that is not finite.
func (p *SVMPoints) losses(scores []float64) (l Losses, slant []float64, err error) {
	for _, s := range p.Splits() {
		some := scores[s.From:s.To]
		labels := p.Labels[s.From:s.To][:len(some)]
		var wrong, notFinite int
		var hinges, slants float64
		// The loop has no branch, because the processor would mispredict it for each misclassified point.
		for j, v := range some {
			c := labels[j] * v
			wrong += indicator(c <= 0)
			hinges += loss.Hinge(c)
			slants += loss.Slant(c)
			notFinite += indicator(!finite.Is(v))
		}
		if notFinite > 0 {
			j := slices.IndexFunc(some, func(v float64) bool { return !finite.Is(v) })
			return l, nil, NotFiniteError(fmt.Sprintf("the score of point %d of the %s split is %v", j+1, s.Name, some[j]))
		}
		n := float64(len(some))
		l.Error, l.Hinge, slant = append(l.Error, float64(wrong)/n), append(l.Hinge, hinges/n), append(slant, slants/n)
	}
	return l, slant, nil
}

func indicator(is bool) (n int) {
	if is {
		n = 1
	}
	return n
}

// Regularisation is the regularisation parameter of an SVM problem in three forms. A form is NaN if it is
// unknown.
type Regularisation struct {
	// Lambda belongs to the regularised objective, Nu to the slack-constrained one and R to the
	// norm-constrained one.
	Lambda, Nu, R float64
	// Bias is true if the problem has an unregularised bias.
	Bias bool
}

// SVMValues has the measurements of a classifier. A value that depends on an unknown is NaN.
type SVMValues struct {
	Losses
	// Norm is |w|.
	Norm float64
	// Support is the number of nonzero coefficients.
	Support float64
	// Objective is the regularised primal P = lambda/2 |w|^2 + mean hinge loss on the training split, at
	// the classifier's own bias.
	Objective float64
	// Dual is the lower bound D = lambda (1'alpha - |w|^2/2) on the primal optimum. It is NaN if alpha is
	// not dual feasible. P - D is the duality gap.
	Dual float64
	// Slack is the slack-constrained objective f(w/|w|): the largest margin for a mean slack of nu,
	// maximised over the bias if there is one.
	Slack float64
}

// SVM measures classifiers of one problem. It is not safe for concurrent use.
type SVM struct {
	points    *SVMPoints
	reg       Regularisation
	responses Responses
	all       []float64
}

// NewSVM returns an SVM for a problem.
func NewSVM(points *SVMPoints, reg Regularisation) *SVM {
	return &SVM{points: points, reg: reg}
}

// Measure returns the values of a solution. It takes O(N) time for N points and no kernel evaluation. It
// returns a NotFiniteError if the solution is not finite.
func (m *SVM) Measure(s *svm.Solution) (SVMValues, error) {
	losses, _, err := m.points.losses(s.Scores)
	if err != nil {
		return SVMValues{}, err
	}
	if !finite.Is(s.NormSq) || !finite.Is(s.Bias) {
		return SVMValues{}, NotFiniteError(fmt.Sprintf("|w|^2 is %v and the bias %v", s.NormSq, s.Bias))
	}
	v := SVMValues{
		Losses:  losses,
		Norm:    math.Sqrt(math.Max(s.NormSq, 0)),
		Support: math.NaN(), Objective: math.NaN(), Dual: math.NaN(), Slack: math.NaN(),
	}
	if len(s.Alpha) > 0 {
		v.Support = 0
	}
	for i, a := range s.Alpha {
		if !finite.Is(a) {
			return SVMValues{}, NotFiniteError(fmt.Sprintf("coefficient %d is %v", i+1, a))
		}
		if a != 0 {
			v.Support++
		}
	}
	if !math.IsNaN(m.reg.Lambda) {
		// The training split comes first and is never empty.
		v.Objective = primal(m.reg.Lambda, s.NormSq, v.Hinge[0])
		v.Dual = dual(m.points, s.Alpha, s.NormSq, m.reg.Lambda, m.reg.Bias)
	}
	if !math.IsNaN(m.reg.Nu) {
		v.Slack = m.Water(s).Level
	}
	return v, nil
}

// primal returns lambda/2 |w|^2 + hinge.
func primal(lambda, normSq, hinge float64) float64 {
	return float64(lambda/2*normSq) + hinge
}

// dualTolerance is the tolerance in the constraints of the dual problem, relative to the coefficients.
const dualTolerance = 1e-9

// dual returns the dual objective in units of the primal. It is NaN if alpha is not feasible: the
// constraints are 0 <= alpha_i <= 1/(lambda n) and, with a bias, sum_i y_i alpha_i = 0.
func dual(p *SVMPoints, alpha []float64, normSq, lambda float64, bias bool) float64 {
	if len(alpha) != p.Train {
		return math.NaN()
	}
	upper := 1 / (lambda * float64(p.Train))
	var sum, balance float64
	for i, a := range alpha {
		if !(a >= -dualTolerance*upper && a <= upper+dualTolerance*upper) {
			return math.NaN()
		}
		sum += a
		balance += float64(p.Labels[i] * a)
	}
	if bias && math.Abs(balance) > dualTolerance*sum {
		return math.NaN()
	}
	return lambda * (sum - normSq/2)
}
