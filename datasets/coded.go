package datasets

import (
	"encoding/binary"
	"slices"
)

// codes is how many values a byte has.
const codes = 256

// coded holds the rows of a dense table whose file holds bytes: a byte an entry, and how to
// make the value of it.
type coded struct {
	data []uint8 // N x D, row-major
	// levels holds the value of each code. It then undergoes the changes, in their order.
	levels  *[codes]float64
	changes []change
	// usual is a code, and ground a row of it alone. That of images is mostly in a corner.
	usual  uint8
	ground []float64
}

// change is what is done to a value v of feature j.
type change struct {
	kind changeKind
	// by has a number for each feature, or is nil where value stands for all of them.
	by    []float64
	value float64
}

type changeKind int

const (
	subtract changeKind = iota // v - by[j]
	divideBy                   // v / by[j], or v / value
	above                      // 1 if v > value, else 0
)

// apply changes values of consecutive features, of which the first is given, in place.
func (c *change) apply(values []float64, first int) {
	switch {
	case c.kind == above:
		for i, v := range values {
			values[i] = 0
			if v > c.value {
				values[i] = 1
			}
		}
	case c.by == nil:
		divide(values, c.value)
	case c.kind == subtract:
		for i, m := range c.by[first:][:len(values)] {
			values[i] -= m
		}
	default:
		for i, d := range c.by[first:][:len(values)] {
			values[i] /= d
		}
	}
}

// newCoded returns a table of n rows and d features that keeps data, row-major of length n*d,
// whose bytes stand for themselves.
func newCoded(n, d int, data []uint8) *Table {
	c := &coded{data: data, levels: new([codes]float64), ground: make([]float64, d)}
	for v := range c.levels {
		c.levels[v] = float64(v)
	}
	if len(data) > 0 {
		c.usual = data[0]
	}
	for j := range c.ground {
		c.ground[j] = float64(c.usual)
	}
	return &Table{N: n, D: d, coded: c}
}

// bytes returns the memory that the rows take.
func (c *coded) bytes() int64 {
	if c == nil {
		return 0
	}
	vectors := 1
	for _, change := range c.changes {
		if change.by != nil {
			vectors++
		}
	}
	return int64(len(c.data) + 8*(codes+vectors*len(c.ground)))
}

// rows returns other rows with the same values.
func (c *coded) rows(data []uint8) *coded {
	out := *c
	out.data = data
	return &out
}

// change adds a change. Levels undergo it themselves as long as those of all features are
// the same.
func (c *coded) change(by change) {
	by.apply(c.ground, 0)
	if len(c.changes) == 0 && by.by == nil {
		by.apply(c.levels[:], 0)
		return
	}
	c.changes = append(c.changes, by)
}

// word is the number of bytes that are looked at together.
const word = 8

// decode writes row i to dst, of its length: the ground, and then the words that differ from it.
func (c *coded) decode(dst []float64, i int) {
	d := copy(dst, c.ground)
	row := c.data[i*d : (i+1)*d]
	mean, scale := c.centred()
	for at := 0; at < d; at += word {
		end := min(at+word, d)
		if c.isGround(row[at:end]) {
			continue
		}
		values := dst[at:end]
		if mean != nil {
			m := mean[at:end]
			for j, code := range row[at:end] {
				values[j] = (c.levels[code] - m[j]) / scale
			}
			continue
		}
		for j, code := range row[at:end] {
			values[j] = c.levels[code]
		}
		for k := range c.changes {
			c.changes[k].apply(values, at)
		}
	}
}

// centred returns what decode does in one go, as it is what most tables of images undergo: a mean
// to subtract of each feature, and a number to divide all by. mean is nil for other changes.
func (c *coded) centred() (mean []float64, scale float64) {
	if len(c.changes) == 2 && c.changes[0].kind == subtract && c.changes[1].kind == divideBy && c.changes[1].by == nil {
		return c.changes[0].by, c.changes[1].value
	}
	return nil, 0
}

// isGround reports whether the first word of part of a row is the same as in the ground.
func (c *coded) isGround(row []uint8) bool {
	return len(row) >= word && binary.LittleEndian.Uint64(row) == 0x0101010101010101*uint64(c.usual)
}

// Levels returns the 256 values of the codes of a table that is kept in a byte an entry, if
// they are the same for all features, and nil for any other table.
func (t *Table) Levels() []float64 {
	if t.coded == nil || len(t.coded.changes) > 0 {
		return nil
	}
	return t.coded.levels[:]
}

// Nonzeros returns the number of entries that are not zero.
func (t *Table) Nonzeros() (n int) {
	for _, row := range t.stored() {
		for _, v := range row {
			if v != 0 {
				n++
			}
		}
	}
	return n
}

// change does the same to all stored values, or to all of a feature. Where the change is of
// a feature the table must be dense.
func (t *Table) change(by change) {
	switch {
	case t.coded != nil:
		t.coded.change(by)
	case t.Sparse():
		by.apply(t.values, 0)
	case by.by == nil:
		by.apply(t.data, 0)
	default:
		for row := range slices.Chunk(t.data, t.D) {
			by.apply(row, 0)
		}
	}
}
