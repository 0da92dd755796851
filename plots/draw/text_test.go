package draw

import (
	"slices"
	"strings"
	"testing"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// glue makes the spaces of s such that lines are not broken there.
func glue(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }

func TestWrap(t *testing.T) {
	t.Parallel()
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

func TestFit(t *testing.T) {
	t.Parallel()
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

func TestLegendFitsItsWidth(t *testing.T) {
	t.Parallel()
	var l legend
	for i := range 9 {
		l = append(l, plots.ChartKey{Label: plots.Text(strings.Repeat("name ", 1+7*i) + "σ^{2}"), Style: plots.Style{Color: "#000000", Width: 1}})
		for _, width := range []vg.Length{90, 180, 360, 720} {
			var tr recorder.Canvas
			h := l.height(width)
			l.draw(vgdraw.NewCanvas(&tr, width, h))
			for _, action := range tr.Actions {
				b, ok := action.(*recorder.FillString)
				if !ok {
					continue
				}
				if w := legendText.Width(b.String); b.Point.X < 0 || b.Point.X+w > width+0.01 || b.Point.Y < 0 || b.Point.Y+b.Size > h {
					t.Fatalf("width %g, %d entries: %q lies at %v", width, len(l), b.String, b.Point)
				}
			}
			if ink := inkOf(&tr); ink.Min.X < 0 {
				t.Errorf("width %g, %d entries: a swatch begins at %g", width, len(l), ink.Min.X)
			}
		}
	}
}

func TestRemarksAreNotAsLoudAsTheAlarm(t *testing.T) {
	t.Parallel()
	if remarkText.Font.Size >= alarmText.Font.Size || remarkText.Color == alarmText.Color {
		t.Error("remarks are as loud as the stand-in mark")
	}
}
