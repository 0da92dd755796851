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
		text   string
		opt    csvOptions
		data   []float64
		d      int
		labels []float64
	}{
		{"1,2\n3,4\n", csvOptions{}, []float64{1, 2, 3, 4}, 2, nil},
		{"\ufeffa,b\n3,4\n", csvOptions{}, []float64{3, 4}, 2, nil},
		{"a,y,b\n1,9,2\n", csvOptions{Label: "y"}, []float64{1, 2}, 2, []float64{9}},
		{"9,1,2\n", csvOptions{Label: "1"}, []float64{1, 2}, 2, []float64{9}},
		{"1,2,9\n", csvOptions{Label: "-1"}, []float64{1, 2}, 2, []float64{9}},
		{"1,2\n", csvOptions{Label: "none"}, []float64{1, 2}, 2, nil},
		// A name goes before a number.
		{"2,1\n5,6\n", csvOptions{Label: "2", Header: new(true)}, []float64{6}, 1, []float64{5}},
		{"\"1\"; 2 \r\n3;4\r\n", csvOptions{Comma: ';'}, []float64{1, 2, 3, 4}, 2, nil},
		{"1\t2\n", csvOptions{Comma: '\t'}, []float64{1, 2}, 2, nil},
		{"a,y\n1,yes\n2,no\n3,yes\n", csvOptions{Label: "y"}, []float64{1, 2, 3}, 1, []float64{1, -1, 1}},
		{"1,dog\n2,cat\n3,Zebra\n", csvOptions{Label: "2"}, []float64{1, 2, 3}, 1, []float64{3, 2, 1}},
		{"y,a\n7,\ndog,1\ncat,3\n?,5\n", csvOptions{Label: "y", Missing: "skip"}, []float64{1, 3}, 1, []float64{1, -1}},
		// Labels and other texts keep their commas; only numbers have a decimal comma.
		{
			"0,5;-1,25e3;a, b;1.2.2026\n1;,75;b;2.2.2026\n", csvOptions{Comma: ';', Decimal: ",", Label: "3", Ignore: "4"},
			[]float64{0.5, -1250, 1, 0.75}, 2, []float64{-1, 1},
		},
	} {
		f, err := readCSV(strings.NewReader(c.text), "f", c.opt, newRoom(0))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		tab := f.table
		same := slices.Equal(tab.data, c.data) && slices.Equal(tab.Labels, c.labels)
		if tab.D != c.d || !same || (tab.Labels == nil) != (c.labels == nil) {
			t.Errorf("%q: %d x %d %v, labels %v", c.text, tab.N, tab.D, tab.data, tab.Labels)
		}
	}
}

// The first line is a header or a row by its content and that of the rows below.
func TestHeaderOfNumbers(t *testing.T) {
	t.Parallel()
	const unclear = "?"
	for _, c := range []struct {
		text, label string
		header      *bool
		want        string // the header, "" for none
	}{
		{"0,1,2,species\n5.1,3.5,1.4,setosa\n7,3.2,4.7,virginica\n", "species", nil, "0 1 2 species"}, // as pandas writes it
		{",0,1,y\n0,5.1,3.5,1\n1,4.9,3,0\n", "y", nil, " 0 1 y"},
		{"0,1,species\n5.1,3.5,setosa\n4.9,3,virginica\n", "species", nil, "0 1 species"},
		{"0,1,2\n5.1,3.5,1\n", "-1", nil, "0 1 2"},
		{"2019,2020,y\n5.1,3.5,1\n4.9,3,0\n", "y", nil, "2019 2020 y"},
		{"a,2\n3,4\n", "none", nil, "a 2"},
		{"0,1,2,setosa\n5.1,3.5,1.4,virginica\n7,3.2,4.7,setosa\n", "4", nil, ""}, // a class that occurs again
		{"5.1,3.5,setosa\n7,3.2,virginica\n7,3.1,virginica\n", "3", nil, ""},
		{"1,2,3,4\n5,6,7,8\n", "4", nil, ""},
		{"1,2,3\n4,9,7\n", "3", nil, ""},
		{"0,1\n1,0\n", "2", nil, unclear},
		{"0,species\n5.1,setosa\n", "2", nil, unclear},
		{"0,1,2\n1,2,3\n", "3", nil, unclear},
		{"1,2,species\n5.1,3.5,setosa\n4.9,3,virginica\n", "3", nil, unclear},
		{"1,2,3,4\n5.1,3.5,2,1\n", "4", nil, unclear},
		{"1,2,species\n5.1,3.5,setosa\n4.9,3,virginica\n", "species", new(true), "1 2 species"},
		{"0,1,2\n1,2,3\n", "3", new(false), ""},
	} {
		f, err := readCSV(strings.NewReader(c.text), "d.csv", csvOptions{Label: c.label, Header: c.header}, newRoom(0))
		if err != nil {
			if where, ok := errors.AsType[*SyntaxError](err); !ok || where.Line != 1 || c.want != unclear {
				t.Errorf("%q: %v", c.text, err)
			}
		} else if strings.Join(f.header, " ") != c.want || f.table.N != strings.Count(c.text, "\n")-min(1, len(f.header)) {
			t.Errorf("%q: header %q, %d rows", c.text, f.header, f.table.N)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, s := range []string{"1,2\n3,4\n", "a,b\n1,2\n", "\ufeff1\n", "\"1\n\",2", "1,nan", "1,\n", "x\n", ",\n1,2\n"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, labelled bool) {
		opt := csvOptions{}
		if labelled {
			opt.Label = "-1"
		}
		a, err := readCSV(bytes.NewReader(text), "f", opt, newRoom(0))
		if refused(t, err, text) {
			return
		}
		if err := wellFormed(a.table); err != nil {
			t.Fatalf("accepted a table that is not valid: %v", err)
		}
		var out bytes.Buffer
		encodeCSV(&out, a.table)
		opt.Header = new(false)
		b, err := readCSV(&out, "g", opt, newRoom(0))
		if err != nil {
			t.Fatalf("cannot read back: %v", err)
		}
		if err := equalTables(a.table, b.table); err != nil {
			t.Fatalf("not the same after writing and reading back: %v", err)
		}
	})
}

// refused reports whether there is an error, which must be of a line of the text.
func refused(t *testing.T, err error, text []byte) bool {
	t.Helper()
	where, ok := errors.AsType[*SyntaxError](err)
	if err != nil && (!ok || where.Line < 0 || where.Line > 1+bytes.Count(text, []byte("\n"))) {
		t.Fatalf("not a *SyntaxError of a line of the text: %v", err)
	}
	return err != nil
}
