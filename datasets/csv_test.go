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
		opt        csvOptions
		data       []float64
		d          int
		labels     []float64
	}{
		{"no header, no label", "1,2\n3,4\n", csvOptions{}, []float64{1, 2, 3, 4}, 2, nil},
		{"header found", "a,b\n3,4\n", csvOptions{}, []float64{3, 4}, 2, nil},
		{"label by name", "a,y,b\n1,9,2\n", csvOptions{Label: "y"}, []float64{1, 2}, 2, []float64{9}},
		{"label by number", "9,1,2\n", csvOptions{Label: "1"}, []float64{1, 2}, 2, []float64{9}},
		{"label last", "1,2,9\n", csvOptions{Label: "-1"}, []float64{1, 2}, 2, []float64{9}},
		{"label none", "1,2\n", csvOptions{Label: "none"}, []float64{1, 2}, 2, nil},
		{"a name goes before a number", "2,1\n5,6\n", csvOptions{Label: "2", Header: new(true)}, []float64{6}, 1, []float64{5}},
		{"header of numbers", "1,2\n3,4\n", csvOptions{Header: new(true)}, []float64{3, 4}, 2, nil},
		{"semicolons, crlf, quotes, blanks", "\"1\"; 2 \r\n3;4\r\n", csvOptions{Comma: ';'}, []float64{1, 2, 3, 4}, 2, nil},
		{"byte order mark", "\ufeff1,2\n", csvOptions{}, []float64{1, 2}, 2, nil},
		{"two texts", "a,y\n1,yes\n2,no\n3,yes\n", csvOptions{Label: "y"}, []float64{1, 2, 3}, 1, []float64{1, -1, 1}},
		{"three texts", "1,dog\n2,cat\n3,Zebra\n", csvOptions{Label: "2"}, []float64{1, 2, 3}, 1, []float64{3, 2, 1}},
		{"skipped", "a,y\n1,dog\nNA,fox\n3,cat\n?,cat\n", csvOptions{Label: "y", Missing: "skip"}, []float64{1, 3}, 1, []float64{1, -1}},
		{"label first skipped", "y,a\n7,\ndog,1\ncat,3\n", csvOptions{Label: "y", Missing: "skip"}, []float64{1, 3}, 1, []float64{1, -1}},
		{"tabs", "1\t2\n", csvOptions{Comma: '\t'}, []float64{1, 2}, 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := readCSV(strings.NewReader(c.text), "f", c.opt, newRoom(0))
			if err != nil {
				t.Fatal(err)
			}
			tab := f.table
			if tab.D != c.d || !slices.Equal(tab.data, c.data) || !slices.Equal(tab.Labels, c.labels) || (tab.Labels == nil) != (c.labels == nil) {
				t.Errorf("got %d x %d %v, labels %v", tab.N, tab.D, tab.data, tab.Labels)
			}
		})
	}
}

