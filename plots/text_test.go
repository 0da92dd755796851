package plots

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"stochopt/results/analysis"
	"stochopt/results/record"

	"gonum.org/v1/plot/vg"
)

func TestParseRuns(t *testing.T) {
	sup := func(s string) run { return run{s, superscript.size, superscript.shift} }
	sub := func(s string) run { return run{s, subscript.size, subscript.shift} }
	for in, want := range map[string][]run{
		"":                  nil,
		"plain_text ^ here": {{text: "plain_text ^ here", size: 1}},
		"10^{−3}":           {{text: "10", size: 1}, sup("−3")},
		"Σ (k′_{t})^{2} x":  {{text: "Σ (k′", size: 1}, sub("t"), {text: ")", size: 1}, sup("2"), {text: " x", size: 1}},
		"open^{no end":      {{text: "open^{no end", size: 1}},
		"a_b_{c}":           {{text: "a_b", size: 1}, sub("c")},
		"^{first}":          {sup("first")},
	} {
		if got := parseRuns(in); !reflect.DeepEqual(got, want) {
			t.Errorf("parseRuns(%q) = %+v, want %+v", in, got, want)
		}
	}
	for in, want := range map[string]string{"10^{−3} (k′_{t})^{2}": "10⁻³ (k′ₜ)²", "c_{i} x^{T}": "cᵢ xT", "a_b": "a_b"} {
		if got := plainText(in); got != want {
			t.Errorf("plainText(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	s := "one two three " + glue("four five") + " six"
	for width := 10; width < 200; width += 7 {
		got := wrap(labelText, s, vg.Length(width))
		if strings.Join(got, " ") != unglue(s) {
			t.Fatalf("width %d: %q lost text", width, got)
		}
		if slices.ContainsFunc(got, func(l string) bool { return strings.HasSuffix(l, "four") }) {
			t.Errorf("width %d: broke glued words: %q", width, got)
		}
		for _, l := range got {
			if labelText.Width(l) > vg.Length(width) && strings.Contains(l, " ") && l != "four five" {
				t.Errorf("width %d: line %q is too wide", width, l)
			}
		}
	}
	if got := wrap(labelText, "a\nb", 1000); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("newlines: %q", got)
	}
}

// The labels of axes must not show the box that stands for a missing glyph.
func TestFontHasAllGlyphs(t *testing.T) {
	texts := []string{"10^{−3}", "·", "0123456789", "–±×"}
	names := []string{record.CostSeconds, record.CostKernelEvalsComputed, analysis.Spectrum}
	for _, task := range []string{record.TaskPCA, record.TaskSVM, record.TaskSparse, record.TaskLoss} {
		names = slices.Concat(names, analysis.TaskMetrics(task), analysis.TaskCosts(task))
	}
	for _, name := range names {
		texts = append(texts, axisLabel(name))
	}
	for _, sty := range []struct{ bold bool }{{false}, {true}} {
		face := handler.Fonts.Lookup(sans(9, sty.bold, ink).Font, 9)
		for _, s := range texts {
			for _, piece := range parseRuns(s) {
				for _, r := range piece.text {
					if i, err := face.Face.GlyphIndex(nil, r); err != nil || i == 0 {
						t.Errorf("no glyph for %q in %q (bold %v)", r, s, sty.bold)
					}
				}
			}
		}
	}
}
