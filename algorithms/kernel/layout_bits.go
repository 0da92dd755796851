package kernel

import "math/bits"

// bitLayout holds points whose nonzero values are all one value v as bit sets:
// <x, x'> = v^2 |x AND x'|. Word w of all points is contiguous ("bit planes"),
// so that a vector register holds the same word of several points.
type bitLayout struct {
	words, stride int
	plane         []uint64 // words x stride; stride >= N, a multiple of block
	count         []int32  // set bits of each point
	reach         int      // more than the features in which two points differ
	v2            float64
}

// bitReach is the largest reach for which the Gaussian kernel is looked up in
// registers.
const bitReach = 128

func newBitLayout(s *survey) *bitLayout {
	l := &bitLayout{
		words:  max(1, (s.used+63)/64),
		stride: roundUp(s.n, block),
		count:  make([]int32, s.n),
		v2:     1,
	}
	if len(s.values) == 1 {
		l.v2 = float64(s.values[0] * s.values[0])
	}
	l.plane = make([]uint64, l.words*l.stride)
	for i := range s.n {
		indices, _ := s.rows.entries(i)
		for _, f := range indices {
			c := s.column.of(f)
			l.plane[c/64*l.stride+i] |= 1 << (c % 64)
		}
		l.count[i] = int32(len(indices))
		l.reach = max(l.reach, 2*len(indices))
	}
	l.reach = min(l.reach, s.used) + 1
	return l
}

func (l *bitLayout) batch() int { return 1 }

func (l *bitLayout) query() query {
	return &bitQuery{
		l:      l,
		word:   make([]uint64, l.words),
		differ: make([]uint64, block),
		out:    matrix(1, block),
	}
}

func (l *bitLayout) dot(i, j int) float64 {
	common := 0
	for w := range l.words {
		p := l.plane[w*l.stride:]
		common += bits.OnesCount64(p[i] & p[j])
	}
	return float64(common) * l.v2
}

type bitQuery struct {
	l      *bitLayout
	i      int
	word   []uint64
	differ []uint64
	out    [][]float64
}

func (q *bitQuery) set(rows []int) {
	q.i = rows[0]
	for w := range q.word {
		q.word[w] = q.l.plane[w*q.l.stride+q.i]
	}
}

// hamming returns, for lo <= j < hi, in how many features x_i and x_j differ.
func (q *bitQuery) hamming(lo, hi int) []uint64 {
	hammingBlock(q.differ, q.l.plane[lo:], q.l.stride, q.word)
	return q.differ[:hi-lo]
}

// lookUp sets dst[j-lo] to table[h], h the number of features in which the point of
// the query and point j differ, for base <= lo <= j < hi. base is a multiple of
// block and hi at most block more.
func (q *bitQuery) lookUp(dst, table []float32, base, lo, hi int) {
	l := q.l
	if hi-lo == block && bitRow(dst, l.plane[lo:], l.stride, q.word, table, l.reach) {
		return
	}
	lookUp(dst[:hi-lo], table, q.hamming(base, hi)[lo-base:])
}

func (q *bitQuery) dots(lo, hi int) [][]float64 {
	own, count := int(q.l.count[q.i]), q.l.count[lo:hi]
	out := q.out[0][:hi-lo]
	for j, h := range q.hamming(lo, hi) {
		out[j] = float64((own+int(count[j])-int(h))/2) * q.l.v2
	}
	return q.out
}

// hammingBlockPortable sets dst[j] to the number of bits in which word differs
// from plane[j], plane[stride+j], …, for j < block.
func hammingBlockPortable(dst, plane []uint64, stride int, word []uint64) {
	dst = dst[:block]
	for w, x := range word {
		p := plane[w*stride:][:block]
		if w == 0 {
			for j := range dst {
				dst[j] = uint64(bits.OnesCount64(p[j] ^ x))
			}
			continue
		}
		for j := range dst {
			dst[j] += uint64(bits.OnesCount64(p[j] ^ x))
		}
	}
}
