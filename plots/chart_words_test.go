package plots

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// small replaces superscripts and subscripts by the characters that are drawn for them.
var small = strings.NewReplacer("⁻", "−", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "ₜ", "t", "ᵢ", "i")

// What is drawn around the panels is what the chart says, and so is the legend.
func TestChartHasTheTextsAndTheLegend(t *testing.T) {
	t.Parallel()
	glyphs := []string{GlyphDisc, GlyphRing, GlyphBox, GlyphSquare, GlyphPyramid, GlyphTriangle, GlyphPlus, GlyphCross}
	for name, s := range charted() {
		ch := must(t, s.chart)
		svg := must(t, s.svg)
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s: a number of the file is not finite", name)
		}
		all := strings.Join(texts(t, svg), "")
		said := func(text string) bool {
			return strings.Contains(strings.ReplaceAll(all, " ", ""), strings.ReplaceAll(small.Replace(text), " ", ""))
		}
		if ch.Title == "" || !said(ch.Title) || !said(ch.Detail) {
			t.Errorf("%s: title %q, caption %q", name, ch.Title, ch.Caption)
		}
		for _, text := range slices.Concat(ch.Alarms, ch.Remarks, ch.Notes) {
			if !said(text) {
				t.Errorf("%s: %q is not written", name, text)
			}
		}
		for _, k := range ch.Keys {
			if !slices.Contains(glyphs, k.Glyph) || !said(k.Label) {
				t.Errorf("%s: %s has the glyph %q, and is in the legend: %v", name, k.Key, k.Glyph, said(k.Label))
			}
		}
		for _, p := range slices.Concat(ch.Panels...) {
			if !said(p.Title) || !said(p.X.Label) || !said(p.Y.Label) || p.X.Label == "" || p.Y.Label == "" {
				t.Errorf("%s: panel %q of axes %q and %q", name, p.Title, p.X.Label, p.Y.Label)
			}
			if p.StandIn != strings.HasSuffix(p.Title, "stand-in data") {
				t.Errorf("%s: stand-in %v, drawn as %q", name, p.StandIn, p.Title)
			}
			percent := slices.ContainsFunc(p.Y.Ticks(), func(k Tick) bool { return strings.HasSuffix(string(k.Label), " %") })
			if p.Y.Percent != percent || p.X.Percent {
				t.Errorf("%s: percent %v and %v, drawn %v", name, p.X.Percent, p.Y.Percent, percent)
			}
			if empty := p.Empty != ""; empty != (len(p.Curves) == 0) || !said(p.Empty) {
				t.Errorf("%s: panel %q has %d curves, and says %q", name, p.Title, len(p.Curves), p.Empty)
			}
		}
	}
}
