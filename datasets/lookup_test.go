package datasets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folders returns a cache and a mirror folder.
func folders(t *testing.T) (cache, mirror string) {
	t.Helper()
	dir := t.TempDir()
	cache, mirror = filepath.Join(dir, "cache"), filepath.Join(dir, "mirror")
	if err := os.Mkdir(mirror, 0o755); err != nil {
		t.Fatal(err)
	}
	return cache, mirror
}

func TestMirrorFolderIsReadInPlace(t *testing.T) {
	for _, c := range []struct {
		form    string
		content []byte
	}{
		{"tiny.txt.gz", tinyGz},
		{"tiny.txt", []byte(tinyText)},
		{"tiny.txt.gz", gzippedAnew(t)}, // other bytes, same content
	} {
		cache, mirror := folders(t)
		writeFile(t, filepath.Join(mirror, "tiny", c.form), c.content)
		l := tinyLibrary(t, nil, nil)
		for _, m := range []string{mirror, "file://" + mirror} {
			d, err := l.open(context.Background(), Ref{Source: "tiny"}, Options{CacheDir: cache, Mirror: m})
			if err != nil {
				t.Fatal(err)
			}
			if d.Origin != WhereMirror || d.Table.N != 3 {
				t.Errorf("%s: %d rows from %s", c.form, d.Table.N, d.Origin)
			}
		}
		if _, err := os.Stat(cache); err == nil {
			t.Error("something was written to the cache")
		}
		st, err := l.fetch(context.Background(), "tiny", Options{CacheDir: cache, Mirror: mirror})
		if err != nil || st[0].Where != WhereMirror || st[0].Path != filepath.Join(mirror, "tiny", c.form) {
			t.Errorf("%+v %v", st, err)
		}
	}
}

// gzippedAnew is tinyText compressed in two members, which gives other bytes.
func gzippedAnew(t *testing.T) []byte {
	t.Helper()
	out := append(gzipped([]byte(tinyText[:9])), gzipped([]byte(tinyText[9:]))...)
	if sha(out) == sha(tinyGz) {
		t.Fatal("the same bytes")
	}
	return out
}

func TestCacheGoesBeforeMirror(t *testing.T) {
	cache, mirror := folders(t)
	writeFile(t, filepath.Join(cache, "tiny", "tiny.txt"), []byte(tinyText))
	writeFile(t, filepath.Join(mirror, "tiny", "tiny.txt.gz"), tinyGz)
	d, err := tinyLibrary(t, nil, nil).open(context.Background(), Ref{Source: "tiny"}, Options{CacheDir: cache, Mirror: mirror})
	if err != nil || d.Origin != WhereCache {
		t.Errorf("%+v %v", d, err)
	}
}

func TestWrongChecksumOnDisk(t *testing.T) {
	wrong := []byte("+1 1:0.5\n")
	for _, where := range []string{WhereCache, WhereMirror} {
		for _, form := range []string{"tiny.txt", "tiny.txt.gz"} {
			cache, mirror := folders(t)
			dir, content := cache, wrong
			if where == WhereMirror {
				dir = mirror
			}
			if form == "tiny.txt.gz" {
				content = gzipped(wrong)
			}
			path := writeFile(t, filepath.Join(dir, "tiny", form), content)
			l := tinyLibrary(t, nil, nil)
			opt := Options{CacheDir: cache, Mirror: mirror, AllowStandIn: true}
			_, err := l.open(context.Background(), Ref{Source: "tiny"}, opt)
			wantError(t, err, path, "wrong checksum: sha256 is "+sha(content), "nothing was changed")
			if form == "tiny.txt" {
				wantError(t, err, "want "+sha([]byte(tinyText)))
			} else {
				wantError(t, err, "decompressed "+sha(wrong)+", want "+sha([]byte(tinyText)))
			}
			var ce *ChecksumError
			if !wrongSum(err) || errors.Is(err, ErrMissing) || !errors.As(err, &ce) || ce.Path != path {
				t.Errorf("wrong kind of error: %v", err)
			}
			if got, _ := os.ReadFile(path); string(got) != string(content) {
				t.Error("the file was changed")
			}
			st, err := l.statuses(context.Background(), "tiny", offline(opt))
			if err != nil || len(st) != 1 || st[0].OK || st[0].Path != path || st[0].Where != where || !wrongSum(st[0].Err) {
				t.Errorf("verify: %+v %v", st, err)
			}
		}
	}
}

func TestVerify(t *testing.T) {
	cache, mirror := folders(t)
	l := tinyLibrary(t, []string{"http://never.invalid/x"}, nil)
	opt := Options{CacheDir: cache, Mirror: mirror}
	st, err := l.statuses(context.Background(), "tiny", offline(opt))
	if err != nil || st[0].OK || st[0].Where != "" || !strings.Contains(st[0].Problem, "cannot find tiny.txt.gz; offline") {
		t.Errorf("%+v %v", st, err)
	}
	writeFile(t, filepath.Join(mirror, "tiny", "tiny.txt.gz"), tinyGz)
	st, err = l.statuses(context.Background(), "tiny", offline(opt))
	if err != nil || !st[0].OK || st[0].Where != WhereMirror || filepath.Base(st[0].Path) != "tiny.txt.gz" || st[0].Problem != "" {
		t.Errorf("%+v %v", st, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.statuses(ctx, "tiny", offline(opt)); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

func TestNamesOfFetchAndVerify(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"mnits", `did you mean "mnist"`},
		{"adult/a9", `dataset adult: unknown variant "a9"`},
		{"simulated-gaussian", "is generated: it has no files"},
	} {
		_, err := Fetch(context.Background(), c.name, Options{Offline: true})
		wantError(t, err, c.want)
		_, err = Fetch(context.Background(), c.name, Options{Offline: true})
		wantError(t, err, c.want)
		_, err = Info(c.name)
		wantError(t, err, c.want)
	}
	st, err := Fetch(context.Background(), "adult/a8a", Options{Offline: true, CacheDir: t.TempDir()})
	if err != nil || len(st) != 2 || st[0].File != "a8a" || st[1].File != "a8a.t" {
		t.Errorf("%+v %v", st, err)
	}
}

func TestMissing(t *testing.T) {
	ctx := context.Background()
	cache := t.TempDir()
	_, err := Open(ctx, Ref{Source: "mnist"}, Options{CacheDir: cache, Offline: true})
	wantError(t, err, "dataset mnist: cannot find train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k",
		"offline: no download was tried", "set HARNESS_MIRROR", "`stochopt datasets fetch mnist`", "`stand_in: allow`")
	var me *MissingError
	if !errors.Is(err, ErrMissing) || !errors.As(err, &me) || len(me.Files) != 4 || len(me.Causes) != 1 {
		t.Errorf("%+v", me)
	}
	_, err = Open(ctx, Ref{Source: "mnist"}, Options{CacheDir: cache, Offline: true, Mirror: filepath.Join(cache, "nowhere"), AllowStandIn: true})
	wantError(t, err, "nowhere is not a folder: set HARNESS_MIRROR")
	_, err = tinyLibrary(t, nil, nil).open(ctx, Ref{Source: "tiny"}, Options{CacheDir: cache})
	wantError(t, err, "it cannot be downloaded directly")
	// A mirror at a URL is a network too.
	_, err = Open(ctx, Ref{Source: "adult"}, Options{CacheDir: cache, Offline: true, Mirror: closedPort(t)})
	wantError(t, err, "no download was tried")
}

func wrongSum(err error) bool {
	_, wrong := errors.AsType[*ChecksumError](err)
	return wrong
}
