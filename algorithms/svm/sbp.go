package svm

import (
	"fmt"
	"math"
	"math/rand/v2"

	"stochopt/algorithms"
)

// SBPConfig configures SBP.
type SBPConfig struct {
	// Nu is the slack per training point, nu >= 0. The total slack is n nu.
	Nu float64
	// Bias adds an unregularised bias.
	Bias bool
	// Pair draws one point of each class in each step. It requires Bias.
	Pair bool
}

// SBP is the Stochastic Batch Perceptron: stochastic gradient ascent on the slack-constrained objective
//
//	maximise  f(w)  subject to  |w| <= 1,
//	f(w) = max over xi >= 0, 1'xi <= n nu  of  min_i (y_i <w, Phi(x_i)> + xi_i),
//
// where with a bias y_i b is added to the responses and f is also maximised over b. f(w) is the level of
// a volume n nu of water above the responses (see WaterLevel). A step is
//
//	i_t uniform among the points under water,
//	w_t = P(w_{t-1} + eta_t y_{i_t} Phi(x_{i_t})),  eta_t = eta_0 / sqrt(t),
//	eta_0 = 1 / max_i sqrt(K(x_i, x_i)),
//
// where P projects onto the unit ball. With a bias, the minimax distribution p* has half of its mass on
// each class. Then i_t is drawn from a random class or, with Pair, i_t is drawn from the positive and
// j_t from the negative class:
//
//	w_t = P(w_{t-1} + eta_t/2 (Phi(x_{i_t}) - Phi(x_{j_t}))).
//
// A pair has the same expected step as one point, but less variance if all K(x, x') are large. In that
// case y_i Phi(x_i) is close to plus or minus the mean of Phi. f does not change in this direction,
// because the bias compensates. Single points therefore cause a random walk of w, which uses up part of
// its bounded norm. In a pair these components cancel, and sum_i y_i alpha_i stays 0, as at the optimum.
// ERRATA.md quantifies the gain.
//
// The classifier is the average of the iterates, with its b, divided by its value of f. The average of
// the first few iterates may have f <= 0, although f(0) = nu >= 0. Then there is no margin to scale to,
// and the classifier is the average itself. It has the same error as any positive multiple.
//
// A step costs a kernel row, or two for a pair, with a pass over all N points for each row, and O(n) to
// update the water level. It is charged n kernel evaluations, or 2 n for a pair.
//
// Source: Cotter 2013, Alg. "slack-constrained-sgd"; Cotter, Shalev-Shwartz & Srebro 2012, "The
// kernelized stochastic batch perceptron". The text of the thesis has eta_0 = 1, which is equal if
// max_x K(x, x) = 1, and one point in each step, also with a bias.
type SBP struct {
	kernelIterate
	volume float64 // n nu
	bias   bool
	pair   bool
	eta0   float64
	rSq    float64 // |w|^2
	level  float64 // water level of the last step, without a bias
	levels twoLevels
	rng    *rand.Rand
}

var _ SupportCounter = (*SBP)(nil)

// NewSBP returns the SBP at w = 0; rng draws the points. It returns an error if rng is nil, if a
// parameter is out of range, if Pair is set without Bias, if p is invalid, or if the kernel is zero.
// With Bias, p must have points of both classes.
func NewSBP(cfg SBPConfig, p Problem, rng *rand.Rand) (*SBP, error) {
	it, err := newKernelIterate("sbp", p, true)
	if err != nil {
		return nil, err
	}
	if err := p.Check(cfg.Bias); err != nil {
		return nil, fmt.Errorf("svm: sbp: %w", err)
	}
	volume := float64(it.n) * cfg.Nu
	switch {
	case rng == nil:
		return nil, fmt.Errorf("svm: sbp: the random generator is nil")
	case !(volume >= 0 && volume <= maxWater*foldBelow):
		return nil, fmt.Errorf("svm: sbp: nu = %g; it must not be negative, and n nu must be finite", cfg.Nu)
	case cfg.Pair && !cfg.Bias:
		return nil, fmt.Errorf("svm: sbp: pairs of points need a bias, as otherwise p* may not have half of its mass " +
			"on each class; draw one point, or train with a bias")
	case it.maxDiag == 0:
		return nil, fmt.Errorf("svm: sbp: K(x, x) = 0 for every training point; check the features and the kernel")
	}
	return &SBP{
		kernelIterate: it,
		volume:        volume,
		bias:          cfg.Bias,
		pair:          cfg.Pair,
		eta0:          1 / math.Sqrt(it.maxDiag),
		levels:        newTwoLevels(it.c[:p.Positive], it.c[p.Positive:it.n]),
		rng:           rng,
	}, nil
}

// Step implements algorithms.Stepper.
func (a *SBP) Step() algorithms.Status {
	points := a.draw()
	eta := a.eta0 / math.Sqrt(float64(a.cost.Iterations+1)) / float64(len(points))
	rows := make([][]float32, len(points))
	for k, i := range points {
		var err error
		if rows[k], err = a.rows.Checked(i); err != nil {
			return a.badRow(err)
		}
	}
	for k, i := range points {
		a.rSq += 2*eta*a.response(i) + eta*eta*a.diag[i]
		a.add(i, eta, rows[k])
	}
	if a.rSq > 1 {
		a.shrink(1 / math.Sqrt(a.rSq))
		a.rSq = 1
	}
	a.addToAverage()
	a.charge(len(points), true)
	return algorithms.Status{}
}

// draw draws the points of a step from p*.
func (a *SBP) draw() []int {
	np, volume := a.p.Positive, a.volume/a.scale
	if !a.bias {
		c, under := a.c[:a.n], 0
		a.level, under = waterLevel(c, volume, a.level)
		return []int{drawPoint(c, a.level, under, under, a.rng)}
	}
	a.levels.search(volume)
	if a.pair {
		return []int{a.levels.draw(0, a.rng), np + a.levels.draw(1, a.rng)}
	}
	if a.rng.IntN(2) == 0 {
		return []int{a.levels.draw(0, a.rng)}
	}
	return []int{np + a.levels.draw(1, a.rng)}
}

// SupportBounds implements SupportCounter.
func (a *SBP) SupportBounds() (least, most int) {
	if a.pair {
		return a.support, a.support + 2
	}
	return a.kernelIterate.SupportBounds()
}

// SolutionTo implements Learner. It writes the average, scaled to margin 1.
func (a *SBP) SolutionTo(s *Solution) {
	a.averageTo(s)
	c := make([]float64, a.n)
	for i := range c {
		c[i] = a.p.Label(i) * s.Scores[i]
	}
	var gamma float64
	if a.bias {
		gamma, s.Bias, _ = WaterLevelBias(c[:a.p.Positive], c[a.p.Positive:], a.volume)
	} else {
		gamma, _ = WaterLevel(c, a.volume)
	}
	f := 1 / gamma
	if !(gamma > 0) || math.IsInf(f, 1) || math.IsInf(s.NormSq*(f*f), 1) {
		f = 1
	}
	s.multiply(f)
	s.Bias *= f
	for j := range s.Scores {
		s.Scores[j] += s.Bias
	}
}
