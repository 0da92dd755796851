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
	"strings"
	"sync"
	"testing"
	"time"
)

// server serves content at /tiny.txt.gz and /tiny/tiny.txt.gz and records the
// Range headers it got.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	ranges []string
}

func serve(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, try int)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		n := len(s.ranges)
		s.mu.Unlock()
		handle(w, r, n)
	}))
	t.Cleanup(s.Close)
	return s
}

// serveContent answers as a well-behaved server with ranges does.
func serveContent(w http.ResponseWriter, r *http.Request, content []byte) {
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(content)))
}

// closedPort returns an address where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func fetchTiny(t *testing.T, l *library, opt Options) ([]FileStatus, error) {
	t.Helper()
	return l.fetch(context.Background(), "tiny", opt)
}

// wantTiny checks that the dataset opens from the cache without a network.
func wantTiny(t *testing.T, l *library, cache string) {
	t.Helper()
	d, err := l.open(context.Background(), Ref{Source: "tiny"}, Options{CacheDir: cache, Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.Table.N != 3 || d.Table.D != 4 || d.Origin != WhereCache {
		t.Errorf("%d x %d from %s", d.Table.N, d.Table.D, d.Origin)
	}
	if files, err := os.ReadDir(filepath.Join(cache, "tiny")); err != nil || len(files) != 1 {
		t.Errorf("in the cache are %v, %v", files, err)
	}
}

func TestDownload(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { serveContent(w, r, tinyGz) })
	l := tinyLibrary(t, []string{s.URL + "/tiny.txt.gz"}, nil)
	opt := Options{CacheDir: t.TempDir()}
	st, err := fetchTiny(t, l, opt)
	if err != nil || len(st) != 1 || !st[0].OK || st[0].Where != WhereDownload || filepath.Base(st[0].Path) != "tiny.txt.gz" {
		t.Fatalf("%+v %v", st, err)
	}
	wantTiny(t, l, opt.CacheDir)
	s.Close()
	if st, err = fetchTiny(t, l, opt); err != nil || st[0].Where != WhereCache {
		t.Fatalf("not from the cache: %+v %v", st, err)
	}
}

func TestDownloadPlainForm(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { serveContent(w, r, []byte(tinyText)) })
	l := tinyLibrary(t, nil, []string{s.URL + "/tiny.txt"})
	opt := Options{CacheDir: t.TempDir()}
	if st, err := fetchTiny(t, l, opt); err != nil || filepath.Base(st[0].Path) != "tiny.txt" {
		t.Fatalf("%+v %v", st, err)
	}
	wantTiny(t, l, opt.CacheDir)
}

func TestDownloadFailures(t *testing.T) {
	wrong := []byte(strings.Repeat("w", len(tinyGz)))
	for _, c := range []struct {
		name   string
		handle func(w http.ResponseWriter, r *http.Request, try int)
		want   []string
	}{
		{"404", func(w http.ResponseWriter, r *http.Request, _ int) { http.NotFound(w, r) }, []string{"the server says 404 Not Found"}},
		{"wrong checksum", func(w http.ResponseWriter, r *http.Request, _ int) { serveContent(w, r, wrong) },
			[]string{"wrong checksum", sha(wrong), sha([]byte(tinyText)), "the download was not kept"}},
		{"wrong size", func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write([]byte("<html>log in</html>")) },
			[]string{fmt.Sprintf("the server offers 19 bytes, the file has %d", len(tinyGz))}},
		{"too long", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.(http.Flusher).Flush() // no Content-Length
			_, _ = w.Write(append(tinyGz, 1, 2, 3))
		}, []string{"more than the"}},
		{"truncated", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Length", fmt.Sprint(len(tinyGz)))
			_, _ = w.Write(tinyGz[:5])
		}, []string{fmt.Sprintf("broke off after 5 of %d bytes", len(tinyGz))}},
		{"stalled", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Length", fmt.Sprint(len(tinyGz)))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, []string{"given up after 0 of"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.handle)
			l := tinyLibrary(t, []string{s.URL + "/tiny.txt.gz"}, nil)
			opt := Options{CacheDir: t.TempDir()}
			st, err := fetchTiny(t, l, opt)
			wantError(t, err, append(c.want, "dataset tiny: cannot find tiny.txt.gz", "HARNESS_MIRROR", "datasets fetch tiny", "stand_in: allow")...)
			if !errors.Is(err, ErrMissing) || wrongSum(err) != (c.name == "wrong checksum") {
				t.Errorf("wrong kind of error: %v", err)
			}
			if len(st) != 1 || st[0].OK || st[0].Problem == "" {
				t.Errorf("status %+v", st)
			}
			if files, _ := os.ReadDir(filepath.Join(opt.CacheDir, "tiny")); len(files) > 0 {
				t.Errorf("in the cache are %v", files)
			}
		})
	}
}