func TestReadCSVErrors(t *testing.T) {
	t.Parallel()
	var many string
	for i := range mostClasses + 1 {
		many += "1,y" + strings.Repeat("i", i/20) + string(rune('a'+i%20)) + "\n"
	}
	for _, c := range []struct {
		name, text string
		opt        csvOptions
		want       string
	}{
		{"nan", "1,2\n3,NaN\n", csvOptions{}, `d.csv:2: column 2: the value is missing ("NaN"): fill it in, or leave such rows out by ` + "`with: {missing: skip}`"},
		{"infinity with header", "a,b\n3,4\ninf,1\n", csvOptions{}, `d.csv:3: column 1 ("a"): "inf" is not a finite number`},
		{"text", "1,2\n3,x\n", csvOptions{}, `d.csv:2: column 2: "x" is not a number`},
		{"text in the first row", "a,2\nb,4\n", csvOptions{}, `d.csv:1: column 1: "a" is not a number (if this line is a header, set ` + "`with: {header: true}`)"},
		{"nan in the first line", "nan,1\n", csvOptions{}, `d.csv:1: column 1: the value is missing ("nan")`},
		{"empty field", "1,2\n3,\n", csvOptions{}, `d.csv:2: column 2: the value is missing ("")`},
		{"ragged", "1,2\n3,4\n5\n", csvOptions{}, "d.csv:3: the number of columns differs"},
		{"bad quote", "1,2\n3,\"4\n", csvOptions{}, "d.csv:"},
		{"no rows", "", csvOptions{}, "d.csv: no rows"},
		{"only a header", "a,b\n", csvOptions{}, "d.csv: no rows"},
		{"label without header", "1,2\n", csvOptions{Label: "y"}, `label column "y": the file has no header`},
		{"label misspelled", "age,income\n1,2\n", csvOptions{Label: "incom"}, `did you mean "income"`},
		{"label out of range", "1,2\n", csvOptions{Label: "3"}, "label column 3: the file has columns 1 to 2"},
		{"label zero", "1,2\n", csvOptions{Label: "0"}, "label column 0"},
		{"only labels", "1\n", csvOptions{Label: "1"}, "no column is left"},
		{"features", "1,2,3\n", csvOptions{Features: 2}, "d.csv:1: 3 features, want 2"},
		{"NA", "a,b\n1,2\nNA,3\n", csvOptions{}, `d.csv:3: column 1 ("a"): the value is missing ("NA")`},
		{"every row", "a,b\n1,?\nnull,3\n4,N/A\n", csvOptions{Missing: "skip"}, `d.csv: no rows: all 3 have missing values, most in column 2 ("b")`},
		{"missing label", "a,y\n1,no\n2,\n", csvOptions{Label: "y"}, `d.csv:3: column 2 ("y"): the value is missing ("")`},
		{"number among texts", "a,y\n1,no\n2,3\n", csvOptions{Label: "y"}, `d.csv:3: column 2 ("y"): "3" is a number, but other labels are texts`},
		{"text among numbers", "a,y\n1,0\n2,no\n", csvOptions{Label: "y"}, `d.csv:3: column 2 ("y"): "no" is not a number`},
		{"text of two lines", "1,\"a\nb\"\n", csvOptions{Label: "2"}, `cannot be printed on one line, as a label must be`},
		{"too many texts", many, csvOptions{Label: "2"}, `d.csv:101: column 2: "yiiiiia" comes after 100 other texts, too many for classes`},
		{"same names", "a,b,y, y \n1,2,0,0\n", csvOptions{Label: "y"}, `d.csv:1: columns 3 and 4 are both called "y"; rename one of them`},
		{"same numbers", "1,2,1\n3,4,5\n", csvOptions{Header: new(true)}, `d.csv:1: columns 1 and 3 are both called "1"; rename one of them`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readCSV(strings.NewReader(c.text), "d.csv", c.opt, newRoom(0))
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
		opt := csvOptions{}
		if labelled {
			opt.Label = "-1"
		}
		a, err := readCSV(bytes.NewReader(text), "f", opt, newRoom(0))
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("not a *SyntaxError: %v", err)
			}
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

// The first line is a header or a row by what it and the rows below hold.
func TestHeaderOfNumbers(t *testing.T) {
	t.Parallel()
	const unclear = "this line may be a header or a row"
	for _, c := range []struct {
		name, text, label string
		header            *bool
		want              string // the header, "" for none, or an error
	}{
		{"pandas", "0,1,2,species\n5.1,3.5,1.4,setosa\n7,3.2,4.7,virginica\n", "species", nil, "0 1 2 species"},
		{"pandas with an index", ",0,1,y\n0,5.1,3.5,1\n1,4.9,3,0\n", "y", nil, " 0 1 y"},
		{"two features", "0,1,species\n5.1,3.5,setosa\n4.9,3,virginica\n", "species", nil, "0 1 species"},
		{"numbers alone", "0,1,2\n5.1,3.5,1\n4.9,3,0\n", "3", nil, "0 1 2"},
		{"numbers alone, one row", "0,1,2\n5.1,3.5,1\n", "-1", nil, "0 1 2"},
		{"a text above numbers", "2019,2020,y\n5.1,3.5,1\n4.9,3,0\n", "y", nil, "2019 2020 y"},
		{"a text above numbers and texts", "a,2\n3,4\n", "none", nil, "a 2"},
		{"a row of a class that occurs again", "0,1,2,setosa\n5.1,3.5,1.4,virginica\n7,3.2,4.7,setosa\n", "4", nil, ""},
		{"a row of a rare class", "5.1,3.5,setosa\n7,3.2,virginica\n7,3.1,virginica\n", "3", nil, ""},
		{"rows that count up", "1,2,3,4\n5,6,7,8\n", "4", nil, ""},
		{"rows", "1,2,3\n4,9,7\n", "3", nil, ""},
		{"a short count", "0,1\n1,0\n", "2", nil, unclear},
		{"one feature", "0,species\n5.1,setosa\n", "2", nil, unclear},
		{"rows that count up too", "0,1,2\n1,2,3\n", "3", nil, unclear},
		{"a count from 1", "1,2,species\n5.1,3.5,setosa\n4.9,3,virginica\n", "3", nil, unclear + ": its numbers count up from 1; say which by " +
			"`with: {header: true}` or `with: {header: false}`"},
		{"a long count from 1", "1,2,3,4\n5.1,3.5,2,1\n", "4", nil, unclear},
		{"said to be", "1,2,species\n5.1,3.5,setosa\n4.9,3,virginica\n", "species", new(true), "1 2 species"},
		{"said not to be", "0,1,2\n1,2,3\n", "3", new(false), ""},
	} {
		f, err := readCSV(strings.NewReader(c.text), "d.csv", csvOptions{Label: c.label, Header: c.header}, newRoom(0))
		switch {
		case strings.HasPrefix(c.want, unclear):
			if err == nil || !strings.HasPrefix(err.Error(), "d.csv:1: "+c.want) {
				t.Errorf("%s: %v", c.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case strings.Join(f.header, " ") != c.want || f.table.N != strings.Count(c.text, "\n")-min(1, len(f.header)):
			t.Errorf("%s: header %q, %d rows", c.name, f.header, f.table.N)
		}
	}
}

// A test file has the labels of the training file.
func TestTextsOfTestFiles(t *testing.T) {
	t.Parallel()
	open := func(train, test string) (*Data, error) {
		ref := Ref{Path: laid(t, "train.csv", train), Test: laid(t, "test.csv", test), Label: "y"}
		return Open(t.Context(), ref, Options{})
	}
	d, err := open("a,y\n1,yes\n2,no\n", "a,y\n3,yes\n")
	if err != nil || !slices.Equal(d.Table.Labels, []float64{1, -1, 1}) {
		t.Errorf("%v, %v", d, err)
	}
	_, err = open("a,y\n1,yes\n2,no\n", "a,y\n3,No\n")
	wantError(t, err, `test.csv:2: column 2 ("y"): "No" is not one of no, yes`)
	_, err = open("a,y\n1,1\n2,-1\n", "a,y\n3,yes\n")
	wantError(t, err, `test.csv:2: column 2 ("y"): "yes" is not a number`)
}

// Labels and texts keep their commas; only the numbers have a decimal comma.
func TestDecimalCommas(t *testing.T) {
	t.Parallel()
	text := "0,5;-1,25e3;a, b;1.2.2026\n1;,75;b;2.2.2026\n"
	opt := csvOptions{Comma: ';', Decimal: ",", Label: "3", Ignore: "4"}
	f, err := readCSV(strings.NewReader(text), "f", opt, newRoom(0))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.table.data, []float64{0.5, -1250, 1, 0.75}) || !slices.Equal(f.table.texts, []string{"a, b", "b"}) {
		t.Errorf("%v, %q", f.table.data, f.table.texts)
	}
}
