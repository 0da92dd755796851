package datasets

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Reasons for the choice of the label column.
const named, few = "its name says so", "it has few distinct values, all whole numbers"

// writeTemp writes a file to a temporary folder and returns its path.
func writeTemp(t *testing.T, name, content string) string {
	t.Helper()
	return writeFile(t, filepath.Join(t.TempDir(), name), []byte(content))
}

func TestInspectFormats(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1 1:0.5 7:2\n-1 3:1 # note\n\n", headBytes/20)
	for _, test := range []struct {
		file, content string
		want          Inspection
	}{
		{"a.csv", "\ufeffa,y\n0.5,1\n1.5,0\n", Inspection{Format: "csv", Ref: Ref{Label: "y"}, Header: []string{"a", "y"}, LabelReason: named}},
		{
			"a.txt.gz", string(gzipped([]byte("a;y\n0,5;1\n1,5;0\n"))),
			Inspection{
				Format: "csv", Compression: "gzip", Header: []string{"a", "y"}, LabelReason: named,
				Ref: Ref{Format: "csv", Label: "y", With: map[string]any{"delimiter": ";", "decimal": ","}},
			},
		},
		{"a.tsv", "0.5\t1\n1.5\t0\n", Inspection{Format: "csv", Ref: Ref{Label: "2"}, LabelReason: few}},
		{"a.csv", "0.5, 1\n1.5, 0\n", Inspection{Format: "csv", Ref: Ref{Label: "2"}, LabelReason: few}},
		{"a", "0.5 1\n1.5 0\n", Inspection{Format: "csv", Ref: Ref{Format: "csv", Label: "2", With: with("delimiter", " ")}, LabelReason: few}},
		{"a.svm", long, Inspection{Format: "libsvm"}},
		{"a.csv", long, Inspection{Format: "libsvm", Ref: Ref{Format: "libsvm"}}},
		{"a.svm", "1\n-1\n", Inspection{Format: "libsvm"}},
	} {
		path := writeTemp(t, test.file, test.content)
		got, err := Inspect(path, InspectOptions{})
		test.want.Ref.Path = path
		if err != nil || !reflect.DeepEqual(*got, test.want) {
			t.Errorf("%s: %+v, %v; want %+v", test.file, got, err, test.want)
		}
	}
}

func TestInspectColumns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		content    string
		opt        InspectOptions
		label, why string
	}{
		{"Class,b\n0,1.5\n1,2\n0,3\n", InspectOptions{}, "Class", named},
		{"a,b\n0,1\n1,2\n0,2\n", InspectOptions{Label: "a"}, "a", ""},
		{"a,b\n0,1\n1,2\n0,2\n", InspectOptions{Label: "-1"}, "b", ""},
		{"0,1.5\n1,2.5\n1,1\n", InspectOptions{}, "1", few},
		{"0,1.5\n1,2.5\n", InspectOptions{Unlabelled: true}, "", ""},
		{"y,b\n1,2.5\n3,1\n", InspectOptions{Label: "none"}, "", ""},
		{"y,0,1,2\n1,0.5,2,2\n0,0.25,3,1\n", InspectOptions{}, "y", named},
		{"0,1,2\n0.5,2.5,1\n0.25,3.5,0\n", InspectOptions{}, "2", few}, // the name of the label column is a number
		{"0,1\n0.5,1\n0.25,0\n", InspectOptions{Header: new(true)}, "1", few},
		{
			"id,y?,note,x\na,yes,ok,1\nb,no,so,2\nc,no,bad,3\nd,yes,good,4\n", InspectOptions{},
			"y?", "it is the only text column with few distinct values",
		},
	} {
		l, err := Inspect(writeTemp(t, "a.csv", test.content), test.opt)
		if err != nil || l.Ref.Label != test.label || l.LabelReason != test.why {
			t.Errorf("%q: %+v, %v", test.content, l, err)
		}
	}
}

// Inspect rejects files of unknown format or with unknown labels.
func TestInspectErrors(t *testing.T) {
	t.Parallel()
	labels := encodeNPY("<i8", false, "(3,)", []int64{5, 6, 5})
	var got strings.Builder
	for _, test := range []struct {
		file, content string
		opt           InspectOptions
	}{
		{"a.csv", "0,1\n0.5,1\n0.25,0\n", InspectOptions{}},
		{"a.csv", "0.5,1,0,2.5\n0.25,0,1,1\n0.1,1,0,0.1\n", InspectOptions{}},
		{"a.csv", "a,b,c\nu,yes,1\nv,no,2\n", InspectOptions{}},
		{"a.csv", "0.5,1.5\n0.25,2.5\n", InspectOptions{}},
		{"a.csv", "a,b\n0,1\n1,2\n", InspectOptions{Label: "c"}},
		{"a.csv", "a,b\n", InspectOptions{}}, {"a.csv", "", InspectOptions{}}, {"a", "text\n", InspectOptions{}},
		{"a.csv", "a\x00,\x00y\x00", InspectOptions{}},
		{"a.svm", "1 1:1\n", InspectOptions{Label: "y"}}, {"a.svm", "1 1:1\n", InspectOptions{Header: new(true)}},
		{"a.npy", string(labels), InspectOptions{}}, {"a.npy", string(labels[:20]), InspectOptions{}},
		{"a.npy", string(encodeNPY("<f4", true, "(3, 2)", []float32{1, 2, 3, 0, 1, 0})), InspectOptions{}},
		{"a.idx", string(encodeIDX([]int{1, 2}, []byte{1, 2})), InspectOptions{}},
	} {
		path := writeTemp(t, test.file, test.content)
		l, err := Inspect(path, test.opt)
		if err == nil {
			t.Errorf("%.60q: %+v", test.content, l)
		}
		text := strings.ReplaceAll(fmt.Sprint(err), filepath.Dir(path)+"/", "")
		fmt.Fprintf(&got, "%s %.60q %s\n\t%v\n", test.file, test.content, test.opt.Label, text)
	}
	golden(t, "inspect-errors.txt", got.String())
}

