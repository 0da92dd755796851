package datasets

import "slices"

// Memory of a sparse table in bytes: of an entry, and of a row in addition to its entries.
const entryBytes, rowBytes = 4 + 8, 8 + 8

// Table is a data matrix of N rows (examples) and D columns (features), dense or sparse, with an
// optional label for each row. Other packages must not modify it.
type Table struct {
	// N and D are the numbers of rows and of features.
	N, D int
	// Labels holds N labels, or is nil.
	Labels []float64

	data []float64 // dense: N x D, row-major

	coded *coded // dense, one byte per entry; replaces data

	indptr  []int // sparse: row i is indices/values[indptr[i]:indptr[i+1]]
	indices []int32
	values  []float64

	meaning
}

// meaning describes the labels of a table. Subsets of the table share it.
type meaning struct {
	positive *float64 // the positive class that the manifest suggests
	texts    []string // class names sorted bytewise; nil if the labels are numbers
}

// NewDense returns a dense table of n rows and d features. It does not copy data, which is
// row-major of length n*d, nor labels, of length n or nil.
func NewDense(n, d int, data, labels []float64) *Table {
	return &Table{N: n, D: d, Labels: labels, data: data}
}

// Dims returns the numbers of rows and of features, N and D.
func (t *Table) Dims() (n, d int) { return t.N, t.D }

// Sparse reports whether the table is stored sparse.
func (t *Table) Sparse() bool { return t.indptr != nil }

// storedCount returns the number of stored entries, N*D for a dense table.
func (t *Table) storedCount() int {
	if t.Sparse() {
		return len(t.values)
	}
	return t.N * t.D
}

// Bytes returns the memory used by the table.
func (t *Table) Bytes() int64 {
	bytes := 8 * (int64(len(t.Labels)) + int64(len(t.data)) + int64(len(t.indptr)))
	if c := t.coded; c != nil {
		bytes += int64(len(c.data)) + 8*int64(codes+len(c.mean)+len(c.scale))
	}
	return bytes + entryBytes*int64(len(t.indices))
}

// Row returns row i of a dense table, of length D. The caller must not modify it. It is a view, or
// buf if the table is stored in bytes; Row allocates if buf is shorter than D.
func (t *Table) Row(i int, buf []float64) []float64 {
	if t.coded == nil {
		return t.data[i*t.D : (i+1)*t.D : (i+1)*t.D]
	}
	if len(buf) < t.D {
		buf = make([]float64, t.D)
	}
	t.coded.decode(buf[:t.D], i)
	return buf[:t.D:t.D]
}

// RowTo writes row i of a dense or sparse table to dst, which must have length D.
func (t *Table) RowTo(dst []float64, i int) {
	if len(dst) != t.D {
		panic("datasets: slice length is not the dimension")
	}
	if !t.Sparse() {
		copy(dst, t.Row(i, dst))
		return
	}
	clear(dst)
	idx, val := t.RowNonZero(i)
	for p, j := range idx {
		dst[j] = val[p]
	}
}

// RowNonZero returns the stored entries of row i of a sparse table: their features, 0-based and
// increasing, and their values. The caller must not modify these views.
func (t *Table) RowNonZero(i int) (indices []int32, values []float64) {
	lo, hi := t.indptr[i], t.indptr[i+1]
	return t.indices[lo:hi:hi], t.values[lo:hi:hi]
}

// Entries returns the stored entries of row i. For a dense table, features is nil and values is
// the result of Row.
func (t *Table) Entries(i int, buf []float64) (features []int32, values []float64) {
	if t.Sparse() {
		return t.RowNonZero(i)
	}
	return nil, t.Row(i, buf)
}

// floats returns a dense copy of the table that stores each entry as a float64.
func (t *Table) floats() *Table {
	out := &Table{N: t.N, D: t.D, Labels: t.Labels, meaning: t.meaning, data: make([]float64, t.N*t.D)}
	for i := range t.N {
		t.RowTo(out.Row(i, nil), i)
	}
	return out
}

// addRow appends a row of length D to a table under construction.
func (t *Table) addRow(row []float64, label float64) {
	t.N++
	t.Labels = append(t.Labels, label)
	switch {
	case t.coded != nil:
		for _, v := range row {
			t.coded.data = append(t.coded.data, uint8(v))
		}
	case t.Sparse():
		for j, v := range row {
			if v != 0 {
				t.indices, t.values = append(t.indices, int32(j)), append(t.values, v)
			}
		}
		t.indptr = append(t.indptr, len(t.indices))
	default:
		t.data = append(t.data, row...)
	}
}

