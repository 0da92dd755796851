package plots

import (
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// What draws charts is package draw, which imports this one; the external tests of this
// folder set it.
var (
	EncodeSVG func(*Chart) ([]byte, error)
	SaveFiles func(c *Chart, dir, folder string) ([]string, error)
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

// drawn returns a chart and its files by extension, the SVG file alone unless others are
// asked for.
func drawn(t *testing.T, fig Figure, in Input, exts ...string) (*Chart, map[string][]byte) {
	t.Helper()
	c := composed(t, fig, in)
	if len(exts) == 1 && exts[0] == "svg" {
		svg, err := EncodeSVG(c)
		if err != nil {
			t.Fatal(err)
		}
		return c, map[string][]byte{"svg": svg}
	}
	files, err := filesOf(c)
	if err != nil {
		t.Fatal(err)
	}
	return c, files
}

// filesOf returns the files that a chart is saved as by extension.
func filesOf(c *Chart) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "plots-test-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	names, err := SaveFiles(c, dir, "")
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, name := range names {
		if files[filepath.Ext(name)[1:]], err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	return files, nil
}
