package plots

import (
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

var testFonts = font.NewCache(liberation.Collection())

// textBox is a drawn text with its bounding box.
type textBox struct {
	vg.Rectangle
	text string
}

// bounds returns the bounding box of a text. rotated texts run upwards.
func bounds(a *recorder.FillString, offset vg.Point, rotated bool) vg.Rectangle {
	face := testFonts.Lookup(a.Font, a.Size)
	width := face.Width(a.String)
	lo := vg.Point{X: a.Point.X, Y: a.Point.Y - 0.2*a.Size}
	hi := vg.Point{X: a.Point.X + width, Y: a.Point.Y + 0.75*a.Size}
	if rotated {
		lo, hi = vg.Point{X: -hi.Y, Y: lo.X}, vg.Point{X: -lo.Y, Y: hi.X}
	}
	return vg.Rectangle{Min: lo.Add(offset), Max: hi.Add(offset)}
}

// checkLayout draws a chart and fails if a text or a line leaves the page, or if texts overlap. It returns the texts.
func checkLayout(t *testing.T, c *Chart) (texts []textBox) {
	t.Helper()
	var page vg.Rectangle
	var canvas recorder.Canvas
	DrawSheet(c, func(width, height vg.Length) draw.Canvas {
		page.Max = vg.Point{X: width, Y: height}
		return draw.NewCanvas(&canvas, width, height)
	})
	inside := func(r vg.Rectangle) bool { // false for NaN, too
		return r.Min.X >= page.Min.X && r.Min.Y >= page.Min.Y && r.Max.X <= page.Max.X && r.Max.Y <= page.Max.Y
	}
	checkPath := func(p vg.Path) {
		for _, part := range p {
			if part.Type != vg.CloseComp && !inside(vg.Rectangle{Min: part.Pos, Max: part.Pos}) {
				t.Errorf("%s: a line leaves the page %v at %v", c.ID, page, part.Pos)
			}
		}
	}
	var offset vg.Point
	rotated := false
	for _, action := range canvas.Actions {
		switch a := action.(type) {
		case *recorder.Translate:
			offset = a.Point
		case *recorder.Rotate:
			rotated = true
		case *recorder.Pop:
			offset, rotated = vg.Point{}, false
		case *recorder.Stroke:
			checkPath(a.Path)
		case *recorder.Fill:
			checkPath(a.Path)
		case *recorder.FillString:
			texts = append(texts, textBox{bounds(a, offset, rotated), a.String})
		}
	}
	const slack = 0.6 // points; superscripts touch the text that they belong to
	for i, b := range texts {
		if !inside(b.Rectangle) {
			t.Errorf("%s: %q is at %v, outside the page %v", c.ID, b.text, b.Rectangle, page)
		}
		for _, o := range texts[:i] {
			if b.Min.X+slack < o.Max.X && o.Min.X+slack < b.Max.X && b.Min.Y+slack < o.Max.Y && o.Min.Y+slack < b.Max.Y {
				t.Errorf("%s: %q at %v and %q at %v overlap", c.ID, b.text, b.Rectangle, o.text, o.Rectangle)
			}
		}
	}
	return texts
}