// Columns of text and of row numbers are ignored and reported.
func TestInspectIgnoredColumns(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("\"no.\";\"Who, where\";\"a; b\";paid;note\n")
	for i := range 12 {
		fmt.Fprintf(&b, "%d;%q;%d.5;%s;\"so; \"\"he\"\" said %d\"\n", i+7, fmt.Sprint("who ", i), i%5, []string{"yes", "no"}[i%2], i)
	}
	l, err := Inspect(writeTemp(t, "a.csv", b.String()), InspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"delimiter": ";", "ignore": "no., 2, note"}
	left := []string{`1 ("no.")`, `2 ("Who, where")`, `5 ("note")`}
	if l.Ref.Label != "paid" || !reflect.DeepEqual(l.Ref.With, want) || !reflect.DeepEqual(l.Left, left) {
		t.Errorf("%+v", l)
	}
	d := open(t, l.Ref, Options{})
	if d.Table.D != 1 || d.Table.Row(3, nil)[0] != 3.5 {
		t.Errorf("%d features, row 3 %v", d.Table.D, d.Table.Row(3, nil))
	}
}

// An unnamed first column of row numbers, as pandas writes it, is ignored, even with gaps or numeric
// feature names. A named column of increasing numbers is a feature.
func TestInspectPandasIndex(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]float64{
		",0,1,2": {3.5, 3.25}, "Unnamed: 0,a,b,2": {3.5, 3.25}, "year,a,b,2": {9, 3.5, 3.25},
	} {
		text := header + "\n"
		for i := range 12 {
			text += fmt.Sprintf("%d,%d.5,%d.25,%d\n", 3*i+i%3, i%5, i%7, i%2)
		}
		l, err := Inspect(writeTemp(t, "a.csv", text), InspectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tab := open(t, l.Ref, Options{}).Table
		if row := tab.Row(3, nil); l.Ref.Label != "2" || tab.N != 12 || !slices.Equal(row, want) {
			t.Errorf("%s: %+v: row %v of %d", header, l.Ref, row, tab.N)
		}
	}
}

// The labels of a NumPy file are in a column, in a given file, or in a file with a matching name.
func TestInspectNPY(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows := writeFile(t, filepath.Join(dir, "X_train.npy"), encodeNPY("<f4", true, "(3, 2)", []float32{1, 2, 3, 0, 1, 0}))
	labels := writeFile(t, filepath.Join(dir, "y_train.npy"), encodeNPY("<i8", false, "(3,)", []int64{5, 6, 5}))
	alone := writeFile(t, filepath.Join(dir, "alone.npy"), gzipped(encodeNPY("<f4", true, "(3, 2)", []float32{1, 2, 3, 0, 1, 0})))
	for _, c := range []struct {
		path   string
		opt    InspectOptions
		ref    Ref
		labels []float64
	}{
		{rows, InspectOptions{}, Ref{With: with("labels", labels)}, []float64{5, 6, 5}},
		{rows, InspectOptions{Label: "-1"}, Ref{Label: "-1"}, []float64{0, 1, 0}},
		{rows, InspectOptions{Unlabelled: true}, Ref{}, nil},
		{alone, InspectOptions{Label: labels}, Ref{With: with("labels", labels)}, []float64{5, 6, 5}},
	} {
		l, err := Inspect(c.path, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		c.ref.Path = c.path
		d, err := Open(t.Context(), l.Ref, Options{})
		if err != nil || !reflect.DeepEqual(l.Ref, c.ref) || !slices.Equal(d.Table.Labels, c.labels) || d.Table.N != 3 {
			t.Errorf("%+v: %+v, %v", c, l, err)
		}
	}
}

// Dense and sparse tables have the same feature summary and distances.
func TestFeatureSummary(t *testing.T) {
	t.Parallel()
	text := "1 1:1 2:100\n1 1:3 4:-2\n1 2:300 4:-2\n"
	sparse, err := readLIBSVM(strings.NewReader(text), "a", 5, newBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []*Table{sparse, sparse.floats()} {
		o := table.FeatureSummary()
		want := FeatureSummary{Density: 6.0 / 15, Least: -2, Most: 300, Constant: 2, RangeRatio: 150}
		if o != want {
			t.Errorf("sparse %v: %+v, want %+v", table.Sparse(), o, want)
		}
		// 4 + 10000 + 4, 1 + 40000 + 4, 9 + 90000.
		if m := table.MedianDistance(); m != 40005 {
			t.Errorf("sparse %v: median %v", table.Sparse(), m)
		}
	}
	same := NewDense(3, 1, []float64{2, 2, 2}, nil)
	if o := same.FeatureSummary(); o != (FeatureSummary{Density: 1, Least: 2, Most: 2, Constant: 1, RangeRatio: 1}) || same.MedianDistance() != 0 {
		t.Errorf("equal rows: %+v, %v", o, same.MedianDistance())
	}
	// The median uses a sample of the rows of a large table.
	big := NewDense(9000, 1, make([]float64, 9000), nil)
	for i := range big.N {
		big.Row(i, nil)[0] = float64(i % 7)
	}
	if m := big.MedianDistance(); m != 4 {
		t.Errorf("median %v", m)
	}
}
