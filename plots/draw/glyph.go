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
	plots.GlyphPlus: vgdraw.PlusGlyph{}, plots.GlyphCross: vgdraw.CrossGlyph{},
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
