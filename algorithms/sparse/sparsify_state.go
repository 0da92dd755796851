package sparse

import (
	"fmt"
	"math"

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
	// Most, if not 0, is the largest number of expansion vectors: the method has
	// converged when its next step would need more.
	Most int
}

// maxMass bounds the sum of the coefficients, so that its product with any float32
// is finite.
const maxMass = 1e250

// mimicry is what the methods of chapter 3 share: the problem
//
//	minimise f(w~) = max_i (h_i - y_i <w~, Phi(x_i)>)
//
// over the training points i that the reference w classifies correctly,
// y_i g(x_i) > 0 with g(x) = <w, Phi(x)> + b. If the bias is kept,
// h_i = min(1, y_i g(x_i)) - y_i b; if it is learned again, h_i = min(1, y_i g(x_i))
// and f takes <w~, Phi(x_i)> + b~ with the best b~.
//
// With the residuals r_j = <w~, Phi(x_j)> - y_j h_j the violation of a positive
// point is -r_j and that of a negative one r_j, less and plus b~. So the most
// violating points are the positive one with the least and the negative one with
// the greatest residual, and both are found in the pass that adds kernel rows to
// the residuals.
type mimicry struct {
	cfg      SparsifyConfig
	method   string
	rows     rows.Finite
	n        int
	positive int
	bias     float64   // of the reference
	target   []float64 // n, y_j h_j
	residual []float64 // n, <w~, Phi(x_j)> - y_j h_j
	up, low  []int8    // n, -1 for the positive and the negative points that count
	found    extremes
	alpha    []float64 // n, w~ = scale sum_i alpha_i y_i Phi(x_i)
	scale    float64
	support  []int32 // the points with alpha_i > 0, in the order of admission
	mass     float64 // bound on scale times the sum of alpha
	progress
}

// extremes are the positive point with the least residual and the negative one
// with the greatest, -1, +Inf and -1, -Inf if there is none.
type extremes struct {
	i     int
	least float64
	j     int
	most  float64
}

func (m *mimicry) init(method string, cfg SparsifyConfig, p svm.Problem, ref *Reference) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("sparse: "+method+": "+format, args...)
	}
	if err := checkProblem(method, p, false); err != nil {
		return err
	}
	n := p.Rows.Train()
	switch {
	case !(cfg.Eta > 0) || math.IsInf(cfg.Eta, 1):
		return fail("eta = %g; it must be positive and finite", cfg.Eta)
	case !(cfg.Epsilon > 0) || math.IsInf(cfg.Epsilon, 1):
		return fail("epsilon = %g; it must be positive and finite", cfg.Epsilon)
	case cfg.Most < 0 || cfg.Most > n:
		return fail("support = %d; it must be at least 1 and at most the n = %d training points, or 0 for no bound", cfg.Most, n)
	}
	if err := checkPostHoc(method, ref, n); err != nil {
		return err
	}
	*m = mimicry{
		cfg: cfg, method: method, rows: rows.New(p.Rows), n: n, positive: p.Positive, bias: ref.Bias,
		target: make([]float64, n), residual: make([]float64, n), up: make([]int8, n), low: make([]int8, n),
		alpha: make([]float64, n), scale: 1,
	}
	var counts [2]int // of the points of each class that are classified correctly
	for i, g := range ref.Scores {
		y, mask, class := p.Label(i), m.up, 0
		if y < 0 {
			mask, class = m.low, 1
		}
		h := min(1, y*g)
		if h > 0 {
			mask[i] = -1
			counts[class]++
		}
		if !cfg.Relearn {
			h -= y * ref.Bias
		}
		m.target[i] = y * h
		m.residual[i] = -m.target[i]
	}
	switch {
	case counts[0]+counts[1] == 0:
		return fail("the reference classifies none of the n = %d training points correctly; there is nothing to learn from it", n)
	case cfg.Relearn && counts[0] == 0:
		return fail("the reference classifies no positive training point correctly, and the bias cannot be learned from one class; keep that of the reference (relearn: false)")
	case cfg.Relearn && counts[1] == 0:
		return fail("the reference classifies no negative training point correctly, and the bias cannot be learned from one class; keep that of the reference (relearn: false)")
	}
	m.search()
	return nil
}

// search finds the extremes.
func (m *mimicry) search() {
	m.found.i, m.found.least = vec.ArgMinIf(m.residual, m.up)
	m.found.j, m.found.most = vec.ArgMaxIf(m.residual, m.low)
}

// violation returns the value of the objective at the extremes.
func (m *mimicry) violation(e extremes) float64 {
	if m.cfg.Relearn {
		return (e.most - e.least) / 2
	}
	return max(-e.least, e.most)
}

