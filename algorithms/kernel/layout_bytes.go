package kernel

const (
	// byteGrain is the multiple that rows of bytes are padded to.
	byteGrain = 32
	// byteColumns is the number of features up to which the inner product of
	// two rows of bytes fits an int32: 2^15 255^2 < 2^31.
	byteColumns = 1 << 15
	// byteBatch is the number of rows of a query, byteGroup of them at a time.
	byteBatch = 16
	byteGroup = 4
)

// byteLayout holds points whose values are k unit for integers 0 <= k <= 255,
// as bytes, a point a row. Inner products are exact integers times unit^2.
type byteLayout struct {
	stride int
	value  []uint8 // the number of points rounded up to byteGroup rows of stride
	unit2  float64
}

func newByteLayout(s *survey) *byteLayout {
	l := &byteLayout{stride: roundUp(s.used, byteGrain), unit2: float64(s.unit * s.unit)}
	l.value = make([]uint8, roundUp(s.n, byteGroup)*l.stride)
	for i := range s.n {
		row := l.value[i*l.stride : (i+1)*l.stride]
		indices, values := s.rows.entries(i)
		for p, f := range indices {
			row[s.column.of(f)] = uint8(multiple(values[p], s.unit))
		}
	}
	return l
}

func (l *byteLayout) batch() int { return byteBatch }
func (l *byteLayout) query() query {
	return &byteQuery{
		l:    l,
		wide: make([]int16, byteBatch*l.stride),
		data: make([]float64, byteBatch*block),
		out:  make([][]float64, 0, byteBatch),
	}
}

func (l *byteLayout) dot(i, j int) float64 {
	x, y := l.value[i*l.stride:(i+1)*l.stride], l.value[j*l.stride:(j+1)*l.stride]
	var sum int32
	for f, a := range x {
		sum += int32(a) * int32(y[f])
	}
	return float64(sum) * l.unit2
}

type byteQuery struct {
	l    *byteLayout
	rows int
	wide []int16   // the points of the query, rows x stride
	data []float64 // rows x block
	out  [][]float64
}

func (q *byteQuery) set(rows []int) {
	q.rows = len(rows)
	q.out = q.out[:0]
	for r, i := range rows {
		dst := q.wide[r*q.l.stride:][:q.l.stride]
		for f, v := range q.l.value[i*q.l.stride:][:q.l.stride] {
			dst[f] = int16(v)
		}
		q.out = append(q.out, q.data[r*block:(r+1)*block:(r+1)*block])
	}
}

func (q *byteQuery) dots(lo, hi int) [][]float64 {
	s := q.l.stride
	y := q.l.value[lo*s:]
	r := 0
	for ; r+byteGroup <= q.rows; r += byteGroup {
		byteDots4(q.data[r*block:], y, q.wide[r*s:], s, hi-lo, q.l.unit2)
	}
	for ; r < q.rows; r++ {
		byteDots(q.data[r*block:], y, q.wide[r*s:], s, hi-lo, q.l.unit2)
	}
	return q.out
}

// byteDotsPortable sets dst[j] to scale times the inner product of x and row j
// of y, for j < points. Rows are stride long.
func byteDotsPortable(dst []float64, y []uint8, x []int16, stride, points int, scale float64) {
	x = x[:stride]
	for j := range points {
		row := y[j*stride:][:len(x)]
		var a, b int32
		for f := 0; f+1 < len(x); f += 2 {
			a += int32(x[f]) * int32(row[f])
			b += int32(x[f+1]) * int32(row[f+1])
		}
		dst[j] = float64(a+b) * scale
	}
}

// byteDots4Portable is byteDotsPortable for byteGroup consecutive rows of x;
// their results are block apart.
func byteDots4Portable(dst []float64, y []uint8, x []int16, stride, points int, scale float64) {
	for r := range byteGroup {
		byteDotsPortable(dst[r*block:], y, x[r*stride:], stride, points, scale)
	}
}
