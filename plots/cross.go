package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// referenceName is what legends and notes call the classifier that is not sparse.
const referenceName = "Reference SVM"

var referenceStyle = Style{Color: hex(0x303030), Dashes: []vg.Length{1, 2.2}, Width: 1.1, Glyph: draw.CrossGlyph{}}

// cross draws a dotted line at the error of a reference, and one at its support.
type cross struct{ at reference }

func (r cross) draw(c draw.Canvas, x, y scale) {
	style := draw.LineStyle{Color: referenceStyle.Color, Width: referenceStyle.Width, Dashes: referenceStyle.Dashes}
	if r.at.support >= x.min && r.at.support <= x.max {
		at := c.X(x.norm(r.at.support))
		c.StrokeLine2(style, at, c.Min.Y, at, c.Max.Y)
	}
	if r.at.error >= y.min && r.at.error <= y.max {
		at := c.Y(y.norm(r.at.error))
		c.StrokeLine2(style, c.Min.X, at, c.Max.X, at)
	}
}

// withReference adds to a legend what the dotted lines are.
func withReference(l legend, contents [][]content) legend {
	for _, row := range contents {
		if slices.ContainsFunc(row, func(ct content) bool { return len(ct.references) > 0 && len(ct.curves) > 0 }) {
			return append(l, legendEntry{label: referenceName, style: referenceStyle})
		}
	}
	return l
}

const (
	// markCount is the number of glyphs on a curve as long as the x axis.
	markCount  = 5
	markRadius = vg.Length(2.3)
)

// marks draws glyphs along a curve, evenly spaced on the x axis. phase, from 0 to
// 1, keeps those of different curves apart. There is at least one, where the curve
// ends.
type marks struct {
	polyline
	style Style
	phase float64
}

func (m marks) draw(c draw.Canvas, x, y scale) {
	glyph := draw.GlyphStyle{Color: m.style.Color, Radius: markRadius, Shape: m.style.Glyph}
	if len(m.x) < 2 {
		return // drawn as a point
	}
	drawn := false
	dot := func(u, v float64) {
		if u < 0 || u > 1 || v < 0 || v > 1 {
			return
		}
		c.DrawGlyphNoClip(glyph, vg.Point{X: c.X(u), Y: c.Y(v)})
		drawn = true
	}
	us, vs := make([]float64, len(m.x)), make([]float64, len(m.x))
	for i := range m.x {
		us[i], vs[i] = x.norm(m.x[i]), y.norm(m.y[i])
	}
	for k := range markCount {
		u := (float64(k) + m.phase) / markCount
		if v, ok := crossing(us, vs, u); ok && u >= us[0] {
			dot(u, v)
		}
	}
	if last := len(us) - 1; !drawn {
		dot(math.Min(us[last], 1), vs[last])
	}
}
