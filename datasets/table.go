package datasets

import "slices"

// What an entry of a sparse table takes, and a row besides its entries, in bytes.
const entryBytes, rowBytes = 4 + 8, 8 + 8

// Table is a data matrix of N rows (examples) and D columns (features), dense or sparse, with an
// optional label for each row. It is read-only for all but the package that made it.
type Table struct {
	// N and D are the numbers of rows and of features.
	N, D int
	// Labels holds N labels, or is nil.
	Labels []float64

	data []float64 // dense: N x D, row-major

	coded *coded // dense, in place of data

	indptr  []int // sparse: row i is indices/values[indptr[i]:indptr[i+1]]
	indices []int32
	values  []float64

	meaning
}

// meaning is what is known of the labels of a table, and of those of its parts.
type meaning struct {
	positive *float64 // the label that the manifest suggests as the positive class
	texts    []string // what the labels stand for, sorted as bytes; nil for numbers
}

// NewDense returns a table of n rows and d features that keeps data, row-major of length
// n*d, and labels, of length n or nil.
func NewDense(n, d int, data, labels []float64) *Table {
	return &Table{N: n, D: d, Labels: labels, data: data}
}

// Dims returns the numbers of rows and of features, N and D.
func (t *Table) Dims() (n, d int) { return t.N, t.D }

// Sparse reports whether the table is stored sparse.
func (t *Table) Sparse() bool { return t.indptr != nil }

// NNZ returns the number of stored entries, N*D for a dense table.
func (t *Table) NNZ() int {
	if t.Sparse() {
		return len(t.values)
	}
	return t.N * t.D
}

// Bytes returns the memory that the table takes.
func (t *Table) Bytes() int64 {
	bytes := 8 * (int64(len(t.Labels)) + int64(len(t.data)) + int64(len(t.indptr)))
	if c := t.coded; c != nil {
		bytes += int64(len(c.data)) + 8*int64(codes+len(c.mean)+len(c.scale))
	}
	return bytes + entryBytes*int64(len(t.indices))
}

// Row returns row i of a dense table, of length D, which must not be changed: a view or, if the
// table is kept in bytes, buf, or a new one if buf is shorter than D.
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

// RowTo writes row i to dst, which must have length D, for dense and sparse tables alike.
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

// RowNonZero returns the 0-based features, increasing, and the values of the stored entries of
// row i of a sparse table, as views that must not be changed.
func (t *Table) RowNonZero(i int) (indices []int32, values []float64) {
	lo, hi := t.indptr[i], t.indptr[i+1]
	return t.indices[lo:hi:hi], t.values[lo:hi:hi]
}

// Entries returns the stored entries of row i, of either kind of table: what RowNonZero returns,
// or nil and what Row returns.
func (t *Table) Entries(i int, buf []float64) (features []int32, values []float64) {
	if t.Sparse() {
		return t.RowNonZero(i)
	}
	return nil, t.Row(i, buf)
}

// floats returns a table with the same content that has a number for each entry.
func (t *Table) floats() *Table {
	out := &Table{N: t.N, D: t.D, Labels: t.Labels, meaning: t.meaning, data: make([]float64, t.N*t.D)}
	for i := range t.N {
		t.RowTo(out.Row(i, nil), i)
	}
	return out
}

// addRow appends a row, given as numbers, to a table that is being made.
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

// empty returns a table without rows that is stored as t is, with room for the given numbers
// of rows and stored entries.
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

// add appends the rows [lo, hi) of a table that is stored as t is.
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

// stack returns the rows of all tables, in order. They must be stored and prepared alike. The
// number of features is the largest of theirs.
func stack(tables []*Table) *Table {
	if len(tables) == 1 {
		return tables[0]
	}
	rows, entries := 0, 0
	for _, t := range tables {
		rows += t.N
		entries += t.NNZ()
	}
	out := tables[0].empty(rows, entries)
	for _, t := range tables {
		out.add(t, 0, t.N)
	}
	return out
}

// Select returns a table of the given rows of t, in the order given, with
// storage of its own. It panics if a row is out of range.
func (t *Table) Select(rows []int) *Table {
	out := t.empty(len(rows), len(rows)*t.NNZ()/t.N)
	for _, i := range rows {
		out.add(t, i, i+1)
	}
	return out
}

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
