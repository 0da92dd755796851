package sparse

import (
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
)

// SparsifySmooth is Sparsify for the problem with a bound on the norm,
//
//	minimise f(w~) = max_i (h_i - y_i <w~, Phi(x_i)>)  subject to |w~| <= |w|.
//
// After each step w~ is projected to the ball: w~ = min(1, |w|/|w~|) w~. The bound on
// the number of steps is that of Sparsify: w is in the ball, so that the projection
// brings w~ nearer to it. With the bound on the norm any w~ with f(w~) <= 1/3
// generalises, not only one that is found in this way, and its smooth loss is at most
// the hinge loss of w.
//
// A step costs and is charged what one of Sparsify does: |w~| is kept up to date, so
// that a projection takes no kernel evaluation.
//
// Source: Cotter 2013, section 3.3.4 ("Generalization Guarantee - Smoothness"),
// problem 3.2, full text read. Left open there: the step size; in theory it is the
// threshold.
type SparsifySmooth struct {
	Sparsify
	target []float64 // n, <w~, Phi(x_j)> less the residual
	radius float64   // |w|
	normSq float64   // |w~|^2
}

var _ Valued = (*SparsifySmooth)(nil)

// NewSparsifySmooth returns the method at w~ = 0. The errors are those of
// NewSparsify.
func NewSparsifySmooth(cfg SparsifyConfig, p svm.Problem, ref *Reference) (*SparsifySmooth, error) {
	s := &SparsifySmooth{}
	if err := s.init("sparsify-smooth", cfg, p, ref); err != nil {
		return nil, err
	}
	s.radius = math.Sqrt(ref.NormSq)
	for _, r := range s.all.residual {
		s.target = append(s.target, -r)
	}
	return s, nil
}

// Step implements algorithms.Stepper. It converges when f(w~) <= Epsilon.
func (s *SparsifySmooth) Step() algorithms.Status { return s.once(s.step) }

func (s *SparsifySmooth) step() algorithms.Status {
	i, j := s.all.worst()
	a, b := s.weights(i, j)
	inner := float64(a*s.response(i)) + float64(b*s.response(j))
	if status := s.add(i, j); status.Stop() {
		return status
	}
	s.normSq += inner + float64(a*s.response(i)) + float64(b*s.response(j)) // |w|^2 + <w, v> + <w + v, v>
	if s.normSq > s.radius*s.radius {
		s.multiply(s.radius / math.Sqrt(s.normSq))
		s.normSq = s.radius * s.radius
	}
	return s.converged()
}

// response returns <w~, Phi(x_i)>.
func (s *SparsifySmooth) response(i int) float64 { return s.all.residual[i] + s.target[i] }

// multiply multiplies w~ by c. When the scale has become small, it moves into the
// coefficients, of which those that are next to nothing go.
func (s *SparsifySmooth) multiply(c float64) {
	floats.Scale(c, s.all.residual)
	floats.AddScaled(s.all.residual, c-1, s.target)
	s.all.search()
	if s.scale *= c; s.scale > 1e-50 {
		return
	}
	kept := s.support[:0]
	for _, i := range s.support {
		if s.alpha[i] *= s.scale; s.alpha[i] < 1e-200 {
			s.alpha[i] = 0
			continue
		}
		kept = append(kept, i)
	}
	s.support, s.scale = kept, 1
}

// SparsifyAggressive is Sparsify that makes more of the vectors it has. While an
// expansion vector violates its constraint by more than Epsilon, it takes a step on
// the one that violates most,
//
//	i  = argmax_{i: alpha_i > 0} (h_i - y_i <w~, Phi(x_i)>)
//	w~ = w~ + eta y_i Phi(x_i),
//
// and only without such a vector does it admit the most violating point of all.
//
// If the bias is learned, the steps are on pairs: on the pair of expansion vectors
// that violates most, with the best bias for these alone; once that is at most
// Epsilon, on the single vector of either class that violates most together with an
// expansion vector of the other; and only if no such pair violates by more than
// Epsilon, on the most violating pair of all.
//
// Each step is on a constraint, or on a pair, that is violated by more than Epsilon.
// So the bound on the number of steps of Sparsify holds, steps on old vectors
// included, where Eta < 2 Epsilon. With larger steps the method may go back and forth
// between a few vectors for very long, and whoever steps has to bound their number.
//
// A step is charged as one of Sparsify is. One on old vectors costs O(k) for k
// expansion vectors: it updates their residuals alone. When their constraints hold,
// the residuals of all points follow, at O(n) for each vector that was stepped on.
//
// Source: Cotter 2013, section 3.5.1, full text read. As printed a support vector is
// stepped on when its constraint holds, "h_i - <w~, Phi(x_i)> <= epsilon", which would
// never end; the sign is the other way round, and y_i is missing. Left open there:
// which of the violating expansion vectors is stepped on, and all about pairs.
type SparsifyAggressive struct {
	Sparsify
	own   violations  // of the k expansion vectors
	known []float64   // k, their coefficients in the residuals of all points
	gram  [][]float32 // k, the kernel between expansion vectors, or the beginning of a row
	room  int         // entries that a row can still gain
}

