package plots

import (
	"bytes"
	"image/png"
	"maps"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// sideRuns are the repeats of a series, made worse by a rate.
func sideRuns(series, dataset string, rate float64, repeats int) []record.Run {
	var runs []record.Run
	for r := range repeats {
		runs = append(runs, synth{
			series: series, dataset: dataset, repeat: r, split: "population", rate: rate, floor: 1e-5, rank: 4,
			params: record.Params{"k": int64(4), "step.c": rate},
		}.run())
	}
	return runs
}

func overlayOf(pairs ...OverlayPair) Overlay {
	for i := range pairs {
		pairs[i].Panel.Log = []string{"x", "y"}
	}
	return Overlay{Catalog: listed, ID: "overlay", Title: "pca: baseline and candidate", Pairs: pairs, Profile: "quick"}
}

// drawOverlay lays out and draws an overlay.
func drawOverlay(t *testing.T, o Overlay) (*Chart, map[string][]byte) {
	t.Helper()
	c, err := o.Compose()
	if err != nil {
		t.Fatal(err)
	}
	files, err := EncodeFiles(c)
	if err != nil {
		t.Fatal(err)
	}
	return c, files
}

func TestOverlay(t *testing.T) {
	t.Parallel()
	o := overlayOf(
		OverlayPair{Title: "gaussian · MSG: worse", Baseline: OverlaySide{Runs: sideRuns("msg", "gaussian", 0.85, 5)}, Candidate: OverlaySide{Runs: sideRuns("msg", "gaussian", 0.6, 5)}},
		OverlayPair{Title: "gaussian · SAA: identical", Baseline: OverlaySide{Runs: sideRuns("saa", "gaussian", 0.7, 5)}, Candidate: OverlaySide{Runs: sideRuns("saa", "gaussian", 0.7, 5)}},
		OverlayPair{Title: "gaussian · Capped MSG: better", Baseline: OverlaySide{Runs: sideRuns("capped-msg", "gaussian", 0.5, 5)}, Candidate: OverlaySide{Runs: sideRuns("capped-msg", "gaussian", 0.7, 5)}},
		OverlayPair{Title: "uniform · MSG: incomparable", Candidate: OverlaySide{Runs: sideRuns("msg", "uniform", 0.8, 5)}},
	)
	drawn, files := drawOverlay(t, o)
	if len(files) != 3 {
		t.Errorf("%d files, want three", len(files))
	}
	img, err := png.Decode(bytes.NewReader(files["png"]))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() < 1400 || b.Dy() < 666 {
		t.Errorf("the figure is %v, too small for 3 columns and 2 rows", b)
	}
	if len(drawn.Notes) == 0 {
		t.Errorf("the notes do not say what is missing: %q", drawn.Notes)
	}
	_, again := drawOverlay(t, o)
	if !maps.EqualFunc(files, again, bytes.Equal) {
		t.Error("the files are not the same the second time")
	}
}

// Both sides of a panel have a curve with a band, in looks that differ in dashes and
// not in colour only.
func TestOverlayLooks(t *testing.T) {
	t.Parallel()
	o := overlayOf(
		OverlayPair{Title: "a", Baseline: OverlaySide{Runs: sideRuns("msg", "gaussian", 0.85, 3)}, Candidate: OverlaySide{Runs: sideRuns("msg", "gaussian", 0.6, 3)}},
		OverlayPair{Title: "b", Baseline: OverlaySide{Runs: sideRuns("unheard-of", "gaussian", 0.85, 3)}, Candidate: OverlaySide{Runs: sideRuns("unheard-of", "gaussian", 0.6, 3)}},
	)
	ch, err := o.Compose()
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, k := range ch.Keys {
		labels = append(labels, k.Label)
	}
	if want := []string{"baseline", "MSG, candidate", "unheard-of, candidate"}; !slices.Equal(labels, want) {
		t.Errorf("the legend has %q, want %q", labels, want)
	}
	for i, p := range ch.Panels[0] {
		if len(p.Curves) != 2 {
			t.Fatalf("panel %d has %d curves, want 2", i, len(p.Curves))
		}
		cand, base := p.Curves[0], p.Curves[1]
		if len(base.Look.Dash) == 0 || len(cand.Look.Dash) != 0 || base.Look.Color == cand.Look.Color {
			t.Errorf("panel %d: baseline %v, candidate %v", i, base.Look, cand.Look)
		}
		if cand.Lo == nil || base.Lo == nil {
			t.Errorf("panel %d: a curve has no band", i)
		}
	}
}

// Runs that diverged are left out and told of, with the side they are of.
func TestOverlayLost(t *testing.T) {
	t.Parallel()
	runs := sideRuns("msg", "gaussian", 0.8, 3)
	lost := slices.Clone(runs)
	lost[1].Status, lost[1].Reason = record.StatusDiverged, "not finite"
	drawn, err := overlayOf(OverlayPair{Title: "gaussian · MSG", Baseline: OverlaySide{Runs: runs}, Candidate: OverlaySide{Runs: lost}}).Compose()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"gaussian · MSG, candidate: MSG: 1 of 3 runs diverged on gaussian (not finite)"}; !slices.Equal(drawn.Notes[:1], want) {
		t.Errorf("notes %q, want first %q", drawn.Notes, want)
	}
}

