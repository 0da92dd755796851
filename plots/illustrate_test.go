package plots

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// illustrationOf returns the curve that a kind of panel shows of a run.
func illustrationOf(t *testing.T, draw string, r record.Run) (curve, content) {
	t.Helper()
	c := pane{panel: Panel{Draw: draw}, runs: []record.Run{r}}
	cv, ok := c.illustration(curve{}, c.runs)
	if !ok {
		t.Fatalf("%s: nothing to draw", draw)
	}
	return cv, c.content
}

// What is filled holds the volume of water, and the distribution sums to one
// over what is under water.
func TestWaterHoldsItsVolume(t *testing.T) {
	t.Parallel()
	r := waterRun(false)
	cv, o := illustrationOf(t, drawLevel, r)
	if n := len(cv.mean.Y); n != 1000 || !slices.IsSorted(cv.mean.Y) || cv.mean.X[0] != 1 || cv.mean.X[n-1] != 1000 {
		t.Fatalf("%d responses", n)
	}
	var volume float64
	for _, h := range cv.mean.Y[:cv.water.covered] {
		volume += cv.water.level - h
	}
	if math.Abs(volume-20) > 1e-9 || cv.mean.Y[cv.water.covered] < cv.water.level {
		t.Errorf("volume %v, want 20", volume)
	}
	if len(o.notes) != 1 || !strings.Contains(o.notes[0], "1000 examples under water") || !strings.Contains(unglue(o.notes[0]), "volume nν = 20") {
		t.Errorf("notes %q", o.notes)
	}
	share, _ := illustrationOf(t, drawShare, r)
	if got := share.mean.Y[0] * (share.mean.X[1] - 0.5); math.Abs(got-1) > 1e-12 || share.mean.Y[3] != 0 {
		t.Errorf("the distribution sums to %v: %+v", got, share.mean)
	}
}

func TestBasinsHoldEqualNumbers(t *testing.T) {
	t.Parallel()
	r := waterRun(true)
	negative, o := illustrationOf(t, drawNegative, r)
	positive, silent := illustrationOf(t, drawPositive, r)
	if a, b := negative.water.covered, positive.water.covered; a != b || a == 0 {
		t.Errorf("%d negative and %d positive examples are under water", a, b)
	}
	if len(negative.mean.Y) != 750 || len(positive.mean.Y) != 250 {
		t.Errorf("%d and %d examples", len(negative.mean.Y), len(positive.mean.Y))
	}
	if got, want := positive.mean.Y[0], r.Curve.Vectors["responses_positive"][0]+r.Facts["water_bias"]; got != want {
		t.Errorf("height %v, want %v", got, want)
	}
	n := strconv.Itoa(negative.water.covered)
	want := n + " of 750 negative and " + n + " of 250 positive examples under water"
	if len(o.notes) != 1 || len(silent.notes) != 0 || !strings.Contains(o.notes[0], want) || !strings.Contains(unglue(o.notes[0]), "b = ") || strings.Contains(o.notes[0], "-") {
		t.Errorf("notes %q and %q", o.notes, silent.notes)
	}
}

// Without any water the level is the least response, and ties share the weight.
func TestWaterWithoutVolume(t *testing.T) {
	t.Parallel()
	r := waterRun(false)
	r.Curve.Vectors = map[string][]float64{"responses_positive": {0.5, -1}, "responses_negative": {-1, 2}}
	r.Facts = map[string]float64{"water_gamma": -1}
	level, _ := illustrationOf(t, drawLevel, r)
	if cv, _ := illustrationOf(t, drawShare, r); level.water.covered != 2 || cv.mean.Y[0] != 0.5 {
		t.Errorf("got %+v, %+v", level.water, cv.mean)
	}
	checkLayout(t, composed(t, figWater, Input{Catalog: listed, Choice: selection.All([]record.Run{r})}))
}

func TestJumpIsAGap(t *testing.T) {
	t.Parallel()
	runs := functionRuns()
	for i, want := range []int{2, 1, 1} {
		cv, _ := illustrationOf(t, DrawFunction, runs[i])
		steps := cv.mean.steps()
		if len(steps) != want {
			t.Errorf("%s is drawn in %d pieces, want %d", runs[i].Series, len(steps), want)
		}
		n := 0
		for _, s := range steps {
			n += len(s.X)
		}
		if n != len(cv.mean.X) {
			t.Errorf("%s: %d of %d points are drawn", runs[i].Series, n, len(cv.mean.X))
		}
	}
	if got := (ChartCurve{X: []float64{1, 2}, Y: []float64{3, 3}}).steps(); len(got) != 1 {
		t.Errorf("a constant has %d pieces", len(got))
	}
}

func TestIllustrationsNeedTheirVectors(t *testing.T) {
	t.Parallel()
	plain, _ := svmSynth{series: "sbp", dataset: "adult", start: 0.5, floor: 0.1, rate: 0.5, perStep: 1}.run()
	for _, fig := range []Figure{figWater, figBias, figLosses} {
		d, _ := drawn(t, fig, Input{Catalog: listed, Choice: selection.All([]record.Run{plain})}, "svg")
		if !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "no record of the vectors") }) {
			t.Errorf("%s: warnings %q", fig.ID, d.Warnings)
		}
	}
	// The water of a problem without a bias is in one basin.
	if d, _ := drawn(t, figBias, Input{Catalog: listed, Choice: selection.All([]record.Run{waterRun(false)})}, "svg"); len(d.Warnings) == 0 {
		t.Error("no warning of basins without a bias")
	}
	second := waterRun(false)
	second.Series, second.Algorithm = "smo", "smo"
	d, files := drawn(t, figWater, Input{Catalog: listed, Choice: selection.All([]record.Run{waterRun(false), second})}, "svg")
	if !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "only those of SBP are drawn") }) {
		t.Errorf("warnings %q", d.Warnings)
	}
	all := texts(t, files["svg"])
	if count(all, "SMO") != 0 || count(all, "Examples in order of their response") != 1 {
		t.Errorf("texts %q", all)
	}
}
