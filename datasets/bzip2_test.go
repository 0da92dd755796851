package datasets

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// tinyBz2 is tinyText by bzip2.
func tinyBz2(t *testing.T) []byte {
	t.Helper()
	b, err := hex.DecodeString("425a6839314159265359de054fdc00000559800010480b7e102a03840020002227a8d1a19341a14c269a034c448180c2ce88e1a6a4a75304cf9732e947bd1f177245385090de054fdc")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// bz2Library is tinyLibrary whose file can be had by bzip2 only, with neither
// checksum nor size known of that form.
func bz2Library(t *testing.T, url string) *library {
	t.Helper()
	l := tinyLibrary(t, nil, nil)
	f := &l.entries[0].Files[0]
	f.Forms = append(f.Forms, Form{Name: "tiny.bz2", URLs: []string{url}})
	return l
}

func TestDownloadBzip2(t *testing.T) {
	content := tinyBz2(t)
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { serveContent(w, r, content) })
	l := bz2Library(t, s.URL+"/tiny.bz2")
	opt := Options{CacheDir: t.TempDir()}
	st, err := fetchTiny(t, l, opt)
	if err != nil || len(st) != 1 || !st[0].OK || filepath.Base(st[0].Path) != "tiny.bz2" {
		t.Fatalf("%+v %v", st, err)
	}
	wantTiny(t, l, opt.CacheDir)
	if st, err := l.statuses(context.Background(), "tiny", offline(opt)); err != nil || !st[0].OK {
		t.Errorf("%+v %v", st, err)
	}
}

func TestDownloadBzip2Failures(t *testing.T) {
	for _, c := range []struct {
		name   string
		handle func(http.ResponseWriter, *http.Request)
		want   []string
	}{
		{"other content", func(w http.ResponseWriter, r *http.Request) { serveContent(w, r, gzipped([]byte("1 1:1\n"))) },
			[]string{"wrong checksum", "decompressed " + sha([]byte("1 1:1\n")) + ", want " + sha([]byte(tinyText))}},
		{"not compressed", func(w http.ResponseWriter, r *http.Request) { serveContent(w, r, []byte("<html>")) },
			[]string{"wrong checksum", ", want " + sha([]byte(tinyText))}},
		{"no size", func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush() // makes the answer chunked
			_, _ = w.Write([]byte("x"))
		}, []string{"neither the manifest nor the server says how large"}},
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { c.handle(w, r) })
		_, err := fetchTiny(t, bz2Library(t, s.URL+"/tiny.bz2"), Options{CacheDir: t.TempDir()})
		if !errors.Is(err, ErrMissing) {
			t.Errorf("%s: %v", c.name, err)
		}
		wantError(t, err, c.want...)
	}
}

func TestOpenBzip2(t *testing.T) {
	dir := t.TempDir()
	b := tinyBz2(t)
	damaged := append([]byte(nil), b...)
	damaged[30] ^= 1
	for name, content := range map[string][]byte{
		"a.svm": []byte(tinyText), "b.svm.bz2": b, "cut.svm.bz2": b[:40], "bad.svm.bz2": damaged, "head.svm": []byte("BZh91\n"),
	} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	opt := Options{Dir: dir}
	if open(t, Ref{Path: "a.svm"}, opt).Hash != open(t, Ref{Path: "b.svm.bz2"}, opt).Hash {
		t.Error("the same content, plain or bzip2, has the same hash")
	}
	for path, want := range map[string]string{
		"cut.svm.bz2": "the bzip2 data end early", "bad.svm.bz2": "damaged bzip2 data", "head.svm": `head.svm:1: label: "BZh91" is not a number`,
	} {
		_, err := Open(context.Background(), Ref{Path: path}, opt)
		wantError(t, err, want)
		if errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	}
}

// TestObtain: where there is no address, the error says what to do instead.
func TestObtain(t *testing.T) {
	l := tinyLibrary(t, nil, nil)
	l.entries[0].Files[0].Obtain = "ask the author"
	_, err := fetchTiny(t, l, Options{CacheDir: t.TempDir()})
	wantError(t, err, "it cannot be downloaded directly: ask the author")
}
