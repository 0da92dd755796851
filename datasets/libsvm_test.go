package datasets

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestReadLIBSVM(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		features int
		labels   []float64
		rows     [][]float64
	}{
		{"+1 1:0.5 3:2\n-1 2:1e-3\n", 0, []float64{1, -1}, [][]float64{{.5, 0, 2}, {0, 1e-3, 0}}},
		{"1\t1:1 \r\n-1.0 2:-2  \r\n", 0, []float64{1, -1}, [][]float64{{1, 0}, {0, -2}}},
		{"\ufeff# head\n\n2.5 1:1 # tail 9:9\n", 0, []float64{2.5}, [][]float64{{1}}},
		{"3\n-1 2:1\n1e0 1:2", 0, []float64{3, -1, 1}, [][]float64{{0, 0}, {0, 1}, {2, 0}}},
		{"1 1:1\n", 4, []float64{1}, [][]float64{{1, 0, 0, 0}}},
		{"1\n", 2, []float64{1}, [][]float64{{0, 0}}},
		{"1 " + strings.Repeat(" ", 1<<17) + "0002:1\n", 0, []float64{1}, [][]float64{{0, 1}}}, // longer than any buffer
	} {
		tab, err := readLIBSVM(strings.NewReader(c.text), "f", c.features, newRoom(0))
		if err != nil || tab.N != len(c.rows) || tab.D != len(c.rows[0]) || !slices.Equal(tab.Labels, c.labels) {
			t.Errorf("%.40q: %+v, %v", c.text, tab, err)
			continue
		}
		got := make([]float64, tab.D)
		for i, w := range c.rows {
			if tab.RowTo(got, i); !slices.Equal(got, w) {
				t.Errorf("%.40q: row %d is %v, want %v", c.text, i, got, w)
			}
		}
	}
}

// FuzzReadLIBSVM: no text makes the reader panic; what it refuses it refuses
// with a line number in the text; what it accepts is a valid table that is the
// same after writing and reading back, compressed or not, with the number of
// features free or fixed.
func FuzzReadLIBSVM(f *testing.F) {
	for _, s := range []string{
		tinyText, "1 1:1", "\n", "1 0:1", "1 2:1 1:1", "1 2:1 2:1", "# x\n3.5\r\n", "1 1:1e-320 2:nan", "1 qid:1 1:1", "1 2147483647:1",
		"+1\n-1\n+1.0 3:0\n-1.0", "1.0 1:+1 2:-0", "1 1:1\x00", "1\t1:1\v2:2", "1 1:1:1", "1 :1", "1 1:", "\xef\xbb\xbf1 1:1", "1 +1:1", "1 1:1 #",
	} {
		f.Add([]byte(s), 0)
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, features int) {
		features = max(features, 0)
		a, err := readLIBSVM(bytes.NewReader(text), "f", features, newRoom(0))
		if refused(t, err, text) {
			return
		}
		if features > 0 && a.D != features {
			t.Fatalf("%d features, want %d", a.D, features)
		}
		if err := wellFormed(a); err != nil {
			t.Fatalf("accepted a table that is not valid: %v", err)
		}
		if err := a.BinaryLabels(); err == nil {
			for _, y := range a.Labels {
				if y != 1 && y != -1 {
					t.Fatalf("label %v passed for binary", y)
				}
			}
		}
		var out bytes.Buffer
		encodeLIBSVM(&out, a)
		r, _, err := decompress(bytes.NewReader(gzipped(out.Bytes())))
		if err != nil {
			t.Fatal(err)
		}
		b, err := readLIBSVM(r, "g", features, newRoom(0))
		if err != nil {
			t.Fatalf("cannot read back: %v", err)
		}
		if a.N != b.N || a.D != b.D || !slices.Equal(a.indptr, b.indptr) || !slices.Equal(a.indices, b.indices) ||
			!slices.Equal(a.values, b.values) || !slices.Equal(a.Labels, b.Labels) {
			t.Fatal("not the same after writing and reading back")
		}
	})
}
