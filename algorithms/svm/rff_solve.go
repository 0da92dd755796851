package svm

import (
	"context"
	"math"
	"math/rand/v2"
)

// shrinkingAscent runs LinearSDCA to a duality gap. It passes over the active
// coordinates in random order, and sets those aside that are at a bound and
// want to stay there by more than the largest violation of the pass before,
// until the others have converged (Hsieh et al. 2008, section 3.2).
type shrinkingAscent struct {
	a   *LinearSDCA
	rng *rand.Rand
	// index holds all coordinates, the active ones first.
	index  []int32
	active int
}

func newShrinkingAscent(a *LinearSDCA, rng *rand.Rand) *shrinkingAscent {
	s := &shrinkingAscent{a: a, rng: rng, index: make([]int32, a.n), active: a.n}
	for i := range s.index {
		s.index[i] = int32(i)
	}
	return s
}

// solve ascends until the relative duality gap is at most tolerance, or for
// maxPasses passes, and returns the gap. The error is the cause of the end of
// ctx.
func (s *shrinkingAscent) solve(ctx context.Context, tolerance float64, maxPasses int) (float64, error) {
	if ctx.Err() != nil {
		return math.NaN(), context.Cause(ctx)
	}
	primal, dual := s.a.Gap()
	for passes, factor := 0, 1.0; primal-dual > tolerance*primal && passes < maxPasses; factor /= 2 {
		target := factor * tolerance * primal
		s.active = len(s.index)
		bound := math.Inf(1)
		for s.active > 0 && passes < maxPasses {
			if ctx.Err() != nil {
				return math.NaN(), context.Cause(ctx)
			}
			gap, violation := s.pass(bound)
			passes++
			if gap <= target {
				break
			}
			bound = violation
		}
		primal, dual = s.a.Gap()
	}
	return (primal - dual) / primal, nil
}

// pass visits every active coordinate once and sets aside those at a bound that
// want to stay there by more than bound. It returns the largest violation of
// the optimality conditions that it met, and the sum of what each coordinate
// visited contributed to the duality gap, which is, with C = 1/(lambda n),
//
//	P - D = (1/n) sum_i (alpha_i/C) max(0, g_i) + (1 - alpha_i/C) max(0, -g_i),
//	g_i = y_i <w, x_i> - 1.
func (s *shrinkingAscent) pass(bound float64) (gap, violation float64) {
	active := s.index[:s.active]
	s.rng.Shuffle(len(active), func(i, j int) { active[i], active[j] = active[j], active[i] })
	for next := 0; next < s.active; {
		i := int(s.index[next])
		share := s.a.alpha[i] / s.a.upper
		g := s.a.ascend(i)
		outside := g
		if g < 0 {
			share, outside = 1-share, -g
		}
		if share == 0 && outside > bound {
			s.active--
			s.index[next], s.index[s.active] = s.index[s.active], s.index[next]
			continue
		}
		next++
		if share > 0 {
			gap += share * outside
			violation = max(violation, outside)
		}
	}
	return gap / float64(s.a.n), violation
}
