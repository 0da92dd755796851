package sparse

import "stochopt/algorithms/internal/vec"

// design is the matrix R of m functions at n points, 32 bits each. The values of
// a point lie side by side, so that what concerns some of the points, those in
// the loss, costs as much less.
type design struct {
	n, m   int
	most   int // functions that there will be at most
	stride int // of a point, a multiple of designPad
	blocks [][]float32
}

const (
	// designBlock is the number of points that are moved together when there is no
	// more room for functions.
	designBlock = 256
	// designPad is what the number of functions is rounded up to, with zeros, for
	// passes without a remainder.
	designPad = 16
)

func newDesign(n, most int) design {
	return design{n: n, most: most, blocks: make([][]float32, (n+designBlock-1)/designBlock)}
}

func padded(m int) int { return (m + designPad - 1) &^ (designPad - 1) }

// width returns m, rounded up.
func (r *design) width() int { return padded(r.m) }

// point returns R_.i, of length width.
func (r *design) point(i int) []float32 {
	at := i % designBlock * r.stride
	return r.blocks[i/designBlock][at : at+r.width()]
}

// add adds functions, given their values at the n points, in O(n) operations each
// and now and then O(n m). Several at a time are added faster: a point's values
// then share a line of the cache.
func (r *design) add(rows ...[]float32) {
	if need := r.m + len(rows); need > r.stride {
		r.reserve(max(need, min(r.m+r.m/2+designPad, r.most)))
	}
	for b, block := range r.blocks {
		from := b * designBlock
		for k := range min(designBlock, r.n-from) {
			values := block[k*r.stride+r.m:][:len(rows)]
			for c, row := range rows {
				values[c] = row[from+k]
			}
		}
	}
	r.m += len(rows)
}

// reserve makes room for m functions.
func (r *design) reserve(m int) {
	stride := padded(m)
	if stride <= r.stride {
		return
	}
	for b := range r.blocks {
		points := min(designBlock, r.n-b*designBlock)
		block := make([]float32, points*stride)
		for k := range points {
			copy(block[k*stride:], r.blocks[b][k*r.stride:(k+1)*r.stride])
		}
		r.blocks[b] = block
	}
	r.stride = stride
}

// timesTo sets dst_i = sum_k x_k R_ki for the n points; x has length width, with
// zeros at its end.
func (r *design) timesTo(dst, x []float64) {
	for i := range dst {
		dst[i] = vec.Dot32(x, r.point(i))
	}
}

// sumTo sets dst_k = sum_i w_i R_ki, over the points whose weight is not 0; dst
// has length width.
func (r *design) sumTo(dst, w []float64) {
	clear(dst)
	first := -1
	for i, v := range w {
		switch {
		case v == 0:
		case first < 0:
			first = i
		default:
			vec.AddScaledPair(dst, w[first], r.point(first), v, r.point(i))
			first = -1
		}
	}
	if first >= 0 {
		vec.AddScaled(dst, w[first], r.point(first))
	}
}

// normalTo sets dst = sum_i R_.i (R_.i'x), over the points that are on; dst and x
// have length width, and x has zeros at its end.
func (r *design) normalTo(dst, x []float64, on []bool) {
	clear(dst)
	first, w := -1, 0.0
	for i, on := range on {
		switch {
		case !on:
		case first < 0:
			first, w = i, vec.Dot32(x, r.point(i))
		default:
			vec.AddScaledPair(dst, w, r.point(first), vec.Dot32(x, r.point(i)), r.point(i))
			first = -1
		}
	}
	if first >= 0 {
		vec.AddScaled(dst, w, r.point(first))
	}
}
