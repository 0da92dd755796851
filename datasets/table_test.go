package datasets

import (
	"math"
	"slices"
	"testing"
)

func sparseExample(t *testing.T) *Table {
	t.Helper()
	s, err := NewCSR(3, 4, []int{0, 2, 2, 3}, []int32{0, 3, 1}, []float64{1, -2, 0.5}, []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTableDenseAndSparseAgree(t *testing.T) {
	t.Parallel()
	s := sparseExample(t)
	want := [][]float64{{1, 0, 0, -2}, {0, 0, 0, 0}, {0, 0.5, 0, 0}}
	d := s.Dense()
	if !s.Sparse() || d.Sparse() || d.Dense() != d || s.NNZ() != 3 || d.NNZ() != 12 {
		t.Fatalf("wrong kinds or sizes")
	}
	got := make([]float64, 4)
	for i, w := range want {
		for j := range got {
			got[j] = math.NaN()
		}
		s.RowTo(got, i)
		if !slices.Equal(got, w) || !slices.Equal(d.Row(i), w) {
			t.Errorf("row %d: sparse %v, dense %v, want %v", i, got, d.Row(i), w)
		}
	}
	if &d.Row(1)[0] != &d.data[4] || cap(d.Row(0)) != 4 {
		t.Error("Row is not a view of its own length")
	}
}

func TestTableSliceAndStack(t *testing.T) {
	t.Parallel()
	for _, tab := range []*Table{sparseExample(t), sparseExample(t).Dense()} {
		parts := []*Table{tab.Slice(0, 1), tab.Slice(1, 3)}
		if err := equalTables(stack(parts), tab); err != nil {
			t.Error(err)
		}
		if parts[1].Labels[0] != 2 {
			t.Error("labels are not sliced")
		}
	}
}

func TestTableRefusesBadInput(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, c := range []struct {
		name string
		do   func() (*Table, error)
		want string
	}{
		{"no rows", func() (*Table, error) { return NewDense(0, 3, nil, nil) }, "both must be positive"},
		{"short", func() (*Table, error) { return NewDense(2, 3, make([]float64, 5), nil) }, "5 numbers given"},
		{"overflow", func() (*Table, error) { return NewDense(1<<40, 1<<40, nil, nil) }, "0 numbers given"},
		{"labels", func() (*Table, error) { return NewDense(1, 1, []float64{1}, []float64{1, 2}) }, "2 labels given"},
		{"label nan", func() (*Table, error) { return NewDense(1, 1, []float64{1}, []float64{nan}) }, "row 1: label NaN"},
		{"nan", func() (*Table, error) { return NewDense(2, 2, []float64{1, 2, 3, nan}, nil) }, "row 2, feature 2"},
		{"csr pointers", func() (*Table, error) { return NewCSR(2, 2, []int{0, 1}, []int32{0}, []float64{1}, nil) }, "do not fit together"},
		{"csr decreasing", func() (*Table, error) { return NewCSR(2, 2, []int{0, 2, 1}, []int32{0}, []float64{1}, nil) }, "row pointers"},
		{"csr order", func() (*Table, error) { return NewCSR(1, 3, []int{0, 2}, []int32{1, 1}, []float64{1, 1}, nil) }, "out of order"},
		{"csr range", func() (*Table, error) { return NewCSR(1, 3, []int{0, 1}, []int32{3}, []float64{1}, nil) }, "out of order or range"},
		{"csr inf", func() (*Table, error) { return NewCSR(1, 3, []int{0, 1}, []int32{2}, []float64{math.Inf(1)}, nil) }, "row 1, feature 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.do()
			wantError(t, err, c.want)
		})
	}
}
