package plots

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// charted holds figures with panels of every kind.
var charted = sync.OnceValue(func() map[string]scene {
	all := maps.Clone(scenes())
	maps.Copy(all, svmScenes())
	all["tradeoff"] = newScene(figTradeoff, sparseInput(3, sparseMethods[0], sparseMethods[3]))
	return all
})

var (
	svgPath   = regexp.MustCompile(`<path d="([^"]*)" style="([^"]*)"`)
	svgPoint  = regexp.MustCompile(`[ML](-?[0-9.]+),(-?[0-9.]+)`)
	svgStroke = regexp.MustCompile(`stroke:(#[0-9A-F]{6})`)
)

// drawnPath is a path of an SVG file. stroke is the colour in its style.
type drawnPath struct {
	points        [][2]float64
	style, stroke string
}

func pathsOf(t *testing.T, svg []byte) []drawnPath {
	t.Helper()
	var all []drawnPath
	for _, m := range svgPath.FindAllSubmatch(svg, -1) {
		p := drawnPath{style: string(m[2])}
		if stroke := svgStroke.FindSubmatch(m[2]); stroke != nil {
			p.stroke = string(stroke[1])
		}
		for _, q := range svgPoint.FindAllSubmatch(m[1], -1) {
			x, err1 := strconv.ParseFloat(string(q[1]), 64)
			y, err2 := strconv.ParseFloat(string(q[2]), 64)
			if err1 != nil || err2 != nil {
				t.Fatalf("the point %s is not a number", q[0])
			}
			p.points = append(p.points, [2]float64{x, y})
		}
		all = append(all, p)
	}
	return all
}

// areas returns the data areas of panels in drawing order, found as x and y axes that begin at the same point.
func areas(paths []drawnPath) [][4]float64 {
	axis := func(p drawnPath) bool {
		return len(p.points) == 2 && strings.Contains(p.style, "stroke:#1A1A1A;stroke-width:0.6")
	}
	var found [][4]float64
	for _, p := range paths {
		if !axis(p) || p.points[0][1] != p.points[1][1] || p.points[1][0]-p.points[0][0] < 50 {
			continue
		}
		for _, q := range paths {
			if axis(q) && q.points[0] == p.points[0] && q.points[0][0] == q.points[1][0] && q.points[1][1]-q.points[0][1] > 30 {
				found = append(found, [4]float64{p.points[0][0], p.points[0][1], p.points[1][0], q.points[1][1]})
			}
		}
	}
	return found
}

// onAxis returns the position of a value on an axis, computed from the fields of ChartAxis: 0 to 1, or NaN outside.
func onAxis(a ChartAxis, v float64) float64 {
	if a.Log {
		if a.Floor > 0 {
			v = math.Max(v, a.Floor)
		}
		if v <= 0 {
			return math.NaN()
		}
		v = math.Log(v/a.Min) / math.Log(a.Max/a.Min)
	} else {
		v = (v - a.Min) / (a.Max - a.Min)
	}
	if v < 0 || v > 1 {
		return math.NaN()
	}
	return v
}

// Every point of a chart within its axes is a vertex of a line in the file, in the colour of its key.
func TestFilesShowTheChart(t *testing.T) {
	t.Parallel()
	for name, s := range charted() {
		t.Run(name, func(t *testing.T) {
			ch, paths := must(t, s.chart), pathsOf(t, must(t, s.svg))
			data := areas(paths)
			var panels []*ChartPanel
			for _, row := range ch.Panels {
				panels = append(panels, row...)
			}
			if len(data) != len(panels) {
				t.Fatalf("%d data areas for %d panels", len(data), len(panels))
			}
			color := make(map[string]string)
			for _, k := range ch.Keys {
				color[k.Key] = strings.ToUpper(k.Color)
			}
			checked := 0
			for i, p := range panels {
				for _, cv := range p.Curves {
					if color[cv.Key] == "" {
						t.Fatalf("the curve %q has no key in %v", cv.Key, ch.Keys)
					}
					if len(cv.X) > 2000 || p.Static {
						continue // thinned, or in other colours
					}
					checked += checkVertices(t, p, cv, data[i], paths, color[cv.Key])
				}
			}
			if checked == 0 && name != "empty" && !strings.HasPrefix(name, "water") && name != "bias" && name != "long" && name != "points" {
				t.Error("no point was checked")
			}
		})
	}
}

