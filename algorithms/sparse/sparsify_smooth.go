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
