package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// line draws one polyline. Its points are within the range of the axes, or are
// cut at the ends of an axis that clips. A lone point is drawn as a glyph of the radius given.
type line struct {
	points []point
	style  Style
	radius vg.Length
}

type point struct{ x, y float64 }

func (l line) draw(c draw.Canvas, x, y scale) {
	if len(l.points) == 0 {
		return
	}
	pts := onCanvas(c, x, y, l.points)
	if len(pts) == 1 {
		if x.beyond(l.points[0].x) || y.beyond(l.points[0].y) {
			return
		}
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: l.style.Color, Radius: l.radius, Shape: l.style.Glyph}, pts[0])
		return
	}
	style := draw.LineStyle{Color: l.style.Color, Width: l.style.Width, Dashes: l.style.Dashes}
	lines := [][]vg.Point{pts}
	if x.clip {
		lines = c.ClipLinesX(lines...)
	}
	if y.clip {
		lines = c.ClipLinesY(lines...)
	}
	c.StrokeLines(style, lines...)
}

func onCanvas(c draw.Canvas, x, y scale, points []point) []vg.Point {
	pts := make([]vg.Point, len(points))
	for i, q := range points {
		pts[i] = vg.Point{X: c.X(x.norm(q.x)), Y: c.Y(y.norm(q.y))}
	}
	return pts
}

// area fills the space between two lines over the same abscissae.
type area struct {
	lo, hi []point
	color  color.NRGBA
}

func (a area) draw(c draw.Canvas, x, y scale) {
	if len(a.lo) < 2 {
		return
	}
	outline, upper := onCanvas(c, x, y, a.lo), onCanvas(c, x, y, a.hi)
	slices.Reverse(upper)
	outline = append(outline, upper...)
	if x.clip {
		outline = c.ClipPolygonX(outline)
	}
	if y.clip {
		outline = c.ClipPolygonY(outline)
	}
	c.FillPolygon(a.color, outline)
}

// grid draws faint lines at the labelled ticks, and a dotted one at the floor
// of a logarithmic axis.
type grid struct{}

func (grid) draw(c draw.Canvas, x, y scale) {
	faint := draw.LineStyle{Color: hex(0xe6e6e6), Width: 0.4}
	for _, t := range x.ticks() {
		if at := c.X(x.norm(t.value)); t.label != "" {
			c.StrokeLine2(faint, at, c.Min.Y, at, c.Max.Y)
		}
	}
	for _, t := range y.ticks() {
		if at := c.Y(y.norm(t.value)); t.label != "" {
			c.StrokeLine2(faint, c.Min.X, at, c.Max.X, at)
		}
	}
	if y.floor > 0 {
		at := c.Y(y.norm(y.floor))
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.8, Dashes: []vg.Length{1, 2}}, c.Min.X, at, c.Max.X, at)
	}
}

// remark writes its text into the middle of an empty panel.
type remark struct{ text string }

func (r remark) draw(c draw.Canvas, _, _ scale) {
	sty := labelText
	sty.Color = grey
	step := 1.3 * sty.Font.Size
	lines := fit(sty, r.text, 0.9*(c.Max.X-c.Min.X))
	y := c.Center().Y + step*vg.Length(len(lines)-1)/2
	for _, l := range lines {
		handler.line(c, l, sty, vg.Point{X: c.Center().X - sty.Width(l)/2, Y: y})
		y -= step
	}
}

const (
	thinAbove = 2000 // points of a line that are drawn as they are
	thinBins  = 600  // columns that a longer line is reduced to
)

// placeLine returns the points of a polyline that have a place on the axes,
// and whether any was moved to the floor of the y axis. The points of a long
// line are thinned: in each of thinBins columns only the first, the lowest,
// the highest and the last remain, which look the same.
func placeLine(l polyline, sx, sy scale) (points []point, clipped bool) {
	for i := range l.x {
		x, moved, ok := sx.place(l.x[i])
		y, c, okY := sy.place(l.y[i])
		if !ok || moved || !okY {
			continue
		}
		clipped = clipped || c
		points = append(points, point{x, y})
	}
	if len(points) <= thinAbove {
		return points, clipped
	}
	var thinned []point
	for _, bin := range columns(points, sx) {
		lo, hi := 0, 0
		for i, q := range bin {
			if q.y < bin[lo].y {
				lo = i
			}
			if q.y > bin[hi].y {
				hi = i
			}
		}
		last := -1
		for _, i := range []int{0, min(lo, hi), max(lo, hi), len(bin) - 1} {
			if i > last {
				thinned = append(thinned, bin[i])
				last = i
			}
		}
	}
	return thinned, clipped
}

// columns cuts points, in order of x, into stretches that share a column.
func columns(points []point, sx scale) [][]point {
	column := func(q point) int {
		return int(math.Floor(thinBins * sx.norm(q.x)))
	}
	var bins [][]point
	start := 0
	for i := 1; i <= len(points); i++ {
		if i == len(points) || column(points[i]) != column(points[start]) {
			bins = append(bins, points[start:i])
			start = i
		}
	}
	return bins
}

// placeBand is placeLine for the two edges of a band.
func placeBand(x, lo, hi []float64, sx, sy scale) (below, above []point, clipped bool) {
	for i := range x {
		u, moved, ok := sx.place(x[i])
		a, ca, okA := sy.place(lo[i])
		b, cb, okB := sy.place(hi[i])
		if !ok || moved || !okA || !okB {
			continue
		}
		clipped = clipped || ca || cb
		below, above = append(below, point{u, a}), append(above, point{u, b})
	}
	if len(below) <= thinAbove {
		return below, above, clipped
	}
	var thinBelow, thinAboveEdge []point
	start := 0
	for _, bin := range columns(below, sx) {
		a, b := below[start], above[start]
		for i := range bin {
			a.y = math.Min(a.y, below[start+i].y)
			b.y = math.Max(b.y, above[start+i].y)
		}
		start += len(bin)
		thinBelow, thinAboveEdge = append(thinBelow, a), append(thinAboveEdge, b)
	}
	return thinBelow, thinAboveEdge, clipped
}
