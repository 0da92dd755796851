package sparse

import (
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// SparsifySmooth is Sparsify for the problem with a bound on the norm,
//
//	minimise f(w~) = max_i (h_i - y_i <w~, Phi(x_i)>)  subject to |w~| <= |w|.
//
// After each step w~ is projected to the ball, which scales it. The bound on the
// number of steps is that of Sparsify: w is in the ball, so that the projection
// brings w~ nearer to it. What the bound on the norm buys is that any w~ with
// f(w~) <= 1/3 generalises, not only one that is found in this way; if it is so, the
// smooth loss of w~ is at most the hinge loss of w.
//
// It takes what Sparsify takes. A step costs and is charged the same; a projection
// takes no kernel evaluation, as |w~| is kept up to date and the scale is kept apart
// from the coefficients.
//
// Source: Cotter 2013, section 3.3.4 ("Generalization Guarantee - Smoothness"),
// problem 3.2, full text read. Left open there: the step size; in theory it is the
// threshold.
type SparsifySmooth struct {
	Sparsify
	diag   []float64
	radius float64 // |w|
	normSq float64 // |w~|^2
}

var _ Valued = (*SparsifySmooth)(nil)

// NewSparsifySmooth returns the method at w~ = 0. The errors are those of
// NewSparsify.
func NewSparsifySmooth(cfg SparsifyConfig, p svm.Problem, ref *Reference) (*SparsifySmooth, error) {
	s := &SparsifySmooth{}
	if err := s.init("sparsify-smooth", cfg, p, ref); err != nil {
		return nil, err
	}
	s.diag, s.radius = p.Rows.Diag(), math.Sqrt(ref.NormSq)
	return s, nil
}

// Step implements algorithms.Stepper. It converges when f(w~) <= Epsilon, when
// another step would need more than Most expansion vectors, or at once if w = 0.
func (s *SparsifySmooth) Step() algorithms.Status { return s.once(s.step) }

func (s *SparsifySmooth) step() algorithms.Status {
	i, j := s.working(s.found)
	if status := s.finished(i, j); status.Stop() {
		return status
	}
	if s.radius == 0 {
		return algorithms.Status{State: algorithms.Converged, Reason: "|w| = 0: there is nothing but w~ = 0"}
	}
	if status := s.ready(i, j); status.Stop() {
		return status
	}
	eta, normSq := s.cfg.Eta, s.normAfter(i, j)
	if math.IsInf(normSq, 1) {
		return s.diverged("after %d steps |w~|^2 has left the range of floating point; take a smaller eta than %g", s.cost.Iterations, eta)
	}
	s.raise(i, j, eta)
	if normSq <= s.radius*s.radius {
		s.add(i, eta, j, eta)
		s.normSq = normSq
	} else {
		c := s.radius / math.Sqrt(normSq)
		s.addProjected(i, j, c)
		s.normSq = s.radius * s.radius
		s.scale *= c
		s.mass *= c
		if s.scale < smallestScale {
			s.rescale()
		}
	}
	return s.finished(s.working(s.found))
}

// normAfter returns |w~|^2 after the step on i and j, before the projection.
func (s *SparsifySmooth) normAfter(i, j int) float64 {
	eta := s.cfg.Eta
	first, second := 0.0, 0.0 // <w~, v> and |v|^2 for the step eta v
	if i >= 0 {
		first += s.residual[i] + s.target[i]
		second += s.diag[i]
	}
	if j >= 0 {
		first -= s.residual[j] + s.target[j]
		second += s.diag[j]
	}
	if i >= 0 && j >= 0 {
		second -= 2 * float64(s.rows.Row(i)[j])
	}
	return s.normSq + float64(2*eta*first) + float64(eta*eta*second)
}

// addProjected is add of the step and the projection of w~ by the factor c, in one
// pass.
func (s *SparsifySmooth) addProjected(i, j int, c float64) {
	var k, l []float32
	var a, b float64
	if i >= 0 {
		k, a = s.rows.Row(i), s.cfg.Eta
		l = k
	}
	if j >= 0 {
		l, b = s.rows.Row(j), -s.cfg.Eta
		if i < 0 {
			k = l
		}
	}
	n := len(s.residual)
	k, l, target := k[:n], l[:n], s.target[:n]
	for t, r := range s.residual {
		r += float64(a*float64(k[t])) + float64(b*float64(l[t]))
		s.residual[t] = float64(c*r) + float64((c-1)*target[t])
	}
	s.search()
}

// smallestScale and smallestAlpha keep the coefficients in the range of floating
// point.
const (
	smallestScale = 1e-50
	smallestAlpha = 1e-200
)

// rescale moves the scale into the coefficients, and drops those that the
// projections have reduced to nothing.
func (s *SparsifySmooth) rescale() {
	kept := s.support[:0]
	for _, i := range s.support {
		s.alpha[i] *= s.scale
		if s.alpha[i] < smallestAlpha {
			s.alpha[i] = 0
			continue
		}
		kept = append(kept, i)
	}
	s.support, s.scale = kept, 1
}
