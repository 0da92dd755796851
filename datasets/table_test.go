package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"stochopt/internal/finite"
)

func sparseExample(t *testing.T) *Table {
	t.Helper()
	return newCSR(t, 3, 4, []int{0, 2, 2, 3}, []int32{0, 3, 1}, []float64{1, -2, 0.5}, []float64{1, 2, 3})
}

// newCSR makes a sparse table whose row i has values[indptr[i]:indptr[i+1]] at the features
// indices[indptr[i]:indptr[i+1]].
func newCSR(t *testing.T, n, d int, indptr []int, indices []int32, values, labels []float64) *Table {
	t.Helper()
	tab := &Table{N: n, D: d, Labels: labels, indptr: indptr, indices: indices, values: values}
	if err := wellFormed(tab); err != nil {
		t.Fatal(err)
	}
	return tab
}

// wellFormed says what is wrong with the arrays of a table.
func wellFormed(t *Table) error {
	lengths := len(t.data) == t.N*t.D
	switch {
	case t.coded != nil:
		lengths = len(t.coded.data) == t.N*t.D
	case t.Sparse():
		lengths = len(t.indptr) == t.N+1 && t.indptr[0] == 0 && t.indptr[t.N] == len(t.indices) && len(t.indices) == len(t.values)
	}
	if t.N <= 0 || t.D <= 0 || !lengths || t.Labels != nil && len(t.Labels) != t.N {
		return fmt.Errorf("the arrays of %d rows of %d features do not fit together", t.N, t.D)
	}
	values := slices.Clone(t.Labels)
	for _, row := range t.stored() {
		values = append(values, row...)
	}
	if i := slices.IndexFunc(values, func(v float64) bool { return !finite.Is(v) }); i >= 0 {
		return fmt.Errorf("%v is not finite", values[i])
	}
	for i := range len(t.indptr) - 1 {
		last := int32(-1)
		for _, j := range t.indices[t.indptr[i]:t.indptr[i+1]] {
			if j <= last || int(j) >= t.D {
				return fmt.Errorf("row %d: feature index %d out of order or range", i+1, j)
			}
			last = j
		}
	}
	return nil
}

func TestTableDenseAndSparseAgree(t *testing.T) {
	t.Parallel()
	s := sparseExample(t)
	want := [][]float64{{1, 0, 0, -2}, {0, 0, 0, 0}, {0, 0.5, 0, 0}}
	d := s.floats()
	if !s.Sparse() || d.Sparse() || s.NNZ() != 3 || d.NNZ() != 12 {
		t.Fatalf("wrong kinds or sizes")
	}
	got := make([]float64, 4)
	for i, w := range want {
		for j := range got {
			got[j] = math.NaN()
		}
		s.RowTo(got, i)
		if !slices.Equal(got, w) || !slices.Equal(d.Row(i, nil), w) {
			t.Errorf("row %d: sparse %v, dense %v, want %v", i, got, d.Row(i, nil), w)
		}
	}
	if &d.Row(1, nil)[0] != &d.data[4] || cap(d.Row(0, nil)) != 4 {
		t.Error("Row is not a view of its own length")
	}
}

// A selection has the rows, in their order, and the labels of every form of a table; stacked selections keep the form.
func TestSelect(t *testing.T) {
	t.Parallel()
	coded := codedTable(t, 300, 21)
	byFeature, err := prepared(coded, []string{"standardize-unit-expected-norm"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tab := range []*Table{coded, byFeature, coded.floats(), sparsed(t, coded.floats())} {
		rows := []int{17, 3, 3, 299}
		some := tab.Select(rows)
		got, want := make([]float64, tab.D), make([]float64, tab.D)
		for k, i := range rows {
			some.RowTo(got, k)
			tab.RowTo(want, i)
			if !slices.Equal(got, want) || some.Labels[k] != tab.Labels[i] {
				t.Fatalf("row %d is not row %d", k, i)
			}
		}
		again := stack([]*Table{slice(tab, 0, 5), slice(tab, 5, 300)})
		if err := errors.Join(wellFormed(some), wellFormed(again), equalTables(again, tab)); err != nil {
			t.Error(err)
		}
		if (some.coded == nil) != (tab.coded == nil) || (again.coded == nil) != (tab.coded == nil) {
			t.Error("rows of bytes are kept as numbers")
		}
	}
}

// sparsed returns the sparse form of a dense table.
func sparsed(t *testing.T, dense *Table) *Table {
	t.Helper()
	var indices []int32
	var values []float64
	indptr := []int{0}
	for i := range dense.N {
		for j, v := range dense.Row(i, nil) {
			if v != 0 {
				indices, values = append(indices, int32(j)), append(values, v)
			}
		}
		indptr = append(indptr, len(indices))
	}
	return newCSR(t, dense.N, dense.D, indptr, indices, values, dense.Labels)
}

// slice returns the rows [lo, hi) of a table.
func slice(t *Table, lo, hi int) *Table { return t.Select(allRows(hi)[lo:]) }
