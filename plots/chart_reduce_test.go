package plots

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestReducedChartsLookTheSame(t *testing.T) {
	t.Parallel()
	var c ChartCurve
	for i := range 5000 {
		x := float64(i + 1)
		c.X, c.Y = append(c.X, x), append(c.Y, math.Sin(x/200)+0.1*math.Sin(1.7*x))
		c.Lo, c.Hi = append(c.Lo, c.Y[i]-1), append(c.Hi, c.Y[i]+1)
	}
	for _, log := range []bool{false, true} {
		p := &ChartPanel{X: ChartAxis{Log: log, Min: 1, Max: 5000}, Curves: []ChartCurve{c, {X: []float64{1, 2}, Y: []float64{1. / 3, 2e-9 / 3}}}}
		in := &Chart{ID: "f", Panels: [][]*ChartPanel{{p}}}
		before := fmt.Sprint(p.Curves)
		got := in.Reduced(400).Panels[0][0].Curves
		if fmt.Sprint(p.Curves) != before {
			t.Error("the chart itself was changed")
		}
		long := got[0]
		if n := len(long.X); n > 200 || n < 100 || len(long.Y) != n || len(long.Lo) != n || len(long.Hi) != n {
			t.Errorf("log %v: %d, %d, %d and %d points remain", log, n, len(long.Y), len(long.Lo), len(long.Hi))
		}
		if !slices.IsSorted(long.X) || long.X[0] != 1 || long.X[len(long.X)-1] != 5000 {
			t.Errorf("log %v: from %v to %v", log, long.X[0], long.X[len(long.X)-1])
		}
		if short := got[1]; !slices.Equal(short.Y, []float64{0.33333, 6.6667e-10}) {
			t.Errorf("rounded to %v", short.Y)
		}
	}
	if got := (ChartCurve{X: []float64{math.MaxFloat64}}).rounded().X; got[0] != math.MaxFloat64 {
		t.Errorf("the largest number is rounded to %v", got[0])
	}
}
