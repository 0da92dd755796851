package plots

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"stochopt/results/record"
)

// What is written around the panels is in the chart too, and the legend is the same.
func TestChartHasTheTextsAndTheLegend(t *testing.T) {
	for name, s := range charted() {
		c, err := Compose(s.fig, s.in)
		if err != nil {
			t.Fatal(err)
		}
		ch := c.Chart()
		if ch.Caption != c.Drawn().Caption || ch.Title == "" {
			t.Errorf("%s: title %q, caption %q", name, ch.Title, ch.Caption)
		}
		if got := len(ch.Alarms) > 0; got != strings.Contains(ch.Caption, "STAND-IN") {
			t.Errorf("%s: alarms %q, caption %q", name, ch.Alarms, ch.Caption)
		}
		var keys, legend []string
		for _, k := range ch.Keys {
			keys = append(keys, k.Label)
			if !slices.ContainsFunc(glyphNames, func(g namedGlyph) bool { return g.name == k.Glyph }) {
				t.Errorf("%s: %s has the glyph %q", name, k.Key, k.Glyph)
			}
		}
		for _, e := range c.sheet.legend {
			if strings.HasSuffix(e.label, ", after the first epoch") {
				continue
			}
			legend = append(legend, plainText(e.label))
			if i := len(legend) - 1; i < len(ch.Keys) {
				k := ch.Keys[i]
				var dash []float64
				for _, d := range e.style.Dashes {
					dash = append(dash, float64(d))
				}
				if k.Color != htmlColor(e.style.Color) || !slices.Equal(k.Dash, dash) || k.Width != float64(e.style.Width) {
					t.Errorf("%s: key %+v, drawn as %+v", name, k, e.style)
				}
			}
		}
		if !slices.Equal(keys, legend) {
			t.Errorf("%s: keys %q, legend %q", name, keys, legend)
		}
		for i, row := range c.sheet.frames {
			for j, f := range row {
				p := ch.Panels[i][j]
				if p.Title != unglue(plainText(f.title)) || p.X.Label == "" || p.Y.Label == "" || strings.ContainsAny(p.X.Label+p.Y.Label, "{}") {
					t.Errorf("%s: panel %q of axes %q and %q, drawn as %q", name, p.Title, p.X.Label, p.Y.Label, f.title)
				}
				if p.StandIn != strings.HasSuffix(f.title, "stand-in data") {
					t.Errorf("%s: stand-in %v, drawn as %q", name, p.StandIn, f.title)
				}
				percent := slices.ContainsFunc(f.y.ticks(), func(k tick) bool { return strings.HasSuffix(k.label, " %") })
				if p.Y.Percent != percent || p.X.Percent {
					t.Errorf("%s: percent %v and %v, drawn %v", name, p.X.Percent, p.Y.Percent, percent)
				}
				if empty := len(c.contents[i][j].curves) == 0; empty != (p.Empty != "" && len(p.Curves) == 0) {
					t.Errorf("%s: panel %q is empty: %v, and says %q", name, p.Title, empty, p.Empty)
				}
			}
		}
	}
}

func TestChartOfFunctionsIsCutAtJumps(t *testing.T) {
	ch, err := makeChart(figLosses, Input{Runs: functionRuns()})
	if err != nil {
		t.Fatal(err)
	}
	pieces := make(map[string]int)
	for _, cv := range ch.Panels[0][0].Curves {
		pieces[cv.Key]++
		if math.Abs(cv.Y[0]-cv.Y[len(cv.Y)-1]) > 0.99 && cv.Key == "0/1 loss" {
			t.Errorf("the 0/1 loss has a piece from %v to %v", cv.Y[0], cv.Y[len(cv.Y)-1])
		}
	}
	if want := map[string]int{"0/1 loss": 2, "Hinge loss": 1, "ψ": 1}; !maps.Equal(pieces, want) {
		t.Errorf("pieces %v, want %v", pieces, want)
	}
	for _, fig := range []Figure{figWater, figBias} {
		ch, err := makeChart(fig, Input{Runs: []record.Run{waterRun(fig.ID == "fig-bias")}})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range ch.Panels {
			for _, p := range row {
				if !p.Static {
					t.Errorf("%s: the panel %q is not static", fig.ID, p.Title)
				}
			}
		}
	}
}
