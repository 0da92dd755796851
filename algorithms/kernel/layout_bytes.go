package kernel

const (
	// byteAlign is the multiple to which rows of bytes are padded.
	byteAlign = 32
	// byteGroup is the number of points in one iteration of the vector path.
	byteGroup = 4
	// byteColumns is the largest number of features for which the inner product of two rows of bytes
	// fits an int32: 2^15 255^2 < 2^31.
	byteColumns = 1 << 15
)

// byteLayout stores points with values k unit, for integers 0 <= k <= 255, as rows of bytes. Inner
// products are exact integers times unit^2.
type byteLayout struct {
	stride int
	value  []uint8 // (number of points + byteGroup) x stride
	unit2  float64
}

func newByteLayout(r *rows, c *columns, unit float64) *byteLayout {
	n := len(r.number)
	l := &byteLayout{stride: roundUp(len(c.feature), byteAlign), unit2: float64(unit * unit)}
	l.value = make([]uint8, (n+byteGroup)*l.stride)
	for i := range n {
		row := l.value[i*l.stride : (i+1)*l.stride]
		indices, values := r.entries(i)
		for p, f := range indices {
			row[c.of(f)] = uint8(multiple(values[p], unit))
		}
	}
	return l
}

func (l *byteLayout) query(int, int) query {
	return &byteQuery{l: l, wide: make([]int16, l.stride), out: make([]float64, block)}
}

func (l *byteLayout) normSq(i int) float64 {
	var sum int32
	for _, v := range l.value[i*l.stride:][:l.stride] {
		sum += int32(v) * int32(v)
	}
	return float64(sum) * l.unit2
}

type byteQuery struct {
	l    *byteLayout
	wide []int16 // the point of the query
	out  []float64
}

func (q *byteQuery) set(i int) {
	for f, v := range q.l.value[i*q.l.stride:][:q.l.stride] {
		q.wide[f] = int16(v)
	}
}

func (q *byteQuery) dots(lo, hi int) []float64 {
	byteDots(q.out, q.l.value[lo*q.l.stride:], q.wide, hi-lo, q.l.unit2)
	return q.out[:hi-lo]
}

// byteDotsPortable sets dst[j] to scale times the inner product of x and row j of y, for j < points.
// Rows have the length of x.
func byteDotsPortable(dst []float64, y []uint8, x []int16, points int, scale float64) {
	for j := range points {
		row := y[j*len(x):][:len(x)]
		var a, b int32
		for f := 0; f+1 < len(x); f += 2 {
			a += int32(x[f]) * int32(row[f])
			b += int32(x[f+1]) * int32(row[f+1])
		}
		dst[j] = float64(a+b) * scale
	}
}
