package draw

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

var usual = newTypography(plots.Appearance{})

func TestFit(t *testing.T) {
	t.Parallel()
	s := "one two three four abcdefghijklmnopqrstuvwxyz 10⁻¹³ k′ₜ"
	for width := vg.Length(40); width < 200; width += 7 {
		got := usual.label.fit(s, width)
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if squeeze(strings.Join(got, "")) != squeeze(s) {
			t.Fatalf("width %g: %q lost text", width, got)
		}
		for _, l := range got {
			if usual.label.width(l) > width {
				t.Errorf("width %g: bad line %q", width, l)
			}
		}
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	up := func(s string) span { return span{s, shiftedSize, superscriptUp} }
	down := func(s string) span { return span{s, shiftedSize, subscriptUp} }
	plain := func(s string) span { return span{s, 1, 0} }
	for in, want := range map[string][]span{
		"": nil, "plain_text ^ here": {plain("plain_text ^ here")}, "10⁻³": {plain("10"), up("−3")},
		"Σ (k′ₜ)² x": {plain("Σ (k′"), down("t"), plain(")"), up("2"), plain(" x")},
	} {
		if got := spans(in); !slices.Equal(got, want) {
			t.Errorf("spans of %q = %+v, want %+v", in, got, want)
		}
	}
}

// The labels of axes must not show the box that stands for a missing glyph.
func TestFontHasAllGlyphs(t *testing.T) {
	t.Parallel()
	texts := []string{"10⁻³", "·", "0123456789", "–±×"}
	names := []string{record.CostSeconds, observe.Spectrum}
	for _, task := range []string{record.TaskPCA, record.TaskSVM, record.TaskSparse, record.TaskLoss} {
		names = slices.Concat(names, observe.TaskMetrics(task), observe.TaskCosts(task))
	}
	for _, name := range names {
		texts = append(texts, observe.Label(name))
	}
	for _, sty := range []style{usual.label, usual.title} {
		face := fonts.Lookup(sty.Font, 9)
		for _, s := range texts {
			for _, piece := range spans(s) {
				for _, r := range piece.text {
					if i, err := face.Face.GlyphIndex(nil, r); err != nil || i == 0 {
						t.Errorf("no glyph for %q in %q (%v)", r, s, sty.Font)
					}
				}
			}
		}
	}
}

func TestLegendFitsItsWidth(t *testing.T) {
	t.Parallel()
	var keys []plots.ChartKey
	for i := range 9 {
		keys = append(keys, plots.ChartKey{Label: strings.Repeat("name ", 1+7*i) + "σ²", Style: plots.Style{Color: "#000000", Width: 1}})
		for _, width := range []vg.Length{90, 180, 360, 720} {
			var tr recorder.Canvas
			l := usual.newLegend(keys, "")
			width = max(width, l.column)
			l = l.within(width)
			h := l.height()
			l.draw(vgdraw.NewCanvas(&tr, width, h))
			for _, action := range tr.Actions {
				b, ok := action.(*recorder.FillString)
				if !ok {
					continue
				}
				if w := usual.label.width(b.String) * b.Size / usual.label.Size; b.Point.X < 0 || b.Point.X+w > width+0.01 || b.Point.Y < 0 || b.Point.Y+b.Size > h {
					t.Fatalf("width %g, %d entries: %q lies at %v", width, len(keys), b.String, b.Point)
				}
			}
			if ink := inkOf(&tr); ink.Min.X < 0 {
				t.Errorf("width %g, %d entries: a swatch begins at %g", width, len(keys), ink.Min.X)
			}
		}
	}
}

// A full or missing temporary folder does not keep a PDF from being made.
func TestPDFNeedsNoTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	chart := &plots.Chart{ID: "f", Title: "Größe of k'ₜ", Panels: [][]*plots.ChartPanel{{{
		Title: "bold and plain", X: plots.ChartAxis{Max: 1}, Y: plots.ChartAxis{Max: 1},
	}}}}
	sheet, err := NewSheet(chart)
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := encodePDF(sheet)
	if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Errorf("%.20q, %v", pdf, err)
	}
}
