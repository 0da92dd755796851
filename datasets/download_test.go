package datasets

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// server counts requests.
type server struct {
	*httptest.Server
	requests atomic.Int32
}

func serve(t *testing.T, handle http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// content serves a file.
func content(file []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(file)))
	}
}

// serveStart serves the first bytes of tinyGz, then waits until the client disconnects.
func serveStart(bytes int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(tinyGz)))
		_, _ = w.Write(tinyGz[:bytes])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

// listen returns the address of a server that accepts connections but never replies, and an address
// that refuses connections.
func listen(t *testing.T) (silent, closed string) {
	t.Helper()
	var addresses [2]string
	for i := range addresses {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addresses[i] = "http://" + l.Addr().String()
		if i == 0 {
			t.Cleanup(func() { l.Close() })
		} else {
			l.Close()
		}
	}
	return addresses[0], addresses[1]
}

// wantTiny checks that the dataset opens from the cache, offline.
func wantTiny(t *testing.T, l *library, cache string) {
	t.Helper()
	d, err := l.open(t.Context(), Ref{Source: "tiny"}, Options{CacheDir: cache, Offline: true})
	if err != nil || d.Table.N != 3 || d.Table.D != 4 || d.Origin != WhereCache {
		t.Fatalf("%+v, %v", d, err)
	}
	wantFiles(t, cache, 1)
}

func wantFiles(t *testing.T, cache string, n int) {
	t.Helper()
	if files, _ := os.ReadDir(filepath.Join(cache, "tiny")); len(files) != n {
		t.Errorf("the cache contains %v, want %d files", files, n)
	}
}

func TestDownload(t *testing.T) {
	t.Parallel()
	_, closed := listen(t)
	wrong := serve(t, content([]byte(strings.Repeat("w", len(tinyGz)))))
	for form, file := range map[string][]byte{"tiny.txt.gz": tinyGz, "tiny.txt": []byte(tinyText), "tiny.bz2": tinyBz2} {
		s := serve(t, content(file))
		urls := map[string][]string{"tiny.txt.gz": {closed + "/a", wrong.URL + "/tiny.txt.gz"}} // both fail
		urls[form] = append(urls[form], s.URL+"/"+form)
		l := tinyLibrary(urls)
		opt := Options{CacheDir: t.TempDir()}
		for _, where := range []string{WhereDownload, WhereCache} {
			st, err := l.fetch(t.Context(), "tiny", opt)
			if err != nil || len(st) != 1 || !st[0].OK || st[0].Where != where || filepath.Base(st[0].Path) != form {
				t.Fatalf("%s: %+v %v", form, st, err)
			}
			s.Close()
		}
		wantTiny(t, l, opt.CacheDir)
	}
}

// A failed download leaves no files, and the error explains how to get the file.
func TestDownloadFailures(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, c := range []struct {
		name   string
		form   string
		handle http.HandlerFunc
	}{
		{"not found", "tiny.txt.gz", http.NotFound},
		{"other content", "tiny.bz2", content([]byte("<html>"))},
		{"another size", "tiny.txt.gz", content([]byte("<html>log in</html>"))},
		{"no size", "tiny.bz2", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush() // no Content-Length
			_, _ = w.Write([]byte("x"))
		}},
		{"too long", "tiny.txt.gz", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			_, _ = w.Write(slices.Concat(tinyGz, []byte{1, 2, 3}))
		}},
		{"cut", "tiny.txt.gz", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(tinyGz)))
			_, _ = w.Write(tinyGz[:5])
		}},
		{"stalled", "tiny.txt.gz", serveStart(0)},
	} {
		s := serve(t, c.handle)
		l := tinyLibrary(map[string][]string{c.form: {s.URL + "/" + c.form}})
		if c.name == "stalled" {
			l.timeout.tick = 50 * time.Millisecond
		}
		opt := Options{CacheDir: t.TempDir()}
		st, err := l.fetch(t.Context(), "tiny", opt)
		wrong := c.name == "other content" || c.name == "too long"
		if !errors.Is(err, ErrMissing) || wrongSum(err) != wrong || len(st) != 1 || st[0].OK || s.requests.Load() != 1 {
			t.Errorf("%s: %+v, %v", c.name, st, err)
		}
		wantFiles(t, opt.CacheDir, 0)
		fmt.Fprintf(&got, "%s\n\t%s\n", c.name, strings.ReplaceAll(fmt.Sprint(err), s.URL, "SERVER"))
	}
	golden(t, "downloads.txt", got.String())
}