var _ Valued = (*SparsifyAggressive)(nil)

// gramEntries is the number of entries of the kernel that are kept: 64 MiB.
const gramEntries = 1 << 24

// AggressiveBytes returns a bound on the memory for the kernel between expansion
// vectors that SparsifyAggressive takes for n training points.
func AggressiveBytes(n int) int64 {
	// Slices grow to at most twice what is in them.
	return 2 * 4 * min(gramEntries, int64(n)*int64(n))
}

// NewSparsifyAggressive returns the method at w~ = 0. The errors are those of
// NewSparsify.
func NewSparsifyAggressive(cfg SparsifyConfig, p svm.Problem, ref *Reference) (*SparsifyAggressive, error) {
	s := &SparsifyAggressive{room: gramEntries}
	if err := s.init("sparsify-aggressive", cfg, p, ref); err != nil {
		return nil, err
	}
	s.own = violations{pairs: cfg.Relearn, b: s.all.b}
	s.own.search()
	return s, nil
}

// Step implements algorithms.Stepper. It converges when f(w~) <= Epsilon.
func (s *SparsifyAggressive) Step() algorithms.Status { return s.once(s.step) }

func (s *SparsifyAggressive) step() algorithms.Status {
	if s.Settled() {
		if status := s.add(s.next()); status.Stop() {
			return status
		}
		s.compare()
	} else {
		p, q := s.own.worst()
		i, j := s.support[p], s.support[q]
		a, b := s.weights(i, j)
		s.own.add(a, s.gramRow(p), b, s.gramRow(q))
		s.increase(i, j)
		if s.Settled() {
			s.catchUp() // after which, for rounding, the constraints may not hold
		}
	}
	if !s.Settled() {
		s.current = &s.own
		return algorithms.Status{}
	}
	s.current = &s.all
	return s.converged()
}

// next returns the points of a step of which at least one is new.
func (s *SparsifyAggressive) next() (i, j int) {
	if s.cfg.Relearn {
		positive, negative := (s.own.most-s.all.least)/2, (s.all.most-s.own.least)/2
		switch {
		case positive > s.cfg.Epsilon && positive >= negative:
			return s.all.i, s.support[s.own.j]
		case negative > s.cfg.Epsilon:
			return s.support[s.own.i], s.all.j
		}
	}
	return s.all.worst()
}

// compare takes the residuals of the expansion vectors from those of all points,
// which are up to date.
func (s *SparsifyAggressive) compare() {
	for _, i := range s.support[len(s.gram):] {
		s.own.append(0, s.problem.Label(i), true)
		s.known, s.gram = append(s.known, 0), append(s.gram, nil)
	}
	for p, i := range s.support {
		s.own.residual[p], s.known[p] = s.all.residual[i], s.alpha[i]
	}
	s.own.search()
}

// catchUp brings the residuals of all points up to date.
func (s *SparsifyAggressive) catchUp() {
	var steps Expansion
	for p, i := range s.support {
		if a := s.alpha[i] - s.known[p]; a != 0 {
			steps.Add(i, s.problem.Label(i)*a)
		}
	}
	AddRows(s.all.residual, steps.Index, steps.Coef, s.rows.Row)
	s.all.search()
	s.compare()
}

// gramRow returns K(z_p, z_q) for all expansion vectors z_q. It keeps as many
// as fit.
func (s *SparsifyAggressive) gramRow(p int) []float32 {
	row := s.gram[p]
	if missing := s.support[len(row):]; len(missing) > 0 {
		full := s.rows.Row(s.support[p])
		for _, i := range missing {
			row = append(row, full[i])
		}
		if len(missing) <= s.room {
			s.room -= len(missing)
			s.gram[p] = row
		}
	}
	return row
}

// Settled implements Learner: it reports whether the constraints of all expansion
// vectors hold to within Epsilon, so that the next step admits another one. Otherwise
// Value is the maximum over their constraints alone, and a bias that is learned is the
// best one for them.
func (s *SparsifyAggressive) Settled() bool { return s.own.value() <= s.cfg.Epsilon }
