package page

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is the browser that all tests share. The first test that needs it starts it.
var browser struct {
	once    sync.Once
	ctx     context.Context
	problem string
	stop    []func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	for i := len(browser.stop) - 1; i >= 0; i-- {
		browser.stop[i]()
	}
	os.Exit(code)
}

func startBrowser() {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		browser.problem = "no Chromium is installed (Debian: apt-get install chromium): tests in a browser are skipped"
		return
	}
	dir, err := os.MkdirTemp("", "report-browser-")
	if err != nil {
		browser.problem = err.Error()
		return
	}
	browser.stop = append(browser.stop, func() { os.RemoveAll(dir) })
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.NoSandbox, chromedp.NoFirstRun,
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.WSURLReadTimeout(30*time.Second))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	browser.stop = append(browser.stop, stop)
	ctx, stop := chromedp.NewContext(allocator)
	browser.stop = append(browser.stop, stop)
	// The first call starts the browser, which ends with this context and not with that of a test.
	if err := chromedp.Do(ctx); err != nil {
		browser.problem = "Chromium does not start: " + err.Error()
		return
	}
	browser.ctx = ctx
}

// tab is a browser tab that records requests and errors.
type tab struct {
	testing.TB
	ctx context.Context

	mutex    sync.Mutex
	requests []string
	errors   []string
}

// openTab opens a tab. It closes at the end of the test, or after a minute or the given time limit.
func openTab(t testing.TB, limit ...time.Duration) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("short tests do not use a browser")
	}
	browser.once.Do(startBrowser)
	if browser.ctx == nil {
		if strings.HasPrefix(browser.problem, "no Chromium") {
			t.Skip(browser.problem)
		}
		t.Fatal(browser.problem)
	}
	ctx, stop := chromedp.NewContext(browser.ctx)
	t.Cleanup(stop)
	ctx, cancel := context.WithTimeout(ctx, append(limit, time.Minute)[0])
	t.Cleanup(cancel)
	b := &tab{TB: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.record); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		call(ctx, network.Enable, network.EnableParams{}), call(ctx, log.Enable, cdp.Empty{}), call(ctx, runtime.Enable, cdp.Empty{}),
		chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func call[P, R any](ctx context.Context, cmd cdp.Command[P, R], params P) error {
	_, err := chromedp.Call(ctx, cmd, params)
	return err
}

// record records requests and console messages.
func (b *tab) record(event any) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *log.EventEntryAdded:
		b.errors = append(b.errors, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
		b.errors = append(b.errors, text)
	case *runtime.EventConsoleAPICalled:
		b.errors = append(b.errors, fmt.Sprintf("console: %v", e.Args))
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// eval evaluates an expression and returns its value.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await waits until an expression is true.
func (b *tab) await(expression string) {
	b.Helper()
	for range 500 {
		if eval[bool](b, "Boolean("+expression+")") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.Fatalf("timeout waiting for %s; console: %q", expression, b.errors)
}

// load opens a page and waits until its figures are drawn.
func (b *tab) load(url string) {
	b.Helper()
	b.do(chromedp.Navigate(url))
	b.await(`document.readyState === "complete" && [...document.querySelectorAll(".panels")].every((p) => p.childElementCount)`)
}

func (b *tab) want(what, got, want string) {
	b.Helper()
	if got != want {
		b.Errorf("%s: %q, want %q", what, got, want)
	}
}

// check reports errors in the tab and requests for anything but the page itself.
func (b *tab) check(own ...string) {
	b.Helper()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for _, e := range b.errors {
		b.Errorf("console: %s", e)
	}
	for _, r := range b.requests {
		known := false
		for _, o := range own {
			known = known || r == o
		}
		if !known && r != "about:blank" && !strings.HasPrefix(r, "data:") {
			b.Errorf("the page requests %s", r)
		}
	}
}

// serve renders and serves a page, and returns its address.
func serve(t *testing.T, p *Page) string {
	t.Helper()
	var page bytes.Buffer
	if err := p.Write(&page); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(page.Bytes())
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}
