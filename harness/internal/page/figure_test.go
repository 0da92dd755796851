package page

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"

	"stochopt/plots"
	"stochopt/plots/draw"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"
)

// The input of the script has the numbers of the chart and its ticks.
func TestDataOfFigures(t *testing.T) {
	t.Parallel()
	p := fixture()
	var all []string
	walk(t, render(t, p), func(n *html.Node) {
		if n.Data == "script" && attribute(n, "type") == "application/json" {
			all = append(all, text(n))
		}
	})
	if len(all) != 3 { // the static figure has no data
		t.Fatalf("%d figures have data, want 3", len(all))
	}
	var got struct {
		Keys   []struct{ Key, Label, Color string }
		Panels [][]struct {
			Title  string
			Curves []struct{ X, Y, Lo, Hi []float64 }
			XTicks []struct {
				At   float64
				Text string
			}
		}
	}
	if err := json.Unmarshal([]byte(all[0]), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Keys) != 2 || got.Keys[0].Color != "#0072b2" || len(got.Panels) != 1 || len(got.Panels[0]) != 2 {
		t.Fatalf("data %+v", got)
	}
	want := curve("Fast", 5, 1)
	if c := got.Panels[0][0].Curves[0]; fmt.Sprint(c.X, c.Y, c.Lo, c.Hi) != fmt.Sprint(want.X, want.Y, want.Lo, want.Hi) {
		t.Errorf("curve %+v, want %+v", c, want)
	}
	texts := ""
	for _, tick := range got.Panels[0][0].XTicks {
		texts += tick.Text
	}
	if texts != "10⁰10¹10²10³10⁴" {
		t.Errorf("ticks are labelled %q", texts)
	}
}

// The image is the drawing, apart from line breaks.
func TestImages(t *testing.T) {
	t.Parallel()
	chart := fixture().Experiments[0].Exhibits[0].Figure.Chart
	chart.Title = `50 % of "it's" <all> & #1`
	for _, p := range chart.Panels[0] {
		for i := range p.Curves {
			p.Curves[i].Style = chart.Keys[i].Style
		}
	}
	svg, err := draw.SVG(chart)
	if err != nil {
		t.Fatal(err)
	}
	p := fixture()
	p.Experiments[0].Exhibits, p.Experiments[1].Exhibits = nil, nil
	p.Experiments[0].addFigure(&Figure{Chart: chart, Image: imageOf(svg)})
	root, err := html.ParseWithOptions(strings.NewReader(render(t, p)), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data != "img" || n.Type != html.ElementNode {
			continue
		}
		data, ok := strings.CutPrefix(attribute(n, "src"), "data:image/svg+xml,")
		got, err := url.PathUnescape(data)
		if want := strings.NewReplacer("\n", " ", "\t", " ").Replace(string(svg)); !ok || err != nil || got != want {
			t.Errorf("the image is %.200q, want %.200q (%v)", got, want, err)
		}
		if attribute(n, "alt") != chart.Title {
			t.Errorf("the image is described as %q", attribute(n, "alt"))
		}
		return
	}
	t.Error("there is no image")
}

func TestFiguresAreDrawn(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, fixture())
	b.load(url)
	b.want("drawings", eval[string](b, `[...document.querySelectorAll(".figure")].map((f) => f.querySelectorAll(".panels > div > svg").length).join(" ")`), "2 1 1 0")
	b.want("colours of curves", eval[string](b, `[...document.querySelectorAll("#f-alpha-fig-digits .panels > div:first-child g[aria-label=line] g")].map((g) => g.getAttribute("stroke")).filter((c, i, all) => all.indexOf(c) === i).join(" ")`), "#0072b2 #000000")
	b.want("colours of the legend", eval[string](b, `[...document.querySelectorAll("#f-alpha-fig-digits .legend path")].map((p) => p.getAttribute("stroke")).join(" ")`), "#0072b2 #000000")
	b.want("labels of a linear axis", eval[string](b, `[...document.querySelectorAll('#f-beta-fig-forest g[aria-label="y-axis tick label"] text')].map((n) => n.textContent).join(" ")`), "0 % 10 % 20 % 30 % 40 %")
	b.want("stand-in", eval[string](b, `[...document.querySelectorAll(".panels h4.alarm")].map((n) => n.textContent).join()`), "speech")
	b.want("image", eval[string](b, `String(document.querySelector("#f-beta-fig-picture img").naturalWidth)`), "533")
	b.check(url)
}

