package datasets

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// open opens a dataset. Tests share the table of an unprepared stand-in and must not change it.
func open(t *testing.T, ref Ref, opt Options) *Data {
	t.Helper()
	read := func() (*Data, error) { return Open(context.Background(), ref, opt) }
	e, err := Info(ref.Source)
	if err == nil && opt.ForceStandIn && ref.Positive == nil && ref.Prepare == nil {
		v, parts, err := e.pick(ref.With)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name != "mnist" || len(parts) == 1 { // all of mnist is too large to keep
			once, _ := standInTables.LoadOrStore(fmt.Sprint(e.Name, v.Name, parts), sync.OnceValues(read))
			read = once.(func() (*Data, error))
		}
	}
	d, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(d.Hash, "sha256:") || len(d.Hash) != 7+64 || d.Name == "" || d.Title == "" || (d.Table == nil) == (d.Dist == nil) {
		t.Errorf("incomplete: %+v", d)
	}
	own := *d
	return &own
}

// standInTables caches the tables of open.
var standInTables sync.Map

// Files are read in the format of their names or of the Ref. The rows of the test file follow, and all
// rows have the features of both files.
func TestOpenPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	idx := encodeIDX([]int{3, 2, 2}, []byte{1, 0, 4, 0, 5, 6, 7, 8, 9, 10, 11, 12})
	for name, content := range map[string][]byte{
		"a.svm": []byte(tinyText), "b.svm.gz": tinyGz, "b.svm.bz2": tinyBz2, "odd": []byte(tinyText),
		"c.csv": []byte("x,y,z\n1,2,3\n4,5,6\n"), "d.tsv": []byte("1\t2\n"), "e.idx": idx, "f.idx.gz": gzipped(idx),
		"lab-idx1-ubyte.gz": gzipped(encodeIDX([]int{3}, []byte{7, 8, 9})), "wide": []byte("1 5:2\n"), "narrow": []byte("-1 1:5\n"),
		"dogs.csv": []byte("x,y\n1,dog\n2,cat\n3,fox\n"), "fox.csv": []byte("x,y\n4,fox\n"),
		"g.idx": encodeIDX([]int{1, 4}, []byte{5, 6, 7, 8}), "gl.idx": encodeIDX([]int{1}, []byte{1}),
	} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	tiny := []float64{1, -1, 1}
	for _, c := range []struct {
		ref    Ref
		test   int
		labels []float64
		last   []float64
	}{
		{Ref{Path: "a.svm"}, 0, tiny, []float64{0, 0, 0, -1}},
		{Ref{Path: "b.svm.gz", Features: 6}, 0, tiny, []float64{0, 0, 0, -1, 0, 0}},
		{Ref{Path: "b.svm.bz2"}, 0, tiny, []float64{0, 0, 0, -1}},
		{Ref{Path: "odd", Format: "libsvm"}, 0, tiny, []float64{0, 0, 0, -1}},
		{Ref{Path: filepath.Join(dir, "a.svm")}, 0, tiny, []float64{0, 0, 0, -1}},
		{Ref{Path: "c.csv", Label: "-1", With: with("header", true)}, 0, []float64{3, 6}, []float64{4, 5}},
		{Ref{Path: "d.tsv"}, 0, nil, []float64{1, 2}},
		{
			Ref{Path: "f.idx.gz", Features: 4, With: with("labels", "lab-idx1-ubyte.gz")}, 0,
			[]float64{7, 8, 9}, []float64{9, 10, 11, 12},
		},
		{Ref{Path: "a.svm", Test: "wide"}, 1, []float64{1, -1, 1, 1}, []float64{0, 0, 0, 0, 2}},
		{Ref{Path: "a.svm", Test: "narrow"}, 1, []float64{1, -1, 1, -1}, []float64{5, 0, 0, 0}},
		{Ref{Path: "dogs.csv", Test: "fox.csv", Label: "y"}, 1, []float64{2, 1, 3, 3}, []float64{4}},
		{
			Ref{Path: "e.idx", Test: "g.idx", With: map[string]any{"labels": "lab-idx1-ubyte.gz", "test_labels": "gl.idx"}}, 1,
			[]float64{7, 8, 9, 1}, []float64{5, 6, 7, 8},
		},
		{Ref{Path: "e.idx", Test: "g.idx"}, 1, nil, []float64{5, 6, 7, 8}},
	} {
		d := open(t, c.ref, Options{Dir: dir, Offline: true})
		parts := []PartRows{{"train", d.Table.N - c.test}, {"test", c.test}}[:1+min(c.test, 1)]
		last := make([]float64, d.Table.D)
		d.Table.RowTo(last, d.Table.N-1)
		if !slices.Equal(d.Parts, parts) || d.Origin != "file" {
			t.Errorf("%+v: parts %v of %d rows of %s", c.ref, d.Parts, d.Table.N, d.Origin)
		}
		if !slices.Equal(d.Table.Labels, c.labels) || !slices.Equal(last, c.last) {
			t.Errorf("%+v: labels %v, last row %v", c.ref, d.Table.Labels, last)
		}
	}
}

