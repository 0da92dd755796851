package svm

import (
	"fmt"
	"math"
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/internal/finite"
)

// Draw says what a step of the SBP is made of.
type Draw string

const (
	// DrawOne is a point of p*, as in the thesis; with a bias a class is drawn
	// first, each with probability 1/2.
	DrawOne Draw = "one"
	// DrawPair is a point of each class, for problems with a bias only. With a
	// bias p* has half of its mass on each class, and so half the sum of a point
	// of each has the same mean as one point of p*, and less variance where
	// all K(x, x') are large: y_i Phi(x_i) alone is then mostly plus or minus the
	// mean of Phi. Along that f does not change, since the bias makes up for it,
	// and w walks there at random, at the cost of the rest of its bounded norm.
	// In a pair these parts cancel, and sum_i y_i alpha_i stays 0, as it is at
	// the optimum. It is worth little more than the second kernel row that a
	// pair takes: on Adult, over 24 seeds, 0.1 points of test error at most at
	// equal kernel evaluations, and a median of 6,245 rows to 15.0 % where one
	// point a step takes 7,508. What it saves is the slow seeds (ERRATA.md).
	DrawPair Draw = "pair"
)

// SBPConfig configures SBP.
type SBPConfig struct {
	// Nu is the slack per training point, nu >= 0: the points together may be
	// lifted by n nu.
	Nu float64
	// Bias adds an unregularized bias.
	Bias bool
	// Draw is DrawOne or DrawPair. If it is empty it is DrawPair with a bias
	// and DrawOne without.
	Draw Draw
}

// draw returns Draw with its default, or what is wrong with it.
func (cfg SBPConfig) draw() (Draw, error) {
	switch {
	case cfg.Draw == DrawOne, cfg.Draw == DrawPair && cfg.Bias:
		return cfg.Draw, nil
	case cfg.Draw == DrawPair:
		return "", fmt.Errorf("svm: sbp: draw = %q, but without a bias p* does not have half its mass on each class; draw %q, or train with a bias", DrawPair, DrawOne)
	case cfg.Draw != "":
		return "", fmt.Errorf("svm: sbp: draw = %q, want %q or %q", cfg.Draw, DrawOne, DrawPair)
	case cfg.Bias:
		return DrawPair, nil
	}
	return DrawOne, nil
}

// SBP is the Stochastic Batch Perceptron: stochastic gradient ascent on the
// slack-constrained objective
//
//	maximise  f(w)  subject to  |w| <= 1,
//	f(w) = max over xi >= 0, 1'xi <= n nu  of  min_i (y_i <w, Phi(x_i)> + xi_i),
//
// where with a bias f is also maximised over b, added as y_i b. f(w) is the
// level of a volume n nu of water above the responses (see WaterLevel), and
//
//	i_t uniform among the points under water,
//	w_t = P(w_{t-1} + eta_t y_{i_t} Phi(x_{i_t})),  eta_t = eta_0 / sqrt(t),
//	eta_0 = 1 / max_i sqrt(K(x_i, x_i)),
//
// where P projects onto the unit ball. With a bias the points of p* are drawn
// in pairs, i_t of the positive and j_t of the negative class (see DrawPair):
//
//	w_t = P(w_{t-1} + eta_t/2 (Phi(x_{i_t}) - Phi(x_{j_t}))).
//
// The classifier is the average of the iterates and its b, divided by its own f.
//
// f(0) = nu >= 0, but the average of the first few iterates may have f <= 0.
// There is then no margin to scale to; the classifier is the average as it is,
// which has the same sign and error as any positive multiple.
//
// A step costs a kernel row, of a pair two, and one pass over all N points, and
// O(n) more to find the water level from the previous one. It is charged n
// kernel evaluations, for a pair 2 n.
//
// Source: Cotter 2013, Alg. "slack-constrained-sgd"; Cotter, Shalev-Shwartz &
// Srebro 2012, "The kernelized stochastic batch perceptron". The text of the
// thesis has eta_0 = 1, which is the same if K(x, x) <= 1 is attained, and one
// point a step with a bias, too.
type SBP struct {
	kernelIterate
	volume float64
	bias   bool
	pair   bool
	eta0   float64
	rSq    float64
	water  water
	rng    *rand.Rand
	work   []float64
}

var _ Sparse = (*SBP)(nil)

