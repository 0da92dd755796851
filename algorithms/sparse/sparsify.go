package sparse

import (
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"
)

// SparsifyConfig configures Sparsify, SparsifyAggressive and SparsifySmooth.
type SparsifyConfig struct {
	// Eta is the step size. The theory has Eta = Epsilon. If K(x, x) <= 1 and Eta < 2 Epsilon, the
	// method takes at most |w|^2/(Eta (2 Epsilon - Eta)) iterations. For larger Eta there is no useful
	// bound.
	Eta float64
	// Epsilon is the value of the objective at which the method has converged. The theory has 1/2, and
	// 1/3 for SparsifySmooth.
	Epsilon float64
	// Relearn makes the method learn the bias along with w~, by steps on pairs of one point of each
	// class. Otherwise w~ has the bias of the reference.
	Relearn bool
}

// Sparsify finds a sparse w~ that approximates a trained classifier w, by subgradient descent on
//
//	minimise f(w~) = max_i (h_i - y_i <w~, Phi(x_i)>)
//
// over the training points i that w classifies correctly, with h_i = min(1, y_i <w, Phi(x_i)>). From
// w~ = 0, while f(w~) > Epsilon,
//
//	i  = argmax_i (h_i - y_i <w~, Phi(x_i)>)
//	w~ = w~ + eta y_i Phi(x_i).
//
// If f(w~) <= 1/2, the slant loss of w~ is at most the hinge loss of w. If K(x, x) <= 1, at most 4 |w|^2
// steps of size 1/2 are needed for this.
//
// If w has a bias b, then h_i = min(1, y_i (<w, Phi(x_i)> + b)), and w~ has a bias b~. By default
// b~ = b. If the bias is relearned, b~ equalises the greatest violations of the two classes. A step is
// then w~ += eta (Phi(x_i) - Phi(x_j)), where i is the most violating positive point and j the most
// violating negative point. If 0 <= K <= 1, at most |w|^2/(2 eta (2 Epsilon - eta)) such steps are
// needed.
//
// A step costs O(n) and one kernel row, or two for a pair. It is charged n or 2 n kernel evaluations.
// The pass that updates the residuals also finds the next points.
//
// Source: Cotter 2013, section 3.3, algorithm 3.1, and 3.3.7 for the bias; Cotter, Shalev-Shwartz and
// Srebro 2013, "Learning optimally sparse support vector machines",
// https://proceedings.mlr.press/v28/cotter13.html; of the thesis, full text read. Choices that it leaves
// open: ties go to the first point; the constraints are those of the points that w with its bias
// classifies correctly.
type Sparsify struct {
	cfg     SparsifyConfig
	method  string
	rows    rows.Finite
	problem svm.Problem
	all     violations  // of the n training points
	current *violations // &all or, in SparsifyAggressive, the violations of the expansion vectors
	alpha   []float64   // n, w~ = scale sum_i alpha_i y_i Phi(x_i)
	scale   float64     // 1, except in SparsifySmooth
	support []int       // points with alpha_i > 0, in the order in which they were added
	progress
}

var _ Valued = (*Sparsify)(nil)

// NewSparsify returns the method at w~ = 0. It returns an error if a parameter is out of range, if p or
// ref is invalid, or if they do not match. It also returns an error if ref classifies no point correctly
// or, with Relearn, no point of one class.
func NewSparsify(cfg SparsifyConfig, p svm.Problem, ref *Reference) (*Sparsify, error) {
	s := &Sparsify{}
	if err := s.init("sparsify", cfg, p, ref); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Sparsify) init(method string, cfg SparsifyConfig, p svm.Problem, ref *Reference) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("sparse: "+method+": "+format, args...)
	}
	if err := checkProblem(method, p, false); err != nil {
		return err
	}
	switch {
	case !(cfg.Eta > 0 && cfg.Eta <= maxScore):
		return fail("eta = %g; it must be positive and at most %g", cfg.Eta, maxScore)
	case !(cfg.Epsilon > 0) || math.IsInf(cfg.Epsilon, 1):
		return fail("epsilon = %g; it must be positive and finite", cfg.Epsilon)
	}
	n := p.Rows.Train()
	if err := checkReference(method, ref, n); err != nil {
		return err
	}
	*s = Sparsify{
		cfg: cfg, method: method, rows: rows.New(p.Rows), problem: p,
		all: violations{pairs: cfg.Relearn}, alpha: make([]float64, n), scale: 1,
	}
	if !cfg.Relearn {
		s.all.b = ref.Bias
	}
	for i, g := range ref.Scores {
		y := p.Label(i)
		s.all.append(s.all.b-y*min(1, y*g), y, y*g > 0)
	}
	s.all.search()
	s.current = &s.all
	switch noPositive, noNegative := s.all.i < 0, s.all.j < 0; {
	case noPositive && noNegative:
		return fail("the reference classifies none of the n = %d training points correctly; "+
			"there is nothing to learn from it", n)
	case cfg.Relearn && (noPositive || noNegative):
		return fail("the reference classifies no training point of one class correctly, so the bias cannot be " +
			"relearned; keep the bias of the reference (relearn: false)")
	}
	s.status = s.converged()
	return nil
}

