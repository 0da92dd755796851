package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	reports "stochopt/harness/internal/report"
)

const (
	// checkEvery is how often the records are looked at, at most.
	checkEvery = 2 * time.Second
	// rest is how long the records are let alone after a page was made, as a
	// multiple of the time that took.
	rest = 4
	// slowest is how long a client may take to ask, or to take a page; idle is how long
	// it may keep a connection without asking.
	slowest, idle = 10 * time.Second, time.Minute
)

// listen serves the page until the context ends.
func (o *reportOptions) listen(ctx context.Context, a *app, dirs []string) error {
	s := &pageServer{
		collector: reports.NewCollector(dirs, o.options("")), render: o.render, now: o.now,
		warn: func(text string) { fmt.Fprintln(a.err, "warning:", text) },
	}
	if err := s.refresh(); err != nil {
		return usage(err)
	}
	l, err := net.Listen("tcp", address(o.serve))
	if err != nil {
		return usagef("--serve %s: %w; want an address such as localhost:8080 that is not in use", o.serve, err)
	}
	s.host, _, _ = net.SplitHostPort(address(o.serve))
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		s.warn(fmt.Sprintf("%s can be reached from other machines; localhost:%d cannot", l.Addr(), tcp.Port))
	}
	fmt.Fprintf(a.out, "serving http://%s/ until interrupted\n", l.Addr())
	server := s.server()
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return failed(fmt.Errorf("cannot serve the page: %w", err))
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(end); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return failed(fmt.Errorf("cannot stop serving: %w", err))
	}
	return nil
}

// address completes the address to serve at: without a host it is that of this machine
// alone, and a port may stand alone.
func address(serve string) string {
	if _, err := strconv.Atoi(serve); err == nil {
		serve = ":" + serve
	}
	if host, port, err := net.SplitHostPort(serve); err == nil && host == "" {
		return net.JoinHostPort("localhost", port)
	}
	return serve
}

// pageServer keeps a page up to date.
type pageServer struct {
	// host is the name that it was asked to serve at.
	host      string
	collector *reports.Collector
	render    renderPage
	now       func() time.Time
	warn      func(string)

	mu      sync.Mutex
	html    []byte
	state   string
	checked time.Time
	// next is when records may be read again.
	next time.Time
	// told are the warnings that have been given.
	told map[string]bool
}

// handler answers GET / with the page and GET /state with the name of its state,
// which changes when the page does.
func (s *pageServer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		html, _ := s.current()
		s.answer(w, "text/html; charset=utf-8", html)
	})
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, r *http.Request) {
		_, state := s.current()
		s.answer(w, "text/plain; charset=utf-8", []byte(state))
	})
	return s.called(mux)
}

// server returns the server of the page, which closes clients that are idle or stall.
func (s *pageServer) server() *http.Server {
	return &http.Server{
		Handler: s.handler(), ReadTimeout: slowest, WriteTimeout: slowest, IdleTimeout: idle, MaxHeaderBytes: 1 << 16,
	}
}

// called refuses requests for other names than those of this machine: a page of some
// other name, which its owner lets point here, would read the answer as its own.
func (s *pageServer) called(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.knows(r.Host) {
			http.Error(w, "this server does not go by that name; ask for localhost, or for its address", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knows reports whether the value of a Host header is a numeric address, or a name that
// this machine goes by.
func (s *pageServer) knows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	own, _ := os.Hostname()
	return host != "" && (host == "localhost" || host == strings.ToLower(s.host) || host == strings.ToLower(own))
}

func (s *pageServer) answer(w http.ResponseWriter, kind string, body []byte) {
	// Making the page may have taken long. What has no deadlines is a test's recorder.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(slowest))
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.Write(body) // should it fail, the browser has gone
}

// current returns the page and its state, which it brings up to date if it is time.
// What goes wrong meanwhile is told on the terminal; the page stays as it was.
func (s *pageServer) current() (html []byte, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); now.Sub(s.checked) >= checkEvery {
		s.checked = now
		if state, err := s.collector.State(); err != nil {
			s.tell(err.Error())
		} else if state != s.state && !now.Before(s.next) {
			if err := s.refresh(); err != nil {
				s.tell(err.Error())
			}
		}
	}
	return s.html, s.state
}

// refresh makes the page anew.
func (s *pageServer) refresh() error {
	began := s.now()
	s.collector.SetMade(began)
	p, err := s.collector.Collect()
	if err != nil {
		return err
	}
	var html bytes.Buffer
	if err := s.render(&html, p); err != nil {
		return fmt.Errorf("cannot make the page: %w", err)
	}
	s.html, s.state = html.Bytes(), p.State
	now := s.now()
	s.checked, s.next = now, now.Add(rest*now.Sub(began))
	for _, w := range p.Complaints() {
		s.tell(w)
	}
	return nil
}

// tell gives each warning once.
func (s *pageServer) tell(text string) {
	if s.told == nil {
		s.told = make(map[string]bool)
	}
	if !s.told[text] {
		s.told[text] = true
		s.warn(text)
	}
}
