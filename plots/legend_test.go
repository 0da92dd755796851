package plots

import (
	"strings"
	"testing"

	"stochopt/results/record"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// renamed gives series and data sets other names.
func renamed(runs []record.Run, name func(string) string) []record.Run {
	for i := range runs {
		runs[i].Series, runs[i].Dataset = name(runs[i].Series), name(runs[i].Dataset)
	}
	return runs
}

func TestLongNamesStayOnThePage(t *testing.T) {
	for name, long := range map[string]func(string) string{
		"words":  func(s string) string { return s + strings.Repeat(" with a step size of its own", 12) },
		"a word": func(s string) string { return s + strings.Repeat("-very-long", 40) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, fig := range []Figure{
				{ID: "legend", Panel: Panel{Log: []string{"y"}, Where: map[string]any{"k": 1}}},
				{ID: "colour", Panel: Panel{Y: "rank", Where: map[string]any{"k": 4}}, Color: "dataset"},
				{ID: "facet", Panel: Panel{Where: map[string]any{"k": 4}}, Facet: Facet{Rows: "series", Cols: "dataset"}},
				{ID: "none", Panel: Panel{Series: []string{long("x")}}},
			} {
				tr := checkLayout(t, fig, Input{Runs: renamed(realData(1, true), long)})
				all := ""
				for _, b := range tr.texts {
					all += b.text
				}
				squeezed := strings.ReplaceAll(all, " ", "")
				name := "mnist"
				if fig.ID == "none" {
					name = "x"
				}
				if want := strings.ReplaceAll(long(name), " ", ""); !strings.Contains(squeezed, want) {
					t.Errorf("%s: the name is cut short", fig.ID)
				}
			}
		})
	}
}

func TestLegendFitsItsWidth(t *testing.T) {
	var l legend
	for i := range 9 {
		l = append(l, legendEntry{label: strings.Repeat("name ", 1+7*i) + "σ^{2}", style: Style{Width: 1}})
		for _, width := range []vg.Length{90, 180, 360, 720} {
			tr := &trace{at: affine{a: 1, d: 1}}
			h := l.height(width)
			l.draw(draw.NewCanvas(tr, width, h))
			for _, b := range tr.texts {
				if b.Min.X < 0 || b.Max.X > width+0.01 || b.Min.Y < 0 || b.Max.Y > h {
					t.Fatalf("width %g, %d entries: %q lies at %v", width, len(l), b.text, b.Rectangle)
				}
			}
			if tr.paths.Min.X < 0 {
				t.Errorf("width %g, %d entries: a swatch begins at %g", width, len(l), tr.paths.Min.X)
			}
		}
	}
}

func TestFit(t *testing.T) {
	s := "one " + glue("two three four") + " abcdefghijklmnopqrstuvwxyz 10^{−13} k′_{t}"
	for width := vg.Length(40); width < 200; width += 7 {
		got := fit(labelText, s, width)
		squeeze := func(s string) string { return strings.ReplaceAll(unglue(s), " ", "") }
		if squeeze(strings.Join(got, "")) != squeeze(s) {
			t.Fatalf("width %g: %q lost text", width, got)
		}
		for _, l := range got {
			if labelText.Width(l) > width || strings.Count(l, "{") != strings.Count(l, "}") {
				t.Errorf("width %g: bad line %q", width, l)
			}
		}
	}
}
