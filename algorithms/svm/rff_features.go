package svm

import (
	"context"
	"math"
	"math/rand/v2"

	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/kernel"
)

// directionBlock is the number of directions in one projection pass. Their components and the
// projections fit into the L1 cache.
const directionBlock = 64

// fourier holds random Fourier features of all points, a pair cos, sin for each direction. It implements
// Features, which applies the factor 1/sqrt(pairs).
type fourier struct {
	x        kernel.Vectors
	n        int
	d        int
	train    int
	maxPairs int
	rng      *rand.Rand

	inverseSigma float64
	pairs        int
	scale        float64
	data         []float32 // n x 2 maxPairs
}

var _ Features = (*fourier)(nil)

// newFourier returns features without pairs, with capacity for maxPairs.
func newFourier(x kernel.Vectors, train, maxPairs int, gamma float64, rng *rand.Rand) *fourier {
	n, d := x.Dims()
	return &fourier{
		x: x, n: n, d: d, train: train, maxPairs: maxPairs, rng: rng,
		inverseSigma: math.Sqrt(2 * gamma), data: make([]float32, n*2*maxPairs),
	}
}

// grow increases the number of pairs to k. If ctx is cancelled, grow returns its cause, and the features
// are invalid.
func (f *fourier) grow(ctx context.Context, k int) error {
	from := f.pairs
	f.pairs, f.scale = k, 1/math.Sqrt(float64(k))
	directions := make([]float32, f.d*min(k-from, directionBlock))
	for from < k {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m := min(directionBlock, k-from)
		v := directions[:f.d*m]
		for p := range m {
			for j := range f.d {
				v[j*m+p] = float32(f.inverseSigma * f.rng.NormFloat64())
			}
		}
		f.project(v, from, m)
		from += m
	}
	return nil
}

// row returns the features of point j.
func (f *fourier) row(j int) []float32 { return f.data[2*f.maxPairs*j : 2*f.maxPairs*j+2*f.pairs] }

// project computes the pairs from, …, from+m-1 of all points. directions is a d x m matrix.
func (f *fourier) project(directions []float32, from, m int) {
	var angles [directionBlock]float64
	sparse := f.x.Sparse()
	var row []float64
	if !sparse {
		row = make([]float64, f.d)
	}
	for i := range f.n {
		u := angles[:m]
		clear(u)
		if sparse {
			indices, values := f.x.RowNonZero(i)
			for e, j := range indices {
				vec.AddScaled(u, values[e], directions[int(j)*m:(int(j)+1)*m])
			}
		} else {
			for j, v := range f.x.Row(i, row) {
				if v != 0 {
					vec.AddScaled(u, v, directions[j*m:(j+1)*m])
				}
			}
		}
		out := f.row(i)[2*from : 2*(from+m)]
		for p, angle := range u {
			sin, cos := math.Sincos(angle)
			out[2*p], out[2*p+1] = float32(cos), float32(sin)
		}
	}
}

// notFinite returns the first point with a feature that is not finite, or -1.
func (f *fourier) notFinite() int {
	for j := range f.n {
		if !vec.AllFinite(f.row(j)) {
			return j
		}
	}
	return -1
}

// Train implements Features.
func (f *fourier) Train() int { return f.train }

// Len implements Features.
func (f *fourier) Len() int { return f.n }

// Dim implements Features.
func (f *fourier) Dim() int { return 2 * f.pairs }

// Dot implements Features.
func (f *fourier) Dot(w []float64, j int) float64 { return f.scale * vec.Dot32(w, f.row(j)) }

// AddTo implements Features.
func (f *fourier) AddTo(w []float64, a float64, j int) { vec.AddScaled(w, f.scale*a, f.row(j)) }

// NormSq implements Features. It is 1 up to the rounding of the features.
func (f *fourier) NormSq(j int) float64 {
	s := 0.0
	for _, v := range f.row(j) {
		s += float64(v) * float64(v)
	}
	return f.scale * f.scale * s
}

// shrinkingAscent runs LinearSDCA to a duality gap. It passes over the active coordinates in random
// order until they have converged. It deactivates coordinates at a bound whose gradient points outwards
// by more than the largest violation of the previous pass (Hsieh et al. 2008, section 3.2).
type shrinkingAscent struct {
	sdca *LinearSDCA
	rng  *rand.Rand
	// maxPasses bounds the passes of solve.
	maxPasses int
	// index holds all coordinates, the active ones first.
	index  []int32
	active int
}

func newShrinkingAscent(sdca *LinearSDCA, rng *rand.Rand) *shrinkingAscent {
	s := &shrinkingAscent{sdca: sdca, rng: rng, maxPasses: 100_000, index: make([]int32, sdca.n), active: sdca.n}
	for i := range s.index {
		s.index[i] = int32(i)
	}
	return s
}

// solve ascends until the relative duality gap is at most tolerance, or for maxPasses passes, and
// returns the gap. If ctx is cancelled, solve returns its cause.
func (s *shrinkingAscent) solve(ctx context.Context, tolerance float64) (float64, error) {
	if ctx.Err() != nil {
		return math.NaN(), context.Cause(ctx)
	}
	primal, dual := s.sdca.Gap()
	for passes, factor := 0, 1.0; primal-dual > tolerance*primal && passes < s.maxPasses; factor /= 2 {
		target := factor * tolerance * primal
		s.active = len(s.index)
		bound := math.Inf(1)
		for s.active > 0 && passes < s.maxPasses {
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
		primal, dual = s.sdca.Gap()
	}
	return (primal - dual) / primal, nil
}

// pass visits every active coordinate once. It deactivates coordinates at a bound whose gradient points
// outwards by more than bound. It returns the largest violation of the optimality conditions, and the
// contributions of the visited coordinates to the duality gap,
//
//	P - D = (1/n) sum_i (alpha_i/C) max(0, g_i) + (1 - alpha_i/C) max(0, -g_i),
//	g_i = y_i <w, x_i> - 1,  C = 1/(lambda n).
func (s *shrinkingAscent) pass(bound float64) (gap, violation float64) {
	active := s.index[:s.active]
	s.rng.Shuffle(len(active), func(i, j int) { active[i], active[j] = active[j], active[i] })
	for next := 0; next < s.active; {
		i := int(s.index[next])
		share := s.sdca.alpha[i] / s.sdca.upper
		g := s.sdca.ascend(i)
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
	return gap / float64(s.sdca.n), violation
}
