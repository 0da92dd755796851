package datasets

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.svm": "+1 1:1\n-1 2:1\n", "a.t": "1 3:2\n", "b.csv": "x,y\n1,1\n2,-1\n", "b.test.csv": "x,y\n3,1\n",
	} {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	all := map[string]any{"part": "all"}
	for _, c := range []struct {
		ref  Ref
		want []PartRows
	}{
		{Ref{Source: "adult", With: all}, []PartRows{{"train", 32561}, {"test", 16281}}},
		{Ref{Source: "adult"}, []PartRows{{"train", 32561}}},
		{Ref{Source: "reuters"}, []PartRows{{"train", 7770}, {"test", 3299}}},
		{Ref{Source: "ijcnn1", With: map[string]any{"variant": "ijcnn1.tr"}}, []PartRows{{"train", 35000}, {"validation", 14990}, {"test", 91701}}},
		{Ref{Source: "covtype"}, []PartRows{{"train", 92962}}},
		{Ref{Source: "simulated-margin", With: map[string]any{"R": 3, "n": 20, "test": 10}}, []PartRows{{"train", 20}, {"test", 10}}},
		{Ref{Source: "simulated-margin", With: map[string]any{"R": 3, "n": 20, "test": 0}}, []PartRows{{"train", 20}}},
		{Ref{Source: "counterexample-2d"}, nil},
		{Ref{Path: "a.svm"}, []PartRows{{"train", 2}}},
		{Ref{Path: "a.svm", Test: "a.t"}, []PartRows{{"train", 2}, {"test", 1}}},
		{Ref{Path: "b.csv", Test: "b.test.csv", Label: "y"}, []PartRows{{"train", 2}, {"test", 1}}},
	} {
		d := open(t, c.ref, Options{Dir: dir, ForceStandIn: true})
		if !slices.Equal(d.Parts, c.want) {
			t.Errorf("%+v: parts %v, want %v", c.ref, d.Parts, c.want)
		}
		rows := 0
		for _, p := range d.Parts {
			rows += p.Rows
		}
		if d.Table != nil && rows != d.Table.N {
			t.Errorf("%+v: %d rows in parts, %d in the table", c.ref, rows, d.Table.N)
		}
	}
}

// TestOwnTest: the rows of the test file follow, on the features of both.
func TestOwnTest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"a.svm": []byte("+1 1:1\n-1 2:1\n"), "wide": []byte("1 4:2\n"), "narrow": []byte("-1 1:5\n"),
		"x.idx": encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4}), "xl.idx": encodeIDX([]int{2}, []byte{0, 1}),
		"y.idx": encodeIDX([]int{1, 2}, []byte{5, 6}), "yl.idx": encodeIDX([]int{1}, []byte{1}),
	} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	for _, c := range []struct {
		ref    Ref
		d      int
		labels []float64
		last   []float64
	}{
		{Ref{Path: "a.svm", Test: "wide"}, 4, []float64{1, -1, 1}, []float64{0, 0, 0, 2}},
		{Ref{Path: "a.svm", Test: "narrow"}, 2, []float64{1, -1, -1}, []float64{5, 0}},
		{Ref{Path: "a.svm", Test: "narrow", Features: 3}, 3, []float64{1, -1, -1}, []float64{5, 0, 0}},
		{Ref{Path: "x.idx", Test: "y.idx", With: map[string]any{"labels": "xl.idx", "test_labels": "yl.idx"}}, 2, []float64{0, 1, 1}, []float64{5, 6}},
		{Ref{Path: "x.idx", Test: "y.idx"}, 2, nil, []float64{5, 6}},
	} {
		tab := open(t, c.ref, Options{Dir: dir}).Table
		row := make([]float64, tab.D)
		tab.RowTo(row, tab.N-1)
		if tab.D != c.d || !slices.Equal(tab.Labels, c.labels) || !slices.Equal(row, c.last) {
			t.Errorf("%+v: d = %d, labels %v, last row %v", c.ref, tab.D, tab.Labels, row)
		}
	}
	seen := map[string]bool{}
	for _, r := range []Ref{{Path: "a.svm"}, {Path: "a.svm", Test: "wide"}, {Path: "a.svm", Test: "narrow"}, {Path: "a.svm", Test: "narrow", Features: 4}} {
		h := open(t, r, Options{Dir: dir}).Hash
		if seen[h] {
			t.Errorf("%+v: hash seen before", r)
		}
		seen[h] = true
	}
}

