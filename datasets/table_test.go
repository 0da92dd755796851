package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"stochopt/internal/finite"

	"gonum.org/v1/gonum/mat"
)

func sparseExample(t *testing.T) *Table {
	t.Helper()
	return newCSR(t, 3, 4, []int{0, 2, 2, 3}, []int32{0, 3, 1}, []float64{1, -2, 0.5}, []float64{1, 2, 3})
}

// newCSR returns a valid sparse table in CSR format.
func newCSR(t *testing.T, n, d int, indptr []int, indices []int32, values, labels []float64) *Table {
	t.Helper()
	tab := &Table{N: n, D: d, Labels: labels, indptr: indptr, indices: indices, values: values}
	if err := wellFormed(tab); err != nil {
		t.Fatal(err)
	}
	return tab
}

// wellFormed returns an error if the arrays of a table are inconsistent.
func wellFormed(t *Table) error {
	lengths := len(t.data) == t.N*t.D
	switch {
	case t.coded != nil:
		lengths = len(t.coded.data) == t.N*t.D
	case t.Sparse():
		lengths = len(t.indptr) == t.N+1 && t.indptr[0] == 0 && t.indptr[t.N] == len(t.indices) && len(t.indices) == len(t.values)
	}
	if t.N <= 0 || t.D <= 0 || !lengths || t.Labels != nil && len(t.Labels) != t.N {
		return fmt.Errorf("wrong lengths of arrays for %d rows of %d features", t.N, t.D)
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
	if !s.Sparse() || d.Sparse() || s.storedCount() != 3 || d.storedCount() != 12 {
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

// Select returns the rows and labels in order, for every storage format. stack keeps the format.
func TestSelect(t *testing.T) {
	t.Parallel()
	coded := codedTable(t, 300, 21)
	byFeature, err := prepared(coded, []string{"standardize-unit-expected-norm"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tab := range []*Table{coded, byFeature, coded.floats(), toSparse(t, coded.floats())} {
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
			t.Error("rows of bytes are stored as floats")
		}
	}
}

// toSparse returns the sparse form of a dense table.
func toSparse(t *testing.T, dense *Table) *Table {
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

// slice returns rows [lo, hi) of a table.
func slice(t *Table, lo, hi int) *Table { return t.Select(allRows(hi)[lo:]) }

// naiveMoment computes the second moment by its definition.
func naiveMoment(t *Table, rows []int) *mat.SymDense {
	out := mat.NewSymDense(t.D, nil)
	x := make([]float64, t.D)
	for _, i := range rows {
		t.RowTo(x, i)
		out.SymRankOne(out, 1/float64(len(rows)), mat.NewVecDense(t.D, x))
	}
	return out
}

func allRows(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestSecondMoment(t *testing.T) {
	t.Parallel()
	rng := newRNG(8)
	var got mat.SymDense // reused: old content must not matter
	for _, shape := range [][2]int{{1, 1}, {255, 5}, {256, 4}, {257, 33}, {40, 130}} {
		n, d := shape[0], shape[1]
		data := make([]float64, n*d)
		for i := range data {
			if rng.IntN(3) > 0 {
				data[i] = rng.NormFloat64()
			}
		}
		dense := NewDense(n, d, data, nil)
		some := append(rng.Perm(n)[:(n+1)/2], 0) // a row may occur twice
		for _, tab := range []*Table{dense, toSparse(t, dense)} {
			for _, rows := range [][]int{allRows(n), some} {
				SecondMoment(&got, tab, rows)
				if want := naiveMoment(tab, rows); !mat.EqualApprox(&got, want, 1e-12) {
					t.Errorf("%d x %d, sparse %v, %d rows: wrong", n, d, tab.Sparse(), len(rows))
				}
			}
		}
	}
}

// The bits do not depend on the number of CPUs.
func TestSecondMomentDeterministic(t *testing.T) {
	t.Parallel()
	tab := randomTable(t, 700, 150)
	var want mat.SymDense
	SecondMoment(&want, tab, allRows(tab.N))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, procs := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(procs)
		var got mat.SymDense
		SecondMoment(&got, tab, allRows(tab.N))
		if !mat.Equal(&got, &want) {
			t.Errorf("different bits with GOMAXPROCS %d", procs)
		}
	}
}

// codedTable returns a table of bytes with a zero row, a zero feature, a constant feature and a binary
// feature.
func codedTable(t testing.TB, n, d int) *Table {
	t.Helper()
	rng := newRNG(11)
	data := make([]byte, n*d)
	for i := range n {
		for j := range d {
			switch {
			case j == 0 || i == n/2 && j != 1:
			case j == 1:
				data[i*d+j] = 7
			case j == 2:
				data[i*d+j] = byte(200 * rng.IntN(2))
			case rng.IntN(3) > 0:
				data[i*d+j] = byte(rng.IntN(256))
			}
		}
	}
	tab, err := readArrayTable(bytes.NewReader(encodeIDX([]int{n, d}, data)), "f", csvOptions{}, newBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	tab.Labels = make([]float64, n)
	for i := range tab.Labels {
		tab.Labels[i] = float64(i % 3)
	}
	if tab.coded == nil || tab.Bytes() != int64(n*d+8*n+8*codes) {
		t.Fatalf("a table of %d bytes takes %d", n*d, tab.Bytes())
	}
	return tab
}

// sameBits fails the test unless two tables are equal.
func sameBits(t *testing.T, what string, a, b *Table) {
	t.Helper()
	if err := equalTables(a, b); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// Any two steps give the same bits for all storage formats. A table stays in bytes unless unit-norm is
// applied, or any step but one scaling after centring. A table stays sparse unless it is centred.
func TestPreparationsOfEveryForm(t *testing.T) {
	t.Parallel()
	sparse := newCSR(t, 4, 5, []int{0, 2, 2, 3, 5}, []int32{0, 4, 2, 1, 3}, []float64{3, 4, 2, 0.5, 1}, []float64{1, -1, 1, -1})
	const center, standardize = "center", "standardize-unit-expected-norm"
	for form, in := range map[string]*Table{"bytes": codedTable(t, 60, 29), "sparse": sparse} {
		for _, first := range Preparations() {
			for _, second := range Preparations() {
				steps := []string{first.Name, second.Name}
				a, err := prepared(in, steps)
				b, err2 := prepared(in.floats(), steps)
				if err := errors.Join(err, err2); err != nil {
					t.Fatal(err)
				}
				sameBits(t, fmt.Sprint(form, steps), a.floats(), b)
				smaller := !slices.Contains(steps, center) && !slices.Contains(steps, standardize)
				if form == "bytes" {
					smaller = !slices.Contains(steps, "unit-norm") && steps[0] != standardize &&
						(steps[0] != center || slices.Contains([]string{"unit-expected-norm", "unit-max-value"}, steps[1]))
				}
				if (a.coded != nil || a.Sparse()) != smaller || b.coded != nil || b.Sparse() {
					t.Errorf("%s, %v: kept its format: %v", form, steps, a.coded != nil || a.Sparse())
				}
			}
		}
	}
}

// A table of bytes gives the same results as its floats.
func TestCodedParts(t *testing.T) {
	t.Parallel()
	in := codedTable(t, 300, 21)
	prepare := func(steps ...string) *Table {
		out, err := prepared(in, steps)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for what, tab := range map[string]*Table{"as read": in, "by feature": prepare("standardize-unit-expected-norm")} {
		plain := tab.floats()
		if plain.coded != nil || tab.coded == nil || tab.Sparse() || tab.storedCount() != plain.storedCount() {
			t.Errorf("%s: wrong kinds or sizes", what)
		}
		sameBits(t, what, tab, plain)
		buf := make([]float64, tab.D+1)
		if _, row := tab.Entries(4, buf); &row[0] != &buf[0] || !slices.Equal(row, plain.Row(4, nil)) {
			t.Errorf("%s: the row is %v, not in the buffer", what, row)
		}
		var a, b mat.SymDense
		SecondMoment(&a, tab, allRows(tab.N))
		SecondMoment(&b, plain, allRows(tab.N))
		if !mat.Equal(&a, &b) {
			t.Errorf("%s: the second moments differ", what)
		}
	}
	if in.Levels() == nil || prepare("unit-max-value").Levels() == nil || prepare("center").Levels() != nil {
		t.Error("Levels is nil for a table whose features share levels, or is not nil for another")
	}
}
