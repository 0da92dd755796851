package sparse

import (
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
)

// SparsifySmooth is Sparsify with a bound on the norm of w~,
//
//	minimise f(w~) = max_i (h_i - y_i <w~, Phi(x_i)>)  subject to |w~| <= |w|.
//
// After each step w~ is projected onto the ball: w~ = min(1, |w|/|w~|) w~. The ball contains w, so
// projections bring w~ nearer to w, and the bound of Sparsify on the number of steps holds. With the
// bound on the norm, every w~ with f(w~) <= 1/3 generalises, however it is found, and its smooth loss is
// at most the hinge loss of w.
//
// A step has the cost and the charge of a step of Sparsify. The projection needs no kernel evaluation,
// because |w~| is kept up to date.
//
// Source: Cotter 2013, section 3.3.4 ("Generalization Guarantee - Smoothness"), problem 3.2, full text
// read. It leaves the step size open; the theory uses the threshold.
type SparsifySmooth struct {
	Sparsify
	target []float64 // n, <w~, Phi(x_j)> minus the residual
	radius float64   // |w|
	normSq float64   // |w~|^2
}

var _ Valued = (*SparsifySmooth)(nil)

// NewSparsifySmooth returns the method at w~ = 0. It returns the errors of NewSparsify.
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
func (s *SparsifySmooth) Step() algorithms.Status { return s.advance(s.step) }

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

// multiply multiplies w~ by c. When the scale has become small, multiply folds it into the coefficients
// and drops negligible ones.
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

// SparsifyAggressive is Sparsify with priority for the current expansion vectors. While one of them
// violates its constraint by more than Epsilon, it takes a step on the most violating one,
//
//	i  = argmax_{i: alpha_i > 0} (h_i - y_i <w~, Phi(x_i)>)
//	w~ = w~ + eta y_i Phi(x_i).
//
// Otherwise it adds the most violating of all points.
//
// If the bias is learned, steps are on pairs. The first choice is the most violating pair of expansion
// vectors, under the best bias for these vectors alone. The second is the most violating pair of a new
// point and an expansion vector of the other class. The third is the most violating pair of all. A step
// takes the first of these that is violated by more than Epsilon.
//
// Each step is therefore on a constraint or pair that is violated by more than Epsilon. For Eta < 2
// Epsilon the bound of Sparsify on the number of steps holds, including steps on old vectors. With a
// larger Eta the method may alternate between a few vectors for very long, and the caller must bound the
// number of steps.
//
// A step is charged like a step of Sparsify. A step on old vectors costs O(k) for k expansion vectors,
// as it updates only their residuals. Once their constraints hold, the residuals of all points are
// updated, at O(n) for each vector with a new coefficient.
//
// Source: Cotter 2013, section 3.5.1, full text read. As printed, the method steps on a support vector
// when its constraint holds, "h_i - <w~, Phi(x_i)> <= epsilon", and would never end. The inequality must
// be reversed, and y_i is missing. Choices that the text leaves open: which violating expansion vector
// to step on, and the steps on pairs.
type SparsifyAggressive struct {
	Sparsify
	own      violations  // of the k expansion vectors
	applied  []float64   // k, their coefficients as included in the residuals of all points
	gram     [][]float32 // k, the kernel between expansion vectors; a row may be incomplete
	gramFree int         // entries that may still be added to gram
}

var _ Valued = (*SparsifyAggressive)(nil)

// gramEntries is the largest number of cached entries of the Gram matrix, 64 MiB.
const gramEntries = 1 << 24

// AggressiveBytes returns a bound on the bytes that SparsifyAggressive takes on n training points for
// the Gram matrix of its expansion vectors.
func AggressiveBytes(n int) int64 {
	// The capacity of a slice is at most twice its length.
	return 2 * 4 * min(gramEntries, int64(n)*int64(n))
}

// NewSparsifyAggressive returns the method at w~ = 0. It returns the errors of NewSparsify.
func NewSparsifyAggressive(cfg SparsifyConfig, p svm.Problem, ref *Reference) (*SparsifyAggressive, error) {
	s := &SparsifyAggressive{gramFree: gramEntries}
	if err := s.init("sparsify-aggressive", cfg, p, ref); err != nil {
		return nil, err
	}
	s.own = violations{pairs: cfg.Relearn, b: s.all.b}
	s.own.search()
	return s, nil
}

// Step implements algorithms.Stepper. It converges when f(w~) <= Epsilon.
func (s *SparsifyAggressive) Step() algorithms.Status { return s.advance(s.step) }

func (s *SparsifyAggressive) step() algorithms.Status {
	if s.Final() {
		if status := s.add(s.next()); status.Stop() {
			return status
		}
		s.updateOwn()
	} else {
		p, q := s.own.worst()
		i, j := s.support[p], s.support[q]
		a, b := s.weights(i, j)
		s.own.add(a, s.gramRow(p), b, s.gramRow(q))
		s.updateAlpha(i, j)
		if s.Final() {
			s.updateAll() // the constraints may then be violated, because of rounding
		}
	}
	if !s.Final() {
		s.current = &s.own
		return algorithms.Status{}
	}
	s.current = &s.all
	return s.converged()
}

// next returns the points of a step that may add an expansion vector.
func (s *SparsifyAggressive) next() (i, j int) {
	if s.cfg.Relearn {
		positive, negative := (s.own.max-s.all.min)/2, (s.all.max-s.own.min)/2
		switch {
		case positive > s.cfg.Epsilon && positive >= negative:
			return s.all.i, s.support[s.own.j]
		case negative > s.cfg.Epsilon:
			return s.support[s.own.i], s.all.j
		}
	}
	return s.all.worst()
}

// updateOwn copies the residuals of the expansion vectors from those of all points, which must be up to
// date.
func (s *SparsifyAggressive) updateOwn() {
	for _, i := range s.support[len(s.gram):] {
		s.own.append(0, s.problem.Label(i), true)
		s.applied, s.gram = append(s.applied, 0), append(s.gram, nil)
	}
	for p, i := range s.support {
		s.own.residual[p], s.applied[p] = s.all.residual[i], s.alpha[i]
	}
	s.own.search()
}

// updateAll brings the residuals of all points up to date.
func (s *SparsifyAggressive) updateAll() {
	var steps Expansion
	for p, i := range s.support {
		if a := s.alpha[i] - s.applied[p]; a != 0 {
			steps.Add(i, s.problem.Label(i)*a)
		}
	}
	AddRows(s.all.residual, steps.Index, steps.Coef, s.rows.Row)
	s.all.search()
	s.updateOwn()
}

// gramRow returns K(z_p, z_q) for all expansion vectors z_q. It caches the values while there is room.
func (s *SparsifyAggressive) gramRow(p int) []float32 {
	row := s.gram[p]
	if missing := s.support[len(row):]; len(missing) > 0 {
		full := s.rows.Row(s.support[p])
		for _, i := range missing {
			row = append(row, full[i])
		}
		if len(missing) <= s.gramFree {
			s.gramFree -= len(missing)
			s.gram[p] = row
		}
	}
	return row
}

// Final implements Learner. It reports whether the constraints of all expansion vectors hold to within
// Epsilon, so that the next step adds a vector. Otherwise Value is the maximum over the expansion
// vectors only, and a learned bias is the best one for them.
func (s *SparsifyAggressive) Final() bool { return s.own.value() <= s.cfg.Epsilon }
