package kernel

const (
	// tileWidth is the number of points of a tile.
	tileWidth = 32
	// denseBatch is the number of rows of a query: a tile is read from memory
	// once for all of them.
	denseBatch = 16
)

// denseLayout holds dense points in tiles of tileWidth, feature after feature,
// so that a vector register holds one feature of several points. An inner
// product is the sum over the features in ascending order, whichever the
// layout: the lanes are points, nothing is reduced across them. Features that
// are zero in the point of a query are passed over, and not even read.
type denseLayout struct {
	src     *rows
	columns int
	column  *columns
	tile    []float64 // N rounded up to tileWidth points x columns
}

func newDenseLayout(s *survey) *denseLayout {
	l := &denseLayout{src: s.rows, columns: s.used, column: s.column}
	l.tile = make([]float64, roundUp(s.n, tileWidth)*s.used)
	for i := range s.n {
		tile := l.tile[i/tileWidth*tileWidth*s.used+i%tileWidth:]
		indices, values := s.rows.entries(i)
		for p, f := range indices {
			tile[s.column.of(f)*tileWidth] = values[p]
		}
	}
	return l
}

func (l *denseLayout) batch() int { return denseBatch }
func (l *denseLayout) query() query {
	return &denseQuery{l: l, src: l.src.fork(), data: matrix(denseBatch, block)}
}

func (l *denseLayout) dot(i, j int) float64 { return l.src.dot(i, j) }

type denseQuery struct {
	l      *denseLayout
	src    *rows
	start  []int // of each point of the query, in offset and value
	offset []int // of each nonzero feature in a tile
	value  []float64
	data   [][]float64
}

func (q *denseQuery) set(rows []int) {
	q.start = append(q.start[:0], 0)
	q.offset, q.value = q.offset[:0], q.value[:0]
	for _, i := range rows {
		indices, values := q.src.entries(i)
		for _, f := range indices {
			q.offset = append(q.offset, q.l.column.of(f)*tileWidth)
		}
		q.value = append(q.value, values...)
		q.start = append(q.start, len(q.offset))
	}
}

func (q *denseQuery) dots(lo, hi int) [][]float64 {
	size := tileWidth * q.l.columns
	rows := len(q.start) - 1
	for j := lo; j < hi; j += tileWidth {
		tile := q.l.tile[j/tileWidth*size:][:size]
		for r := range rows {
			a, b := q.start[r], q.start[r+1]
			tileDots(q.data[r][j-lo:], tile, q.offset[a:b], q.value[a:b])
		}
	}
	return q.data[:rows]
}

// tileDotsPortable sets dst[l], l < tileWidth, to the sum over p in ascending
// order of value[p] times tile[offset[p]+l].
func tileDotsPortable(dst, tile []float64, offset []int, value []float64) {
	dst = dst[:tileWidth]
	clear(dst)
	for p, o := range offset {
		v := value[p]
		for l, x := range tile[o : o+tileWidth] {
			dst[l] += float64(v * x)
		}
	}
}