// The texts that labels are known with a test file too.
func TestOwnTestTexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.csv"), []byte("x,y\n1,dog\n2,cat\n3,fox\n"))
	writeFile(t, filepath.Join(dir, "b.csv"), []byte("x,y\n4,fox\n"))
	ref := Ref{Path: "a.csv", Test: "b.csv", Label: "y"}
	const want = "the labels are 1 (cat), 2 (dog), 3 (fox); want +1 and -1"
	if err := open(t, ref, Options{Dir: dir}).Table.BinaryLabels(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v; want %q", err, want)
	}
	ref.Positive = new(3.0)
	data := open(t, ref, Options{Dir: dir})
	if !strings.HasSuffix(data.Title, ", 3 (fox) against the rest") {
		t.Error(data.Title)
	}
}

func TestOwnTestErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"a.svm": []byte("+1 1:1\n-1 2:1\n"), "three": []byte("1 1:1\n0 1:2\n"), "bad": []byte("1 1:1\n-1 2:1 2:3\n"),
		"a.csv": []byte("p,q,y\n1,2,1\n3,4,-1\n"), "swapped.csv": []byte("q,p,y\n1,2,1\n"), "short.csv": []byte("p,y\n1,1\n"),
		"x.idx": encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4}), "xl.idx": encodeIDX([]int{2}, []byte{0, 1}),
	} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	for _, c := range []struct {
		ref  Ref
		want []string
	}{
		{Ref{Path: "a.svm", Test: "none"}, []string{"none: no such file"}},
		{Ref{Path: "a.svm", Test: "bad"}, []string{`bad:2: "2:3": index 2 occurs twice`}},
		{Ref{Path: "a.svm", Test: "three"}, []string{"three: row 2 of the test file has the label 0; in the training file the labels are -1, 1"}},
		{Ref{Path: "a.csv", Test: "swapped.csv", Label: "y"}, []string{`swapped.csv: column 1 is "q", in the training file "p"`}},
		{Ref{Path: "a.csv", Test: "short.csv", Label: "y"}, []string{"short.csv: the test file has 1 features, the training file 2"}},
		{Ref{Path: "a.csv", Test: "a.svm", Format: "csv", Label: "y"}, []string{"a.svm:1: "}},
		{Ref{Path: "x.idx", Test: "x.idx", With: map[string]any{"labels": "xl.idx"}}, []string{"the training file has labels, the test file does not"}},
		{Ref{Path: "x.idx", Test: "x.idx", With: map[string]any{"test_labels": "xl.idx"}}, []string{"the test file has labels, the training file does not"}},
	} {
		_, err := Open(context.Background(), c.ref, Options{Dir: dir})
		wantError(t, err, append(c.want, "dataset: ")...)
	}
}

func TestPositive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.svm"), []byte("3 1:1\n8 2:1\n5 1:2\n8\n"))
	ref := Ref{Path: "a.svm", Positive: ptr(8), Prepare: []string{"unit-norm"}}
	d := open(t, ref, Options{Dir: dir})
	if !slices.Equal(d.Table.Labels, []float64{-1, 1, -1, 1}) || d.Table.BinaryLabels() != nil {
		t.Errorf("labels %v", d.Table.Labels)
	}
	if d.Title != "a.svm, 8 against the rest" {
		t.Errorf("title %q", d.Title)
	}
	seen := map[string]bool{}
	for _, p := range []*float64{nil, ptr(8), ptr(3)} {
		ref.Positive = p
		seen[open(t, ref, Options{Dir: dir}).Hash] = true
	}
	if len(seen) != 3 {
		t.Error("the positive class is not part of the hash")
	}
	_, err := Open(context.Background(), Ref{Path: "a.svm", Positive: ptr(4)}, Options{Dir: dir})
	wantError(t, err, "dataset a.svm: positive: no row has the label 4; the labels are 3, 5, 8")
	writeFile(t, filepath.Join(dir, "a.csv"), []byte("1,2\n"))
	_, err = Open(context.Background(), Ref{Path: "a.csv", Positive: ptr(4)}, Options{Dir: dir})
	wantError(t, err, "the rows have no labels")

	m := open(t, Ref{Source: "mnist", With: map[string]any{"part": "test"}, Positive: ptr(8)}, Options{ForceStandIn: true})
	lo, hi := 0, 0
	for _, y := range m.Table.Labels {
		if y == 1 {
			hi++
		} else if y == -1 {
			lo++
		}
	}
	if hi != 974 || lo != 9026 || m.Title != "MNIST (test) stand-in, 8 against the rest" {
		t.Errorf("%s: %d and %d", m.Title, hi, lo)
	}
}