func TestOverlayErrors(t *testing.T) {
	t.Parallel()
	pair := OverlayPair{Title: "a", Baseline: OverlaySide{Runs: sideRuns("msg", "gaussian", 0.8, 1)}}
	for _, o := range []Overlay{overlayOf(), overlayOf(slices.Repeat([]OverlayPair{pair}, MaxOverlayPairs+1)...)} {
		if _, err := o.Compose(); err == nil {
			t.Errorf("no error of %d pairs", len(o.Pairs))
		}
	}
}

// Trade-offs are those of the selection of each side, with what they are compared with.
func TestOverlayOfTradeoffs(t *testing.T) {
	t.Parallel()
	base, cand := sparseInput(1, sparseMethods[3]), sparseInput(1, sparseMethods[3])
	own := cand.Choice.Series[0]
	own.Error = slices.Clone(own.Error)
	for i := range own.Error {
		own.Error[i] *= 1.25
	}
	changed := *cand.Choice
	changed.Series = []selection.Series{own}
	pair := OverlayPair{
		Title: "worse", Panel: Panel{Draw: DrawTradeoff}, Baseline: OverlaySide{base.Choice.Runs(), base.Choice}, Candidate: OverlaySide{cand.Choice.Runs(), &changed},
	}
	curves := OverlayPair{Title: "curves", Panel: Panel{Log: []string{"x"}}, Baseline: OverlaySide{Runs: sideRuns("msg", "gaussian", 0.8, 3)}, Candidate: OverlaySide{Runs: sideRuns("msg", "gaussian", 0.7, 3)}}
	o := Overlay{Catalog: listed, ID: "tradeoffs", Title: "sparse: baseline and candidate", Pairs: []OverlayPair{pair, curves}, Profile: "quick"}
	ch, err := o.Compose()
	if err != nil {
		t.Fatal(err)
	}
	p := ch.Panels[0][0]
	if len(p.Curves) != 2 || len(p.Lines) != 2 {
		t.Fatalf("%d curves and %d lines, want 2 and 2", len(p.Curves), len(p.Lines))
	}
	for i, want := range []struct {
		key   string
		error []float64
	}{{ch.Keys[1].Key, own.Error}, {sideBaseline, base.Choice.Series[0].Error}} {
		if cv := p.Curves[i]; cv.Key != want.key || !slices.Equal(cv.Y, want.error) || cv.X[0] != float64(own.Least) {
			t.Errorf("curve %d is %q with %v, want %q with %v", i, cv.Key, cv.Y, want.key, want.error)
		}
	}
	drawOverlay(t, o)
	// A side may lack the cell.
	pair.Baseline = OverlaySide{}
	o.Pairs = []OverlayPair{pair}
	drawOverlay(t, o)
}
