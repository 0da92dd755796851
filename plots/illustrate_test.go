package plots

import (
	"math"
	"slices"
	"testing"

	"stochopt/internal/record"
)

// illustrationOf returns a panel of a run.
func illustrationOf(t *testing.T, draw string, r record.Run) *pane {
	t.Helper()
	c := &pane{ChartPanel: &ChartPanel{}, spec: Panel{Draw: draw}, runs: []record.Run{r}}
	c.fill()
	if len(c.Curves) == 0 {
		t.Fatalf("%s: no curves", draw)
	}
	return c
}

// The filled area is the volume of water, and the distribution over the covered responses sums to one.
func TestVolumeOfWater(t *testing.T) {
	t.Parallel()
	r := waterRun(false)
	o := illustrationOf(t, drawLevel, r)
	cv, level, covered := o.Curves[0], *o.Lines[0].Y, newResponseChart(&r, 0, responses...).covered
	if n := len(cv.Y); n != 1000 || !slices.IsSorted(cv.Y) || cv.X[0] != 1 || cv.X[n-1] != 1000 {
		t.Fatalf("%d responses", n)
	}
	var volume float64
	for _, h := range cv.Y[:covered] {
		volume += level - h
	}
	if math.Abs(volume-20) > 1e-9 || cv.Y[covered] < level {
		t.Errorf("volume %v, want 20", volume)
	}
	if len(o.notes) != 1 {
		t.Errorf("notes %q", o.notes)
	}
	share := illustrationOf(t, drawShare, r).Curves[0]
	if got := share.Y[0] * (share.X[1] - 0.5); math.Abs(got-1) > 1e-12 || share.Y[3] != 0 {
		t.Errorf("the distribution sums to %v: %+v", got, share)
	}
}

func TestClassesCoverEqualNumbers(t *testing.T) {
	t.Parallel()
	r := waterRun(true)
	first, second := illustrationOf(t, drawNegative, r), illustrationOf(t, drawPositive, r)
	negative, positive := first.Curves[0], second.Curves[0]
	covered := newResponseChart(&r, -1, vectorNegative).covered
	if a, b := covered, newResponseChart(&r, 1, vectorPositive).covered; a != b || a == 0 {
		t.Errorf("%d negative and %d positive examples are under water", a, b)
	}
	if len(negative.Y) != 750 || len(positive.Y) != 250 {
		t.Errorf("%d and %d examples", len(negative.Y), len(positive.Y))
	}
	if got, want := positive.Y[0], r.Curve.Vectors["responses_positive"][0]+r.Facts["water_bias"]; got != want {
		t.Errorf("height %v, want %v", got, want)
	}
	if len(first.notes) != 1 || len(second.notes) != 0 {
		t.Errorf("notes %q and %q", first.notes, second.notes)
	}
}

func TestClassesShareTheirAxes(t *testing.T) {
	t.Parallel()
	p := composed(t, Figure{ID: "f", Panel: Panel{Draw: DrawBias}}, inputOf(waterRun(true))).Panels[0]
	a, b := p[0], p[1]
	if a.X.Min != b.X.Min || a.X.Max != b.X.Max || a.Y.Min != b.Y.Min || a.Y.Max != b.Y.Max || b.X.Max < 700 {
		t.Errorf("the axes of the classes are %+v, %+v and %+v, %+v", a.X, a.Y, b.X, b.Y)
	}
}

// Without water the level is the smallest response, and ties share the weight.
func TestWaterWithoutVolume(t *testing.T) {
	t.Parallel()
	r := waterRun(false)
	r.Curve.Vectors = map[string][]float64{"responses_positive": {0.5, -1}, "responses_negative": {-1, 2}}
	r.Facts = map[string]float64{"water_gamma": -1}
	level := newResponseChart(&r, 0, responses...)
	if cv := illustrationOf(t, drawShare, r).Curves[0]; level.covered != 2 || cv.Y[0] != 0.5 {
		t.Errorf("got %+v, %+v", level, cv)
	}
	checkLayout(t, composed(t, figWater, inputOf(r)))
}