// near compares coordinates, which have five digits in files.
func near(a, b float64) bool { return math.Abs(a-b) < 0.02+1e-4*math.Abs(b) }

// isolated reports whether a value is drawn as a glyph, because its neighbours are beyond the axis or absent.
func isolated(y ChartAxis, values []float64, i int) bool {
	return (i == 0 || y.Beyond(values[i-1])) && (i+1 == len(values) || y.Beyond(values[i+1]))
}

// checkVertices returns the number of points that it found in paths.
func checkVertices(t *testing.T, p *ChartPanel, cv ChartCurve, area [4]float64, paths []drawnPath, color string) int {
	t.Helper()
	found, settled := 0, cv.StaysFrom(p.Y)
	columns := [][]float64{cv.Y, cv.Lo, cv.Hi}
	for c, column := range columns {
		for i := range column {
			u, v := onAxis(p.X, cv.X[i]), onAxis(p.Y, column[i])
			if math.IsNaN(u) || math.IsNaN(v) || cv.Points || c == 0 && i < settled && isolated(p.Y, cv.Y, i) {
				continue
			}
			x, y := area[0]+u*(area[2]-area[0]), area[1]+v*(area[3]-area[1])
			is := func(d drawnPath) bool {
				if c == 0 && !cv.Thin && i >= settled && d.stroke != color {
					return false
				}
				return slices.ContainsFunc(d.points, func(q [2]float64) bool { return near(q[0], x) && near(q[1], y) })
			}
			if !slices.ContainsFunc(paths, is) {
				t.Fatalf("panel %q, curve %q: the point (%v, %v) is not drawn at %.2f,%.2f in %s",
					p.Title, cv.Key, cv.X[i], column[i], x, y, color)
			}
			found++
		}
	}
	return found
}

func TestChartMarksEpochsAndThinLines(t *testing.T) {
	t.Parallel()
	dashes := figPerceptron
	dashes.FirstEpoch, dashes.Series = []string{"pegasos"}, []string{"pegasos"}
	if ch := composed(t, dashes, svmInput(3)); ch.Keys[0].Dash != nil || ch.Panels[0][0].Curves[0].Dashed == nil {
		t.Errorf("the dashes do not mark epochs: %+v", ch.Keys)
	}
	thin := make(map[string]int)
	panel := Panel{Band: BandRuns, Where: map[string]any{"k": 4}, Series: []string{"msg"}}
	ch := composed(t, Figure{ID: "runs", Panel: panel}, inputOf(realData(3, false)...))
	for _, cv := range ch.Panels[0][0].Curves {
		if cv.Thin {
			thin[cv.Label]++
		}
	}
	if want := map[string]int{"run 1 of 3": 1, "run 2 of 3": 1, "run 3 of 3": 1}; !maps.Equal(thin, want) {
		t.Errorf("thin curves %v, want %v", thin, want)
	}
}

