package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A scene is a figure and its records, which is laid out and drawn once for all tests:
// who changes anything lays out a chart of its own.
type scene struct {
	fig   Figure
	in    Input
	chart func() (*Chart, error)
	svg   func() ([]byte, error)
	files func() (map[string][]byte, error)
}

func newScene(fig Figure, in Input) scene {
	chart := sync.OnceValues(func() (*Chart, error) { return Compose(fig, in) })
	return scene{
		fig: fig, in: in, chart: chart,
		svg: sync.OnceValues(func() ([]byte, error) {
			c, err := chart()
			if err != nil {
				return nil, err
			}
			return EncodeSVG(c)
		}),
		files: sync.OnceValues(func() (map[string][]byte, error) {
			c, err := chart()
			if err != nil {
				return nil, err
			}
			return EncodeFiles(c)
		}),
	}
}

// must returns what a scene is drawn as.
func must[T any](t *testing.T, of func() (T, error)) T {
	t.Helper()
	v, err := of()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// scenes are figures and records that between them use every feature.
var scenes = sync.OnceValue(func() map[string]scene {
	return map[string]scene{
		"efficiency": newScene(figEfficiency, Input{Choice: selection.All(efficiency(16, true)), Profile: "quick"}),
		"iterations": newScene(figIterations, Input{Choice: selection.All(simulated(1)), Title: "Simulated data", Profile: "quick"}),
		"runtime":    newScene(figRuntime, Input{Choice: selection.All(simulated(5)), Profile: "quick"}),
		"real":       newScene(figReal, Input{Choice: selection.All(realData(5, false)), Profile: "paper", Notes: []string{"c chosen on validation"}}),
		"zeros": newScene(
			Figure{ID: "zeros", Panel: Panel{Log: []string{"x", "y"}, Where: map[string]any{"k": 4}}, Panels: []Panel{{}, {Y: "objective"}, {X: "sum_kt2", Band: BandRuns, Log: []string{"y"}}}},
			Input{Choice: selection.All(withZeros(realData(3, true))), Title: strings.Repeat("A really long title that goes on. ", 6)},
		),
		"long": newScene(
			Figure{ID: "long", Panel: Panel{Band: BandMinMax}, Panels: []Panel{{}, {Y: "rank"}}, Facet: Facet{Rows: "k"}},
			Input{Choice: selection.All(longRuns())},
		),
		"many":   newScene(Figure{ID: "many", Facet: Facet{Rows: "series", Cols: "k"}, Panel: Panel{Log: []string{"x", "y"}}}, Input{Choice: selection.All(realData(2, false))}),
		"swept":  newScene(Figure{ID: "swept", Panel: Panel{Log: []string{"y"}}}, Input{Choice: selection.All(realData(2, false))}),
		"points": newScene(Figure{ID: "points", Panel: Panel{Log: []string{"y"}, Where: map[string]any{"k": 1}}}, Input{Choice: selection.All(onePoint(realData(2, false)))}),
		"empty":  newScene(Figure{ID: "empty"}, Input{}),
	}
})

func withZeros(runs []record.Run) []record.Run {
	for i := range runs {
		if runs[i].Series != "saa" {
			continue
		}
		s := runs[i].Curve.Metrics["test"]["suboptimality"]
		for j := 60; j < len(s); j++ {
			s[j] = -1e-17 * float64(j%2)
		}
	}
	return runs
}

func longRuns() []record.Run {
	var runs []record.Run
	for r := range 2 {
		runs = append(runs, synth{series: "msg", dataset: "mnist", repeat: r, points: 30000, last: 1000000, rate: .4, rank: 8, params: record.Params{"k": int64(4)}}.run())
	}
	return runs
}

func onePoint(runs []record.Run) []record.Run {
	for i := range runs {
		c := &runs[i].Curve
		for name, v := range c.Cost {
			c.Cost[name] = v[50:51]
		}
		for _, m := range c.Metrics {
			for name, v := range m {
				m[name] = v[50:51]
			}
		}
	}
	return runs
}

func TestNothingIsClippedOrOverlaps(t *testing.T) {
	t.Parallel()
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) { checkLayout(t, must(t, s.chart)) })
	}
}

// texts returns the text elements of an SVG file, which must be well-formed.
func texts(t *testing.T, svg []byte) []string {
	t.Helper()
	var all []string
	d := xml.NewDecoder(bytes.NewReader(svg))
	inText := false
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			inText = tok.Name.Local == "text"
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				all = append(all, string(tok))
			}
		}
	}
}

func count(all []string, s string) int {
	n := 0
	for _, v := range all {
		if v == s {
			n++
		}
	}
	return n
}

