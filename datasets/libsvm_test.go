package datasets

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestReadLIBSVM(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		features   int
		n, d       int
		labels     []float64
		rows       [][]float64
	}{
		{"plain", "+1 1:0.5 3:2\n-1 2:1e-3\n", 0, 2, 3, []float64{1, -1}, [][]float64{{.5, 0, 2}, {0, 1e-3, 0}}},
		{"no newline at the end", "1 1:1", 0, 1, 1, []float64{1}, [][]float64{{1}}},
		{"crlf, tabs, trailing blanks", "1\t1:1 \r\n-1.0 2:-2  \r\n", 0, 2, 2, []float64{1, -1}, [][]float64{{1, 0}, {0, -2}}},
		{"comments and blank lines", "# head\n\n2.5 1:1 # tail 9:9\n", 0, 1, 1, []float64{2.5}, [][]float64{{1}}},
		{"empty rows", "3\n-1 2:1\n", 0, 2, 2, []float64{3, -1}, [][]float64{{0, 0}, {0, 1}}},
		{"spellings of labels", "+1 1:1\n-1.0 1:1\n1.0\n1e0 1:2\n", 0, 4, 1, []float64{1, -1, 1, 1}, [][]float64{{1}, {1}, {0}, {2}}},
		{"fixed features", "1 1:1\n", 4, 1, 4, []float64{1}, [][]float64{{1, 0, 0, 0}}},
		{"only labels, fixed features", "1\n", 2, 1, 2, []float64{1}, [][]float64{{0, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab, err := readLIBSVM(strings.NewReader(c.text), "f", c.features, newRoom(0))
			if err != nil {
				t.Fatal(err)
			}
			if tab.N != c.n || tab.D != c.d || !slices.Equal(tab.Labels, c.labels) {
				t.Fatalf("got %d x %d, labels %v", tab.N, tab.D, tab.Labels)
			}
			got := make([]float64, tab.D)
			for i, w := range c.rows {
				if tab.RowTo(got, i); !slices.Equal(got, w) {
					t.Errorf("row %d: %v, want %v", i, got, w)
				}
			}
		})
	}
}

func TestReadLIBSVMLongLine(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("1")
	for i := 1; i <= 30000; i++ {
		b.WriteString(" ")
		b.WriteString(strings.Repeat("0", 3) + strconv.Itoa(i) + ":1")
	}
	tab, err := readLIBSVM(strings.NewReader(b.String()), "f", 0, newRoom(0))
	if err != nil || tab.D != 30000 || tab.NNZ() != 30000 {
		t.Fatalf("%v %+v", err, tab)
	}
}

func TestReadLIBSVMByteOrderMark(t *testing.T) {
	t.Parallel()
	for text, rows := range map[string]int{"\ufeff1 1:2\n-1 1:3\n": 2, "\ufeff# a comment\n1 1:2": 1, "1 1:2": 1} {
		tab, err := readLIBSVM(strings.NewReader(text), "d.txt", 0, newRoom(0))
		if err != nil || tab.N != rows || tab.Labels[0] != 1 {
			t.Errorf("%q: %+v, %v", text, tab, err)
		}
	}
	_, err := readLIBSVM(strings.NewReader("1 1:2\n\ufeff1 1:2\n"), "d.txt", 0, newRoom(0))
	wantError(t, err, "d.txt:2: label")
	_, err = readLIBSVM(strings.NewReader("\ufeff"), "d.txt", 0, newRoom(0))
	wantError(t, err, "no rows")
}

func TestReadLIBSVMErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		features   int
		want       string
	}{
		{"index 0", "1 1:1\n-1 0:1\n", 0, `d.txt:2: "0:1": index 0, but indices start at 1`},
		{"unsorted", "1 3:1 2:1\n", 0, `d.txt:1: "2:1": index 2 after index 3: indices must increase`},
		{"duplicate", "1 3:1 3:1\n", 0, `d.txt:1: "3:1": index 3 occurs twice`},
		{"duplicate later on", "1 1:1\n\n# x\n1 3:1 4:1 3:1\n", 0, `d.txt:4: "3:1": index 3 after index 4: indices must increase`},
		{"negative index", "1 -3:1\n", 0, `d.txt:1: "-3:1": the index is not a whole number`},
		{"huge index", "1 3000000000:1\n", 0, "the index is above 2147483647"},
		{"huger index", "1 99999999999999999999999:1\n", 0, "the index is above 2147483647"},
		{"no colon", "1 3\n", 0, `d.txt:1: "3": want index:value`},
		{"bad value", "1 3:x\n", 0, `d.txt:1: "3:x": value: "x" is not a number`},
		{"empty value", "1 3:\n", 0, `"3:": value: "" is not a number`},
		{"hexadecimal", "1 3:0x1p2\n", 0, "is not a number"},
		{"nan", "1 1:1\n1 3:nan\n", 0, `d.txt:2: "3:nan": value: "nan" is not a finite number`},
		{"infinity", "1 3:-Inf\n", 0, "is not a finite number"},
		{"overflow", "1 3:1e999\n", 0, "is not a finite number"},
		{"bad label", "a 3:1\n", 0, `d.txt:1: label: "a" is not a number`},
		{"nan label", "nan 3:1\n", 0, `d.txt:1: label: "nan" is not a finite number`},
		{"several labels", "1,2 3:1\n", 0, `label: "1,2" is not a number`},
		{"qid", "1 qid:3 3:1\n", 0, "ranking data are not supported"},
		{"too many features", "1 5:1\n", 4, `d.txt:1: "5:1": index 5, but the data have 4 features`},
		{"no rows", "# nothing\n", 0, "d.txt: no rows"},
		{"no features", "1\n2\n", 0, "d.txt: no row has a feature"},
		{"shortened", "1 " + strings.Repeat("z", 500), 0, "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readLIBSVM(strings.NewReader(c.text), "d.txt", c.features, newRoom(0))
			wantError(t, err, c.want)
			var se *SyntaxError
			if !errors.As(err, &se) || len(err.Error()) > 200 {
				t.Errorf("not a short *SyntaxError: %v", err)
			}
		})
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
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Line < 0 || se.Line > 1+bytes.Count(text, []byte("\n")) {
				t.Fatalf("not a *SyntaxError of a line of the text: %v", err)
			}
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
