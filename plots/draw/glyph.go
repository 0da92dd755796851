package draw

import (
	"cmp"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

var glyphs = map[string]vgdraw.GlyphDrawer{
	plots.GlyphDisc: vgdraw.CircleGlyph{}, plots.GlyphRing: vgdraw.RingGlyph{},
	plots.GlyphBox: vgdraw.BoxGlyph{}, plots.GlyphSquare: vgdraw.SquareGlyph{},
	plots.GlyphPyramid: vgdraw.PyramidGlyph{}, plots.GlyphTriangle: vgdraw.TriangleGlyph{},
	plots.GlyphPlus: vgdraw.PlusGlyph{}, plots.GlyphCross: vgdraw.CrossGlyph{}, plots.GlyphBoldCross: boldCross{},
}

// loneRadius is the usual radius of what is a lone point.
const loneRadius = vg.Length(2.5)

// glyphStyle is how the points of a style are drawn, of its own radius if none is given.
func glyphStyle(s plots.Style, radius vg.Length) vgdraw.GlyphStyle {
	radius = cmp.Or(radius, vg.Length(s.Radius), loneRadius)
	return vgdraw.GlyphStyle{Color: plots.ParseColor(s.Color), Radius: radius, Shape: glyphs[s.Glyph]}
}

func lineStyle(s plots.Style) vgdraw.LineStyle {
	l := vgdraw.LineStyle{Color: plots.ParseColor(s.Color), Width: vg.Length(s.Width)}
	for _, d := range s.Dash {
		l.Dashes = append(l.Dashes, vg.Length(d))
	}
	return l
}

// boldCross is the glyph of what is a lone point as a rule and has to be found
// among curves: a heavy cross on a white one.
type boldCross struct{}

// DrawGlyph implements vgdraw.GlyphDrawer.
func (boldCross) DrawGlyph(c *vgdraw.Canvas, sty vgdraw.GlyphStyle, at vg.Point) {
	r := 1.4 * sty.Radius
	for _, s := range []struct {
		style vgdraw.LineStyle
		reach vg.Length
	}{
		{vgdraw.LineStyle{Color: white, Width: 4}, r + 1},
		{vgdraw.LineStyle{Color: sty.Color, Width: 2}, r},
	} {
		c.StrokeLine2(s.style, at.X-s.reach, at.Y-s.reach, at.X+s.reach, at.Y+s.reach)
		c.StrokeLine2(s.style, at.X-s.reach, at.Y+s.reach, at.X+s.reach, at.Y-s.reach)
	}
}
