package datasets

import (
	"slices"
)

// codes is how many values a byte has.
const codes = 256

// coded holds the rows of a dense table whose file holds bytes: a byte an entry. The value of a
// code in feature j is levels[code], or (levels[code] - mean[j]) / scale[j] where there are means.
type coded struct {
	data        []uint8 // N x D, row-major
	levels      *[codes]float64
	mean, scale []float64
	scaled      bool // scale is not 1 throughout
}

// newCoded returns a table of n rows and d features that keeps data, row-major of length n*d,
// whose bytes stand for themselves.
func newCoded(n, d int, data []uint8) *Table {
	c := &coded{data: data, levels: new([codes]float64)}
	for v := range c.levels {
		c.levels[v] = float64(v)
	}
	return &Table{N: n, D: d, coded: c}
}

// holds reports whether a step leaves a table of bytes one: after the means are subtracted, only
// one scaling does.
func (c *coded) holds(step *prepareStep) bool {
	if c.mean == nil {
		return !step.rows
	}
	return step.scales && !c.scaled
}

// decode writes row i to dst, of its length.
func (c *coded) decode(dst []float64, i int) {
	row := c.data[i*len(dst) : (i+1)*len(dst)]
	if c.mean == nil {
		for j, code := range row {
			dst[j] = c.levels[code]
		}
		return
	}
	mean, scale := c.mean[:len(dst)], c.scale[:len(dst)]
	for j, code := range row {
		dst[j] = (c.levels[code] - mean[j]) / scale[j]
	}
}

// Levels returns the 256 values of the codes of a table that is kept in a byte an entry, if
// they are the same for all features, and nil for any other table.
func (t *Table) Levels() []float64 {
	if t.coded == nil || t.coded.mean != nil {
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

// change does the same to all stored values.
func (t *Table) change(do func(values []float64)) {
	switch c := t.coded; {
	case c != nil:
		do(c.levels[:])
	case t.Sparse():
		do(t.values)
	default:
		do(t.data)
	}
}

// subtract subtracts a number of each feature from those of a dense table.
func (t *Table) subtract(mean []float64) {
	if c := t.coded; c != nil {
		c.mean, c.scale = mean, slices.Repeat([]float64{1}, t.D)
		return
	}
	for row := range slices.Chunk(t.data, t.D) {
		for j, m := range mean {
			row[j] -= m
		}
	}
}

// divide divides the features of a dense table each by a number of its own.
func (t *Table) divide(scale []float64) {
	if c := t.coded; c != nil {
		c.scale, c.scaled = scale, true
		return
	}
	for row := range slices.Chunk(t.data, t.D) {
		for j, s := range scale {
			row[j] /= s
		}
	}
}
