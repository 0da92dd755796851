package draw

import (
	"strings"
	"testing"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

func TestFit(t *testing.T) {
	t.Parallel()
	s := "one two three four abcdefghijklmnopqrstuvwxyz 10^{−13} k′_{t}"
	for width := vg.Length(40); width < 200; width += 7 {
		got := labelText.fit(s, width)
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if squeeze(strings.Join(got, "")) != squeeze(s) {
			t.Fatalf("width %g: %q lost text", width, got)
		}
		for _, l := range got {
			if labelText.width(l) > width || strings.Count(l, "{") != strings.Count(l, "}") {
				t.Errorf("width %g: bad line %q", width, l)
			}
		}
	}
}

func TestLegendFitsItsWidth(t *testing.T) {
	t.Parallel()
	var keys []plots.ChartKey
	for i := range 9 {
		keys = append(keys, plots.ChartKey{Label: plots.Text(strings.Repeat("name ", 1+7*i) + "σ^{2}"), Style: plots.Style{Color: "#000000", Width: 1}})
		for _, width := range []vg.Length{90, 180, 360, 720} {
			var tr recorder.Canvas
			l := newLegend(keys)
			width = max(width, l.column)
			l = l.within(width)
			h := l.height()
			l.draw(vgdraw.NewCanvas(&tr, width, h))
			for _, action := range tr.Actions {
				b, ok := action.(*recorder.FillString)
				if !ok {
					continue
				}
				if w := legendText.width(b.String) * b.Size / legendText.Size; b.Point.X < 0 || b.Point.X+w > width+0.01 || b.Point.Y < 0 || b.Point.Y+b.Size > h {
					t.Fatalf("width %g, %d entries: %q lies at %v", width, len(keys), b.String, b.Point)
				}
			}
			if ink := inkOf(&tr); ink.Min.X < 0 {
				t.Errorf("width %g, %d entries: a swatch begins at %g", width, len(keys), ink.Min.X)
			}
		}
	}
}

func TestRemarksAreNotAsLoudAsTheAlarm(t *testing.T) {
	t.Parallel()
	if remarkText.Size >= alarmText.Size || remarkText.color == alarmText.color {
		t.Error("remarks are as loud as the stand-in mark")
	}
}
