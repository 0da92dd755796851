package kernel

// inputTable holds points for inner products with any z, as tiles if their
// layout is dense and by their nonzero entries otherwise.
type inputTable struct {
	n     int
	norms []float64

	columns int
	column  *columns
	tile    []float64 // if not nil

	start   []int // point j has the entries start[j] <= p < start[j+1]
	feature []int32
	value   []float64 // of each entry, nil if all are 1
}

// newInputTable lays out some points of p, or all if points is nil.
func newInputTable(p *Points, points []int) *inputTable {
	number := func(k int) int { return k }
	t := &inputTable{n: p.Len(), norms: p.norms}
	if points != nil {
		number = func(k int) int { return points[k] }
		t.n = len(points)
		t.norms = make([]float64, t.n)
		for k, j := range points {
			t.norms[k] = p.norms[j]
		}
	}
	r := p.rows.fork()
	if l, dense := p.layout.(*denseLayout); dense {
		t.columns, t.column = l.columns, l.column
		t.tile = make([]float64, roundUp(t.n, tileWidth)*l.columns)
		for k := range t.n {
			indices, values := r.entries(number(k))
			tile := t.tile[k/tileWidth*tileWidth*l.columns+k%tileWidth:]
			for e, f := range indices {
				tile[l.column.of(f)*tileWidth] = values[e]
			}
		}
		return t
	}
	t.start = make([]int, t.n+1)
	entries, ones := 0, true
	for k := range t.n {
		indices, values := r.entries(number(k))
		entries += len(indices)
		t.start[k+1] = entries
		for _, x := range values {
			ones = ones && x == 1
		}
	}
	t.feature = make([]int32, 0, entries)
	if !ones {
		t.value = make([]float64, 0, entries)
	}
	for k := range t.n {
		indices, values := r.entries(number(k))
		t.feature = append(t.feature, indices...)
		if !ones {
			t.value = append(t.value, values...)
		}
	}
	return t
}

// rowTo sets dst[k] to the Gaussian kernel of z and point from+k. The working
// memory dots holds a block.
func (t *inputTable) rowTo(dst []float32, z []float64, from int, gamma float64, dots []float64) {
	zz := 0.0
	for _, x := range z {
		zz += float64(x * x)
	}
	var offset []int
	var value []float64
	if t.tile != nil {
		offset, value = t.query(z)
	}
	to := from + len(dst)
	for lo := from &^ (tileWidth - 1); lo < to; lo += block {
		hi := min(lo+block, to)
		if t.tile != nil {
			size := tileWidth * t.columns
			for j := lo; j < hi; j += tileWidth {
				tileDots(dots[j-lo:], t.tile[j/tileWidth*size:][:size], offset, value)
			}
		} else {
			t.gather(dots, z, lo, hi)
		}
		first := max(lo, from)
		gaussRow(dst[first-from:hi-from], dots[first-lo:hi-lo], t.norms[first:hi], zz, gamma)
	}
}

// query returns the offsets in a tile of the features in which z is not zero,
// and their values. Features that are zero in every point are left out.
func (t *inputTable) query(z []float64) (offset []int, value []float64) {
	offset, value = make([]int, 0, t.columns), make([]float64, 0, t.columns)
	for c, f := range t.column.feature {
		if z[f] != 0 {
			offset, value = append(offset, c*tileWidth), append(value, z[f])
		}
	}
	return offset, value
}

// gather sets dots[j-lo] to <z, x_j> for lo <= j < hi, summed over the features
// in ascending order.
func (t *inputTable) gather(dots, z []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		features := t.feature[t.start[j]:t.start[j+1]]
		sum := 0.0
		if t.value == nil {
			for _, f := range features {
				sum += z[f]
			}
		} else {
			for p, x := range t.value[t.start[j]:t.start[j+1]][:len(features)] {
				sum += float64(z[features[p]] * x)
			}
		}
		dots[j-lo] = sum
	}
}

// combineTo adds sum_k w[k] x_k to z, over the first len(w) points.
func (t *inputTable) combineTo(z, w []float64) {
	if t.tile != nil {
		t.combineTiles(z, w)
		return
	}
	for j, a := range w {
		if a == 0 {
			continue
		}
		features := t.feature[t.start[j]:t.start[j+1]]
		if t.value == nil {
			for _, f := range features {
				z[f] += a
			}
			continue
		}
		for p, x := range t.value[t.start[j]:t.start[j+1]][:len(features)] {
			z[features[p]] += float64(a * x)
		}
	}
}

// combineTiles is combineTo of tiles: four sums for each feature and tile.
func (t *inputTable) combineTiles(z, w []float64) {
	size := tileWidth * t.columns
	var a [tileWidth]float64
	for lo := 0; lo < len(w); lo += tileWidth {
		clear(a[copy(a[:], w[lo:]):])
		tile := t.tile[lo/tileWidth*size:][:size]
		for c, f := range t.column.feature {
			x := (*[tileWidth]float64)(tile[c*tileWidth:])
			var s0, s1, s2, s3 float64
			for l := 0; l < tileWidth; l += 4 {
				s0 += float64(a[l] * x[l])
				s1 += float64(a[l+1] * x[l+1])
				s2 += float64(a[l+2] * x[l+2])
				s3 += float64(a[l+3] * x[l+3])
			}
			z[f] += (s0 + s1) + (s2 + s3)
		}
	}
}