// The tip shows a point of the curve that is closest to the mouse.
func TestReadingWithTheMouse(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, fixture())
	b.load(url)
	const panel = "#f-alpha-fig-digits .panels svg"
	box := eval[[]float64](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`, panel))
	found := map[string]bool{}
	for i := 2; i < 10; i++ {
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box[0]+box[2]*float64(i)/10, box[1]+box[3]*0.4))
		b.await(fmt.Sprintf(`document.querySelector('%s g[aria-label="tip"] text')`, panel))
		found[eval[string](b, fmt.Sprintf(`[...document.querySelectorAll('%s g[aria-label="tip"] text tspan')].map((n) => n.textContent.replace(/^\u200b/, "")).join("|")`, panel))] = true
	}
	if len(found) < 3 {
		t.Errorf("only these points have tips: %v", found)
	}
	for got := range found {
		ok := false
		for i := range 5 {
			x, y := math.Pow(10, float64(i)), math.Pow(2, -float64(i))
			for name, v := range map[string]float64{"Fast": y, "Slow": 1.9 * y} {
				ok = ok || strings.HasPrefix(got, fmt.Sprintf("%s|Iterations: %g|Suboptimality: %.4g|band: ", name, x, v)) && strings.HasSuffix(got, "|3 runs")
			}
		}
		if !ok {
			t.Errorf("the tip says %q", got)
		}
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
	b.want("images", eval[string](b, `[...document.querySelectorAll(".figure img")].map((n) => n.checkVisibility() + " " + n.naturalWidth).join()`), "true 533,true 533,true 533,true 533")
	b.want("not shown", eval[string](b, `[...document.querySelectorAll(".panels, .legend, #filter")].map((n) => n.checkVisibility()).join(" ")`), "false false false false false false false")
	b.check(url)
}

// The page is as wide as the window. In a narrow window, panels are in one column.
func TestWidths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width   int
		columns string
	}{{400, "1"}, {1400, "2"}} {
		b := openTab(t)
		b.do(chromedp.EmulateViewport(int64(c.width), 800))
		url := serve(t, fixture())
		b.load(url)
		eval[bool](b, `(document.querySelectorAll("details").forEach((d) => { d.open = true; }), true)`)
		if w := eval[int](b, "document.documentElement.scrollWidth"); w > c.width {
			t.Errorf("in a window of %d the page is %d wide", c.width, w)
		}
		const columns = `String(new Set([...document.querySelectorAll("#f-alpha-fig-digits .panels > div")].map((d) => d.getBoundingClientRect().left)).size)`
		b.want("columns", eval[string](b, columns), c.columns)
		b.check(url)
	}
}

// The script draws unusual charts: without curves, with one point, with equal values, and with values that a
// logarithmic axis cannot show.
func TestOddPanels(t *testing.T) {
	t.Parallel()
	odd := func(y ...float64) plots.ChartCurve {
		c := plots.ChartCurve{Key: "Fast", Y: y, Lo: y, Hi: y}
		for i := range y {
			c.X = append(c.X, float64(i+1))
		}
		return c
	}
	panel := func(log bool, min, max float64, curves ...plots.ChartCurve) *plots.ChartPanel {
		return &plots.ChartPanel{X: plots.ChartAxis{Label: "x", Max: 5}, Y: plots.ChartAxis{Label: "y", Log: log, Min: min, Max: max}, Curves: curves}
	}
	points, dashed, done, thin := odd(1, 2, 3), odd(1, 2, 3), odd(3, 2, 1), odd(2)
	points.Points, dashed.Dashed, done.Converged, thin.Thin = true, ptr(2), true, true
	thin.Points = true
	below := panel(true, 1e-13, 1, odd(1, 1e-3, 0, -1, 1e-20))
	empty := panel(false, 0, 1)
	empty.Empty = "no run has finished"
	panels := []*plots.ChartPanel{
		panel(false, 1, math.Nextafter(1, 2), odd(1, 1, 1)), panel(false, 1, 3, odd(2)), panel(true, 0.5, 0.6, odd(0.55, 0.56)), below, empty,
		panel(false, 0, 4, points, dashed, done, thin), panel(false, -1e300, 1e300, odd(-1e300, 1e300)), panel(true, 1e-300, 1e300, odd(1e-300, 1e300)),
		panel(true, 0.1, 1, odd(0, 0.5, -1)),
	}
	p := fixture()
	p.Experiments = p.Experiments[1:]
	p.Experiments[0].Exhibits = nil
	p.Experiments[0].addFigure(figureOf("fig-odd", "Odd", panels[:4]...))
	chart := p.Experiments[0].Exhibits[0].Figure.Chart
	chart.Panels = append(chart.Panels, panels[4:], []*plots.ChartPanel{panels[0]})
	b := openTab(t)
	url := serve(t, p)
	b.load(url)
	b.want("panels", eval[string](b, `[document.querySelectorAll(".panels > div").length, document.querySelectorAll(".panels > div > svg").length, document.querySelector(".panels > div:nth-child(5)").textContent].join(" ")`), "10 9 no run has finished")
	if got := eval[string](b, `[...document.querySelectorAll(".panels svg *")].map((n) => n.outerHTML).find((h) => /NaN|Infinity|undefined/.test(h)) ?? ""`); got != "" {
		t.Error(got)
	}
	b.check(url)
}