func TestFilesAreSound(t *testing.T) {
	t.Parallel()
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "efficiency" {
				t.Skip("one scene is enough")
			}
			d, f := must(t, s.chart), must(t, s.files)
			if d.Caption == "" {
				t.Errorf("caption %q", d.Caption)
			}
			for _, bad := range []string{"NaN", "Inf"} {
				if bytes.Contains(f["svg"], []byte(bad)) {
					t.Errorf("%s in the SVG file", bad)
				}
			}
			texts(t, f["svg"])
			if !bytes.HasPrefix(f["pdf"], []byte("%PDF-")) || !bytes.Contains(f["pdf"], []byte("%%EOF")) {
				t.Error("not a PDF file")
			}
			img, err := png.DecodeConfig(bytes.NewReader(f["png"]))
			if err != nil {
				t.Fatal(err)
			}
			var width vg.Length
			DrawSheet(d, func(w, h vg.Length) draw.Canvas {
				width = w
				return draw.NewCanvas(&trace{}, w, h)
			})
			if dpi := float64(img.Width) / width.Points() * 72; dpi < 150 {
				t.Errorf("%.0f dpi", dpi)
			}
		})
	}
}

func TestLegendNamesEveryCurveOnce(t *testing.T) {
	t.Parallel()
	_, f := drawn(t, figIterations, Input{Catalog: listed, Choice: selection.All(simulated(1))}, "svg")
	all := texts(t, f["svg"])
	for _, a := range synthAlgorithms {
		if n := count(all, listed.Name(a.id)); n != 1 {
			t.Errorf("%s is named %d times", listed.Name(a.id), n)
		}
	}
	_, f = drawn(t, figEfficiency, Input{Catalog: listed, Choice: selection.All(efficiency(2, false))}, "svg")
	all = texts(t, f["svg"])
	for _, k := range []int{1, 2, 4, 8, 16, 32} {
		if n := count(all, fmt.Sprintf("Warmuth & Kuzmin, k = %d", k)); n != 1 {
			t.Errorf("k = %d is named %d times", k, n)
		}
	}
}

// strokes returns the colour and dashes of every stroked path of an SVG file.
func strokes(svg []byte) map[string]bool {
	m := make(map[string]bool)
	for _, s := range regexp.MustCompile(`style="fill:none;(stroke:#[0-9A-F]{6})[^"]*`).FindAllSubmatch(svg, -1) {
		dash := regexp.MustCompile(`stroke-dasharray:[^;"]*`).Find(s[0])
		m[string(s[1])+" "+string(dash)] = true
	}
	return m
}

func TestSameLookInEveryFigure(t *testing.T) {
	t.Parallel()
	only := func(id string, f Figure) Figure {
		f.Series = []string{id}
		return f
	}
	base := strokes(drawnSVG(t, figIterations, Input{Catalog: listed}))
	for _, a := range synthAlgorithms {
		var looks []string
		for _, f := range []struct {
			fig  Figure
			runs []record.Run
		}{
			{Figure{ID: "a", Panel: Panel{Y: "rank"}, Facet: Facet{Cols: "k"}}, realData(1, false)},
			{Figure{ID: "b", Panel: Panel{Log: []string{"x", "y"}}, Facet: Facet{Rows: "k", Cols: "group"}}, simulated(1)},
		} {
			all := strokes(drawnSVG(t, only(a.id, f.fig), Input{Catalog: listed, Choice: selection.All(f.runs)}))
			var own []string
			for s := range all {
				if !base[s] && !strings.HasPrefix(s, "stroke:#E6E6E6") && !strings.HasPrefix(s, "stroke:#E5E5E5") {
					own = append(own, s)
				}
			}
			if len(own) != 1 {
				t.Fatalf("%s: looks %q", a.id, own)
			}
			looks = append(looks, own[0])
		}
		if looks[0] != looks[1] {
			t.Errorf("%s: %s in one figure, %s in another", a.id, looks[0], looks[1])
		}
	}
}

func drawnSVG(t *testing.T, fig Figure, in Input) []byte {
	_, f := drawn(t, fig, in, "svg")
	return f["svg"]
}

func TestSameRecordsSameBytes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"efficiency", "runtime", "swept"} {
		s := scenes()[name]
		first := must(t, s.files)
		if !bytes.Contains(first["pdf"], []byte("/CreationDate (D:20000101000000)")) || !bytes.Contains(first["pdf"], []byte("/ModDate (D:20000101000000)")) {
			t.Errorf("%s: the PDF file is dated", name)
		}
		_, again := drawn(t, s.fig, s.in)
		for ext, b := range first {
			if !bytes.Equal(b, again[ext]) {
				t.Errorf("%s.%s differs from one drawing to the next", name, ext)
			}
		}
	}
}

func TestDrawConcurrently(t *testing.T) {
	t.Parallel()
	in := Input{Catalog: listed, Choice: selection.All(efficiency(2, true))}
	_, want := drawn(t, figEfficiency, in)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			_, files := drawn(t, figEfficiency, in)
			for ext, b := range files {
				if !bytes.Equal(b, want[ext]) {
					t.Errorf("%s differs", ext)
				}
			}
		})
	}
	wg.Wait()
}

func TestDrawLeavesRecordsAlone(t *testing.T) {
	t.Parallel()
	runs, untouched := simulated(2), simulated(2)
	drawn(t, figRuntime, Input{Catalog: listed, Choice: selection.All(runs)}, "svg")
	for i := range runs {
		a, errA := record.EncodeRun(runs[i])
		b, errB := record.EncodeRun(untouched[i])
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Fatalf("run %d was changed (%v, %v)", i, errA, errB)
		}
	}
}
