package draw

import (
	"slices"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/plots"

	"gonum.org/v1/plot/vg"
)

var usual = newTypography(plots.Appearance{})

func TestWrap(t *testing.T) {
	t.Parallel()
	s := "one two three four abcdefghijklmnopqrstuvwxyz 10⁻¹³ k′ₜ"
	for width := vg.Length(40); width < 200; width += 7 {
		got := usual.label.wrap(s, width)
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if squeeze(strings.Join(got, "")) != squeeze(s) {
			t.Fatalf("width %g: %q lacks text", width, got)
		}
		for _, l := range got {
			if usual.label.width(l) > width {
				t.Errorf("width %g: the line %q is too wide", width, l)
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

// The labels of axes must not show the box for a missing glyph.
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
	for _, sty := range []textStyle{usual.label, usual.title} {
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
