package draw

import (
	"math"
	"slices"
	"testing"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// inkOf returns the bounding box of all strokes and fills.
func inkOf(tr *recorder.Canvas) vg.Rectangle {
	inf := vg.Length(math.Inf(1))
	r := vg.Rectangle{Min: vg.Point{X: inf, Y: inf}, Max: vg.Point{X: -inf, Y: -inf}}
	for _, action := range tr.Actions {
		var path vg.Path
		switch a := action.(type) {
		case *recorder.Stroke:
			path = a.Path
		case *recorder.Fill:
			path = a.Path
		}
		for _, c := range path {
			if c.Type == vg.CloseComp {
				continue
			}
			r.Min.X, r.Min.Y = min(r.Min.X, c.Pos.X), min(r.Min.Y, c.Pos.Y)
			r.Max.X, r.Max.Y = max(r.Max.X, c.Pos.X), max(r.Max.Y, c.Pos.Y)
		}
	}
	return r
}

// Lines, bands and separate points beyond the axes are clipped.
func TestNothingIsDrawnOutsideTheAxes(t *testing.T) {
	t.Parallel()
	for _, log := range []bool{false, true} {
		x := plots.ChartAxis{Log: log, Min: 2, Max: 50}
		y := plots.ChartAxis{Log: log, Min: 0.1, Max: 0.4}
		c := plots.ChartCurve{X: []float64{0.5, 1, 3, 10, 40, 100}, Y: []float64{0.9, 0.2, 0.01, 0.3, 0, 0.8}}
		c.Lo = c.Y
		for _, v := range c.Y {
			c.Hi = append(c.Hi, v+0.2)
		}
		page := vg.Rectangle{Min: vg.Point{X: 100, Y: 100}, Max: vg.Point{X: 300, Y: 200}}
		var tr recorder.Canvas
		a := axes{Canvas: vgdraw.Canvas{Canvas: &tr, Rectangle: page}, x: x, y: y}
		c.Style = plots.Style{Color: "#1a1a1a", Width: 1, Glyph: plots.GlyphDisc}
		a.drawBand(c)
		a.drawCurve(c)
		for _, p := range [][2]float64{{10, 0.9}, {60, 0.2}, {60, 0.2}, {10, 0.05}} {
			a.drawCurve(plots.ChartCurve{X: p[:1], Y: p[1:], Converged: true, Style: c.Style})
		}
		const eps = 1e-6
		p := inkOf(&tr)
		if p.Min.X < page.Min.X-eps || p.Min.Y < page.Min.Y-eps || p.Max.X > page.Max.X+eps || p.Max.Y > page.Max.Y+eps {
			t.Errorf("log %v: ink at %v, outside %v", log, p, page)
		}
		if p.Max.Y < page.Max.Y-eps || p.Min.Y > page.Min.Y+eps {
			t.Errorf("log %v: the curve does not reach the edge: %v", log, p)
		}
	}
}

func TestFirstEpochIsSolid(t *testing.T) {
	t.Parallel()
	at := 150.0
	c := plots.ChartCurve{
		X: []float64{0, 100, 200, 400}, Y: []float64{4, 3, 2, 1}, Dashed: &at,
		Style: plots.Style{Color: "#1a1a1a", Width: 1, Dash: []float64{1, 1}},
	}
	var tr recorder.Canvas
	page := vg.Rectangle{Max: vg.Point{X: 400, Y: 4}}
	a := axes{Canvas: vgdraw.Canvas{Canvas: &tr, Rectangle: page}, x: plots.ChartAxis{Max: 400}, y: plots.ChartAxis{Max: 4}}
	a.drawCurve(c)
	var dashes [][]vg.Length
	var lines [][]vg.Point
	for _, action := range tr.Actions {
		switch a := action.(type) {
		case *recorder.SetLineDash:
			dashes = append(dashes, a.Dashes)
		case *recorder.Stroke:
			var line []vg.Point
			for _, c := range a.Path {
				line = append(line, c.Pos)
			}
			lines = append(lines, line)
		}
	}
	if len(dashes) != 2 || len(dashes[0]) > 0 || !slices.Equal(dashes[1], []vg.Length{4, 2.5}) {
		t.Errorf("dashes %v", dashes)
	}
	want := [][]vg.Point{{{X: 0, Y: 4}, {X: 100, Y: 3}, {X: 150, Y: 2.5}}, {{X: 150, Y: 2.5}, {X: 200, Y: 2}, {X: 400, Y: 1}}}
	if !slices.EqualFunc(lines, want, slices.Equal[[]vg.Point]) {
		t.Errorf("lines %v, want %v", lines, want)
	}
}

func TestPointsHaveNoLine(t *testing.T) {
	t.Parallel()
	var tr recorder.Canvas
	page, axis := vg.Rectangle{Max: vg.Point{X: 10, Y: 10}}, plots.ChartAxis{Max: 10}
	a := axes{Canvas: vgdraw.Canvas{Canvas: &tr, Rectangle: page}, x: axis, y: axis}
	a.drawCurve(plots.ChartCurve{
		X: []float64{2, 4, 20}, Y: []float64{2, 4, 6}, Points: true,
		Style: plots.Style{Color: "#1a1a1a", Width: 1, Glyph: plots.GlyphDisc},
	})
	fills := 0
	for _, action := range tr.Actions {
		switch action.(type) {
		case *recorder.Stroke:
			t.Error("there is a line")
		case *recorder.Fill:
			fills++
		}
	}
	if fills != 2 {
		t.Errorf("%d points, want 2", fills)
	}
}
