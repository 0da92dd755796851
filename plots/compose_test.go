package plots

import (
	"testing"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// What draws charts is package draw, which imports this one; the external tests of this
// folder set it.
var (
	EncodeSVG func(*Chart) ([]byte, error)
	// EncodeFiles returns the files of a chart by extension.
	EncodeFiles func(*Chart) (map[string][]byte, error)
	// DrawSheet draws on the canvas that is made for the size it needs.
	DrawSheet func(c *Chart, canvas func(width, height vg.Length) vgdraw.Canvas)
)

// composed lays a figure out.
func composed(t *testing.T, fig Figure, in Input) *Chart {
	t.Helper()
	c, err := Compose(fig, in)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drawn returns a chart and its SVG file.
func drawn(t *testing.T, fig Figure, in Input) (*Chart, []byte) {
	t.Helper()
	c := composed(t, fig, in)
	svg, err := EncodeSVG(c)
	if err != nil {
		t.Fatal(err)
	}
	return c, svg
}