func TestDownloadGoesOnToTheNextAddress(t *testing.T) {
	bad := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		serveContent(w, r, []byte(strings.Repeat("w", len(tinyGz))))
	})
	good := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { serveContent(w, r, tinyGz) })
	l := tinyLibrary(t, []string{closedPort(t) + "/a", bad.URL + "/tiny.txt.gz", good.URL + "/tiny.txt.gz"}, nil)
	opt := Options{CacheDir: t.TempDir()}
	if _, err := fetchTiny(t, l, opt); err != nil {
		t.Fatal(err)
	}
	wantTiny(t, l, opt.CacheDir)
}

// TestNoNetwork: every host fails; each is tried once, one line each, quickly.
func TestNoNetwork(t *testing.T) {
	a, b := closedPort(t), closedPort(t)
	l := tinyLibrary(t, []string{a + "/x", a + "/y"}, []string{b + "/x", a + "/z"})
	var log logger
	opt := Options{CacheDir: t.TempDir(), Log: log.log}
	start := time.Now()
	_, err := fetchTiny(t, l, opt)
	wantError(t, err, "connection refused", strings.TrimPrefix(a, "http://"), strings.TrimPrefix(b, "http://"))
	if !errors.Is(err, ErrMissing) {
		t.Error("not ErrMissing")
	}
	if _, err = fetchTiny(t, l, opt); err == nil {
		t.Error("no error the second time")
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
	if len(log.lines) != 2 {
		t.Errorf("want one line for each host:\n%s", &log)
	}
}

// TestSilentHost: a host that accepts and never answers costs the header
// time-out, once.
func TestSilentHost(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	u := "http://" + ln.Addr().String()
	l := tinyLibrary(t, []string{u + "/a", u + "/b"}, []string{u + "/c"})
	l.timeout.header = 200 * time.Millisecond
	start := time.Now()
	_, err = fetchTiny(t, l, Options{CacheDir: t.TempDir()})
	wantError(t, err, "timeout")
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestDownloadCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Content-Length", fmt.Sprint(len(tinyGz)))
		_, _ = w.Write(tinyGz[:12])
		w.(http.Flusher).Flush()
		time.Sleep(20 * time.Millisecond)
		cancel()
		<-r.Context().Done()
	})
	l := tinyLibrary(t, []string{s.URL + "/tiny.txt.gz"}, nil)
	opt := Options{CacheDir: t.TempDir(), AllowStandIn: true}
	if _, err := l.open(ctx, Ref{Source: "tiny"}, opt); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if files, _ := os.ReadDir(filepath.Join(opt.CacheDir, "tiny")); len(files) > 0 {
		t.Errorf("in the cache are %v", files)
	}
	if _, err := l.open(ctx, Ref{Source: "tiny"}, opt); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// Several processes may download the same file.
func TestConcurrentFetch(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		time.Sleep(100 * time.Millisecond)
		serveContent(w, r, tinyGz)
	})
	l := tinyLibrary(t, []string{s.URL + "/tiny.txt.gz"}, nil)
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if _, err := l.fetch(context.Background(), "tiny", Options{CacheDir: cache}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantTiny(t, l, cache)
}

func TestUnwritableCache(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { serveContent(w, r, tinyGz) })
	l := tinyLibrary(t, []string{s.URL + "/tiny.txt.gz"}, nil)
	file := writeFile(t, filepath.Join(t.TempDir(), "file"), nil)
	_, err := fetchTiny(t, l, Options{CacheDir: filepath.Join(file, "cache")})
	wantError(t, err, "not a directory")
}

func TestMirrorURL(t *testing.T) {
	paths := make(chan string, 10)
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		paths <- r.URL.Path
		if r.URL.Path != "/data/tiny/tiny.txt" {
			http.NotFound(w, r)
			return
		}
		serveContent(w, r, []byte(tinyText))
	})
	l := tinyLibrary(t, []string{closedPort(t) + "/x"}, nil)
	opt := Options{CacheDir: t.TempDir(), Mirror: s.URL + "/data/"}
	if _, err := fetchTiny(t, l, opt); err != nil {
		t.Fatal(err)
	}
	if a, b := <-paths, <-paths; a != "/data/tiny/tiny.txt.gz" || b != "/data/tiny/tiny.txt" {
		t.Errorf("asked for %s and %s", a, b)
	}
	wantTiny(t, l, opt.CacheDir)
}

// TestMirrorURLWrongChecksum: a mirror that was named and is wrong is not
// passed over, nor covered up by a stand-in.
func TestMirrorURLWrongChecksum(t *testing.T) {
	wrong := []byte(strings.Repeat("w", len(tinyGz)))
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { serveContent(w, r, wrong) })
	good := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { serveContent(w, r, tinyGz) })
	l := tinyLibrary(t, []string{good.URL + "/tiny.txt.gz"}, nil)
	_, err := l.open(context.Background(), Ref{Source: "tiny"}, Options{CacheDir: t.TempDir(), Mirror: s.URL, AllowStandIn: true})
	wantError(t, err, sha(wrong), sha([]byte(tinyText)))
	if !wrongSum(err) || errors.Is(err, ErrMissing) || len(good.ranges) != 0 {
		t.Errorf("%v", err)
	}
}
