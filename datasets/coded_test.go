package datasets

import (
	"bytes"
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

// TestCodedPreparations: any two steps on a table kept in bytes give the same bits as on the
// numbers; unit-norm does not leave a byte an entry, and after a mean only one scaling does.
func TestCodedPreparations(t *testing.T) {
	t.Parallel()
	in := codedTable(t, 60, 29)
	var names []string
	for _, p := range Preparations() {
		names = append(names, p.Name)
	}
	for _, first := range names {
		for _, second := range names {
			steps := []string{first, second}
			a, err := prepared(in, steps)
			if err != nil {
				t.Fatal(err)
			}
			b, err := prepared(in.floats(), steps)
			if err != nil {
				t.Fatal(err)
			}
			sameBits(t, first+", "+second, a, b)
			bytes := !slices.Contains(steps, "unit-norm") && first != "standardize-unit-expected-norm" &&
				(first != "center" || slices.Contains([]string{"unit-expected-norm", "unit-max-value"}, second))
			if (a.coded != nil) != bytes || b.coded != nil {
				t.Errorf("%v: in bytes: %v and %v", steps, a.coded != nil, b.coded != nil)
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
		rows := []int{17, 3, 3, 299}
		sameBits(t, what+", selected", tab.Select(rows), plain.Select(rows))
		sameBits(t, what+", sliced", slice(tab, 5, 40), slice(plain, 5, 40))
		again := stack([]*Table{slice(tab, 0, 5), slice(tab, 5, 300)})
		sameBits(t, what+", stacked", again, plain)
		if again.coded == nil {
			t.Errorf("%s: stacked, it takes %d bytes", what, again.Bytes())
		}
		var a, b mat.SymDense
		SecondMoment(&a, tab, rows)
		SecondMoment(&b, plain, rows)
		if !mat.Equal(&a, &b) {
			t.Errorf("%s: the second moments differ", what)
		}
	}
	if in.Levels() == nil || prepare("unit-max-value").Levels() == nil || prepare("center").Levels() != nil {
		t.Error("levels of all features alike are told where there are none, or not where there are")
	}
}
