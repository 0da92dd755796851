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
	plots.EncodeSVG = draw.SVG
	plots.EncodeFiles = func(c *plots.Chart) (map[string][]byte, error) {
		files, err := draw.Files(c)
		encoded := make(map[string][]byte)
		for _, f := range files {
			encoded[f.Ext] = f.Data
		}
		return encoded, err
	}
	plots.DrawSheet = func(c *plots.Chart, canvas func(width, height vg.Length) vgdraw.Canvas) {
		s, err := draw.NewSheet(c)
		if err != nil {
			panic(err)
		}
		s.Draw(canvas(s.Width, s.Height))
	}
	m.Run()
}
