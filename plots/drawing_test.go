package plots_test

import (
	"runtime/debug"
	"testing"

	"stochopt/plots"
	"stochopt/plots/draw"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	plots.EncodeSVG, plots.SaveFiles = draw.SVG, draw.Save
	plots.DrawSheet = func(c *plots.Chart, canvas func(width, height vg.Length) vgdraw.Canvas) {
		s := draw.NewSheet(c)
		s.Draw(canvas(s.Width, s.Height))
	}
	m.Run()
}
