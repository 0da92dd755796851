package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/net/html"
)

// hasName reports whether an element has a name for screen readers: text or a label.
func hasName(n *html.Node) bool {
	return strings.TrimSpace(text(n)+attribute(n, "aria-label")) != ""
}

// child returns the first child of a kind, nil if there is none.
func child(n *html.Node, kind string) *html.Node {
	for c := range n.ChildNodes() {
		if c.Data == kind {
			return c
		}
	}
	return nil
}

func TestElementsAreNamed(t *testing.T) {
	t.Parallel()
	landmarks := map[string]int{}
	ids := map[string]string{}
	var first, figures []*html.Node
	walk(t, render(t, fixture()), func(n *html.Node) {
		ids[attribute(n, "id")] = strings.TrimSpace(text(n))
		switch n.Data {
		case "header", "main", "nav", "h1":
			landmarks[n.Data]++
		case "a":
			first = append(first, n)
		case "figure":
			figures = append(figures, n)
		case "table":
			if c := child(n, "caption"); c == nil || !hasName(c) {
				t.Errorf("a table has no caption: %.60q", text(n))
			}
		case "details":
			if s := child(n, "summary"); s == nil || !hasName(s) {
				t.Errorf("details without a summary: %.60q", text(n))
			}
		}
		control := slices.Contains([]string{"a", "button", "th"}, n.Data) || attribute(n, "role") == "group" || attribute(n, "tabindex") == "0"
		if control && !hasName(n) {
			t.Errorf("<%s class=%q> has no name", n.Data, attribute(n, "class"))
		}
		if n.Data == "input" && !hasName(n.Parent) {
			t.Errorf("the input %q has no label", attribute(n, "id"))
		}
	})
	if want := map[string]int{"header": 1, "main": 1, "nav": 1, "h1": 1}; fmt.Sprint(landmarks) != fmt.Sprint(want) {
		t.Errorf("landmarks %v, want %v", landmarks, want)
	}
	if len(first) == 0 || attribute(first[0], "href") != "#content" || ids["content"] == "" {
		t.Error("the first link does not skip to the content")
	}
	if len(figures) != 4 {
		t.Fatalf("%d figures, want 4", len(figures))
	}
	for _, f := range figures {
		for n := range f.Descendants() {
			if n.Data == "svg" && attribute(n, "role") == "img" {
				for _, by := range []string{"aria-labelledby", "aria-describedby"} {
					if ids[attribute(n, by)] == "" {
						t.Errorf("figure %s: %s names nothing", attribute(f, "id"), by)
					}
				}
			}
		}
	}
}

// Without a script there are the ends of curves as a table; with it every point.
func TestNumbersOfFigures(t *testing.T) {
	t.Parallel()
	var rows []string
	walk(t, render(t, fixture()), func(n *html.Node) {
		if n.Data != "details" || attribute(n, "id") != "f-alpha-fig-digits-numbers" {
			return
		}
		for c := range n.Descendants() {
			if c.Data == "tr" {
				rows = append(rows, text(c))
			}
		}
	})
	want := []string{"k = 1: Suboptimality (logarithmic) against Iterations (logarithmic)", "Fast311" + "0.062510,000" + "0.05625 to 0.06875" + "0.062510,000"}
	if len(rows) != 7 || rows[1] != want[0] || rows[2] != want[1] {
		t.Errorf("rows %q, want %q among them", rows, want)
	}
	b := openTab(t)
	url := serve(t, fixture())
	b.load(url)
	b.want("every point", eval[string](b, `(document.querySelector("#f-alpha-fig-digits .points").click(), [...document.querySelectorAll("#f-alpha-fig-digits-numbers [aria-label='Every point'] tbody tr")].length + " " + document.querySelector("#f-alpha-fig-digits-numbers [aria-label='Every point'] tbody tr").textContent)`),
		"20 k = 1Fast110.9 to 1.1")
	b.check(url)
}