// Points that are not finite are left out, because JSON cannot encode them.
func TestChartsAreJSON(t *testing.T) {
	t.Parallel()
	c := ChartCurve{
		X: []float64{1, 2, 3, 4, 5}, Y: []float64{1, math.NaN(), 3, math.Inf(1), 5},
		Lo: []float64{0, 0, 0, 0, math.Inf(-1)}, Hi: []float64{2, 2, 4, 2, 6},
	}.drawable(false)
	if want := (ChartCurve{X: []float64{1, 3}, Y: []float64{1, 3}, Lo: []float64{0, 0}, Hi: []float64{2, 4}}); !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v, want %+v", c, want)
	}
	for name, s := range charted() {
		if _, err := json.Marshal(must(t, s.chart)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// small replaces superscripts and subscripts by the drawn characters.
var small = strings.NewReplacer(
	"⁻", "−", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9",
	"ₜ", "t", "ᵢ", "i",
)

func TestFilesHaveTheTextsAndTheLegend(t *testing.T) {
	t.Parallel()
	glyphs := []string{GlyphDisc, GlyphRing, GlyphBox, GlyphSquare, GlyphPyramid, GlyphTriangle, GlyphPlus, GlyphCross}
	for name, s := range charted() {
		ch := must(t, s.chart)
		svg := must(t, s.svg)
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s: the file has numbers that are not finite", name)
		}
		all := strings.Join(texts(t, svg), "")
		written := func(text string) bool {
			return strings.Contains(strings.ReplaceAll(all, " ", ""), strings.ReplaceAll(small.Replace(text), " ", ""))
		}
		if ch.Title == "" || !written(ch.Title) || !written(ch.Detail) {
			t.Errorf("%s: title %q, caption %q", name, ch.Title, ch.Caption)
		}
		for _, text := range slices.Concat(ch.Alarms, ch.Remarks, ch.Notes) {
			if !written(text) {
				t.Errorf("%s: %q is not written", name, text)
			}
		}
		for _, k := range ch.Keys {
			if !slices.Contains(glyphs, k.Glyph) || !written(k.Label) {
				t.Errorf("%s: %s has the glyph %q; in the legend: %v", name, k.Key, k.Glyph, written(k.Label))
			}
		}
		for _, p := range slices.Concat(ch.Panels...) {
			if !written(p.Title) || !written(p.X.Label) || !written(p.Y.Label) || p.X.Label == "" || p.Y.Label == "" {
				t.Errorf("%s: panel %q with axes %q and %q", name, p.Title, p.X.Label, p.Y.Label)
			}
			if p.StandIn != strings.HasSuffix(p.Title, "stand-in data") {
				t.Errorf("%s: stand-in %v, drawn as %q", name, p.StandIn, p.Title)
			}
			percent := slices.ContainsFunc(p.Y.Ticks(), func(k Tick) bool { return strings.HasSuffix(string(k.Label), " %") })
			if p.Y.Percent != percent || p.X.Percent {
				t.Errorf("%s: percent %v and %v, ticks in percent: %v", name, p.X.Percent, p.Y.Percent, percent)
			}
			if empty := p.Empty != ""; empty != (len(p.Curves) == 0) || !written(p.Empty) {
				t.Errorf("%s: panel %q has %d curves and the text %q", name, p.Title, len(p.Curves), p.Empty)
			}
		}
	}
}

func TestReducedCharts(t *testing.T) {
	t.Parallel()
	var c ChartCurve
	for i := range 5000 {
		x := float64(i + 1)
		c.X, c.Y = append(c.X, x), append(c.Y, math.Sin(x/200)+0.1*math.Sin(1.7*x))
		c.Lo, c.Hi = append(c.Lo, c.Y[i]-1), append(c.Hi, c.Y[i]+1)
	}
	for _, log := range []bool{false, true} {
		p := &ChartPanel{X: ChartAxis{Log: log, Min: 1, Max: 5000}, Curves: []ChartCurve{c, {X: []float64{1, 2}, Y: []float64{1. / 3, 2e-9 / 3}}}}
		in := &Chart{ID: "f", Panels: [][]*ChartPanel{{p}}}
		before := fmt.Sprint(p.Curves)
		got := in.Reduced(400).Panels[0][0].Curves
		if fmt.Sprint(p.Curves) != before {
			t.Error("Reduced changed the chart")
		}
		long := got[0]
		if n := len(long.X); n > 200 || n < 100 || len(long.Y) != n || len(long.Lo) != n || len(long.Hi) != n {
			t.Errorf("log %v: columns of %d, %d, %d and %d points", log, n, len(long.Y), len(long.Lo), len(long.Hi))
		}
		if !slices.IsSorted(long.X) || long.X[0] != 1 || long.X[len(long.X)-1] != 5000 {
			t.Errorf("log %v: from %v to %v", log, long.X[0], long.X[len(long.X)-1])
		}
		if short := got[1]; !slices.Equal(short.Y, []float64{0.33333, 6.6667e-10}) {
			t.Errorf("rounded to %v", short.Y)
		}
	}
	if got := (ChartCurve{X: []float64{math.MaxFloat64}}).rounded().X; got[0] != math.MaxFloat64 {
		t.Errorf("the largest number is rounded to %v", got[0])
	}
}
