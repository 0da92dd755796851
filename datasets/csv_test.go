package datasets

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestReadCSV(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		opt        CSVOptions
		data       []float64
		d          int
		labels     []float64
	}{
		{"no header, no label", "1,2\n3,4\n", CSVOptions{}, []float64{1, 2, 3, 4}, 2, nil},
		{"header found", "a,b\n3,4\n", CSVOptions{}, []float64{3, 4}, 2, nil},
		{"label by name", "a,y,b\n1,9,2\n", CSVOptions{Label: "y"}, []float64{1, 2}, 2, []float64{9}},
		{"label by number", "9,1,2\n", CSVOptions{Label: "1"}, []float64{1, 2}, 2, []float64{9}},
		{"label last", "1,2,9\n", CSVOptions{Label: "-1"}, []float64{1, 2}, 2, []float64{9}},
		{"label none", "1,2\n", CSVOptions{Label: "none"}, []float64{1, 2}, 2, nil},
		{"a name goes before a number", "2,1\n5,6\n", CSVOptions{Label: "2", Header: "yes"}, []float64{6}, 1, []float64{5}},
		{"header of numbers", "1,2\n3,4\n", CSVOptions{Header: "yes"}, []float64{3, 4}, 2, nil},
		{"semicolons, crlf, quotes, blanks", "\"1\"; 2 \r\n3;4\r\n", CSVOptions{Comma: ';'}, []float64{1, 2, 3, 4}, 2, nil},
		{"byte order mark", "\ufeff1,2\n", CSVOptions{}, []float64{1, 2}, 2, nil},
		{"tabs", "1\t2\n", CSVOptions{Comma: '\t'}, []float64{1, 2}, 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab, _, err := ReadCSV(strings.NewReader(c.text), "f", c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if tab.D != c.d || !slices.Equal(tab.data, c.data) || !slices.Equal(tab.Labels, c.labels) || (tab.Labels == nil) != (c.labels == nil) {
				t.Errorf("got %d x %d %v, labels %v", tab.N, tab.D, tab.data, tab.Labels)
			}
		})
	}
}

func TestReadCSVErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		opt        CSVOptions
		want       string
	}{
		{"nan", "1,2\n3,NaN\n", CSVOptions{}, `d.csv:2: column 2: "NaN" is not a finite number`},
		{"infinity with header", "a,b\n3,4\ninf,1\n", CSVOptions{}, `d.csv:3: column 1 ("a"): "inf" is not a finite number`},
		{"text", "1,2\n3,x\n", CSVOptions{}, `d.csv:2: column 2: "x" is not a number`},
		{"half a header", "a,2\n3,4\n", CSVOptions{}, `d.csv:1: column 1: "a" is not a number (if this line is a header, set ` + "`header: yes`)"},
		{"nan in the first line", "nan,1\n", CSVOptions{}, `d.csv:1: column 1: "nan" is not a finite number`},
		{"empty field", "1,2\n3,\n", CSVOptions{}, "d.csv:2: column 2: empty field"},
		{"ragged", "1,2\n3,4\n5\n", CSVOptions{}, "d.csv:3: the number of columns differs"},
		{"bad quote", "1,2\n3,\"4\n", CSVOptions{}, "d.csv:"},
		{"no rows", "", CSVOptions{}, "d.csv: no rows"},
		{"only a header", "a,b\n", CSVOptions{}, "d.csv: no rows"},
		{"label without header", "1,2\n", CSVOptions{Label: "y"}, `label column "y": the file has no header`},
		{"label misspelled", "age,income\n1,2\n", CSVOptions{Label: "incom"}, `did you mean "income"`},
		{"label out of range", "1,2\n", CSVOptions{Label: "3"}, "label column 3: the file has columns 1 to 2"},
		{"label zero", "1,2\n", CSVOptions{Label: "0"}, "label column 0"},
		{"only labels", "1\n", CSVOptions{Label: "1"}, "no column is left"},
		{"features", "1,2,3\n", CSVOptions{Features: 2}, "d.csv:1: 3 features, want 2"},
		{"header option", "1\n", CSVOptions{Header: "maybe"}, "unknown value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := ReadCSV(strings.NewReader(c.text), "d.csv", c.opt)
			wantError(t, err, c.want)
		})
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, s := range []string{"1,2\n3,4\n", "a,b\n1,2\n", "\ufeff1\n", "\"1\n\",2", "1,nan", "1,\n", "x\n", ",\n1,2\n"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, labelled bool) {
		opt := CSVOptions{}
		if labelled {
			opt.Label = "-1"
		}
		a, _, err := ReadCSV(bytes.NewReader(text), "f", opt)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("not a *SyntaxError: %v", err)
			}
			return
		}
		if err := wellFormed(a); err != nil {
			t.Fatalf("accepted a table that is not valid: %v", err)
		}
		var out bytes.Buffer
		encodeCSV(&out, a)
		b, _, err := ReadCSV(&out, "g", opt)
		if err != nil {
			t.Fatalf("cannot read back: %v", err)
		}
		if err := equalTables(a, b); err != nil {
			t.Fatalf("not the same after writing and reading back: %v", err)
		}
	})
}
