package page

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/harness/internal/report"
	"stochopt/plots"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// load opens a page and waits until its first figure is drawn.
func (b *tab) load(url string) {
	b.Helper()
	b.do(chromedp.Navigate(url))
	b.await(`document.querySelector(".figure.charted .panel-area svg")`)
}

// seen lists the ids of the elements of a kind that are shown.
func (b *tab) seen(kind string) string {
	b.Helper()
	return strings.Join(eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll('[data-kind=%s]')].filter((n) => n.checkVisibility()).map((n) => n.id)`, kind)), " ")
}

func (b *tab) want(what, got, want string) {
	b.Helper()
	if got != want {
		b.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestPageLoadsFromAFile(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(render(t, fixture())), 0o644); err != nil {
		t.Fatal(err)
	}
	b.load("file://" + path)
	for _, id := range []string{"f-alpha-fig-speech", "f-beta-fig-forest"} {
		eval[bool](b, `(document.getElementById("`+id+`").scrollIntoView({behavior: "instant"}), true)`)
		b.await(`document.querySelector("#` + id + ` .panel-area .curve")`)
	}
	b.check("file://" + path)
	if n := eval[int](b, `document.querySelectorAll("#f-beta-fig-picture.charted, #f-beta-fig-picture .tools").length`); n != 0 {
		t.Error("a picture that is no chart is treated as one")
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, fixture())
	b.load(url)
	const every = "c-second c-third c-first c-fourth"
	b.want("claims at first", b.seen("claim"), every)
	click := func(group, value string) {
		t.Helper()
		eval[bool](b, fmt.Sprintf(`(document.querySelector('#filter-%s input[value="%s"]').click(), true)`, group, value))
	}
	counts := func() string {
		return eval[string](b, `[...document.querySelectorAll("#counts td")].map((n) => n.textContent).join(" ")`)
	}
	for _, c := range []struct{ name, group, value, claims, figures, experiments, counts, fragment string }{
		{"experiment", "e", "x-beta", "c-fourth", "f-beta-fig-forest f-beta-fig-picture", "x-beta", "0 0 0 1", "#?e=x-beta"},
		{"dataset", "d", "digits", "c-third c-first", "f-alpha-fig-digits", "x-alpha", "1 0 1 0", "#?d=digits"},
		{"series", "s", "slow", "c-third c-first", "f-alpha-fig-digits f-alpha-fig-speech", "x-alpha", "1 0 1 0", "#?s=slow"},
		{"outcome", "o", "not-reproduced", "c-second", "f-alpha-fig-speech", "x-alpha", "1 1 1 1", "#?o=not-reproduced"},
	} {
		click(c.group, c.value)
		b.want(c.name+": claims", b.seen("claim"), c.claims)
		b.want(c.name+": figures", b.seen("figure"), c.figures)
		b.want(c.name+": experiments", b.seen("experiment"), c.experiments)
		b.want(c.name+": counts", counts(), c.counts)
		b.want(c.name+": fragment", eval[string](b, "location.hash"), c.fragment)
		click(c.group, c.value)
		b.want(c.name+", taken back: claims", b.seen("claim"), every)
		b.want(c.name+", taken back: fragment", eval[string](b, "location.hash"), "")
	}

	// Two of one group are either, two groups both.
	click("d", "digits")
	click("d", "forest")
	b.want("two data sets: figures", b.seen("figure"), "f-alpha-fig-digits f-beta-fig-forest f-beta-fig-picture")
	click("s", "slow")
	b.want("and a series: figures", b.seen("figure"), "f-alpha-fig-digits")
	b.want("and a series: rows", eval[string](b, `[...document.querySelectorAll("#t-alpha-tab-end [data-kind=row]")].map((r) => r.checkVisibility()).join(" ")`), "false false")
	b.want("says how many", eval[string](b, `document.getElementById("shown").textContent`), "2 of 4 claims, 1 of 4 figures")
	b.await(`!document.getElementById("clear").hidden`)
	b.do(chromedp.Click(chromedp.CSS("#clear")))
	b.want("cleared", b.seen("claim"), every)
	b.want("rows after clearing", eval[string](b, `[...document.querySelectorAll("#t-alpha-tab-end [data-kind=row]")].map((r) => r.checkVisibility()).join(" ")`), "true true")

	// The chips are the filter by outcome.
	b.do(chromedp.Click(chromedp.CSS(".chip.inconclusive")))
	b.want("chip", b.seen("claim"), "c-third")
	b.want("chip is pressed", eval[string](b, `document.querySelector(".chip.inconclusive").getAttribute("aria-pressed")`), "true")
	b.do(chromedp.Click(chromedp.CSS(".chip.inconclusive")))

	// Text: every word has to be found. What is typed is the fragment's.
	b.do(chromedp.SendKeys(chromedp.CSS("#search"), "SPEECH error"))
	b.await(`location.hash === "#?q=SPEECH+error"`)
	b.want("text: figures", b.seen("figure"), "f-alpha-fig-speech")
	b.want("text: no claim says so", eval[string](b, `document.getElementById("no-claims").checkVisibility()+""`), "true")
	b.do(chromedp.SendKeys(chromedp.CSS("#search"), " nowhere"))
	b.await(`document.getElementById("nothing").checkVisibility()`)
	b.want("nothing: experiments", b.seen("experiment"), "")
	b.do(chromedp.Click(chromedp.CSS("#nothing .clear")))
	b.want("everything again", b.seen("claim"), every)
	b.want("search is empty", eval[string](b, `document.getElementById("search").value`), "")
	b.check(url)
}

func TestFragmentIsRead(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, fixture())
	b.do(chromedp.Navigate(url + "#f-alpha-fig-speech?d=speech&o=not-reproduced&o=inconclusive"))
	b.await(`document.querySelector("#f-alpha-fig-speech .panel-area svg")`)
	b.want("claims", b.seen("claim"), "c-second c-third")
	b.want("boxes", eval[string](b, `[...document.querySelectorAll(".filter input:checked")].map((n) => n.value).join(" ")`), "speech not-reproduced inconclusive")
	b.await(`Math.abs(document.getElementById("f-alpha-fig-speech").getBoundingClientRect().top - document.querySelector(".top").offsetHeight) < 60`)

	// A link to what the filter hides clears it, and keeps the place.
	eval[bool](b, `(document.querySelector('a[href="#f-beta-fig-forest"]').click(), true)`)
	b.want("fragment", eval[string](b, "location.hash"), "#f-beta-fig-forest")
	b.want("all claims", b.seen("claim"), "c-second c-third c-first c-fourth")
	b.want("focus", eval[string](b, "document.activeElement.id"), "f-beta-fig-forest")
	b.check(url+"#f-alpha-fig-speech?d=speech&o=not-reproduced&o=inconclusive", url)
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, fixture())
	b.load(url)
	const figure = "#f-alpha-fig-digits"
	ticks := func(n int) string {
		return eval[string](b, fmt.Sprintf(`[...document.querySelectorAll('%s .panel-area')[%d].querySelectorAll('g[aria-label="x-axis tick label"] text')].map((n) => n.textContent).filter(Boolean).join(" ")`, figure, n))
	}
	press := func(selector string) {
		t.Helper()
		eval[bool](b, fmt.Sprintf(`(document.querySelector('%s %s').click(), true)`, figure, selector))
	}
	b.want("log", ticks(0), "1 10 100 1,000 10,000")
	press("[data-axis=x][data-log=false]")
	for i := range 2 {
		if got := ticks(i); !strings.HasPrefix(got, "0 2,000 4,000") {
			t.Errorf("linear, panel %d: %q", i, got)
		}
	}
	b.want("pressed", eval[string](b, `[...document.querySelectorAll("`+figure+` [data-axis=x]")].map((n) => n.getAttribute("aria-pressed")).join(" ")`), "true false")
	press("[data-axis=x][data-log=true]")
	b.want("log again", ticks(1), "1 10 100 1,000 10,000")

	curves := func() string {
		return eval[string](b, `[...document.querySelectorAll("`+figure+` .panel-area")].map((p) => new Set([...p.querySelectorAll(".curve")].map((n) => n.getAttribute("class"))).size).join(" ")`)
	}
	b.want("curves", curves(), "2 2")
	press(`[data-key="1"]`)
	b.want("one hidden in all panels", curves(), "1 1")
	b.want("legend", eval[string](b, `[...document.querySelectorAll("`+figure+` [data-key]")].map((n) => n.getAttribute("aria-pressed")).join(" ")`), "true false")
	press(".reset")
	b.want("reset", curves(), "2 2")
	b.await(`document.querySelector("` + figure + ` .reset").hidden`)

	press("[data-view=drawing]")
	b.await(`document.querySelector("` + figure + ` .drawing svg").checkVisibility() && !document.querySelector("` + figure + ` .chart").checkVisibility()`)
	press("[data-view=chart]")
	b.await(`!document.querySelector("` + figure + ` .drawing svg").checkVisibility() && document.querySelector("` + figure + ` .chart").checkVisibility()`)

	// On a logarithmic axis a value of zero has no place; switched back it has.
	eval[bool](b, `(document.getElementById("f-beta-fig-forest").scrollIntoView({behavior: "instant"}), true)`)
	b.await(`document.querySelector("#f-beta-fig-forest .panel-area")`)
	eval[bool](b, `(document.querySelector("#f-beta-fig-forest [data-axis=y][data-log=true]").click(), true)`)
	if got := eval[string](b, `[...document.querySelectorAll('#f-beta-fig-forest g[aria-label="y-axis tick label"] text')].map((n) => n.textContent).join(" ")`); !strings.Contains(got, "10 %") || strings.Contains(got, "NaN") {
		t.Errorf("per cent on a logarithmic axis: %q", got)
	}
	if n := eval[int](b, `[...document.querySelectorAll("#f-beta-fig-forest path")].filter((p) => /NaN|Infinity/.test(p.getAttribute("d"))).length`); n > 0 {
		t.Errorf("%d paths have no numbers", n)
	}
	b.check(url)
}

func TestColours(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, fixture())
	dark := func(value string) {
		t.Helper()
		if err := call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}}); err != nil {
			t.Fatal(err)
		}
	}
	dark("dark")
	b.load(url)
	ground := func() string { return eval[string](b, `getComputedStyle(document.body).backgroundColor`) }
	stroke := func() string {
		return eval[string](b, `getComputedStyle(document.querySelector("#f-alpha-fig-digits .curve-1[stroke]")).stroke`)
	}
	b.want("dark ground", ground(), "rgb(14, 17, 21)")
	b.want("black curve in the dark", stroke(), "rgb(255, 255, 255)")
	b.do(chromedp.Click(chromedp.CSS("#theme")))
	b.want("light by the switch", ground(), "rgb(247, 247, 245)")
	b.want("black curve in the light", stroke(), "rgb(0, 0, 0)")
	b.load(url)
	b.want("remembered", eval[string](b, `document.getElementById("theme-name").textContent`)+" "+ground(), "light rgb(247, 247, 245)")
	b.do(chromedp.Click(chromedp.CSS("#theme")))
	b.want("dark by the switch", ground(), "rgb(14, 17, 21)")
	b.do(chromedp.Click(chromedp.CSS("#theme")))
	dark("light")
	b.want("as the system", eval[string](b, `document.getElementById("theme-name").textContent`)+" "+ground(), "system rgb(247, 247, 245)")
	b.check(url, url)
}

func TestPhoneWidth(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	b.do(chromedp.EmulateViewport(375, 800, chromedp.EmulateMobile, chromedp.EmulateTouch))
	url := serve(t, fixture())
	b.do(chromedp.Navigate(url))
	b.await(`document.readyState === "complete"`)
	eval[bool](b, `(document.querySelectorAll("details").forEach((d) => { d.open = true; }), true)`)
	for _, id := range []string{"verdicts", "f-alpha-fig-digits", "x-alpha-provenance", "f-beta-fig-picture"} {
		eval[bool](b, fmt.Sprintf(`(document.getElementById(%q).scrollIntoView({behavior: "instant"}), true)`, id))
		b.settle()
		if w := eval[int](b, "document.documentElement.scrollWidth"); w > 375 {
			t.Errorf("at %s the page is %d wide", id, w)
		}
	}
	b.want("panels below each other", eval[string](b, `getComputedStyle(document.querySelector("#f-alpha-fig-digits .chart")).gridTemplateColumns.split(" ").length + ""`), "1")
	b.do(chromedp.Click(chromedp.CSS("#menu")))
	b.await(`document.getElementById("contents").checkVisibility()`)
	b.await(`document.querySelector("#contents a").getBoundingClientRect().top >= document.querySelector(".top").offsetHeight`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.await(`!document.getElementById("contents").checkVisibility()`)
	b.do(chromedp.Click(chromedp.CSS("#filter-toggle")))
	b.await(`document.getElementById("search").checkVisibility()`)
	b.check(url)
}

func TestPrint(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, fixture())
	b.load(url)
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
	if err != nil {
		t.Fatal(err)
	}
	if len(pdf) < 20_000 || !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Errorf("the print has %d bytes", len(pdf))
	}
	// What the print shows is what the page shows to this medium.
	if err := call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	b.want("shown in print", eval[string](b, `[".top", "#contents", ".chart", ".tools", ".figure.charted .drawing svg", ".claims", ".caption p", ".numbers table"].map((s) => document.querySelector(s).checkVisibility()).join(" ")`), "false false false false true true true true")
	opened := eval[bool](b, `(dispatchEvent(new Event("beforeprint")), [...document.querySelectorAll("#report details:not(.grid *)")].every((d) => d.open || d.matches(".claim, .spec")))`)
	closed := eval[bool](b, `(dispatchEvent(new Event("afterprint")), !document.getElementById("x-alpha-selection").open)`)
	if !opened || !closed {
		t.Errorf("details are opened for the print: %v, and closed after it: %v", opened, closed)
	}
	b.check(url)
}

func TestWithoutJavaScript(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, fixture())
	if err := call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate(url))
	b.await(`document.readyState === "complete"`)
	b.want("shown", eval[string](b, `["#f-alpha-fig-digits .drawing svg", "#f-beta-fig-forest .drawing svg", ".claims", "#t-alpha-tab-end table", "#contents", ".noscript", "#x-alpha-provenance summary"].map((s) => document.querySelector(s).checkVisibility()).join(" ")`), "true true true true true true true")
	b.want("not shown", eval[string](b, `[".filters", ".tools", ".legend", ".chart", "#theme"].map((s) => document.querySelector(s).checkVisibility()).join(" ")`), "false false false false false")
	b.check(url)
}

// Charts as they may come: without curves, of one point, of equal values, with gaps.
func TestOddPanels(t *testing.T) {
	t.Parallel()
	odd := func(y ...float64) plots.ChartCurve {
		c := plots.ChartCurve{Key: "Fast", Y: y}
		for i := range y {
			c.X = append(c.X, float64(i+1))
		}
		return c
	}
	panel := func(log bool, min, max float64, curves ...plots.ChartCurve) *plots.ChartPanel {
		return &plots.ChartPanel{X: plots.ChartAxis{Label: "x", Max: 5}, Y: plots.ChartAxis{Label: "y", Log: log, Min: min, Max: max}, Curves: curves}
	}
	points, dashed, done, thin := odd(1, 2, 3), odd(1, 2, 3), odd(3, 2, 1), odd(2)
	points.Points, dashed.Dashed, done.Done, thin.Thin = true, ptr(2), true, true
	thin.Points = true
	floor := panel(true, 1e-13, 1, odd(1, 1e-3, 0, -1, 1e-20))
	floor.Y.Floor = 1e-12
	empty := panel(false, 0, 1)
	empty.Empty = "no run has finished"
	panels := []*plots.ChartPanel{
		panel(false, 1, math.Nextafter(1, 2), odd(1, 1, 1)), panel(false, 2, 2, odd(2)), panel(true, 0.5, 0.6, odd(0.55, 0.56)), floor, empty,
		panel(false, 0, 4, points, dashed, done, thin, odd(1, math.NaN(), 2)), panel(false, -1e300, 1e300, odd(-1e300, 1e300)), panel(true, 1e-300, 1e300, odd(1e-300, 1e300)),
	}
	p := fixture()
	p.Experiments = p.Experiments[1:]
	p.Experiments[0].Figures = []report.Figure{figureOf("fig-odd", "Odd", nil, panels[:4]...)}
	p.Experiments[0].Figures[0].Chart.Panels = append(p.Experiments[0].Figures[0].Chart.Panels, panels[4:], []*plots.ChartPanel{nil, panels[0]})

	b := openTab(t)
	url := serve(t, p)
	b.do(chromedp.Navigate(url))
	eval[bool](b, `(document.getElementById("f-beta-fig-odd").scrollIntoView({behavior: "instant"}), true)`)
	b.await(`document.querySelector(".panel-area .curve")`)
	for _, press := range []string{"", "[data-axis=y][data-log=true]", "[data-axis=x][data-log=true]", "[data-axis=y][data-log=false]"} {
		if press != "" {
			eval[bool](b, fmt.Sprintf(`(document.querySelector('.figure %s').click(), true)`, press))
		}
		floors := map[bool]string{true: "1", false: "0"}[!strings.HasSuffix(press, "y][data-log=false]")]
		b.want("floors after "+press, eval[string](b, `document.querySelectorAll(".panel-area .floor").length+""`), floors)
		b.want("panels after "+press, eval[string](b, `[document.querySelectorAll(".panel").length, document.querySelectorAll(".panel-area svg").length, document.querySelector(".quiet").textContent].join(" ")`), "9 8 no run has finished")
		if got := eval[string](b, `[...document.querySelectorAll(".panel path, .panel circle, .panel line, .panel text")].map((n) => n.outerHTML).find((h) => /NaN|Infinity|undefined/.test(h)) ?? ""`); got != "" {
			t.Errorf("after %q: %s", press, got)
		}
	}
	b.check(url)
}