func TestBinaryLabels(t *testing.T) {
	t.Parallel()
	many := make([]float64, 1002)
	for i := range many {
		many[i] = float64(i) / 2
	}
	for _, c := range []struct {
		labels   []float64
		positive *float64
		want     string // empty: no error
	}{
		{[]float64{1, -1, 1}, nil, ""},
		{nil, nil, "the rows have no labels"},
		{[]float64{1, 1}, nil, "only one class occurs: all 2 labels are 1"},
		{[]float64{-1, -1, -1}, nil, "only one class occurs: all 3 labels are -1"},
		{[]float64{0, 1, 0}, nil, "the labels are 0, 1; want +1 and -1: name the class to be positive against the rest, such as `positive: 1`"},
		{[]float64{2, 1, 1}, nil, "`positive: 2`"},
		{[]float64{0, 1, -1, 0, 0}, nil, "the labels are -1, 0, 1; want +1 and -1: name the class to be positive against the rest, such as `positive: 1`"},
		{[]float64{4, 7, 9, 7}, nil, "the labels are 4, 7, 9; want +1 and -1: name the class to be positive against the rest, such as `positive: 7`"},
		{[]float64{4, 7, 9, 8, 7}, ptr(8), "`positive: 8`"},
		{many, nil, "there are more than 12 different labels (0, 0.5, 1, …)"},
		{many[:20], nil, "there are more than 12 different labels (0, 0.5, 1, …)"},
	} {
		n := max(len(c.labels), 1)
		tab := NewDense(n, 1, make([]float64, n), c.labels)
		tab.positive = c.positive
		err := tab.BinaryLabels()
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		wantError(t, err, c.want)
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("too long: %v", err)
		}
	}
	// The manifest knows what the thesis takes for positive.
	err := open(t, Ref{Source: "mnist", With: map[string]any{"part": "test"}}, Options{ForceStandIn: true}).Table.Slice(10, 5000).BinaryLabels()
	wantError(t, err, "the labels are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9", "`positive: 8`")
	err = open(t, Ref{Source: "covtype"}, Options{ForceStandIn: true}).Table.BinaryLabels()
	wantError(t, err, "`positive: 2`")
}

// TestClasses holds the count of labels against one with a map.
func TestClasses(t *testing.T) {
	t.Parallel()
	rng := newRNG(3)
	for range 200 {
		labels := make([]float64, 1+rng.IntN(40))
		count := map[float64]int{}
		for i := range labels {
			labels[i] = float64(rng.IntN(8)) - 3
			count[labels[i]]++
		}
		got := (&Table{Labels: labels}).classes(maxListed)
		if len(got) != len(count) || !slices.IsSortedFunc(got, func(a, b Class) int { return int(math.Copysign(1, a.Label-b.Label)) }) {
			t.Fatalf("%v: %v", labels, got)
		}
		for _, c := range got {
			if count[c.Label] != c.Rows {
				t.Fatalf("%v: %v", labels, got)
			}
		}
	}
	if s := new(Table).classText([]Class{{Label: 3}}); !strings.Contains(s, "the only label is 3") {
		t.Error(s)
	}
}

// The training file, by whatever name, and copies of it are no test file.
func TestTestFileIsNotTheTrainingFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := []byte("+1 1:1\n-1 2:1\n")
	for name, content := range map[string][]byte{
		"a.svm": text, "copy.svm": text, "copy.svm.gz": gzipped(text), "x.idx": encodeIDX([]int{1, 2}, []byte{1, 2}),
	} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	if err := os.Symlink("a.svm", filepath.Join(dir, "link.svm")); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []Ref{
		{Path: "a.svm", Test: "a.svm"}, {Path: "a.svm", Test: "copy.svm"}, {Path: "a.svm", Test: "copy.svm.gz"},
		{Path: "a.svm", Test: "link.svm"}, {Path: "x.idx", Test: "x.idx"},
	} {
		_, err := Open(context.Background(), ref, Options{Dir: dir})
		wantError(t, err, "dataset: ", filepath.Join(dir, ref.Test)+": the test file has the content of the training file "+filepath.Join(dir, ref.Path)+"; name a file")
	}
}