// An unreachable host is tried only once and logged once, even for several files.
func TestNoNetwork(t *testing.T) {
	t.Parallel()
	silent, closed := listen(t)
	l := tinyLibrary(map[string][]string{"tiny.txt.gz": {silent + "/x", closed + "/y"}, "tiny.txt": {closed + "/x", silent + "/z"}})
	l.timeout.header = 100 * time.Millisecond
	var lines []string
	opt := Options{CacheDir: t.TempDir(), Log: func(s string) { lines = append(lines, s) }}
	for range 2 {
		if _, err := l.fetch(t.Context(), "tiny", opt); !errors.Is(err, ErrMissing) {
			t.Errorf("%v", err)
		}
	}
	if len(lines) != 2 {
		t.Errorf("want one line for each host:\n%q", lines)
	}
}

func TestDownloadCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		serveStart(12)(w, r)
	})
	l := tinyLibrary(map[string][]string{"tiny.txt.gz": {s.URL + "/tiny.txt.gz"}})
	opt := Options{CacheDir: t.TempDir(), AllowStandIn: true}
	for range 2 {
		if _, err := l.open(ctx, Ref{Source: "tiny"}, opt); err != context.Canceled {
			t.Errorf("error %v", err)
		}
		if _, err := l.statuses(ctx, "tiny", opt); err != context.Canceled {
			t.Errorf("error %v", err)
		}
	}
	wantFiles(t, opt.CacheDir, 0)
}

// Concurrent downloads of the same file succeed.
func TestConcurrentFetch(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup // every download starts before one ends
	all.Add(6)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		all.Done()
		all.Wait()
		content(tinyGz)(w, r)
	})
	l := tinyLibrary(map[string][]string{"tiny.txt.gz": {s.URL + "/tiny.txt.gz"}})
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if _, err := l.fetch(t.Context(), "tiny", Options{CacheDir: cache}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantTiny(t, l, cache)
}

func TestUnwritableCache(t *testing.T) {
	t.Parallel()
	s := serve(t, content(tinyGz))
	l := tinyLibrary(map[string][]string{"tiny.txt.gz": {s.URL + "/tiny.txt.gz"}})
	cache := t.TempDir()
	writeFile(t, filepath.Join(cache, "tiny"), nil) // a file blocks the folder
	for _, dir := range []string{cache, filepath.Join(cache, "tiny")} {
		if st, err := l.fetch(t.Context(), "tiny", Options{CacheDir: dir}); !errors.Is(err, syscall.ENOTDIR) || st[0].OK {
			t.Errorf("%+v, %v", st, err)
		}
	}
}

func TestMirrorURL(t *testing.T) {
	t.Parallel()
	paths := make(chan string, 10)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if paths <- r.URL.Path; r.URL.Path != "/data/tiny/tiny.txt" {
			http.NotFound(w, r)
			return
		}
		content([]byte(tinyText))(w, r)
	})
	_, closed := listen(t)
	l := tinyLibrary(map[string][]string{"tiny.txt.gz": {closed + "/x"}})
	opt := Options{CacheDir: t.TempDir(), Mirror: s.URL + "/data/"}
	if _, err := l.fetch(t.Context(), "tiny", offline(opt)); !errors.Is(err, ErrMissing) {
		t.Errorf("a mirror URL was used offline: %v", err)
	}
	if _, err := l.fetch(t.Context(), "tiny", opt); err != nil {
		t.Fatal(err)
	}
	if a, b := <-paths, <-paths; a != "/data/tiny/tiny.txt.gz" || b != "/data/tiny/tiny.txt" {
		t.Errorf("requested %s and %s", a, b)
	}
	wantTiny(t, l, opt.CacheDir)
}

// A wrong file in the mirror is an error, even if other addresses or stand-ins are available.
func TestMirrorURLWrongChecksum(t *testing.T) {
	t.Parallel()
	s, good := serve(t, content([]byte(strings.Repeat("w", len(tinyGz))))), serve(t, content(tinyGz))
	l := tinyLibrary(map[string][]string{"tiny.txt.gz": {good.URL + "/tiny.txt.gz"}})
	_, err := l.open(t.Context(), Ref{Source: "tiny"}, Options{CacheDir: t.TempDir(), Mirror: s.URL, AllowStandIn: true})
	if !wrongSum(err) || errors.Is(err, ErrMissing) || good.requests.Load() != 0 {
		t.Errorf("%v", err)
	}
}