// NewSBP returns the SBP at w = 0; rng draws the points. It returns an error if
// rng is nil, Nu is negative or not finite, Draw is unknown or DrawPair without
// a bias, the problem is malformed or all of its kernel zero, or Bias is set and
// there is one class only.
func NewSBP(cfg SBPConfig, p Problem, rng *rand.Rand) (*SBP, error) {
	it, err := newKernelIterate("sbp", p, true)
	if err != nil {
		return nil, err
	}
	if rng == nil {
		return nil, fmt.Errorf("svm: sbp: no random numbers given")
	}
	if !(cfg.Nu >= 0) || math.IsInf(cfg.Nu, 1) {
		return nil, fmt.Errorf("svm: sbp: nu = %g; the slack per point must be a finite number >= 0", cfg.Nu)
	}
	draw, err := cfg.draw()
	if err != nil {
		return nil, err
	}
	if err := p.Check(cfg.Bias); err != nil {
		return nil, fmt.Errorf("svm: sbp: %w", err)
	}
	if it.most == 0 {
		return nil, fmt.Errorf("svm: sbp: K(x, x) = 0 for every training point; nothing can be learned from empty rows only")
	}
	a := &SBP{
		kernelIterate: it,
		volume:        float64(it.n) * cfg.Nu,
		bias:          cfg.Bias,
		pair:          draw == DrawPair,
		eta0:          1 / math.Sqrt(it.most),
		rng:           rng,
	}
	if !finite.Is(a.volume) {
		return nil, fmt.Errorf("svm: sbp: nu = %g is too large: n nu is not finite", cfg.Nu)
	}
	a.water = newWater(a.u[:p.Positive], a.u[p.Positive:it.n], cfg.Bias)
	return a, nil
}

// Step implements algorithms.Stepper.
func (a *SBP) Step() algorithms.Status {
	eta := a.eta0 / math.Sqrt(float64(a.cost.Iterations+1))
	if a.pair {
		return a.stepPair(eta / 2)
	}
	i := a.water.sample(a.volume/a.scale, a.rng)
	if i < 0 {
		return a.diverged("the water level", math.NaN())
	}
	rSq := a.rSq + 2*eta*a.response(i) + eta*eta*a.diag[i]
	if !finite.Is(rSq) {
		return a.diverged("|w|^2", rSq)
	}
	row := a.row(i)
	if row == nil {
		return a.unsound(i)
	}
	d, e := a.addAlpha(i, eta)
	a.water.rise(a.u, d, a.b, e, row, math.Sqrt(a.most*a.diag[i]))
	a.settle(rSq, 1)
	return algorithms.Status{}
}

// Reach implements Sparse.
func (a *SBP) Reach() (least, most int) {
	if a.pair {
		return a.support, a.support + 2
	}
	return a.kernelIterate.Reach()
}

// stepPair adds eta (Phi(x_i) - Phi(x_j)).
func (a *SBP) stepPair(eta float64) algorithms.Status {
	i, j := a.water.samplePair(a.volume/a.scale, a.rng)
	if i < 0 {
		return a.diverged("the water level", math.NaN())
	}
	row, other := a.row(i), a.row(j)
	switch {
	case row == nil:
		return a.unsound(i)
	case other == nil:
		return a.unsound(j)
	}
	distSq := max(0, a.diag[i]+a.diag[j]-2*float64(row[j]))
	rSq := a.rSq + 2*eta*(a.response(i)+a.response(j)) + eta*eta*distSq
	if !finite.Is(rSq) {
		return a.diverged("|w|^2", rSq)
	}
	d, e := a.addAlpha(i, eta)
	a.addAlpha(j, eta)
	a.water.risePair(a.u, d, a.b, e, row, other, math.Sqrt(a.most*distSq))
	a.settle(rSq, 2)
	return algorithms.Status{}
}

// settle ends a step that has moved k coefficients: it projects w, whose |w|^2 is
// rSq, and adds it to the average.
func (a *SBP) settle(rSq float64, k int) {
	a.rSq = max(0, rSq)
	if rSq > 1 {
		a.rSq = 1
		a.water.rescale(a.shrink(1 / math.Sqrt(rSq)))
	}
	a.average()
	a.charge(k, true)
	if a.cost.Iterations%normEvery == 0 {
		a.rSq = a.normSq()
	}
}

// SolutionTo implements Learner: the average, scaled to margin 1, in O(N)
// expected operations.
func (a *SBP) SolutionTo(s *Solution) {
	a.averageTo(s)
	gamma := a.levelOf(s)
	f := 1 / gamma
	if !(gamma > 0) || math.IsInf(f, 1) || math.IsInf(s.NormSq*(f*f), 1) {
		f = 1
	}
	s.multiply(f)
	s.Bias *= f
	if s.Bias != 0 {
		for j := range s.Scores {
			s.Scores[j] += s.Bias
		}
	}
}

// levelOf returns f of a solution without a bias and, for a problem with one,
// sets its bias.
func (a *SBP) levelOf(s *Solution) (gamma float64) {
	np := a.p.Positive
	a.work = resize(a.work, a.n)
	copy(a.work, s.Scores[:np])
	for i, u := range s.Scores[np:a.n] {
		a.work[np+i] = -u
	}
	if !a.bias {
		return waterLevel(a.work, a.volume)
	}
	levelPos, levelNeg := waterLevels(a.work[:np], a.work[np:], a.volume)
	s.Bias = (levelNeg - levelPos) / 2
	return (levelPos + levelNeg) / 2
}
