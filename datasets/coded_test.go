package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// codedTable is a table of bytes, with a row and a feature of zeros, a constant feature and
// one in which two bytes occur.
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
	tab, err := readArrayTable(bytes.NewReader(encodeIDX([]int{n, d}, data)), "f", csvOptions{}, newRoom(0))
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

// Any two steps give the same bits on a table of bytes or a sparse one as on its numbers. unit-norm does not leave a
// byte an entry, and after a mean only one scaling does; a table stays sparse unless a mean is subtracted.
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
					t.Errorf("%s, %v: kept smaller: %v", form, steps, a.coded != nil || a.Sparse())
				}
			}
		}
	}
}

// TestCodedParts: what is made of a table kept in bytes is what is made of its numbers.
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
		if plain.coded != nil || tab.coded == nil || tab.Sparse() || tab.NNZ() != plain.NNZ() {
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