func TestOpenGenerators(t *testing.T) {
	t.Parallel()
	a := open(t, Ref{Source: "simulated-gaussian", With: with("gap", 4)}, Options{Offline: true, ForceStandIn: true})
	if a.StandIn || a.Origin != "generator" || a.Dim() != 32 || a.Dist.Dim() != 32 || a.Title != "Simulated Gaussian, d = 32, k = 4" {
		t.Errorf("%+v", a)
	}
	d := open(t, Ref{Source: "interval", With: map[string]any{"from": -1, "to": 2.0, "points": 7}}, Options{})
	if want := []float64{-1, -0.5, 0, 0.5, 1, 1.5, 2}; d.Table.D != 1 || d.Table.Labels != nil || !slices.Equal(d.Table.data, want) {
		t.Errorf("%+v", d.Table)
	}
	usual := open(t, Ref{Source: "interval"}, Options{}).Table
	if n := usual.N; usual.data[0] != -2 || usual.data[n/2] != 0 || usual.data[n-1] != 2 {
		t.Error("the default interval is not [-2, 2] with 0 in the middle")
	}
}

func TestOpenRealMNIST(t *testing.T) {
	t.Parallel()
	opt := realData(t)
	d := open(t, Ref{Source: "mnist"}, opt)
	tab := d.Table
	if tab.N != 70000 || tab.D != 784 || tab.Sparse() || d.StandIn || d.Title != "MNIST" || d.Origin != WhereMirror {
		t.Fatalf("%d x %d, %+v", tab.N, tab.D, d)
	}
	// The first labels of the training and of the test set, as published.
	if !slices.Equal(tab.Labels[:6], []float64{5, 0, 4, 1, 9, 2}) || !slices.Equal(tab.Labels[60000:60005], []float64{7, 2, 1, 0, 4}) {
		t.Errorf("labels %v, %v", tab.Labels[:6], tab.Labels[60000:60005])
	}
	var sum float64
	var values [256]bool
	varies := make([]bool, tab.D)
	for i := range tab.N {
		for j, v := range tab.Row(i, nil) {
			values[byte(v)] = true
			varies[j] = varies[j] || v != 0
			sum += v
		}
	}
	count := func(of []bool) int { return len(slices.DeleteFunc(of, func(b bool) bool { return !b })) }
	// 33.3184 and 33.7912 are the known means of the two sets.
	if mean := sum / 70000 / 784; mean < 33.38 || mean > 33.39 || count(values[:]) != 256 || count(varies) != 784-65 {
		t.Errorf("mean pixel %v, %d values, %d features vary", mean, count(values[:]), count(varies))
	}
	test := open(t, Ref{Source: "mnist", With: with("part", "test")}, opt)
	if test.Table.N != 10000 || test.Title != "MNIST (test)" || test.Hash == d.Hash {
		t.Errorf("%d rows, %q", test.Table.N, test.Title)
	}
	if err := equalTables(slice(tab, 60000, 70000), test.Table); err != nil {
		t.Error(err)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ref  Ref
		want []PartRows
	}{
		{Ref{Source: "simulated-margin", With: map[string]any{"R": 3, "n": 20, "test": 10}}, []PartRows{{"train", 20}, {"test", 10}}},
		{Ref{Source: "simulated-margin", With: map[string]any{"R": 3, "n": 20, "test": 0}}, []PartRows{{"train", 20}}},
		{Ref{Source: "adult", With: with("part", "test")}, []PartRows{{"test", 16281}}},
		{Ref{Source: "counterexample-2d"}, nil},
	} {
		d := open(t, c.ref, fake)
		rows := 0
		for _, p := range d.Parts {
			rows += p.Rows
		}
		if !slices.Equal(d.Parts, c.want) || d.Table != nil && rows != d.Table.N {
			t.Errorf("%+v: parts %v, want %v", c.ref, d.Parts, c.want)
		}
	}
}