// Step implements algorithms.Stepper. It converges when f(w~) <= Epsilon.
func (s *Sparsify) Step() algorithms.Status { return s.advance(s.step) }

func (s *Sparsify) step() algorithms.Status {
	if status := s.add(s.all.worst()); status.Stop() {
		return status
	}
	return s.converged()
}

// add takes the step w~ += eta (y_i Phi(x_i) + y_j Phi(x_j)), or w~ += eta y_i Phi(x_i) if i = j.
func (s *Sparsify) add(i, j int) algorithms.Status {
	k, err := s.rows.Checked(i)
	l := k
	if err == nil && i != j {
		l, err = s.rows.Checked(j)
	}
	if err != nil {
		return badRow(s.method, err)
	}
	a, b := s.weights(i, j)
	s.all.add(a, k, b, l)
	s.updateAlpha(i, j)
	return algorithms.Status{}
}

// weights returns the coefficients of a step w~ += a Phi(x_i) + b Phi(x_j).
func (s *Sparsify) weights(i, j int) (a, b float64) {
	a, b = s.cfg.Eta*s.problem.Label(i), s.cfg.Eta*s.problem.Label(j)
	if i == j {
		b = 0
	}
	return a, b
}

// updateAlpha updates alpha for a step on the points i and j, and charges the step.
func (s *Sparsify) updateAlpha(i, j int) {
	points := slices.Compact([]int{i, j})
	for _, i := range points {
		if s.alpha[i] == 0 {
			s.support = append(s.support, i)
		}
		s.alpha[i] += s.cfg.Eta / s.scale
	}
	s.chargeRows(len(points), len(s.alpha))
}

// converged returns the status Converged if f(w~) <= Epsilon, otherwise Running.
func (s *Sparsify) converged() algorithms.Status {
	if value := s.all.value(); value <= s.cfg.Epsilon {
		return algorithms.Status{State: algorithms.Converged, Reason: fmt.Sprintf(
			"value %.3g <= epsilon %g after %d steps", value, s.cfg.Epsilon, s.cost.Iterations)}
	}
	return algorithms.Status{}
}

// Support implements Learner.
func (s *Sparsify) Support() int { return len(s.support) }

// Final implements Learner. It reports whether the next step adds an expansion vector, so that the last
// classifier on each set of vectors is final.
func (s *Sparsify) Final() bool {
	i, j := s.all.worst()
	return s.alpha[i] == 0 || s.alpha[j] == 0
}

// Value returns f(w~). It costs O(1).
func (s *Sparsify) Value() float64 { return s.current.value() }

// ExpansionTo implements Learner.
func (s *Sparsify) ExpansionTo(e *Expansion) {
	e.Reset()
	for _, i := range s.support {
		e.Add(i, s.problem.Label(i)*(s.scale*s.alpha[i]))
	}
	e.Bias = s.current.bias()
}

// violations holds the violations of the constraints y_j (<w~, Phi(x_j)> + b~) >= h_j of a set of
// points, as the residuals
//
//	r_j = <w~, Phi(x_j)> + b - y_j h_j.
//
// If the bias b is kept, the violation is -r_j for a positive point and r_j for a negative point. If the
// bias is learned, b is 0, b~ equalises the greatest violations of the two classes, and steps are on
// pairs.
type violations struct {
	pairs    bool
	b        float64
	residual []float64
	up, low  []int8 // masks: -1 for the constrained positive and negative points
	// i is the positive point of the least residual, min, and j the negative point of the greatest, max.
	// Without constrained points of a class they are -1 and +Inf, or -1 and -Inf.
	i, j     int
	min, max float64
}

// append adds a point of label y. Only constrained points can be violated.
func (v *violations) append(residual, y float64, constrained bool) {
	var up, low int8
	switch {
	case constrained && y > 0:
		up = -1
	case constrained:
		low = -1
	}
	v.residual, v.up, v.low = append(v.residual, residual), append(v.up, up), append(v.low, low)
}

// add adds a k + b l to the residuals, for kernel rows k and l.
func (v *violations) add(a float64, k []float32, b float64, l []float32) {
	v.i, v.min, v.j, v.max = vec.AddScaledPairExtremes(v.residual, a, k, b, l, v.up, v.low)
}

// search finds the most violating points.
func (v *violations) search() {
	v.i, v.min = vec.ArgMinIf(v.residual, v.up)
	v.j, v.max = vec.ArgMaxIf(v.residual, v.low)
}

// value returns the greatest violation.
func (v *violations) value() float64 {
	if v.pairs {
		return (v.max - v.min) / 2
	}
	return max(-v.min, v.max)
}

// worst returns the most violating pair of points or, without pairs, the most violating point twice.
func (v *violations) worst() (i, j int) {
	switch {
	case v.pairs:
		return v.i, v.j
	case -v.min >= v.max:
		return v.i, v.i
	}
	return v.j, v.j
}

// bias returns b~.
func (v *violations) bias() float64 {
	if v.pairs {
		return -(v.min + v.max) / 2
	}
	return v.b
}
