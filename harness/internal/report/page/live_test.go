package page

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"stochopt/harness/internal/report"
)

func TestLivePageKeepsWhatTheReaderHasSet(t *testing.T) {
	t.Parallel()
	var mutex sync.Mutex
	page := fixture()
	page.Live = true
	change := func(f func(*report.Page)) {
		mutex.Lock()
		defer mutex.Unlock()
		f(page)
	}
	down := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		switch {
		case down:
			http.Error(w, "down", http.StatusServiceUnavailable)
		case r.URL.Path == "/state":
			fmt.Fprint(w, page.State)
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if err := Render(w, page); err != nil {
				t.Error(err)
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)

	b := openTab(t)
	b.load(s.URL + "/")
	for _, selector := range []string{`#filter-d input[value="digits"]`, `#c-first summary`, `#f-alpha-fig-digits [data-key="1"]`, `#f-alpha-fig-digits [data-axis=x][data-log=false]`, `#x-alpha-provenance summary`} {
		eval[bool](b, fmt.Sprintf(`(document.querySelector('%s').click(), true)`, selector))
	}
	eval[bool](b, `(document.getElementById("x-alpha-provenance").scrollIntoView({block: "start", behavior: "instant"}), true)`)
	b.settle()
	before := eval[float64](b, `document.getElementById("x-alpha-provenance").getBoundingClientRect().top`)

	change(func(p *report.Page) {
		p.State, p.Experiments[0].Finished = "s2", 19
		p.Experiments[0].Warnings = append(p.Experiments[0].Warnings, "another warning, which moves all that is below it")
	})
	b.await(`document.documentElement.dataset.state === "s2" && /19 runs of 20/.test(document.getElementById("x-alpha").textContent)`)
	b.settle()
	b.want("filter", b.seen("claim"), "c-third c-first")
	b.want("fragment", eval[string](b, "location.hash"), "#?d=digits")
	b.want("opened", eval[string](b, `["c-first", "x-alpha-provenance", "c-third", "x-alpha-selection"].map((id) => document.getElementById(id).open).join(" ")`), "true true false false")
	after := eval[float64](b, `document.getElementById("x-alpha-provenance").getBoundingClientRect().top`)
	if math.Abs(after-before) > 3 {
		t.Errorf("what was at %v is at %v", before, after)
	}
	eval[bool](b, `(document.getElementById("f-alpha-fig-digits").scrollIntoView({behavior: "instant"}), true)`)
	b.await(`document.querySelector("#f-alpha-fig-digits .panel-area")`)
	b.want("legend and axis", eval[string](b, `[...document.querySelectorAll("#f-alpha-fig-digits [data-key], #f-alpha-fig-digits [data-axis=x]")].map((n) => n.getAttribute("aria-pressed")).join(" ")`), "true false true false")
	b.mutex.Lock()
	for _, e := range b.errors {
		t.Errorf("the console says: %s", e)
	}
	b.mutex.Unlock()

	mutex.Lock()
	down = true
	mutex.Unlock()
	b.await(`/no answer/.test(document.getElementById("live-state").textContent)`)
	mutex.Lock()
	down = false
	mutex.Unlock()
	change(func(p *report.Page) { p.State = "s3" })
	b.await(`document.documentElement.dataset.state === "s3" && document.getElementById("live-state").textContent === "live"`)
}
