package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// open opens a dataset. The table of a stand-in that is not prepared is made once for
// all tests, which must not change it.
func open(t *testing.T, ref Ref, opt Options) *Data {
	t.Helper()
	read := func() (*Data, error) { return Open(context.Background(), ref, opt) }
	e, err := Info(ref.Source)
	if err == nil && opt.ForceStandIn && ref.Positive == nil && ref.Prepare == nil {
		v, parts, err := e.pick(ref.With)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name != "mnist" || len(parts) == 1 { // the rest is too large to keep
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

// standInTables holds what open keeps.
var standInTables sync.Map

func TestOpenPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	idx := encodeIDX([]int{3, 2, 2}, []byte{1, 0, 4, 0, 5, 6, 7, 8, 9, 10, 11, 12})
	labels := encodeIDX([]int{3}, []byte{7, 8, 9})
	for name, content := range map[string]string{
		"a.svm": tinyText, "b.svm.gz": string(tinyGz), "odd": tinyText,
		"c.csv": "x,y,z\n1,2,3\n4,5,6\n", "d.tsv": "1\t2\n", "e.idx": string(idx), "f.idx.gz": string(gzipped(idx)),
		"lab-idx1-ubyte.gz": string(gzipped(labels)), "short.idx": string(encodeIDX([]int{2}, []byte{1, 2})),
	} {
		writeFile(t, filepath.Join(dir, name), []byte(content))
	}
	for _, c := range []struct {
		ref    Ref
		n, d   int
		labels []float64
	}{
		{Ref{Path: "a.svm"}, 3, 4, []float64{1, -1, 1}},
		{Ref{Path: "b.svm.gz", Features: 6}, 3, 6, []float64{1, -1, 1}},
		{Ref{Path: "odd", Format: "libsvm"}, 3, 4, []float64{1, -1, 1}},
		{Ref{Path: filepath.Join(dir, "a.svm")}, 3, 4, []float64{1, -1, 1}},
		{Ref{Path: "c.csv", Label: "y"}, 2, 2, []float64{2, 5}},
		{Ref{Path: "c.csv", Label: "-1", With: map[string]any{"header": true}}, 2, 2, []float64{3, 6}},
		{Ref{Path: "d.tsv"}, 1, 2, nil},
		{Ref{Path: "e.idx"}, 3, 4, nil},
		{Ref{Path: "f.idx.gz", Features: 4, With: map[string]any{"labels": "lab-idx1-ubyte.gz"}}, 3, 4, []float64{7, 8, 9}},
	} {
		d := open(t, c.ref, Options{Dir: dir, Offline: true})
		if d.Table.N != c.n || d.Table.D != c.d || !slices.Equal(d.Table.Labels, c.labels) || d.Origin != "file" {
			t.Errorf("%+v: %d x %d, labels %v", c.ref, d.Table.N, d.Table.D, d.Table.Labels)
		}
	}

	hash := func(r Ref) string { return open(t, r, Options{Dir: dir}).Hash }
	if hash(Ref{Path: "a.svm"}) != hash(Ref{Path: "b.svm.gz"}) {
		t.Error("the same content, plain or gzip, has the same hash")
	}
	seen := map[string]Ref{}
	for _, r := range []Ref{
		{Path: "a.svm"}, {Path: "a.svm", Features: 5}, {Path: "a.svm", Prepare: []string{"center"}},
		{Path: "a.svm", Prepare: []string{"center", "unit-norm"}}, {Path: "a.svm", Prepare: []string{"unit-norm", "center"}},
		{Path: "c.csv"}, {Path: "c.csv", Label: "x"}, {Path: "e.idx"}, {Path: "e.idx", With: map[string]any{"labels": "lab-idx1-ubyte.gz"}},
	} {
		h := hash(r)
		if other, ok := seen[h]; ok {
			t.Errorf("%+v and %+v have the same hash", r, other)
		}
		seen[h] = r
	}
}

func TestOpenPathErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cut := tinyGz[:len(tinyGz)-6]
	damaged := slices.Clone(tinyGz)
	damaged[len(damaged)-6] ^= 1
	idx := encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4})
	for name, content := range map[string]string{
		"zero.svm": "1 0:3\n", "cut.svm.gz": string(cut), "head.svm.gz": "\x1f\x8b\x08", "damaged.svm.gz": string(damaged),
		"short.idx": string(idx[:len(idx)-1]), "not.idx": "1 1:1\n", "cut.idx.gz": string(gzipped(idx)[:20]), "nan.csv": "1,2\n3,nan\n",
		"ok.idx": string(idx), "lab.idx": string(encodeIDX([]int{3}, []byte{1, 2, 3})), "const.svm": "1 1:1\n1 1:1\n",
	} {
		writeFile(t, filepath.Join(dir, name), []byte(content))
	}
	for _, c := range []struct {
		ref  Ref
		want string
	}{
		{Ref{Path: "none.svm"}, "none.svm: no such file"},
		{Ref{Path: ".", Format: "csv"}, "is a directory"},
		{Ref{Path: "zero.svm"}, `zero.svm:1: "0:3": index 0`},
		{Ref{Path: "cut.svm.gz"}, "cut.svm.gz:4: the gzip data end early: the file is truncated"},
		{Ref{Path: "head.svm.gz"}, "head.svm.gz: the gzip data end early"},
		{Ref{Path: "damaged.svm.gz"}, "damaged gzip data"},
		{Ref{Path: "short.idx"}, "short.idx: truncated file"},
		{Ref{Path: "not.idx"}, "not.idx: neither an IDX nor a NumPy file"},
		{Ref{Path: "cut.idx.gz"}, "cut.idx.gz: the gzip data end early"},
		{Ref{Path: "nan.csv"}, `nan.csv:2: column 2: the value is missing ("nan")`},
		{Ref{Path: "ok.idx", Features: 3}, "ok.idx: 2 features, want 3"},
		{Ref{Path: "ok.idx", With: map[string]any{"labels": "lab.idx"}}, "lab.idx: 3 labels for 2 rows"},
		{Ref{Path: "ok.idx", With: map[string]any{"labels": "none.idx"}}, "none.idx: no such file"},
		{Ref{Path: "const.svm", Prepare: []string{"standardize-unit-expected-norm"}}, "every feature is constant"},
	} {
		d, err := Open(context.Background(), c.ref, Options{Dir: dir, AllowStandIn: true, ForceStandIn: true})
		wantError(t, err, "dataset", c.want)
		if d != nil || errors.Is(err, fs.ErrNotExist) != strings.Contains(c.want, "no such file") {
			t.Errorf("%s: data with an error, or the wrong kind of error", c.ref.Path)
		}
	}
}

