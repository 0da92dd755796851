package datasets

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/disk"
)

func wrongSum(err error) bool {
	_, wrong := errors.AsType[*ChecksumError](err)
	return wrong
}

// A local file is read in place, plain or compressed, and the cache has precedence over the mirror. A
// file with wrong content is not changed and is an error, even if a stand-in is allowed.
func TestLocalFiles(t *testing.T) {
	t.Parallel()
	again := append(gzipped([]byte(tinyText[:9])), gzipped([]byte(tinyText[9:]))...) // other bytes, same content
	wrong := []byte("+1 1:0.5\n")
	for _, c := range []struct {
		form    string
		content []byte
		where   string
		ok      bool
	}{
		{"tiny.txt.gz", tinyGz, WhereMirror, true}, {"tiny.txt", []byte(tinyText), WhereMirror, true},
		{"tiny.txt.gz", again, WhereMirror, true}, {"tiny.txt", []byte(tinyText), WhereCache, true},
		{"tiny.txt", wrong, WhereCache, false}, {"tiny.txt", wrong, WhereMirror, false},
		{"tiny.txt.gz", gzipped(wrong), WhereMirror, false}, {"tiny.txt.gz", tinyGz[:20], WhereCache, false},
	} {
		dir := t.TempDir()
		opt := Options{CacheDir: filepath.Join(dir, WhereCache), Mirror: filepath.Join(dir, WhereMirror), AllowStandIn: true}
		writeFile(t, filepath.Join(opt.Mirror, "README"), nil)
		path := writeFile(t, filepath.Join(dir, c.where, "tiny", c.form), c.content)
		if c.where == WhereCache {
			writeFile(t, filepath.Join(opt.Mirror, "tiny", "tiny.txt.gz"), tinyGz)
		}
		l := tinyLibrary(nil)
		st, err := l.statuses(t.Context(), "tiny", offline(opt))
		if err != nil || len(st) != 1 || st[0].OK != c.ok || st[0].Where != c.where || st[0].Path != path || wrongSum(st[0].Err) == c.ok {
			t.Errorf("%+v: %+v %v", c, st, err)
		}
		opt.Mirror = "file://" + opt.Mirror
		d, err := l.open(t.Context(), Ref{Source: "tiny"}, opt)
		if got, _ := os.ReadFile(path); !slices.Equal(got, c.content) {
			t.Errorf("%+v: the file was changed", c)
		}
		if c.ok && (err != nil || d.Origin != c.where || d.Table.N != 3) {
			t.Errorf("%+v: %+v, %v", c, d, err)
		}
		sum, _ := errors.AsType[*ChecksumError](err)
		if !c.ok && (sum == nil || errors.Is(err, ErrMissing) || sum.Path != path) {
			t.Errorf("%+v: %v", c, err)
		}
		if _, err := os.Stat(opt.CacheDir); c.where == WhereMirror && err == nil {
			t.Errorf("%+v: something was written to the cache", c)
		}
	}
}

// Entries of each format are read: labels are last in CSV files and in separate files for IDX.
func TestEntriesOfEachFormat(t *testing.T) {
	t.Parallel()
	mirror := t.TempDir()
	for format, contents := range map[string][][]byte{
		"libsvm": {[]byte("7 1:1 2:2\n8 1:3 2:4\n")}, "csv": {[]byte("1,2,7\n3,4,8\n")},
		"idx": {encodeIDX([]int{2, 1, 2}, []byte{1, 2, 3, 4}), encodeIDX([]int{2}, []byte{7, 8})},
	} {
		e := Entry{Name: format, Title: format, Format: format, Features: 2, DefaultPart: "all"}
		part := Part{Name: "train", Rows: 2}
		for i, content := range contents {
			name := fmt.Sprint(i)
			writeFile(t, filepath.Join(mirror, format, name), content)
			part.Files = append(part.Files, name)
			e.Files = append(e.Files, File{Name: name, SHA256: disk.SHA256Of(content), Forms: []Form{{Name: name}}})
		}
		e.Variants = []Variant{{Name: "v", Parts: []Part{part, part}}}
		d, err := (&library{entries: []Entry{e}}).open(t.Context(), Ref{Source: format}, Options{CacheDir: mirror, Offline: true})
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		row := make([]float64, 2)
		d.Table.RowTo(row, 3)
		if !slices.Equal(d.Table.Labels, []float64{7, 8, 7, 8}) || !slices.Equal(row, []float64{3, 4}) {
			t.Errorf("%s: labels %v, last row %v", format, d.Table.Labels, row)
		}
	}
}