// working returns the points of a step on the extremes, a pair if the bias is
// learned and otherwise the one that violates more, with -1 for the other.
func (m *mimicry) working(e extremes) (i, j int) {
	switch {
	case m.cfg.Relearn:
		return e.i, e.j
	case -e.least >= e.most:
		return e.i, -1
	}
	return -1, e.j
}

// offset returns the bias of the classifier whose extremes are e: b, or the b~ at
// which the greatest violations of the classes are equal.
func (m *mimicry) offset(e extremes) float64 {
	if m.cfg.Relearn {
		return -(e.least + e.most) / 2
	}
	return m.bias
}

// admits returns how many of the points are not expansion vectors.
func (m *mimicry) admits(i, j int) int {
	count := 0
	if i >= 0 && m.alpha[i] == 0 {
		count++
	}
	if j >= 0 && m.alpha[j] == 0 {
		count++
	}
	return count
}

// finished says whether the method has converged, if its next step is on i and j.
func (m *mimicry) finished(i, j int) algorithms.Status {
	value := m.violation(m.found)
	switch {
	case value <= m.cfg.Epsilon:
		return algorithms.Status{State: algorithms.Converged, Reason: fmt.Sprintf(
			"value %.3g <= epsilon %g after %d steps", value, m.cfg.Epsilon, m.cost.Iterations)}
	case m.cfg.Most > 0 && len(m.support)+m.admits(i, j) > m.cfg.Most:
		return algorithms.Status{State: algorithms.Converged, Reason: fmt.Sprintf(
			"value %.3g after %d steps with %d expansion vectors; another step would need more than %d", value, m.cost.Iterations, len(m.support), m.cfg.Most)}
	}
	return algorithms.Status{}
}

// ready says whether a step on the points i and j, -1 for none, can be made.
func (m *mimicry) ready(i, j int) algorithms.Status {
	if m.mass+2*m.cfg.Eta > maxMass {
		return m.diverged("after %d steps of size %g the coefficients have left the range of floating point", m.cost.Iterations, m.cfg.Eta)
	}
	for _, i := range [...]int{i, j} {
		if i < 0 || m.rows.Known(i) {
			continue
		}
		if _, err := m.rows.Checked(i); err != nil {
			return m.diverged("%v", err)
		}
	}
	return algorithms.Status{}
}

func (m *mimicry) diverged(format string, args ...any) algorithms.Status {
	return algorithms.Status{State: algorithms.Diverged, Reason: fmt.Sprintf("sparse: "+m.method+": "+format, args...)}
}

// add adds a multiple of y_i Phi(x_i) to w~ for each of the points, -1 for none,
// and finds the extremes. It costs O(n) and a kernel row for each.
func (m *mimicry) add(i int, a float64, j int, b float64) {
	switch {
	case j < 0:
		k := m.rows.Row(i)
		m.pass(a*m.label(i), k, 0, k)
	case i < 0:
		k := m.rows.Row(j)
		m.pass(b*m.label(j), k, 0, k)
	default:
		m.pass(a*m.label(i), m.rows.Row(i), b*m.label(j), m.rows.Row(j))
	}
}

func (m *mimicry) pass(a float64, k []float32, b float64, l []float32) {
	f := &m.found
	f.i, f.least, f.j, f.most = vec.AddScaledPairExtremes(m.residual, a, k, b, l, m.up, m.low)
}

func (m *mimicry) label(i int) float64 {
	if i < m.positive {
		return 1
	}
	return -1
}

// raise raises scale alpha by a for the points, -1 for none, and charges a step.
func (m *mimicry) raise(i, j int, a float64) {
	m.cost.Iterations++
	for _, i := range [...]int{i, j} {
		if i < 0 {
			continue
		}
		if m.alpha[i] == 0 {
			m.support = append(m.support, int32(i))
		}
		m.alpha[i] += a / m.scale
		m.mass += a
		m.cost.KernelEvals += int64(m.n)
		m.cost.InnerProducts += int64(m.n)
	}
}

// Support implements Learner.
func (m *mimicry) Support() int { return len(m.support) }

// write writes w~ with a bias.
func (m *mimicry) write(e *Expansion, bias float64) {
	e.Reset()
	e.Grow(len(m.support))
	index, coef := e.Index[:len(m.support)], e.Coef[:len(m.support)]
	for k, i := range m.support {
		index[k], coef[k] = int(i), m.label(int(i))*(m.scale*m.alpha[i])
	}
	e.Index, e.Coef = index, coef
	e.Bias = bias
}
