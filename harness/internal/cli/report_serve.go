package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
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
	l, err := net.Listen("tcp", o.serve)
	if err != nil {
		return usagef("--serve %s: %w; want an address such as localhost:8080 that is not in use", o.serve, err)
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		s.warn(fmt.Sprintf("%s can be reached from other machines; localhost:%d cannot", l.Addr(), tcp.Port))
	}
	fmt.Fprintf(a.out, "serving http://%s/ until interrupted\n", l.Addr())
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
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

// pageServer keeps a page up to date.
type pageServer struct {
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
	return mux
}

func (s *pageServer) answer(w http.ResponseWriter, kind string, body []byte) {
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
