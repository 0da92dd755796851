package plots

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// trace is a canvas that notes where text and paths go.
type trace struct {
	at    affine
	stack []affine
	texts []box
	// paths bounds all strokes and fills.
	paths vg.Rectangle
	// page is that of a whole figure.
	page vg.Rectangle
	bad  []string
}

type affine struct{ a, b, c, d, x, y float64 }

func (m affine) apply(p vg.Point) vg.Point {
	return vg.Point{
		X: vg.Length(m.a*float64(p.X) + m.c*float64(p.Y) + m.x),
		Y: vg.Length(m.b*float64(p.X) + m.d*float64(p.Y) + m.y),
	}
}

type box struct {
	vg.Rectangle
	text string
}

var _ vg.Canvas = (*trace)(nil)

func (t *trace) SetLineWidth(vg.Length)             {}
func (t *trace) SetLineDash([]vg.Length, vg.Length) {}
func (t *trace) SetColor(color.Color)               {}
func (t *trace) DrawImage(vg.Rectangle, image.Image) {
	t.bad = append(t.bad, "an image was drawn")
}

func (t *trace) Push() { t.stack = append(t.stack, t.at) }

func (t *trace) Pop() {
	t.at = t.stack[len(t.stack)-1]
	t.stack = t.stack[:len(t.stack)-1]
}

func (t *trace) Translate(p vg.Point) {
	q := t.at.apply(p)
	t.at.x, t.at.y = float64(q.X), float64(q.Y)
}

func (t *trace) Scale(x, y float64) {
	t.at.a, t.at.b, t.at.c, t.at.d = t.at.a*x, t.at.b*x, t.at.c*y, t.at.d*y
}

func (t *trace) Rotate(r float64) {
	sin, cos := math.Sincos(r)
	m := t.at
	t.at.a, t.at.b = m.a*cos+m.c*sin, m.b*cos+m.d*sin
	t.at.c, t.at.d = m.c*cos-m.a*sin, m.d*cos-m.b*sin
}

func (t *trace) Stroke(p vg.Path) { t.path(p) }
func (t *trace) Fill(p vg.Path)   { t.path(p) }

func (t *trace) path(p vg.Path) {
	for _, c := range p {
		q := t.at.apply(c.Pos)
		if c.Type == vg.CloseComp {
			continue
		}
		if math.IsNaN(float64(q.X+q.Y)) || math.IsInf(float64(q.X+q.Y), 0) {
			t.bad = append(t.bad, "a path is not finite")
		}
		t.paths = vg.Rectangle{
			Min: vg.Point{X: min(t.paths.Min.X, q.X), Y: min(t.paths.Min.Y, q.Y)},
			Max: vg.Point{X: max(t.paths.Max.X, q.X), Y: max(t.paths.Max.Y, q.Y)},
		}
	}
}

func (t *trace) FillString(f font.Face, p vg.Point, s string) {
	w, h := f.Width(s), f.Font.Size
	a, b := t.at.apply(vg.Point{X: p.X, Y: p.Y - 0.2*h}), t.at.apply(vg.Point{X: p.X + w, Y: p.Y + 0.75*h})
	t.texts = append(t.texts, box{vg.Rectangle{
		Min: vg.Point{X: min(a.X, b.X), Y: min(a.Y, b.Y)},
		Max: vg.Point{X: max(a.X, b.X), Y: max(a.Y, b.Y)},
	}, s})
}

// checkLayout draws a figure and fails if text lies outside the page or on
// other text, or a line leaves the page.
func checkLayout(t *testing.T, c *Chart) *trace {
	t.Helper()
	tr := &trace{at: affine{a: 1, d: 1}}
	DrawSheet(c, func(width, height vg.Length) draw.Canvas {
		tr.page.Max = vg.Point{X: width, Y: height}
		return draw.NewCanvas(tr, width, height)
	})
	for _, b := range tr.bad {
		t.Errorf("%s: %s", c.ID, b)
	}
	if len(tr.stack) != 0 {
		t.Errorf("%s: %d pushes without pop", c.ID, len(tr.stack))
	}
	page := tr.page
	inside := func(r vg.Rectangle) bool {
		return r.Min.X >= page.Min.X && r.Min.Y >= page.Min.Y && r.Max.X <= page.Max.X && r.Max.Y <= page.Max.Y
	}
	if !inside(tr.paths) {
		t.Errorf("%s: lines leave the page: %v on %v", c.ID, tr.paths, page)
	}
	const slack = 0.6 // points; superscripts touch what they belong to
	for i, b := range tr.texts {
		if !inside(b.Rectangle) {
			t.Errorf("%s: %q lies at %v, outside the page %v", c.ID, b.text, b.Rectangle, page)
		}
		for _, o := range tr.texts[:i] {
			if b.Min.X+slack < o.Max.X && o.Min.X+slack < b.Max.X && b.Min.Y+slack < o.Max.Y && o.Min.Y+slack < b.Max.Y {
				t.Errorf("%s: %q and %q overlap: %s", c.ID, b.text, o.text, fmt.Sprint(b.Rectangle, o.Rectangle))
			}
		}
	}
	return tr
}
