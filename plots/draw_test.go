package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// A scene is a figure with its records, laid out and drawn once for all tests. Tests must not change its chart.
type scene struct {
	in    Input
	chart func() (*Chart, error)
	svg   func() ([]byte, error)
}

func newScene(fig Figure, in Input) scene {
	chart := sync.OnceValues(func() (*Chart, error) { return Compose(fig, in) })
	return scene{
		in: in, chart: chart,
		svg: sync.OnceValues(func() ([]byte, error) {
			c, err := chart()
			if err != nil {
				return nil, err
			}
			return EncodeSVG(c)
		}),
	}
}

// must returns the value of a function of a scene.
func must[T any](t *testing.T, of func() (T, error)) T {
	t.Helper()
	v, err := of()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// scenes holds figures that together use every feature.
var scenes = sync.OnceValue(func() map[string]scene {
	return map[string]scene{
		"efficiency": newScene(figEfficiency, Input{Choice: selection.All(efficiency(16, true)), Profile: "quick"}),
		"iterations": newScene(figIterations, Input{Choice: selection.All(simulated(1)), Title: "Simulated data", Profile: "quick"}),
		"runtime":    newScene(figRuntime, Input{Choice: selection.All(simulated(5)), Profile: "quick"}),
		"real":       newScene(figReal, Input{Choice: selection.All(realData(5, false)), Profile: "paper", Notes: []string{"c chosen on validation"}}),
		"zeros": newScene(
			Figure{
				ID: "zeros", Panel: Panel{Log: []string{"x", "y"}, Where: map[string]any{"k": 4}},
				Panels: []Panel{{}, {Y: "objective"}, {X: "sum_kt2", Band: BandRuns, Log: []string{"y"}}},
			},
			Input{Choice: selection.All(withZeros(realData(3, true))), Title: strings.Repeat("A really long title that goes on. ", 6)},
		),
		"long": newScene(
			Figure{ID: "long", Panel: Panel{Band: BandMinMax}, Panels: []Panel{{}, {Y: "rank"}}, Facet: Facet{Rows: "k"}},
			Input{Choice: selection.All(longRuns())},
		),
		"many": newScene(
			Figure{ID: "many", Facet: Facet{Rows: "series", Cols: "k"}, Panel: Panel{Log: []string{"x", "y"}}},
			Input{Choice: selection.All(realData(2, false))},
		),
		"swept": newScene(Figure{ID: "swept", Panel: Panel{Log: []string{"y"}}}, Input{Choice: selection.All(realData(2, false))}),
		"points": newScene(
			Figure{ID: "points", Panel: Panel{Log: []string{"y"}, Where: map[string]any{"k": 1}}},
			Input{Choice: selection.All(onePoint(realData(2, false)))},
		),
		"empty": newScene(Figure{ID: "empty"}, Input{}),
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
		s := synth{series: "msg", dataset: "mnist", repeat: r, points: 30000, last: 1000000, rate: .4, rank: 8}
		s.params = record.Params{"k": int64(4)}
		runs = append(runs, s.run())
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
	all := tradeoffScenes()
	maps.Copy(all, charted())
	for name, s := range all {
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

// The files of a figure are complete and the same each time, even if drawn concurrently. Drawing changes no records.
func TestFilesAreReproducible(t *testing.T) {
	t.Parallel()
	for name, runs := range map[string][]record.Run{"efficiency": efficiency(16, true), "runtime": simulated(5)} {
		s := scenes()[name]
		ch := must(t, s.chart)
		first, err := EncodeFiles(ch)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"%PDF-", "%%EOF", "/CreationDate (D:20000101000000)", "/ModDate (D:20000101000000)"} {
			if !bytes.Contains(first["pdf"], []byte(part)) {
				t.Errorf("%s: the PDF file lacks %s", name, part)
			}
		}
		img, err := png.DecodeConfig(bytes.NewReader(first["png"]))
		if err != nil {
			t.Fatal(err)
		}
		var width vg.Length
		DrawSheet(ch, func(w, h vg.Length) draw.Canvas {
			width = w
			return draw.NewCanvas(&recorder.Canvas{}, w, h)
		})
		if dpi := float64(img.Width) / width.Points() * 72; dpi < 150 {
			t.Errorf("%s: %.0f dpi", name, dpi)
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if again, err := EncodeFiles(ch); err != nil || !maps.EqualFunc(again, first, bytes.Equal) {
					t.Errorf("%s: the files differ when drawn again (%v)", name, err)
				}
			})
		}
		wg.Wait()
		if !reflect.DeepEqual(s.in.Choice.Runs(), selection.All(runs).Runs()) {
			t.Errorf("%s: drawing changed the records", name)
		}
	}
}

var svmScenes = sync.OnceValue(func() map[string]scene {
	in := svmInput(3)
	one := svmInput(1)
	run, timing := libsvmRun("adult", 0.7, 0.149)
	one.Choice = selection.All(append(one.Choice.Runs(), run.WithTiming(timing)))
	return map[string]scene{
		"kernel":     newScene(figKernel, in),
		"perceptron": newScene(figPerceptron, in),
		"fourier":    newScene(figFourier, in),
		"seconds":    newScene(figSeconds, one),
		"water":      newScene(figWater, inputOf(waterRun(false))),
		"bias":       newScene(figBias, inputOf(waterRun(true))),
		"losses":     newScene(figLosses, inputOf(functionRuns()...)),
	}
})

func TestFirstEpochIsSolid(t *testing.T) {
	t.Parallel()
	in := svmInput(2)
	svg, err := EncodeSVG(composed(t, figPerceptron, in))
	if err != nil {
		t.Fatal(err)
	}
	all := texts(t, svg)
	if !slices.Contains(all, "Perceptron, after the first epoch") || !slices.Contains(all, "Perceptron") {
		t.Errorf("legend %q", all)
	}
	// The first epoch has 1000 iterations of 500 inner products.
	panes, err := layOut(figPerceptron, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, cv := range filled(panes[0][0]).Curves {
		want, got := 0.0, 0.0
		if cv.series.id == "perceptron" {
			want = 500 * svmRows
		}
		if cv.Dashed != nil {
			got = *cv.Dashed
		}
		if math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: the first epoch ends at %v, want %v", cv.series.id, got, want)
		}
	}
	for _, rows := range []int64{100 * svmRows, 1000 * svmRows} { // at the end of the runs, and beyond
		for i := range panes[0][0].runs {
			panes[0][0].runs[i].Rows = map[string]int64{"train": rows}
		}
		for _, cv := range filled(panes[0][0]).Curves {
			if cv.Dashed != nil {
				t.Errorf("with %d rows %s is dashed from %v", rows, cv.series.id, *cv.Dashed)
			}
		}
	}
}

// Functions of package draw, which imports this package. The external tests of this folder set them.
var (
	EncodeSVG func(*Chart) ([]byte, error)
	// EncodeFiles returns the files of a chart by extension.
	EncodeFiles func(*Chart) (map[string][]byte, error)
	// DrawSheet draws a chart on a canvas of its size.
	DrawSheet func(c *Chart, canvas func(width, height vg.Length) draw.Canvas)
)

// inputOf returns the input with all runs.
func inputOf(runs ...record.Run) Input {
	return Input{Catalog: listed, Choice: selection.All(runs)}
}

// composed lays a figure out.
func composed(t *testing.T, fig Figure, in Input) *Chart {
	t.Helper()
	c, err := Compose(fig, in)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
