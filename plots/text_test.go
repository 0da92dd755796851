package plots

import (
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

func TestSpans(t *testing.T) {
	t.Parallel()
	sup := func(s string) Span { return Span{s, 1} }
	sub := func(s string) Span { return Span{s, -1} }
	for in, want := range map[string][]Span{
		"":                  nil,
		"plain_text ^ here": {{Text: "plain_text ^ here"}},
		"10^{−3}":           {{Text: "10"}, sup("−3")},
		"Σ (k′_{t})^{2} x":  {{Text: "Σ (k′"}, sub("t"), {Text: ")"}, sup("2"), {Text: " x"}},
		"open^{no end":      {{Text: "open^{no end"}},
		"a_b_{c}":           {{Text: "a_b"}, sub("c")},
		"^{first}":          {sup("first")},
	} {
		if got := Text(in).Spans(); !reflect.DeepEqual(got, want) {
			t.Errorf("spans of %q = %+v, want %+v", in, got, want)
		}
	}
	for in, want := range map[string]string{"10^{−3} (k′_{t})^{2}": "10⁻³ (k′ₜ)²", "c_{i} x^{T}": "cᵢ xT", "a_b": "a_b"} {
		if got := plainText(in); got != want {
			t.Errorf("plainText(%q) = %q, want %q", in, got, want)
		}
	}
}

// The labels of axes must not show the box that stands for a missing glyph.
func TestFontHasAllGlyphs(t *testing.T) {
	t.Parallel()
	texts := []string{"10^{−3}", "·", "0123456789", "–±×"}
	names := []string{record.CostSeconds, observe.Spectrum}
	for _, task := range []string{record.TaskPCA, record.TaskSVM, record.TaskSparse, record.TaskLoss} {
		names = slices.Concat(names, observe.TaskMetrics(task), observe.TaskCosts(task))
	}
	for _, name := range names {
		texts = append(texts, observe.Label(name))
	}
	fonts := font.NewCache(liberation.Collection())
	for _, sty := range []struct{ bold bool }{{false}, {true}} {
		fnt := font.Font{Typeface: "Liberation", Variant: "Sans", Size: 9}
		if sty.bold {
			fnt.Weight = xfont.WeightBold
		}
		face := fonts.Lookup(fnt, 9)
		for _, s := range texts {
			for _, piece := range Text(s).Spans() {
				for _, r := range piece.Text {
					if i, err := face.Face.GlyphIndex(nil, r); err != nil || i == 0 {
						t.Errorf("no glyph for %q in %q (bold %v)", r, s, sty.bold)
					}
				}
			}
		}
	}
}
