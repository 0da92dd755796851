package kernel

import (
	"math/bits"

	"stochopt/algorithms/internal/exp"
)

// bitLayout stores points whose nonzero values all equal v as bit sets, so that
// <x, x'> = v^2 |x AND x'|. Word w of all points is contiguous ("bit planes"), so that a vector register
// holds the same word of several points.
type bitLayout struct {
	words, stride int
	plane         []uint64 // words x stride; stride >= N + block, a multiple of block
	count         []int32  // set bits of each point
	v2            float64
}

func newBitLayout(r *rows, c *columns, v float64) *bitLayout {
	n := len(r.number)
	l := &bitLayout{words: max(1, (len(c.feature)+63)/64), stride: roundUp(n, block) + block, count: make([]int32, n), v2: float64(v * v)}
	l.plane = make([]uint64, l.words*l.stride)
	for i := range n {
		indices, _ := r.entries(i)
		for _, f := range indices {
			k := c.of(f)
			l.plane[k/64*l.stride+i] |= 1 << (k % 64)
		}
		l.count[i] = int32(len(indices))
	}
	return l
}

func (l *bitLayout) query(int, int) query {
	return &bitQuery{l: l, word: make([]uint64, l.words), differ: make([]uint64, block), out: make([]float64, block)}
}

func (l *bitLayout) normSq(i int) float64 { return float64(l.count[i]) * l.v2 }

// gaussian returns a table of the Gaussian kernel of two points by the number of features in which they
// differ. The squared distance is v^2 times this number.
func (l *bitLayout) gaussian(k Gaussian) []float32 {
	table := make([]float32, max(64*l.words+1, byteTable))
	for h := range table {
		table[h] = float32(exp.Neg(float64(k.Gamma * float64(float64(h)*l.v2))))
	}
	return table
}

type bitQuery struct {
	l      *bitLayout
	i      int
	word   []uint64
	differ []uint64
	out    []float64
}

func (q *bitQuery) set(i int) {
	q.i = i
	for w := range q.word {
		q.word[w] = q.l.plane[w*q.l.stride+i]
	}
}

// hamming returns the numbers of features in which x_i and x_j differ, for lo <= j < hi.
func (q *bitQuery) hamming(lo, hi int) []uint64 {
	hammingBlock(q.differ, q.l.plane[lo:], q.l.stride, q.word)
	return q.differ[:hi-lo]
}

func (q *bitQuery) dots(lo, hi int) []float64 {
	own, count := int(q.l.count[q.i]), q.l.count[lo:hi]
	out := q.out[:hi-lo]
	for j, h := range q.hamming(lo, hi) {
		out[j] = float64((own+int(count[j])-int(h))/2) * q.l.v2
	}
	return out
}

// byteTable is the least length of a table. A table of this length needs no bounds checks for byte
// indices.
const byteTable = 256

// lookUp sets out[j] to table[h[j]].
func lookUp(out, table []float32, h []uint64) {
	h = h[:len(out)]
	if len(table) > byteTable {
		for j, k := range h {
			out[j] = table[k]
		}
		return
	}
	t := (*[byteTable]float32)(table)
	for len(out) >= 4 && len(h) >= 4 {
		out[0], out[1], out[2], out[3] = t[uint8(h[0])], t[uint8(h[1])], t[uint8(h[2])], t[uint8(h[3])]
		out, h = out[4:], h[4:]
	}
	for j, k := range h {
		out[j] = t[uint8(k)]
	}
}

// hammingBlockPortable sets dst[j] to the number of bits in which word differs from plane[j],
// plane[stride+j], …, for j < block.
func hammingBlockPortable(dst, plane []uint64, stride int, word []uint64) {
	dst = dst[:block]
	clear(dst)
	for w, x := range word {
		for j, p := range plane[w*stride:][:block] {
			dst[j] += uint64(bits.OnesCount64(p ^ x))
		}
	}
}
