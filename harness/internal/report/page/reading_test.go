package page

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// box returns the place of an element in the window.
func (b *tab) box(selector string) (x, y, w, h float64) {
	b.Helper()
	r := eval[[]float64](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center", behavior: "instant"}); const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`, selector))
	return r[0], r[1], r[2], r[3]
}

func TestReadingWithTheMouse(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, fixture())
	b.load(url)
	const area = "#f-alpha-fig-digits .panel-area"
	x, y, w, h := b.box(area)
	// The curve "Fast" of the first panel is 2^-i at 10^i: wherever the mouse is,
	// what is read is one of its points, or one of "Slow", 1.9 times as much.
	found := map[string]bool{}
	for i := 1; i < 12; i++ {
		for _, f := range []float64{0.3, 0.5, 0.7} {
			b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x+w*float64(i)/12, y+h*f))
			b.await(`document.querySelector("` + area + ` .tip:not([hidden])")`)
			tip := eval[map[string]string](b, `(() => { const t = document.querySelector("`+area+` .tip"); return {name: t.querySelector("strong").textContent, x: t.dataset.x, y: t.dataset.y, text: [...t.querySelectorAll("dt, dd")].map((n) => n.textContent).join("|")}; })()`)
			var px, py float64
			fmt.Sscan(tip["x"], &px)
			fmt.Sscan(tip["y"], &py)
			scale := map[string]float64{"Fast": 1, "Slow": 1.9}[tip["name"]]
			want := scale * math.Pow(2, -math.Log10(px))
			if math.Abs(py-want) > 1e-5*want {
				t.Errorf("%s at %v is %v, want %v", tip["name"], px, py, want)
			}
			text := fmt.Sprintf("Iterations|%s|Suboptimality|%s|Band|%s to %s|Runs|3", number(px), number(py), number(roughly(0.9*want)), number(roughly(1.1*want)))
			b.want("tip", tip["text"], text)
			found[tip["name"]+tip["x"]] = true
		}
	}
	if len(found) < 6 {
		t.Errorf("only these points can be reached: %v", found)
	}
	if n := eval[int](b, `document.querySelectorAll("`+area+` .crosshair line").length`); n != 2 {
		t.Errorf("the crosshair has %d lines", n)
	}
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 5, 5))
	b.await(`document.querySelector("` + area + ` .tip").hidden && !document.querySelector("` + area + ` .crosshair")`)
	b.check(url)
}

// roughly rounds as the data of the page are.
func roughly(v float64) float64 {
	data, _ := digits(v).MarshalJSON()
	var r float64
	fmt.Sscan(string(data), &r)
	return r
}

func TestReadingWithAFinger(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	b.do(chromedp.EmulateViewport(375, 800, chromedp.EmulateMobile, chromedp.EmulateTouch))
	url := serve(t, fixture())
	b.do(chromedp.Navigate(url))
	b.await(`document.readyState === "complete"`)
	const area = "#f-alpha-fig-digits .panel-area"
	eval[bool](b, `(document.getElementById("f-alpha-fig-digits").scrollIntoView({behavior: "instant"}), true)`)
	b.await(`document.querySelector("` + area + `")`)
	b.settle()
	x, y, w, h := b.box(area)
	b.do(chromedp.TapXY(x+w/2, y+h/2))
	b.await(`document.querySelector("` + area + ` .tip:not([hidden])")`)
	inside := eval[bool](b, `(() => { const t = document.querySelector("`+area+` .tip").getBoundingClientRect(); return t.left >= 0 && t.right <= innerWidth; })()`)
	if !inside {
		t.Error("the reading is beyond the window")
	}
	b.check(url)
}

func TestReadingWithTheKeyboard(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, fixture())
	b.load(url)
	const area = "#f-alpha-fig-digits .panel-area"
	b.box(area)
	said := func() string { return eval[string](b, `document.getElementById("announcer").textContent`) }
	eval[bool](b, `(document.querySelector("`+area+`").focus({focusVisible: true}), true)`)
	for _, c := range []struct{ key, want string }{
		{kb.Home, "Fast: Iterations 1, Suboptimality 1, band 0.9 to 1.1, 3 runs"},
		{kb.ArrowRight, "Fast: Iterations 10, Suboptimality 0.5, band 0.45 to 0.55, 3 runs"},
		{kb.ArrowDown, "Slow: Iterations 10, Suboptimality 0.95, band 0.855 to 1.045, 3 runs"},
		{kb.End, "Slow: Iterations 10000, Suboptimality 0.1187, band 0.1069 to 0.1306, 3 runs"},
		{kb.ArrowRight, "Slow: Iterations 10000, Suboptimality 0.1187, band 0.1069 to 0.1306, 3 runs"},
		{kb.ArrowLeft, "Slow: Iterations 1000, Suboptimality 0.2375, band 0.2137 to 0.2612, 3 runs"},
		{kb.ArrowUp, "Fast: Iterations 1000, Suboptimality 0.125, band 0.1125 to 0.1375, 3 runs"},
	} {
		b.do(chromedp.KeyEvent(c.key))
		b.want("after a key", said(), c.want)
	}
	b.do(chromedp.KeyEvent(kb.Escape))
	b.await(`document.querySelector("` + area + ` .tip").hidden`)

	// By the tabulator the parts are reached in turn, the first of all the skip link.
	eval[bool](b, `(document.activeElement.blur(), scrollTo({top: 0, behavior: "instant"}), getSelection().removeAllRanges(), true)`)
	b.do(chromedp.Navigate(url))
	b.await(`document.querySelector(".figure.charted")`)
	b.do(chromedp.KeyEvent(kb.Tab))
	b.want("first stop", eval[string](b, "document.activeElement.className"), "skip")
	b.await(`document.activeElement.getBoundingClientRect().top >= 0`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.want("skipped to", eval[string](b, "document.activeElement.id"), "content")
	b.check(url, url)
}

// Many single repeats are faint below their mean, which is read first; one that is
// read stands out.
func TestSingleRepeatsAreBehindTheirMean(t *testing.T) {
	t.Parallel()
	p := fixture()
	panel := p.Experiments[0].Figures[0].Chart.Panels[0][0]
	means := panel.Curves
	panel.Curves = nil
	for i := range 40 {
		one := curve("Fast", 5, 0.5+float64(i)/40)
		one.Thin, one.Lo, one.Hi = true, nil, nil
		panel.Curves = append(panel.Curves, one)
	}
	panel.Curves = append(panel.Curves, means...)
	b := openTab(t)
	url := serve(t, p)
	b.load(url)
	b.want("opacities, from below", eval[string](b, `[...document.querySelector("#f-alpha-fig-digits .panel-area").querySelectorAll(".curve[stroke]")].map((g) => g.getAttribute("stroke-opacity") ?? 1).join(" ")`),
		strings.Repeat("0.375 ", 40)+"1 1")
	b.want("in the order of reading", eval[string](b, `(() => {
		const area = document.querySelector("#f-alpha-fig-digits .panel-area"), read = [];
		area.focus();
		for (const key of ["Home", "ArrowDown", "ArrowDown"]) {
			area.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
			const on = area.querySelector(".curve.on[stroke]");
			read.push(on.getAttribute("class").split(" ")[1], getComputedStyle(on).strokeOpacity);
		}
		return read.join(" ");
	})()`), "curve-40 1 curve-41 1 curve-0 1")
	b.check(url)
}