// contrasts lists what is shown with less contrast than WCAG 2.2 asks for: 4.5 of text, 3
// of large text and of the borders of controls.
const contrasts = `(() => {
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true}), seen = new Map();
	const rgba = (color) => {
		if (!seen.has(color)) {
			canvas.clearRect(0, 0, 1, 1);
			canvas.fillStyle = color;
			canvas.fillRect(0, 0, 1, 1);
			seen.set(color, [...canvas.getImageData(0, 0, 1, 1).data].map((v) => v / 255));
		}
		return seen.get(color);
	};
	const over = ([r, g, b, a], ground) => [r, g, b].map((v, i) => v * a + ground[i] * (1 - a));
	const ground = (node) => node ? over(rgba(getComputedStyle(node).backgroundColor), ground(node.parentElement)) : [1, 1, 1];
	const light = (c) => c.map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((l, v, i) => l + v * [.2126, .7152, .0722][i], 0);
	const contrast = (a, b) => (Math.max(light(a), light(b)) + .05) / (Math.min(light(a), light(b)) + .05);
	const found = [], complain = (node, what, has, least) => { if (has < least - .005) found.push(what + " " + has.toFixed(2) + " of " + node.localName + "." + node.className + ": " + node.textContent.trim().slice(0, 30)); };
	let texts = 0, controls = 0;
	for (const node of document.body.querySelectorAll("*")) {
		if (!node.checkVisibility({visibilityProperty: true}) || node.closest(".drawing") || node.matches(":disabled")) continue;
		const style = getComputedStyle(node), svg = node.namespaceURI.endsWith("svg");
		if ([...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== "")) {
			texts++;
			const paint = rgba(svg ? style.fill : style.color), under = ground(node.closest("svg")?.parentElement ?? node);
			const large = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700;
			complain(node, "text", contrast(over(paint, under), under), large ? 3 : 4.5);
		}
		if (node.matches(".button, .switch button, .search input, .filter > summary")) {
			controls++;
			complain(node, "border", contrast(over(rgba(style.borderTopColor), ground(node.parentElement)), ground(node.parentElement)), 3);
		}
		if (node.matches(".mark .interval, .mark .bound, .curve path[stroke], .legend path, .gridcurve circle, .gridcurve polyline, .dot")) {
			controls++;
			const under = ground(node.closest("svg")?.parentElement ?? node.parentElement);
			const paint = svg ? rgba(style.stroke !== "none" && !node.matches("circle") ? style.stroke : style.fill) : rgba(style.backgroundColor);
			complain(node, "graphic", contrast(over(paint, under), under), 3);
		}
	}
	return [texts > 300 && controls > 30 ? "" : "only " + texts + " texts and " + controls + " graphics are measured", ...found].filter(Boolean).slice(0, 12);
})()`

func TestContrast(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"light", "dark"} {
		b := openTab(t)
		if err := call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
			t.Fatal(err)
		}
		b.load(serve(t, fixture()))
		eval[bool](b, `(document.querySelectorAll("details").forEach((d) => { d.open = true; }), true)`)
		b.settle()
		for _, what := range eval[[]string](b, contrasts) {
			t.Errorf("%s: %s", scheme, what)
		}
		b.want(scheme+": outline of the focus", eval[string](b, `(document.getElementById("theme").focus({focusVisible: true}), getComputedStyle(document.activeElement).outlineStyle + " " + getComputedStyle(document.activeElement).outlineWidth)`), "solid 3px")
	}
}

// What was asked, the counts and the first finding are on the first screen.
func TestFirstScreen(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
		b := openTab(t)
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		p := fixture()
		p.Experiments[0].Verdicts[0].Kind, p.Experiments[1].Verdicts[0].Kind = claims.Theorem, claims.Identity
		url := serve(t, p)
		b.do(chromedp.Navigate(url))
		b.settle()
		b.want(fmt.Sprint(size), eval[string](b, `[".asked", "#counts", ".findings li:first-child"].map((s) => document.querySelector(s).getBoundingClientRect().bottom <= innerHeight).join(" ") + " " + (document.getElementById("counts").getBoundingClientRect().right <= innerWidth)`), "true true true true")
		b.do(chromedp.KeyEvent(kb.Tab))
		b.want("the first tab", eval[string](b, `document.activeElement.className + " " + (document.activeElement.getBoundingClientRect().top >= 0)`), "skip true")
		b.check(url)
	}
}
