package cli

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	reports "stochopt/harness/internal/report"
	"stochopt/results/record"
)

// served is a page server with a clock of its own.
type served struct {
	*pageServer
	clock    time.Time
	warnings []string
	pages    int
	// takes is how long rendering a page takes.
	takes time.Duration
	url   string
}

func serve(t *testing.T, dirs ...string) *served {
	t.Helper()
	s := &served{clock: noon}
	o := &reportOptions{serve: "localhost:0", now: func() time.Time { return s.clock }}
	s.pageServer = &pageServer{
		collector: reports.NewCollector(dirs, o.options("")), now: o.now,
		render: func(w io.Writer, p *reports.Page) error {
			s.pages++
			s.clock = s.clock.Add(s.takes)
			return tellTale(w, p)
		},
		warn: func(text string) { s.warnings = append(s.warnings, text) },
	}
	if err := s.refresh(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *served) get(t *testing.T, path string) string {
	t.Helper()
	r, err := http.Get(s.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK || r.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s: %s, %v", path, r.Status, err)
	}
	return string(body)
}

// drop takes the last run of a results folder off the record.
func drop(t *testing.T, dir string) {
	t.Helper()
	text := read(t, dir, record.RunsFile)
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	write(t, filepath.Join(dir, record.RunsFile), strings.Join(lines[:len(lines)-1], ""))
}

func TestServedPageFollowsTheRecords(t *testing.T) {
	twoFolders(t)
	dir := filepath.Join("results", "small")
	s := serve(t, "results")
	s.takes = 3 * time.Second
	first, state := s.get(t, "/"), s.get(t, "/state")
	if !strings.Contains(first, "live=true") || !strings.Contains(first, "small 6/6") || strings.Contains(first, "results/") || state == "" {
		t.Fatalf("page %q, state %q", first, state)
	}
	drop(t, dir)
	s.clock = s.clock.Add(checkEvery - 1)
	if s.get(t, "/state") != state || s.get(t, "/") != first {
		t.Error("the records are looked at more often than need be")
	}
	s.clock = s.clock.Add(1)
	second := s.get(t, "/state")
	if second == state || !strings.Contains(s.get(t, "/"), "small 5/6") || s.pages != 2 {
		t.Errorf("state %q, page %q after %d pages", second, s.get(t, "/"), s.pages)
	}
	// A page that took long to make is not made again soon.
	drop(t, dir)
	s.clock = s.clock.Add(rest*s.takes - 1)
	if s.get(t, "/state") != second {
		t.Error("the records are read without a rest")
	}
	s.clock = s.clock.Add(checkEvery)
	if s.get(t, "/state") == second || !strings.Contains(s.get(t, "/"), "small 4/6") || s.pages != 3 {
		t.Errorf("page %q after %d pages", s.get(t, "/"), s.pages)
	}
	for range 3 {
		s.clock = s.clock.Add(time.Minute)
		s.get(t, "/")
	}
	if s.pages != 3 {
		t.Errorf("%d pages were made of 3 states", s.pages)
	}
	if s.warnings != nil {
		t.Errorf("warnings %q", s.warnings)
	}
}

// What goes wrong while the page is served is told once, and the page stays.
func TestServedPageOutlivesDamage(t *testing.T) {
	twoFolders(t)
	s := serve(t, filepath.Join("results", "small"))
	before := s.get(t, "/")
	manifest := read(t, "results", "small", "manifest.json")
	write(t, filepath.Join("results", "small", "manifest.json"), "{")
	for range 3 {
		s.clock = s.clock.Add(time.Minute)
		if s.get(t, "/") != before {
			t.Error("the page is gone")
		}
	}
	if len(s.warnings) != 1 || !strings.Contains(s.warnings[0], "damaged") {
		t.Errorf("warnings %q", s.warnings)
	}
	write(t, filepath.Join("results", "small", "manifest.json"), manifest)
	drop(t, filepath.Join("results", "small"))
	s.clock = s.clock.Add(time.Minute)
	if !strings.Contains(s.get(t, "/"), "small 5/6") {
		t.Errorf("mended, the page is %q", s.get(t, "/"))
	}
}

func TestServerAnswersToGetOnly(t *testing.T) {
	twoFolders(t)
	s := serve(t, "results")
	for _, test := range []struct {
		method, path string
		code         int
	}{
		{http.MethodPost, "/", http.StatusMethodNotAllowed}, {http.MethodPut, "/state", http.StatusMethodNotAllowed},
		{http.MethodHead, "/", http.StatusOK}, {http.MethodGet, "/results/small/runs.jsonl", http.StatusNotFound},
		{http.MethodGet, "/a.yaml", http.StatusNotFound}, {http.MethodGet, "/state/", http.StatusNotFound},
	} {
		r, err := http.NewRequest(test.method, s.url+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != test.code {
			t.Errorf("%s %s: %s, want %d", test.method, test.path, answer.Status, test.code)
		}
	}
}

// lockedBuffer is written to by a command while a test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestServeUntilInterrupted(t *testing.T) {
	twoFolders(t)
	var out, stderr lockedBuffer
	a := &app{out: &out, err: &stderr}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	o := &reportOptions{serve: "127.0.0.1:0", render: tellTale, now: fixed}
	done := make(chan error, 1)
	go func() { done <- o.run(ctx, a, []string{"results"}) }()
	address := regexp.MustCompile(`^serving (http://127\.0\.0\.1:\d+/) until interrupted\n$`)
	var url string
	for range 500 {
		if m := address.FindStringSubmatch(out.String()); m != nil {
			url = m[1]
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if url == "" {
		t.Fatalf("stdout %q, stderr %q", out.String(), stderr.String())
	}
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.Contains(string(body), "small 6/6") {
		t.Errorf("page %q (%v)", body, err)
	}
	interrupt()
	if err := <-done; err != nil || stderr.String() != "" {
		t.Errorf("%v, stderr %q", err, stderr.String())
	}
	if _, err := http.Get(url); err == nil {
		t.Error("it still answers")
	}
}

func TestAddressesThatCannotBeServed(t *testing.T) {
	twoFolders(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := reportWith(t, &reportOptions{serve: l.Addr().String()}, "results")
	if o.code != exitUsage || !strings.Contains(o.err, "--serve "+l.Addr().String()) {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
	for address, local := range map[string]bool{"127.0.0.1:0": true, "localhost:0": true, "0.0.0.0:0": false, "[::]:0": false, ":0": true, "0": true} {
		var out, stderr lockedBuffer
		ctx, interrupt := context.WithCancel(t.Context())
		interrupt() // it ends as soon as it has begun
		o := &reportOptions{serve: address, render: tellTale, now: fixed}
		if err := o.run(ctx, &app{out: &out, err: &stderr}, []string{"results"}); err != nil {
			t.Errorf("%s: %v", address, err)
		}
		if warned := strings.Contains(stderr.String(), "can be reached from other machines"); warned == local {
			t.Errorf("%s: stderr %q", address, stderr.String())
		}
	}
}
