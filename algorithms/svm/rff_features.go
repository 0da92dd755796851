package svm

import (
	"context"
	"math"
	"math/rand/v2"

	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/kernel"
)

// directionBlock is the number of directions that points are projected on at a
// time: their components and the projections stay in the fastest cache.
const directionBlock = 64

// fourier holds random Fourier features of all points, a pair cos, sin for each
// direction. It implements Features; the factor 1/sqrt(pairs) is applied as
// they are used.
//
// They are in blocks of pairs, each allocated once: the first is for
// directionBlock pairs, and each further one doubles their number, until there
// is room for all that there will ever be. So growing copies nothing and leaves
// no garbage, and a sum over the features adds up the sums over the blocks.
type fourier struct {
	x     kernel.Vectors
	n     int
	d     int
	train int
	most  int
	rng   *rand.Rand

	inverseSigma float64
	pairs        int
	scale        float64
	blocks       []fourierBlock
}

// fourierBlock holds the pairs from, from+1, …, to-1 of all points.
type fourierBlock struct {
	from, to int
	data     []float32 // n x 2 (to - from)
}

var _ Features = (*fourier)(nil)

// newFourier returns features without a pair yet, to be grown to at most most.
func newFourier(x kernel.Vectors, train, most int, gamma float64, rng *rand.Rand) *fourier {
	n, d := x.Dims()
	return &fourier{x: x, n: n, d: d, train: train, most: most, rng: rng, inverseSigma: math.Sqrt(2 * gamma)}
}

// grow raises the number of pairs to k. The error is the cause of the end of
// ctx; the features are not to be used then.
func (f *fourier) grow(ctx context.Context, k int) error {
	from := f.pairs
	f.pairs, f.scale = k, 1/math.Sqrt(float64(k))
	directions := make([]float32, f.d*min(k-from, directionBlock))
	for from < k {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		block := f.blockOf(from)
		m := min(directionBlock, k-from, block.to-from)
		v := directions[:f.d*m]
		for p := range m {
			for j := range f.d {
				v[j*m+p] = float32(f.inverseSigma * f.rng.NormFloat64())
			}
		}
		f.project(v, block, from, m)
		from += m
	}
	return nil
}

// blockOf returns the block of a pair, of which all before it are there.
func (f *fourier) blockOf(pair int) *fourierBlock {
	room := 0
	for b := range f.blocks {
		if room = f.blocks[b].to; pair < room {
			return &f.blocks[b]
		}
	}
	to := room + min(max(room, directionBlock), f.most-room)
	f.blocks = append(f.blocks, fourierBlock{room, to, make([]float32, f.n*2*(to-room))})
	return &f.blocks[len(f.blocks)-1]
}

// row returns the features of point j that are in the block.
func (f *fourier) row(b *fourierBlock, j int) []float32 {
	width := 2 * (b.to - b.from)
	return b.data[j*width : j*width+2*(min(f.pairs, b.to)-b.from)]
}

// project computes the m pairs of a block from the given one on: directions
// holds, for every feature of the points, its component in each of the m.
func (f *fourier) project(directions []float32, block *fourierBlock, from, m int) {
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
		out := f.row(block, i)[2*(from-block.from) : 2*(from+m-block.from)]
		for p, angle := range u {
			sin, cos := math.Sincos(angle)
			out[2*p], out[2*p+1] = float32(cos), float32(sin)
		}
	}
}

// notFinite returns the first point with a feature that is not finite, or -1.
func (f *fourier) notFinite() int {
	for j := range f.n {
		for b := range f.blocks {
			for _, v := range f.row(&f.blocks[b], j) {
				if v != v {
					return j
				}
			}
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
func (f *fourier) Dot(w []float64, j int) float64 {
	s := 0.0
	for i := range f.blocks {
		b := &f.blocks[i]
		row := f.row(b, j)
		s += vec.Dot32(w[2*b.from:2*b.from+len(row)], row)
	}
	return f.scale * s
}

// AddTo implements Features.
func (f *fourier) AddTo(w []float64, a float64, j int) {
	for i := range f.blocks {
		b := &f.blocks[i]
		row := f.row(b, j)
		vec.AddScaled(w[2*b.from:2*b.from+len(row)], f.scale*a, row)
	}
}

// NormSq implements Features. It is 1 but for the rounding of the features.
func (f *fourier) NormSq(j int) float64 {
	s := 0.0
	for i := range f.blocks {
		for _, v := range f.row(&f.blocks[i], j) {
			s += float64(v) * float64(v)
		}
	}
	return f.scale * f.scale * s
}