// empty returns a table without rows and with the storage format of t. It reserves space for the
// given numbers of rows and stored entries.
func (t *Table) empty(rows, entries int) *Table {
	out := &Table{D: t.D, meaning: t.meaning}
	if t.Labels != nil {
		out.Labels = make([]float64, 0, rows)
	}
	switch {
	case t.coded != nil:
		c := *t.coded
		c.data = make([]uint8, 0, entries)
		out.coded = &c
	case t.Sparse():
		out.indptr = append(make([]int, 0, rows+1), 0)
		out.indices, out.values = make([]int32, 0, entries), make([]float64, 0, entries)
	default:
		out.data = make([]float64, 0, entries)
	}
	return out
}

// add appends rows [lo, hi) of a table with the storage format of t.
func (t *Table) add(from *Table, lo, hi int) {
	t.N += hi - lo
	t.D = max(t.D, from.D)
	if from.Labels != nil {
		t.Labels = append(t.Labels, from.Labels[lo:hi]...)
	}
	switch {
	case t.coded != nil:
		t.coded.data = append(t.coded.data, from.coded.data[lo*t.D:hi*t.D]...)
	case t.Sparse():
		first, shift := from.indptr[lo], len(t.indices)-from.indptr[lo]
		for _, end := range from.indptr[lo+1 : hi+1] {
			t.indptr = append(t.indptr, end+shift)
		}
		t.indices = append(t.indices, from.indices[first:from.indptr[hi]]...)
		t.values = append(t.values, from.values[first:from.indptr[hi]]...)
	default:
		t.data = append(t.data, from.data[lo*t.D:hi*t.D]...)
	}
}

// stack concatenates the rows of the tables, which must have the same storage format and preparation.
// The result has the largest number of features.
func stack(tables []*Table) *Table {
	if len(tables) == 1 {
		return tables[0]
	}
	rows, entries := 0, 0
	for _, t := range tables {
		rows += t.N
		entries += t.storedCount()
	}
	out := tables[0].empty(rows, entries)
	for _, t := range tables {
		out.add(t, 0, t.N)
	}
	return out
}

// Select returns a copy of the given rows, in the given order. It panics if a row is out of range.
func (t *Table) Select(rows []int) *Table {
	out := t.empty(len(rows), len(rows)*t.storedCount()/t.N)
	for _, i := range rows {
		out.add(t, i, i+1)
	}
	return out
}

// codes is the number of values of a byte.
const codes = 256

// coded stores the entries of a dense table as bytes. Code c of feature j stands for levels[c] or,
// if mean is not nil, for (levels[c] - mean[j]) / scale[j].
type coded struct {
	data        []uint8 // N x D, row-major
	levels      *[codes]float64
	mean, scale []float64
	scaled      bool // divide has set scale
}

// newCoded returns a table of n rows and d features whose entries are the bytes of data, row-major
// of length n*d. It does not copy data.
func newCoded(n, d int, data []uint8) *Table {
	c := &coded{data: data, levels: new([codes]float64)}
	for v := range c.levels {
		c.levels[v] = float64(v)
	}
	return &Table{N: n, D: d, coded: c}
}

// supports reports whether a step can be applied without converting the bytes to floats. Once the
// means are subtracted, only a single scaling can.
func (c *coded) supports(step *prepareStep) bool {
	if c.mean == nil {
		return !step.rows
	}
	return step.scales && !c.scaled
}

// decode writes row i to dst, which must have length D.
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

// Levels returns the 256 possible values of an entry if the table is stored in bytes and all
// features have the same values, else nil.
func (t *Table) Levels() []float64 {
	if t.coded == nil || t.coded.mean != nil {
		return nil
	}
	return t.coded.levels[:]
}

// Nonzeros returns the number of nonzero entries.
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

// transform applies an elementwise function to all stored values, in place.
func (t *Table) transform(f func(values []float64)) {
	switch c := t.coded; {
	case c != nil:
		f(c.levels[:])
	case t.Sparse():
		f(t.values)
	default:
		f(t.data)
	}
}

// subtract subtracts mean from each row of a dense table.
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

// divide divides feature j of a dense table by scale[j].
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
