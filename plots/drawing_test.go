package plots_test

import (
	"testing"

	"stochopt/plots"
	"stochopt/plots/draw"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

func TestMain(m *testing.M) {
	plots.EncodeSVG, plots.SaveFiles = draw.SVG, draw.Save
	plots.DrawSheet = func(c *plots.Chart, canvas func(width, height vg.Length) vgdraw.Canvas) {
		s := draw.NewSheet(c)
		s.Draw(canvas(s.Width, s.Height))
	}
	m.Run()
}
