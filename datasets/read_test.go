package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
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
		// A name takes precedence over a number.
		{"2,1\n5,6\n", csvOptions{Label: "2", Header: new(true)}, []float64{6}, 1, []float64{5}},
		{"\"1\"; 2 \r\n3;4\r\n", csvOptions{Comma: ';'}, []float64{1, 2, 3, 4}, 2, nil},
		{"1\t2\n", csvOptions{Comma: '\t'}, []float64{1, 2}, 2, nil},
		{"a,y\n1,yes\n2,no\n3,yes\n", csvOptions{Label: "y"}, []float64{1, 2, 3}, 1, []float64{1, -1, 1}},
		{"1,dog\n2,cat\n3,Zebra\n", csvOptions{Label: "2"}, []float64{1, 2, 3}, 1, []float64{3, 2, 1}},
		{"y,a\n7,\ndog,1\ncat,3\n?,5\n", csvOptions{Label: "y", Missing: "skip"}, []float64{1, 3}, 1, []float64{1, -1}},
		// Labels and other text keep their commas; only numbers have a decimal comma.
		{
			"0,5;-1,25e3;a, b;1.2.2026\n1;,75;b;2.2.2026\n", csvOptions{Comma: ';', Decimal: ",", Label: "3", Ignore: "4"},
			[]float64{0.5, -1250, 1, 0.75}, 2, []float64{-1, 1},
		},
	} {
		f, err := readCSV(strings.NewReader(c.text), "f", c.opt, newBudget(0))
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

// The contents of the first line and of the rows below decide whether it is a header.
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
		{"0,1,2\n5.1,3.5,1\n", "-1", nil, "0 1 2"},
		{"2019,2020,y\n5.1,3.5,1\n4.9,3,0\n", "y", nil, "2019 2020 y"},
		{"a,2\n3,4\n", "none", nil, "a 2"},
		{"0,1,2,setosa\n5.1,3.5,1.4,virginica\n7,3.2,4.7,setosa\n", "4", nil, ""}, // a class that occurs twice
		{"5.1,3.5,setosa\n7,3.2,virginica\n7,3.1,virginica\n", "3", nil, ""},
		{"1,2,3,4\n5,6,7,8\n", "4", nil, ""},
		{"0,1\n1,0\n", "2", nil, unclear},
		{"0,species\n5.1,setosa\n", "2", nil, unclear},
		{"1,2,species\n5.1,3.5,setosa\n4.9,3,virginica\n", "3", nil, unclear},
		{"1,2,3,4\n5.1,3.5,2,1\n", "4", nil, unclear},
		{"1,2,species\n5.1,3.5,setosa\n4.9,3,virginica\n", "species", new(true), "1 2 species"},
		{"0,1,2\n1,2,3\n", "3", new(false), ""},
	} {
		f, err := readCSV(strings.NewReader(c.text), "d.csv", csvOptions{Label: c.label, Header: c.header}, newBudget(0))
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
		a, err := readCSV(bytes.NewReader(text), "f", opt, newBudget(0))
		if rejected(t, err, text) {
			return
		}
		if err := wellFormed(a.table); err != nil {
			t.Fatalf("accepted an invalid table: %v", err)
		}
		var out bytes.Buffer
		encodeCSV(&out, a.table)
		opt.Header = new(false)
		b, err := readCSV(&out, "g", opt, newBudget(0))
		if err != nil {
			t.Fatalf("cannot read back: %v", err)
		}
		if err := equalTables(a.table, b.table); err != nil {
			t.Fatalf("not the same after writing and reading back: %v", err)
		}
	})
}

// rejected reports whether err is not nil. It must be a *SyntaxError with a line of the text.
func rejected(t *testing.T, err error, text []byte) bool {
	t.Helper()
	where, ok := errors.AsType[*SyntaxError](err)
	if err != nil && (!ok || where.Line < 0 || where.Line > 1+bytes.Count(text, []byte("\n"))) {
		t.Fatalf("not a *SyntaxError of a line of the text: %v", err)
	}
	return err != nil
}

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
		{"1 " + strings.Repeat(" ", 1<<17) + "0002:1\n", 0, []float64{1}, [][]float64{{0, 1}}}, // longer than any buffer
	} {
		tab, err := readLIBSVM(strings.NewReader(c.text), "f", c.features, newBudget(0))
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

// Every text is rejected with a line number or gives a valid table. Writing and reading, with or without
// compression and a given number of features, preserve the table.
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
		a, err := readLIBSVM(bytes.NewReader(text), "f", features, newBudget(0))
		if rejected(t, err, text) {
			return
		}
		if features > 0 && a.D != features {
			t.Fatalf("%d features, want %d", a.D, features)
		}
		if err := wellFormed(a); err != nil {
			t.Fatalf("accepted an invalid table: %v", err)
		}
		var out bytes.Buffer
		encodeLIBSVM(&out, a)
		r, _, err := decompress(bytes.NewReader(gzipped(out.Bytes())))
		if err != nil {
			t.Fatal(err)
		}
		b, err := readLIBSVM(r, "g", features, newBudget(0))
		if err != nil {
			t.Fatalf("cannot read back: %v", err)
		}
		if a.N != b.N || a.D != b.D || !slices.Equal(a.indptr, b.indptr) || !slices.Equal(a.indices, b.indices) ||
			!slices.Equal(a.values, b.values) || !slices.Equal(a.Labels, b.Labels) {
			t.Fatal("not the same after writing and reading back")
		}
	})
}

