package svm

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/internal/finite"
)

// SIMBAConfig configures SIMBA.
type SIMBAConfig struct {
	// Nu is the slack per training point, >= 0.
	Nu float64
}

// SIMBA trains a linear SVM by a stochastic primal-dual method:
//
//	maximise over |w| <= 1 and xi >= 0, 1'xi <= n nu
//	min over distributions p of  sum_i p_i (y_i <w, x_i> + xi_i).
//
// With |x_i| <= 1 and eta = sqrt(log(n)/t), step t
//
//  1. draws i from p and sets u <- u + y_i x_i, w = u/max(sqrt(2 t), |u|);
//  2. maximises sum_i p_i xi_i subject to xi_i <= 2: xi_i is 2 for the n nu/2 most
//     probable points;
//  3. draws a feature j with probability w_j^2/|w|^2, so that c_i = y_i x_ij |w|^2/w_j is
//     an unbiased estimate of y_i <w, x_i>;
//  4. multiplies p_i by 1 - eta v_i + (eta v_i)^2, where v_i is c_i + xi_i clipped to
//     [-1/eta, 1/eta], and normalises p. This is a mirror descent step with the entropy,
//     with the exponential replaced by its first terms, which are positive and control the
//     variance of the estimate.
//
// The solution is the average of the w. As in SBP, it is divided by its value of the objective, if that
// is positive.
//
// The implementation divides the points and nu by r = max_i |x_i|, which gives an equivalent problem.
// Weights are at least 1e-250, so that they do not underflow to 0.
//
// A step costs O(n + d). It reads one point, and one feature of every point, so InnerProducts is
// t + floor(t n/d) after t steps.
//
// Source: Hazan, Koren & Srebro 2011, "Beating SGD: learning SVMs in sublinear time", NIPS 24, abstract
// read, algorithm 1 (SVM-SIMBA) with its constants from memory; Cotter 2013, section 2.4, full text
// read. According to the latter, a step draws from p, optimises the slack fully, takes a mirror descent
// step on p, and costs O(n + d). Ours are the division by the objective and the current t in place of
// the paper's number of steps T.
type SIMBA struct {
	p       LinearProblem
	rng     *rand.Rand
	columns columns
	n       int
	nu      float64
	radius  float64

	sum     []float64 // sum of the drawn y_i x_i/r
	average []float64 // sum of the iterates w
	weight  []float64 // p, not normalised
	scratch []float64
	slack   []float64
	cost    algorithms.Cost
}

var _ Learner = (*SIMBA)(nil)

// NewSIMBA returns SIMBA; rng draws points and features. It stores a copy of the training points by
// features, which takes 12 bytes for each nonzero. It returns an error if p is invalid, if rng is nil,
// or if a parameter is out of range.
func NewSIMBA(cfg SIMBAConfig, p LinearProblem, rng *rand.Rand) (*SIMBA, error) {
	const name = "simba"
	if err := checkLinear(name, p); err != nil {
		return nil, err
	}
	if rng == nil {
		return nil, errors.New("svm: " + name + ": the random generator is nil")
	}
	if !(cfg.Nu >= 0) || math.IsInf(cfg.Nu, 1) {
		return nil, fmt.Errorf("svm: %s: nu is %v; it must be finite and not negative", name, cfg.Nu)
	}
	n, d := p.Features.Train(), p.Features.Dim()
	r := 0.0
	for i := range n {
		r = max(r, math.Sqrt(p.Features.NormSq(i)))
	}
	if !finite.Is(r) {
		return nil, fmt.Errorf("svm: %s: the norm of a training point is not finite; check and scale the features", name)
	}
	r = cmp.Or(r, 1)
	return &SIMBA{
		p:       p,
		rng:     rng,
		columns: newColumns(p, r),
		n:       n,
		nu:      cfg.Nu / r,
		radius:  r,
		sum:     make([]float64, d),
		average: make([]float64, d),
		weight:  slices.Repeat([]float64{1}, n),
		scratch: make([]float64, n),
		slack:   make([]float64, n),
	}, nil
}

// Step implements algorithms.Stepper.
func (a *SIMBA) Step() algorithms.Status {
	t := a.cost.Iterations + 1
	i := drawWeighted(a.rng, a.weight)
	a.p.Features.AddTo(a.sum, a.p.Label(i)/a.radius, i)

	norm := math.Sqrt(linearNormSq(a.sum))
	scale := 1 / max(math.Sqrt(2*float64(t)), norm)
	for k, v := range a.sum {
		a.average[k] += float64(scale * v)
	}
	clear(a.slack)
	mostProbable(a.slack, a.weight, a.scratch, a.nu*float64(a.n))
	a.reweigh(math.Sqrt(math.Log(float64(a.n))/float64(t)), scale, norm)

	a.cost.Iterations = t
	n, d := int64(a.n), int64(len(a.sum))
	a.cost.InnerProducts = t + t/d*n + t%d*n/d
	return algorithms.Status{}
}

// reweigh takes the mirror descent step for w = scale sum, with norm = |sum|.
func (a *SIMBA) reweigh(eta, scale, norm float64) {
	if norm > 0 {
		j := drawSquared(a.rng, a.sum, norm*norm)
		a.columns.addTo(a.slack, scale*(norm/a.sum[j])*norm, j)
	}
	const minWeight = 1e-250
	total := 0.0
	for i, v := range a.slack {
		ev := min(max(eta*v, -1), 1) // 0 if n = 1
		q := max(a.weight[i]*(1-ev*(1-ev)), minWeight)
		a.weight[i] = q
		total += q
	}
	if total < 1e-100 || total > 1e100 {
		for i := range a.weight {
			a.weight[i] = max(a.weight[i]/total, minWeight)
		}
	}
}

// Cost implements algorithms.Stepper.
func (a *SIMBA) Cost() algorithms.Cost { return a.cost }

// SolutionTo implements Learner. It computes N inner products and the water level of the training
// responses. Alpha is empty.
func (a *SIMBA) SolutionTo(s *Solution) {
	scale := 0.0
	if t := a.cost.Iterations; t > 0 {
		scale = 1 / float64(t)
	}
	linearSolutionTo(s, a.p.Features, a.average, scale)
	c := make([]float64, a.n)
	for i := range c {
		c[i] = a.p.Label(i) * s.Scores[i]
	}
	if level, _ := waterLevel(c, a.nu*a.radius*float64(a.n), math.Inf(1)); level > 0 {
		for j := range s.Scores {
			s.Scores[j] /= level
		}
		s.NormSq /= level * level
	}
}
