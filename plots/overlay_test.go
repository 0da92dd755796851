package plots

import (
	"bytes"
	"image/png"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// sideRuns returns the repeats of a series with a rate of convergence.
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

// Both sides of a panel have a curve with a band, and differ in dashes as well as colours. A note reports runs that
// diverged, with their side.
func TestOverlay(t *testing.T) {
	t.Parallel()
	side := func(series string, rate float64) OverlaySide {
		return OverlaySide{Runs: sideRuns(series, "gaussian", rate, 3)}
	}
	lost := side("msg", 0.6)
	lost.Runs[1].Status, lost.Runs[1].Reason = record.StatusDiverged, "not finite"
	o := overlayOf(
		OverlayPair{Title: "a: worse", Baseline: side("msg", 0.85), Candidate: lost},
		OverlayPair{Title: "b: identical", Baseline: side("unheard-of", 0.85), Candidate: side("unheard-of", 0.85)},
		OverlayPair{Title: "c: better", Baseline: side("capped-msg", 0.5), Candidate: side("capped-msg", 0.7)},
		OverlayPair{Title: "d: incomparable", Candidate: side("msg", 0.8)},
	)
	ch, files := drawOverlay(t, o)
	img, err := png.DecodeConfig(bytes.NewReader(files["png"]))
	if err != nil {
		t.Fatal(err)
	}
	if img.Width < 1400 || img.Height < 666 || len(files) != 3 {
		t.Errorf("%d files; the image is %d x %d, too small for 3 columns and 2 rows", len(files), img.Width, img.Height)
	}
	if want := "a: worse, candidate: MSG: 1 of 3 runs diverged on gaussian (not finite)"; ch.Notes[0] != want || len(ch.Notes) < 2 {
		t.Errorf("notes %q, want first %q and one on the missing side", ch.Notes, want)
	}
	var labels []string
	for _, k := range ch.Keys {
		labels = append(labels, k.Label)
	}
	if want := []string{"baseline", "MSG, candidate", "unheard-of, candidate", "Capped MSG, candidate"}; !slices.Equal(labels, want) {
		t.Errorf("the legend has %q, want %q", labels, want)
	}
	for _, p := range slices.Concat(ch.Panels...) {
		if p.Title == "d: incomparable" {
			continue
		}
		if len(p.Curves) != 2 {
			t.Fatalf("%s: %d curves, want 2", p.Title, len(p.Curves))
		}
		cand, base := p.Curves[0], p.Curves[1]
		if len(base.Style.Dash) == 0 || len(cand.Style.Dash) != 0 || base.Style.Color == cand.Style.Color {
			t.Errorf("%s: baseline %v, candidate %v", p.Title, base.Style, cand.Style)
		}
		if cand.Lo == nil || base.Lo == nil {
			t.Errorf("%s: a curve has no band", p.Title)
		}
	}
}

// A panel of trade-offs has the selection of each side and the lines of the reference.
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
		Title: "worse", Panel: Panel{Draw: DrawTradeoff},
		Baseline:  OverlaySide{base.Choice.Runs(), base.Choice},
		Candidate: OverlaySide{cand.Choice.Runs(), &changed},
	}
	o := Overlay{Catalog: listed, ID: "tradeoffs", Title: "sparse: baseline and candidate", Pairs: []OverlayPair{pair}, Profile: "quick"}
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
	// One side may be empty.
	o.Pairs[0].Baseline = OverlaySide{}
	drawOverlay(t, o)
}
