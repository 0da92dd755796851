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
	// Eta is the step size. In theory it is Epsilon; where K(x, x) <= 1, at most
	// |w|^2/(Eta (2 Epsilon - Eta)) iterations suffice if it is below 2 Epsilon,
	// and there is no bound of any use if it is not.
	Eta float64
	// Epsilon is the value of the objective at which the method has converged. In
	// theory it is 1/2, and 1/3 for SparsifySmooth.
	Epsilon float64
	// Relearn says that the bias is learned along with w~, by steps on pairs of
	// one point of each class. Otherwise it is that of the reference.
	Relearn bool
}

// Sparsify finds a sparse w~ that approximates a trained classifier w, by
// subgradient descent on
//
//	minimise f(w~) = max_i (h_i - y_i <w~, Phi(x_i)>)
//
// over the training points i that w classifies correctly, with
// h_i = min(1, y_i <w, Phi(x_i)>). From w~ = 0, while f(w~) > Epsilon,
//
//	i  = argmax_i (h_i - y_i <w~, Phi(x_i)>)
//	w~ = w~ + eta y_i Phi(x_i).
//
// If f(w~) <= 1/2, the slant loss of w~ is at most the hinge loss of w, and where
// K(x, x) <= 1 that takes at most 4 |w|^2 steps of size 1/2.
//
// If w has a bias b, h_i = min(1, y_i (<w, Phi(x_i)> + b)), and w~ has a bias b~ too.
// That is b or, if it is learned again, where the greatest violations of the classes
// are equal; a step then is w~ += eta (Phi(x_i) - Phi(x_j)) for the most violating
// pair of a positive point i and a negative one j. Where 0 <= K <= 1,
// |w|^2/(2 eta (2 Epsilon - eta)) such steps suffice.
//
// A step costs O(n) and a kernel row, or two for a pair, and is charged n or 2 n
// kernel evaluations; the pass that updates the residuals finds the next points.
//
// Source: Cotter 2013, section 3.3, algorithm 3.1, and 3.3.7 for the bias; Cotter,
// Shalev-Shwartz and Srebro 2013, "Learning optimally sparse support vector
// machines", https://proceedings.mlr.press/v28/cotter13.html; of the thesis, full
// text read. Left open there: of several points that attain the maximum the first one
// is taken; a point takes part if w classifies it correctly with its bias.
type Sparsify struct {
	cfg     SparsifyConfig
	method  string
	rows    rows.Finite
	problem svm.Problem
	all     violations  // of the n training points
	current *violations // all or, for SparsifyAggressive, those of the expansion vectors
	alpha   []float64   // n, w~ = scale sum_i alpha_i y_i Phi(x_i)
	scale   float64     // 1, except in SparsifySmooth
	support []int       // the points with alpha_i > 0, in the order of admission
	progress
}

var _ Valued = (*Sparsify)(nil)

// NewSparsify returns the method at w~ = 0. It returns an error if the step size
// or the threshold is out of range, the problem has no points or an impossible
// diagonal, or the reference does not belong to it or classifies no point
// correctly, or no point of a class where the bias is learned again.
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
	if err := checkPostHoc(method, ref, n); err != nil {
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
		return fail("the reference classifies no training point of one class correctly, and the bias cannot be " +
			"learned from the other; keep that of the reference (relearn: false)")
	}
	s.status = s.converged()
	return nil
}

// Step implements algorithms.Stepper. It converges when f(w~) <= Epsilon.
func (s *Sparsify) Step() algorithms.Status { return s.once(s.step) }

func (s *Sparsify) step() algorithms.Status {
	if status := s.add(s.all.worst()); status.Stop() {
		return status
	}
	return s.converged()
}

// add takes a step on the points i and j, on one if they are the same:
// w~ += eta (y_i Phi(x_i) + y_j Phi(x_j)).
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
	s.increase(i, j)
	return algorithms.Status{}
}

// weights returns what a step adds, a Phi(x_i) + b Phi(x_j).
func (s *Sparsify) weights(i, j int) (a, b float64) {
	a, b = s.cfg.Eta*s.problem.Label(i), s.cfg.Eta*s.problem.Label(j)
	if i == j {
		b = 0
	}
	return a, b
}

// increase counts a step on the points i and j in alpha, and charges it.
func (s *Sparsify) increase(i, j int) {
	points := slices.Compact([]int{i, j})
	for _, i := range points {
		if s.alpha[i] == 0 {
			s.support = append(s.support, i)
		}
		s.alpha[i] += s.cfg.Eta / s.scale
	}
	s.chargeRows(len(points), len(s.alpha))
}

// converged says whether f(w~) <= Epsilon.
func (s *Sparsify) converged() algorithms.Status {
	if value := s.all.value(); value <= s.cfg.Epsilon {
		return algorithms.Status{State: algorithms.Converged, Reason: fmt.Sprintf(
			"value %.3g <= epsilon %g after %d steps", value, s.cfg.Epsilon, s.cost.Iterations)}
	}
	return algorithms.Status{}
}

// Support implements Learner.
func (s *Sparsify) Support() int { return len(s.support) }

// Settled implements Learner: it reports whether the next step admits a vector, so
// that of the classifiers on the same vectors the last one counts.
func (s *Sparsify) Settled() bool {
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

// violations tells by how much w~ violates the constraints of some points,
// y_j (<w~, Phi(x_j)> + b~) >= h_j, given their residuals
//
//	r_j = <w~, Phi(x_j)> + b - y_j h_j:
//
// a positive point by -r_j, a negative one by r_j where the bias b is kept. Where it
// is learned, b is 0, b~ is such that the greatest violations of the classes are
// equal, and steps are on pairs.
type violations struct {
	pairs    bool
	b        float64
	residual []float64
	up, low  []int8 // masks, -1 for the positive and the negative points that count
	// i is the positive point with the least residual, j the negative one with the
	// most: -1 with +Inf, and -1 with -Inf, if no point of the class counts.
	i, j        int
	least, most float64
}

// append adds a point with its residual and its label, which counts or does not.
func (v *violations) append(residual, y float64, counts bool) {
	var up, low int8
	switch {
	case counts && y > 0:
		up = -1
	case counts:
		low = -1
	}
	v.residual, v.up, v.low = append(v.residual, residual), append(v.up, up), append(v.low, low)
}

// add adds a k + b l to the residuals, for kernel rows k and l.
func (v *violations) add(a float64, k []float32, b float64, l []float32) {
	v.i, v.least, v.j, v.most = vec.AddScaledPairExtremes(v.residual, a, k, b, l, v.up, v.low)
}

// search finds the most violating points.
func (v *violations) search() {
	v.i, v.least = vec.ArgMinIf(v.residual, v.up)
	v.j, v.most = vec.ArgMaxIf(v.residual, v.low)
}

// value returns the greatest violation.
func (v *violations) value() float64 {
	if v.pairs {
		return (v.most - v.least) / 2
	}
	return max(-v.least, v.most)
}

// worst returns the most violating pair of points or, without pairs, the most
// violating point twice.
func (v *violations) worst() (i, j int) {
	switch {
	case v.pairs:
		return v.i, v.j
	case -v.least >= v.most:
		return v.i, v.i
	}
	return v.j, v.j
}

// bias returns b~.
func (v *violations) bias() float64 {
	if v.pairs {
		return -(v.least + v.most) / 2
	}
	return v.b
}
