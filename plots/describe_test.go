package plots

import "testing"

func TestDescribe(t *testing.T) {
	axis := ChartAxis{Label: "iterations", Log: true}
	c := &Chart{
		Keys: []ChartKey{{Key: "a", Label: "Fast"}, {Key: "b", Label: "Slow"}},
		Panels: [][]*ChartPanel{{
			{Title: "k = 4", X: axis, Y: ChartAxis{Label: "test error", Percent: true}, Curves: []ChartCurve{
				{Key: "a", X: []float64{1, 2}, Y: []float64{0.5, 0.125}},
				{Key: "b", X: []float64{1}, Y: []float64{0.25}},
				{Key: "a", Thin: true},
			}}, nil, {X: axis, Empty: "no run has finished"},
		}},
	}
	want := "k = 4: test error against iterations (logarithmic); Fast ends at 12.50 %, Slow ends at 25.00 %, " +
		"and 1 thin curve. y against iterations (logarithmic); no run has finished."
	if got := c.Describe(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