func TestOpenGenerators(t *testing.T) {
	t.Parallel()
	seen := map[string]Ref{}
	for _, r := range []Ref{
		{Source: "simulated-gaussian", With: map[string]any{"gap": 4}},
		{Source: "simulated-gaussian", With: map[string]any{"gap": 2}},
		{Source: "simulated-gaussian", With: map[string]any{"gap": 4, "dim": 16}},
		{Source: "simulated-gaussian", With: map[string]any{"gap": 4, "reading": "norm"}},
		{Source: "simulated-orthogonal", With: map[string]any{"gap": 4}},
		{Source: "counterexample-2d"},
	} {
		d := open(t, r, Options{Offline: true, ForceStandIn: true})
		if d.StandIn || d.Origin != "generator" || d.Dim() != d.Dist.Dim() {
			t.Errorf("%+v", d)
		}
		if other, ok := seen[d.Hash]; ok {
			t.Errorf("%+v and %+v have the same hash", r, other)
		}
		seen[d.Hash] = r
	}
	a := open(t, Ref{Source: "simulated-gaussian", With: map[string]any{"gap": 4}}, Options{})
	b := open(t, Ref{Source: "simulated-gaussian", With: map[string]any{"gap": 4.0, "dim": 32, "reading": string(DefaultReading)}}, Options{})
	if a.Hash != b.Hash || a.Title != b.Title {
		t.Error("defaults written out change the hash")
	}
	if a.Title != "Simulated Gaussian, d = 32, k = 4" {
		t.Errorf("title %q", a.Title)
	}
	_, err := Open(context.Background(), Ref{Source: "mnits"}, Options{})
	wantError(t, err, `dataset mnits: unknown dataset "mnits"`, `did you mean "mnist"`)
}

