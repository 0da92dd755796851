package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	waterColor = hex(0xa6cee3)
	waterInk   = hex(0x0072b2)
)

// fill is the water between the responses and its level.
func (w *basin) fill(responses polyline) layer {
	var lo, hi []point
	for i := range w.covered {
		if responses.y[i] > w.level {
			break
		}
		lo = append(lo, point{responses.x[i], responses.y[i]})
		hi = append(hi, point{responses.x[i], w.level})
	}
	// To where the surface meets the basin.
	if n := len(lo); n > 0 && n < len(responses.y) {
		a, b := lo[n-1], point{responses.x[n], responses.y[n]}
		if b.y > a.y {
			at := point{a.x + (w.level-a.y)/(b.y-a.y)*(b.x-a.x), w.level}
			lo, hi = append(lo, at), append(hi, at)
		}
	}
	return area{lo, hi, waterColor}
}

// weights is the area below the distribution p*.
func (w *basin) weights() layer {
	s := w.share()
	return area{
		[]point{{s.x[0], 0}, {s.x[1], 0}},
		[]point{{s.x[0], s.y[0]}, {s.x[1], s.y[1]}},
		waterColor,
	}
}

// level is the surface of the water, drawn across the panel. It meets the basin
// at the abscissa shore.
type level struct{ at, shore float64 }

func (l level) draw(c draw.Canvas, x, y scale) {
	v := y.norm(l.at)
	if v < 0 || v > 1 {
		return
	}
	at := c.Y(v)
	c.StrokeLine2(draw.LineStyle{Color: waterInk, Width: 0.8, Dashes: []vg.Length{4, 2}}, c.Min.X, at, c.Max.X, at)
	sty := sans(8, false, waterInk)
	text := "γ = " + shown(l.at)
	handler.line(c, text, sty, l.place(c, sty.Width(text), sty.Font.Size, c.X(x.norm(l.shore)), at))
}

// place returns where a text on the surface goes: below it on the right, where
// the basin is above, or where there is no room above it on the left.
func (l level) place(c draw.Canvas, width, size, shore, at vg.Length) vg.Point {
	const gap = 4
	if right := c.Max.X - width - 2; shore+gap < right {
		return vg.Point{X: right, Y: at - 1.1*size}
	}
	return vg.Point{X: c.Min.X + gap, Y: at + 0.4*size}
}

// riser joins the two sides of a jump, which is no part of the function.
type riser struct {
	from, to point
	style    Style
}

func (r riser) draw(c draw.Canvas, x, y scale) {
	fine := Style{Color: faded(r.style.Color, 0x80), Width: 0.6, Dashes: []vg.Length{1, 2}}
	line{[]point{r.from, r.to}, fine, 0}.draw(c, x, y)
}