func FuzzReadArray(f *testing.F) {
	f.Add(encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4}))
	f.Add(encodeIDX([]int{3}, []byte{1, 2, 3}))
	f.Add(encodeIDX([]int{1 << 31, 1 << 31}, []byte{1}))
	f.Add([]byte{0, 0, 14, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte("text"))
	f.Add(encodeNPY("<f8", false, "(2, 2)", []float64{1, 2, 3, 4}))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := readArray(bytes.NewReader(file), "f", newBudget(0))
		if rejected(t, err, nil) {
			return
		}
		if a.bytes != nil && !bytes.Equal(encodeIDX(a.dims, a.bytes), file) {
			t.Fatal("the file is not header and elements")
		}
	})
}

// encodeNPY encodes a NumPy file in the format of np.save.
func encodeNPY(descr string, fortran bool, shape string, data any) []byte {
	order := map[bool]string{false: "False", true: "True"}[fortran]
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	out := binary.LittleEndian.AppendUint16([]byte(npyMagic+"\x01\x00"), uint16(len(header)))
	var endian binary.ByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		endian = binary.BigEndian
	}
	out, _ = binary.Append(append(out, header...), endian, data)
	return out
}

// The table does not depend on the type, byte order and element order of the array.
func TestReadArrays(t *testing.T) {
	t.Parallel()
	byRow, byColumn := []int{1, 2, 3, 4, 5, 6}, []int{1, 4, 2, 5, 3, 6}
	for name, file := range map[string][]byte{
		"float64":            encodeNPY("<f8", false, "(2, 3)", as[float64](byRow)),
		"big-endian float64": encodeNPY(">f8", true, "(2, 3)", as[float64](byColumn)),
		"float32":            encodeNPY("<f4", true, "(2, 3)", as[float32](byColumn)),
		"int8":               encodeNPY("|i1", false, "(2, 3)", as[int8](byRow)),
		"uint8":              encodeNPY("|u1", true, "(2, 3)", as[uint8](byColumn)),
		"uint16":             encodeNPY(">u2", false, "(2, 3)", as[uint16](byRow)),
		"int32":              encodeNPY(">i4", true, "(2, 3)", as[int32](byColumn)),
		"uint32":             encodeNPY("<u4", false, "(2, 3)", as[uint32](byRow)),
		"int64":              encodeNPY("<i8", false, "(2, 3)", as[int64](byRow)),
		"uint64":             encodeNPY(">u8", false, "(2, 3)", as[uint64](byRow)),
		"bytes":              encodeIDX([]int{2, 1, 3}, as[uint8](byRow)),
	} {
		table, err := readArrayTable(bytes.NewReader(file), "f", csvOptions{}, newBudget(0))
		if err != nil || table.N != 2 || !slices.Equal(table.Row(1, nil), []float64{4, 5, 6}) || table.Labels != nil {
			t.Errorf("%s: %+v, %v", name, table, err)
		}
		table, err = readArrayTable(bytes.NewReader(file), "f", csvOptions{Label: "-2"}, newBudget(0))
		if err != nil || !slices.Equal(table.data, []float64{1, 3, 4, 6}) || !slices.Equal(table.Labels, []float64{2, 5}) {
			t.Errorf("%s with labels: %+v, %v", name, table, err)
		}
	}
	negative := encodeNPY(">i2", false, "(2, 1, 2)", []int16{-1, 0, 1, -300})
	table, err := readArrayTable(bytes.NewReader(negative), "f", csvOptions{}, newBudget(0))
	if err != nil || !slices.Equal(table.data, []float64{-1, 0, 1, -300}) || table.D != 2 {
		t.Errorf("three dimensions: %+v, %v", table, err)
	}
	wide := append([]byte(npyMagic+"\x02\x00\x4c\x00\x00\x00"), encodeNPY("|b1", false, "(2,)", []bool{true, false})[10:]...)
	wide[8] = byte(len(wide) - 14)
	if labels, err := readLabels(bytes.NewReader(wide), "f", 2, newBudget(0)); err != nil || !slices.Equal(labels, []float64{1, 0}) {
		t.Errorf("version 2, one dimension: %v, %v", labels, err)
	}
}

func as[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64](from []int) (out []T) {
	for _, v := range from {
		out = append(out, T(v))
	}
	return out
}