func TestPositive(t *testing.T) {
	t.Parallel()
	classes := writeTemp(t, "a.csv", "1,dog\n2,cat\n3,fox\n")
	for _, c := range []struct {
		ref    Ref
		title  string
		labels []float64
	}{
		{Ref{Path: writeTemp(t, "a.svm", "3 1:1\n8 2:1\n8\n"), Positive: new(8.0)}, "a.svm, 8 against the rest", []float64{-1, 1, 1}},
		{Ref{Path: classes, Label: "2", Positive: new(3.0)}, "a.csv, 3 (fox) against the rest", []float64{-1, -1, 1}},
	} {
		if d := open(t, c.ref, Options{}); !slices.Equal(d.Table.Labels, c.labels) || d.Title != c.title {
			t.Errorf("%q: labels %v", d.Title, d.Table.Labels)
		}
	}
	m := open(t, Ref{Source: "mnist", With: with("part", "test"), Positive: new(8.0)}, fake)
	if got := classCounts(m.Table); !slices.Equal(got, []int{9026, 974}) {
		t.Errorf("%s: %v", m.Title, got)
	}
}

// Errors about labels other than +1 and -1, and the proposed positive class.
func TestLabels(t *testing.T) {
	t.Parallel()
	many := make([]float64, 1002)
	for i := range many {
		many[i] = float64(i) / 2
	}
	mnist := slice(open(t, Ref{Source: "mnist", With: with("part", "test")}, fake).Table, 10, 5000)
	table := func(labels ...float64) *Table { return NewDense(max(len(labels), 1), 1, nil, labels) }
	texts := table(1, 2, 3, 3)
	texts.texts = []string{"cat", "dog", "fox"}
	var got strings.Builder
	for _, tab := range []*Table{
		table(1, -1, 1), table(), table(1, 1), table(0, 1, 0), table(2, 1, 1), table(0, 1, -1, 0, 0), table(4, 7, 9, 7, 4, 7),
		table(0.5, 0.25, 0.5), table(1.5, 2.5, 3.5), table(1, 2, 3, 4), table(2, 3, 4, 5, 5, 2, 3, 4, 5), table(many...), table(many[:20]...),
		texts, mnist,
	} {
		positive, perr := tab.Positive()
		err := tab.BinaryLabels()
		if (positive == nil) != (err == nil || perr != nil) || err == nil && perr != nil {
			t.Errorf("%.20v: %v, %v, %v", tab.Labels, err, positive, perr)
		}
		fmt.Fprintf(&got, "%.20v\n\t%v\n", tab.Labels[:min(len(tab.Labels), 10)], err)
		if perr != nil {
			fmt.Fprintf(&got, "\t%v\n", perr)
		} else if positive != nil {
			fmt.Fprintf(&got, "\tpositive %v\n", *positive)
		}
	}
	golden(t, "labels.txt", got.String())
}
