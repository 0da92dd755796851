package sparse

import (
	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// Sparsify finds a sparse w~ that mimics a trained classifier w, by subgradient
// descent on
//
//	minimise f(w~) = max_i (h_i - y_i <w~, Phi(x_i)>)
//
// over the training points i that w classifies correctly, where
// h_i = min(1, y_i <w, Phi(x_i)>). A step is w~ += eta y_i Phi(x_i) for the point i
// that attains the maximum, from w~ = 0. If f(w~) <= 1/2, the slant loss of w~ is
// at most the hinge loss of w, and where K(x, x) <= 1 that takes at most 4 |w|^2
// steps of size 1/2.
//
// If w has a bias b, it is either kept, with h_i = min(1, y_i g(x_i)) - y_i b, or
// learned again as b~: h_i = min(1, y_i g(x_i)), and a step is
// w~ += eta (Phi(x_i) - Phi(x_j)) for the most violating pair of a positive point i
// and a negative one j. b~ is where the greatest violations of the classes are
// equal. With e = Epsilon and D a bound on |Phi(x_i) - Phi(x_j)|^2, such a step
// brings w~ nearer to w by eta (4 e - eta D): where 0 <= K <= 1, D is 2 and there
// are at most |w|^2/(2 eta (2 e - eta)) of them, half as many as single steps. That
// each of them is a subgradient step of twice the size is why.
//
// It takes kernel rows and a Reference. A step costs O(n) and a kernel row, or two
// for a pair, and is charged n or 2 n kernel evaluations; the next points are found
// in the pass that updates the responses.
//
// Source: Cotter 2013, section 3.3, algorithm 3.1, and 3.3.7 for the bias; Cotter,
// Shalev-Shwartz and Srebro 2013, "Learning optimally sparse support vector
// machines", https://proceedings.mlr.press/v28/cotter13.html; of the thesis, full
// text read. Left open there: of several points that attain the maximum the first one
// is taken; a point takes part if w classifies it correctly with its bias.
type Sparsify struct {
	mimicry
}

var _ Valued = (*Sparsify)(nil)

// NewSparsify returns the method at w~ = 0. It returns an error if the step size,
// the threshold or the support is out of range, the problem has no points or an
// impossible diagonal, or the reference does not belong to it or classifies no
// point correctly, or none of a class if the bias is to be learned again.
func NewSparsify(cfg SparsifyConfig, p svm.Problem, ref *Reference) (*Sparsify, error) {
	s := &Sparsify{}
	if err := s.init("sparsify", cfg, p, ref); err != nil {
		return nil, err
	}
	return s, nil
}

// Step implements algorithms.Stepper. It converges when f(w~) <= Epsilon, or when
// another step would need more than Most expansion vectors.
func (s *Sparsify) Step() algorithms.Status { return s.once(s.step) }

func (s *Sparsify) step() algorithms.Status {
	i, j := s.working(s.found)
	if status := s.finished(i, j); status.Stop() {
		return status
	}
	if status := s.ready(i, j); status.Stop() {
		return status
	}
	s.add(i, s.cfg.Eta, j, s.cfg.Eta)
	s.raise(i, j, s.cfg.Eta)
	return s.finished(s.working(s.found))
}

// Settled implements Learner: it reports whether the next step admits a vector, so
// that of the classifiers on the same vectors the last one counts.
func (s *Sparsify) Settled() bool { return s.admits(s.working(s.found)) > 0 }

// Value returns f(w~). It costs O(1).
func (s *Sparsify) Value() float64 { return s.violation(s.found) }

// ExpansionTo implements Learner.
func (s *Sparsify) ExpansionTo(e *Expansion) { s.write(e, s.offset(s.found)) }
