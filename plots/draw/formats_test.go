package draw

import (
	"bytes"
	"path/filepath"
	"testing"

	"stochopt/plots"
)

// A full or missing temporary folder does not keep a PDF from being made.
func TestPDFNeedsNoTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	chart := &plots.Chart{ID: "f", Title: "Größe of k'ₜ", Panels: [][]*plots.ChartPanel{{{
		Title: "bold and plain", X: plots.ChartAxis{Max: 1}, Y: plots.ChartAxis{Max: 1},
	}}}}
	pdf, err := encodePDF(NewSheet(chart))
	if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Errorf("%.20q, %v", pdf, err)
	}
}