func TestOpenRealMNIST(t *testing.T) {
	t.Parallel()
	opt := Options{Mirror: mirror(t), CacheDir: t.TempDir(), Offline: true}
	start := time.Now()
	d := open(t, Ref{Source: "mnist"}, opt)
	t.Logf("loaded in %v", time.Since(start))
	tab := d.Table
	if tab.N != 70000 || tab.D != 784 || tab.Sparse() || d.StandIn || d.Title != "MNIST" || d.Origin != WhereMirror {
		t.Fatalf("%d x %d, %+v", tab.N, tab.D, d)
	}
	// The first labels of the training and of the test set, as published.
	if !slices.Equal(tab.Labels[:6], []float64{5, 0, 4, 1, 9, 2}) || !slices.Equal(tab.Labels[60000:60005], []float64{7, 2, 1, 0, 4}) {
		t.Errorf("labels %v, %v", tab.Labels[:6], tab.Labels[60000:60005])
	}
	var sum float64
	varies := make([]bool, tab.D)
	for i := range tab.N {
		for j, v := range tab.Row(i, nil) {
			if v < 0 || v > 255 || v != float64(byte(v)) {
				t.Fatalf("row %d has value %v", i, v)
			}
			varies[j] = varies[j] || v != 0
			sum += v
		}
	}
	// 33.3184 and 33.7912 are the known means of the two sets.
	if mean := sum / 70000 / 784; mean < 33.38 || mean > 33.39 {
		t.Errorf("mean pixel %v", mean)
	}
	constant := 0
	for _, v := range varies {
		if !v {
			constant++
		}
	}
	if constant != 65 {
		t.Errorf("%d constant features, the manifest and the docs say 65", constant)
	}
	test := open(t, Ref{Source: "mnist", With: map[string]any{"part": "test"}}, opt)
	if test.Table.N != 10000 || test.Title != "MNIST (test)" || test.Hash == d.Hash {
		t.Errorf("%d rows, %q", test.Table.N, test.Title)
	}
	if err := equalTables(tab.Slice(60000, 70000), test.Table); err != nil {
		t.Error(err)
	}
}

func TestOpenRealAdult(t *testing.T) {
	t.Parallel()
	opt := Options{Mirror: mirror(t), CacheDir: t.TempDir(), Offline: true}
	for _, v := range []string{"a9a", "a8a", "a1a"} {
		for _, part := range []string{"train", "test", "all"} {
			ref := Ref{Source: "adult", With: map[string]any{"variant": v, "part": part}}
			d := open(t, ref, opt)
			n, dim, err := ref.Shape()
			if err != nil || d.Table.N != n || d.Table.D != dim || !d.Table.Sparse() {
				t.Errorf("%s %s: %d x %d", v, part, d.Table.N, d.Table.D)
			}
			positives := 0
			for _, y := range d.Table.Labels {
				if y > 0 {
					positives++
				}
			}
			want := 0
			for name, runs := range standInOf("adult").Parts {
				if name == v+"/"+part || part == "all" && strings.HasPrefix(name, v+"/") {
					want += runs[0].Classes[1]
				}
			}
			if positives != want {
				t.Errorf("%s %s: %d positives, the stand-in has %d", v, part, positives, want)
			}
		}
	}
	if d := open(t, Ref{Source: "adult"}, opt); d.Title != "Adult (a9a, train)" || d.Table.N != 32561 {
		t.Errorf("%q", d.Title)
	}
	for _, name := range []string{"mnist", "adult", "adult/a8a", "adult/a1a"} {
		st, err := Fetch(context.Background(), name, opt)
		if err != nil {
			t.Error(err)
		}
		for _, s := range st {
			if !s.OK {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}