// Errors about missing files explain what to do.
func TestMissing(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "cache")
	opt := Options{CacheDir: cache, Offline: true}
	tiny := tinyLibrary(nil)
	asked := tinyLibrary(nil)
	asked.entries[0].Files[0].Obtain = "ask the author"
	nowhere := opt
	nowhere.Mirror = filepath.Join(cache, "nowhere")
	var got strings.Builder
	for _, c := range []struct {
		of      *library
		source  string
		opt     Options
		missing int
	}{
		{standard(), "mnist", opt, 4}, {standard(), "timit", opt, 0}, {tiny, "tiny", Options{CacheDir: cache}, 1},
		{asked, "tiny", Options{CacheDir: cache}, 1}, {standard(), "mnist", nowhere, -1},
	} {
		_, err := c.of.open(t.Context(), Ref{Source: c.source}, c.opt)
		missing, ok := errors.AsType[*MissingError](err)
		if ok != (c.missing >= 0) || ok != errors.Is(err, ErrMissing) || ok && len(missing.Files) != c.missing {
			t.Errorf("%s: %v", c.source, err)
		}
		fmt.Fprintf(&got, "%s\n\t%s\n", c.source, strings.ReplaceAll(fmt.Sprint(err), cache, "CACHE"))
		if ok {
			missing.Real = true
			fmt.Fprintf(&got, "\t%v\n", err)
		}
		if st, err := c.of.statuses(t.Context(), c.source, c.opt); err != nil || st[0].OK || errors.Is(st[0].Err, ErrMissing) != ok {
			t.Errorf("%s: %+v, %v", c.source, st, err)
		}
	}
	for _, name := range []string{"mnits", "adult/a9", "simulated-gaussian"} {
		_, err := Fetch(t.Context(), name, opt)
		if _, e := Info(name); err == nil || e == nil || e.Error() != err.Error() {
			t.Errorf("%s: %v, %v", name, err, e)
		}
		fmt.Fprintf(&got, "%s\n\t%v\n", name, err)
	}
	golden(t, "missing.txt", got.String())
	st, err := Fetch(t.Context(), "adult/a8a", opt)
	if err != nil || len(st) != 2 || st[0].File != "a8a" || st[1].File != "a8a.t" {
		t.Errorf("%+v %v", st, err)
	}
}

var (
	sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
	namePattern   = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)
)

func TestManifest(t *testing.T) {
	t.Parallel()
	names := append(Sources(), Formats()...)
	for i, name := range names {
		if !namePattern.MatchString(name) || slices.Index(names, name) < i {
			t.Errorf("%q is not a valid name or occurs twice", name)
		}
	}
	for _, e := range List() {
		if e.Title == "" || e.Licence == "" || e.Citation == "" || e.Homepage == "" || e.Thesis == "" || e.Description == "" || e.Classes < 2 ||
			e.Features <= 0 || !slices.Contains(formats, e.Format) || standInOf(e.Name) == nil || (e.Obtain != "") != (len(e.Files) == 0) {
			t.Errorf("%s: incomplete", e.Name)
		}
		for _, f := range e.Files {
			urls := 0
			for _, g := range f.Forms {
				urls += len(g.URLs)
				known := sha256Pattern.MatchString(g.SHA256) && g.Size > 0
				if !namePattern.MatchString(g.Name) || !known && (g.SHA256 != "" || g.Size != 0) || g.SHA256 == f.SHA256 {
					t.Errorf("%s: form %+v", e.Name, g)
				}
				for _, u := range g.URLs {
					if !regexp.MustCompile("^https?://").MatchString(u) || path.Base(u) != g.Name {
						t.Errorf("%s: %s is not an address of %s", e.Name, u, g.Name)
					}
				}
			}
			if !sha256Pattern.MatchString(f.SHA256) || f.Size <= 0 || len(f.Forms) == 0 || (urls == 0) != (f.Obtain != "") {
				t.Errorf("%s: file %+v", e.Name, f)
			}
		}
		files := 1
		switch {
		case e.Obtain != "":
			files = 0
		case e.Format == "idx":
			files = 2
		}
		for _, v := range e.Variants {
			for _, p := range v.Parts {
				known := func(name string) bool { return e.file(name) != nil }
				if p.Rows <= 0 || len(p.Files) != files || !slices.Equal(slices.DeleteFunc(slices.Clone(p.Files), known), []string{}) {
					t.Errorf("%s %s: part %+v", e.Name, v.Name, p)
				}
			}
			if _, err := v.parts(e.DefaultPart); err != nil {
				t.Errorf("%s %s: %v", e.Name, v.Name, err)
			}
		}
	}
}

func TestRefShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ref  Ref
		n, d int
	}{
		{Ref{Source: "mnist"}, 70000, 784},
		{Ref{Source: "simulated-orthogonal", With: map[string]any{"gap": int64(1), "reading": "norm"}}, 0, 32},
		{Ref{Source: "counterexample-2d"}, 0, 2},
		{Ref{Source: "simulated-margin", With: map[string]any{"R": 4, "dim": 16.0, "n": 30, "test": 20}}, 50, 16},
		{Ref{Path: "a.svm", Features: 5}, 0, 5},
		{Ref{Path: "x.idx", Test: "y.idx", With: map[string]any{"labels": "a", "test_labels": "b"}}, 0, 0},
	} {
		if n, d, err := c.ref.Shape(); n != c.n || d != c.d || err != nil {
			t.Errorf("%+v: %d x %d, %v", c.ref, n, d, err)
		}
	}
	if _, _, err := (Ref{}).Shape(); err == nil {
		t.Error("no error")
	}
	for _, g := range Generators() {
		if shown := slices.ContainsFunc(Params(g.Name), func(p Param) bool { return p.Doc == "" }); shown || g.Doc == "" {
			t.Errorf("%s lacks a description", g.Name)
		}
	}
}

// The table of chapter 2 lists 31562 and 16282 examples for Adult, and the figure of chapter 5 has 256
// dimensions. The files have 32561 and 16281 examples and 123 dimensions.
func TestAdultSizesErratum(t *testing.T) {
	t.Parallel()
	for part, rows := range map[string]int{"train": 32561, "test": 16281} {
		n, d, err := Ref{Source: "adult", With: with("part", part)}.Shape()
		if err != nil || n != rows || d != 123 {
			t.Errorf("%s: %d x %d, %v", part, n, d, err)
		}
	}
}

// The table of chapter 2 lists 3229 test examples for Reuters; the file has 3299.
func TestReutersSizesErratum(t *testing.T) {
	t.Parallel()
	n, _, err := Ref{Source: "reuters", With: with("part", "test")}.Shape()
	if err != nil || n != 3299 {
		t.Errorf("%d rows, %v", n, err)
	}
}
