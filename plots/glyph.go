package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// boldCross is the glyph of what is a lone point as a rule and has to be found
// among curves: a heavy cross on a white one.
type boldCross struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (boldCross) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r := 1.4 * sty.Radius
	for _, s := range []struct {
		style draw.LineStyle
		reach vg.Length
	}{
		{draw.LineStyle{Color: hex(0xffffff), Width: 4}, r + 1},
		{draw.LineStyle{Color: sty.Color, Width: 2}, r},
	} {
		c.StrokeLine2(s.style, at.X-s.reach, at.Y-s.reach, at.X+s.reach, at.Y+s.reach)
		c.StrokeLine2(s.style, at.X-s.reach, at.Y+s.reach, at.X+s.reach, at.Y-s.reach)
	}
}
