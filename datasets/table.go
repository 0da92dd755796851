package datasets

// What an entry of a sparse table takes, and a row besides its entries, in bytes.
const entryBytes, rowBytes = 4 + 8, 8 + 8

const (
	badRow    = "datasets: row index out of range"
	badLength = "datasets: slice length is not the dimension"
	rowSparse = "datasets: Row of a sparse table"
)

// Table is a data matrix of N rows (examples) and D columns (features), dense
// or sparse, with an optional label for each row. It is read-only for all but
// the package that made it.
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

// NNZ returns the number of stored entries: N*D for a dense table, the number
// of explicit entries for a sparse one.
func (t *Table) NNZ() int {
	if t.Sparse() {
		return len(t.values)
	}
	return t.N * t.D
}

// Bytes returns the memory that the table takes.
func (t *Table) Bytes() int64 {
	bytes := 8 * (int64(len(t.Labels)) + int64(len(t.data)) + int64(len(t.indptr)))
	return bytes + entryBytes*int64(len(t.indices)) + t.coded.bytes()
}

// Row returns row i of a dense table, of length D, which must not be changed: a view, or
// buf, which is overwritten, if the table is kept in a byte an entry. A buf shorter than D is
// replaced by a new one where it is needed. It panics for a sparse table.
func (t *Table) Row(i int, buf []float64) []float64 {
	if t.Sparse() {
		panic(rowSparse)
	}
	if i < 0 || i >= t.N {
		panic(badRow)
	}
	if t.coded != nil {
		if len(buf) < t.D {
			buf = make([]float64, t.D)
		}
		t.coded.decode(buf, i)
		return buf[:t.D:t.D]
	}
	return t.data[i*t.D : (i+1)*t.D : (i+1)*t.D]
}

// RowTo writes row i to dst, which must have length D, for dense and sparse
// tables alike.
func (t *Table) RowTo(dst []float64, i int) {
	if len(dst) != t.D {
		panic(badLength)
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

// RowNonZero returns the 0-based features, increasing, and the values of the
// stored entries of row i of a sparse table, as views that must not be
// changed. It panics for a dense table.
func (t *Table) RowNonZero(i int) (indices []int32, values []float64) {
	if !t.Sparse() {
		panic("datasets: RowNonZero of a dense table")
	}
	if i < 0 || i >= t.N {
		panic(badRow)
	}
	lo, hi := t.indptr[i], t.indptr[i+1]
	return t.indices[lo:hi:hi], t.values[lo:hi:hi]
}

// Entries returns the stored entries of row i, of either kind of table, which must not be
// changed: the 0-based features, increasing, and the values of a sparse row, as views, nil
// and all D values of a dense one, as Row returns them.
func (t *Table) Entries(i int, buf []float64) (features []int32, values []float64) {
	if t.Sparse() {
		return t.RowNonZero(i)
	}
	return nil, t.Row(i, buf)
}

// Dense returns a dense table with the same content: the table itself if it is
// dense already.
func (t *Table) Dense() *Table {
	if !t.Sparse() {
		return t
	}
	out := &Table{N: t.N, D: t.D, Labels: t.Labels, meaning: t.meaning, data: make([]float64, t.N*t.D)}
	for i := range t.N {
		t.RowTo(out.Row(i, nil), i)
	}
	return out
}

// addRow appends a row of zeros to a table that is being made, dense, and returns it.
func (t *Table) addRow(label float64) []float64 {
	t.N++
	t.Labels = append(t.Labels, label)
	t.data = append(t.data, make([]float64, t.D)...)
	return t.Row(t.N-1, nil)
}

// addEntry appends an entry to the last row of a table that is being made, sparse.
// endRow ends the row.
func (t *Table) addEntry(feature int, value float64) {
	t.indices = append(t.indices, int32(feature))
	t.values = append(t.values, value)
}

func (t *Table) endRow(label float64) {
	t.N++
	t.Labels = append(t.Labels, label)
	t.indptr = append(t.indptr, len(t.indices))
}

// stack returns the rows of all tables, which must all be dense or all sparse,
// in order. The number of features is the largest of theirs.
func stack(tables []*Table) *Table {
	if len(tables) == 1 {
		return tables[0]
	}
	tables = alike(tables)
	out := &Table{meaning: tables[0].meaning}
	labelled, nnz := true, 0
	for _, t := range tables {
		out.N += t.N
		out.D = max(out.D, t.D)
		nnz += t.NNZ()
		labelled = labelled && t.Labels != nil
	}
	if labelled {
		out.Labels = make([]float64, 0, out.N)
	}
	switch {
	case tables[0].Sparse():
		out.indptr = append(make([]int, 0, out.N+1), 0)
		out.indices = make([]int32, 0, nnz)
		out.values = make([]float64, 0, nnz)
	case tables[0].coded != nil:
		out.coded = tables[0].coded.rows(make([]uint8, 0, nnz))
	default:
		out.data = make([]float64, 0, nnz)
	}
	for _, t := range tables {
		if labelled {
			out.Labels = append(out.Labels, t.Labels...)
		}
		switch {
		case t.coded != nil:
			out.coded.data = append(out.coded.data, t.coded.data...)
			continue
		case !t.Sparse():
			out.data = append(out.data, t.data...)
			continue
		}
		base := len(out.indices)
		for _, p := range t.indptr[1:] {
			out.indptr = append(out.indptr, base+p)
		}
		out.indices = append(out.indices, t.indices...)
		out.values = append(out.values, t.values...)
	}
	return out
}
