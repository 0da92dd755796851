package plots

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/results/analysis"
	"stochopt/results/record"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Overlay is a figure of the curves of two sets of runs, one upon the other: a panel a
// pair.
type Overlay struct {
	// ID names the output files. Title is the figure's.
	ID, Title string
	Pairs     []OverlayPair
	// Profile names the profile of the runs; it may be empty.
	Profile string
	// Notes are remarks for the face of the figure.
	Notes []string
}

// OverlayPair is a panel of an Overlay. Runs that differ in their parameters have a
// curve each.
type OverlayPair struct {
	Title string
	// Panel says what is shown: X, Y, Split, Log and Band count, and Draw if it is
	// DrawTradeoff.
	Panel               Panel
	Baseline, Candidate []record.Run
	// BaselineHalved and CandidateHalved hold what was selected by halvings, of which
	// trade-offs are drawn; runs are then those of the whole grids.
	BaselineHalved, CandidateHalved *analysis.Halved
}

// MaxOverlayPairs bounds the panels of an Overlay.
const MaxOverlayPairs = 36

// overlayColumns is the number of panels side by side.
const overlayColumns = 3

// What tells the curves of the two sides apart in legends.
const (
	sideBaseline  = "baseline"
	sideCandidate = "candidate"
)

// baselineStyle is grey and dashed, whatever the series; candidates are solid, in the
// colour of their series. So the two are told apart by their lines alone too, and
// one can be seen where it lies upon the other.
var baselineStyle = Style{Color: hex(0x767676), Dashes: []vg.Length{3.5, 2.5}, Width: 1.1, Glyph: draw.RingGlyph{}}

// DrawOverlay draws o into dir, as Draw does with a figure: the mean over repeats with
// its band, or what was selected by halvings, of both sides. Each panel has axes of its own. It is an error if there
// are no pairs, or more than MaxOverlayPairs.
func DrawOverlay(o Overlay, dir string) (Drawn, error) {
	sh, drawn, err := o.compose()
	if err != nil {
		return Drawn{}, err
	}
	drawn.Files, err = sh.save(o.ID, dir)
	return drawn, err
}

// figure is the figure that the overlay is drawn like, with the panel given.
func (o Overlay) figure(p Panel) Figure {
	return Figure{
		ID: o.ID, Title: o.Title, Panel: Panel{Draw: p.Draw, X: p.X, Y: p.Y, Split: p.Split, Log: p.Log, Band: p.Band},
		Caption: "Of each panel the baseline is dashed and grey, the candidate solid.",
	}
}

// validate reports what makes the overlay impossible to draw.
func (o Overlay) validate() error {
	if n := len(o.Pairs); n == 0 || n > MaxOverlayPairs {
		return fmt.Errorf("plots: overlay %s has %d pairs: give it 1 to %d", o.ID, n, MaxOverlayPairs)
	}
	for _, pair := range o.Pairs {
		fig := o.figure(pair.Panel)
		if err := fig.Validate(); err != nil {
			return err
		}
		for _, side := range pair.sides() {
			if err := fig.checkHalved(side.halved); len(side.runs) > 0 && err != nil {
				return err
			}
		}
	}
	return nil
}

// overlaySide is one side of a pair.
type overlaySide struct {
	name   string
	runs   []record.Run
	halved *analysis.Halved
}

// sides returns the sides of a pair, the candidate first.
func (p OverlayPair) sides() []overlaySide {
	return []overlaySide{{sideCandidate, p.Candidate, p.CandidateHalved}, {sideBaseline, p.Baseline, p.BaselineHalved}}
}

// halved is what was selected on the side that has it, nil if none has.
func (p OverlayPair) halved() *analysis.Halved { return cmp.Or(p.CandidateHalved, p.BaselineHalved) }

// apart reports whether the sides were selected by other halvings.
func (p OverlayPair) apart() bool {
	b, c := p.BaselineHalved, p.CandidateHalved
	if b == nil || c == nil || len(b.Curves) == 0 || len(c.Curves) == 0 {
		return false
	}
	return b.Curves[0].Seed != c.Curves[0].Seed || b.Options.Count != c.Options.Count
}

// halved is that of the first pair that has it.
func (o Overlay) halved() (h *analysis.Halved) {
	for _, pair := range o.Pairs {
		h = cmp.Or(h, pair.halved())
	}
	return h
}

func (o Overlay) compose() (*sheet, Drawn, error) {
	if err := o.validate(); err != nil {
		return nil, Drawn{}, err
	}
	fig := o.figure(o.Pairs[0].Panel)
	cells, contents, warnings, notes := o.panels()
	if slices.ContainsFunc(o.Pairs, OverlayPair.apart) {
		notes = append(notes, "the halvings of baseline and candidate are of other seeds, and not the same")
	}
	looks, keys := overlayLooks(contents)
	frames, beyond := framesOf(cells, contents, looks)
	sh := &sheet{frames: frames, legend: keys}
	in := Input{Title: o.Title, Profile: o.Profile, Notes: o.Notes}
	_, drawn := sh.finish(fig, in, factsOf(fig, o.halved(), cells, contents), notes, append(warnings, beyond...))
	return sh, drawn, nil
}

// panels turns the pairs into panels, row by row.
func (o Overlay) panels() (cells [][]cell, contents [][]content, warnings []warning, notes []string) {
	for k, pair := range o.Pairs {
		if k%overlayColumns == 0 {
			cells, contents = append(cells, nil), append(contents, nil)
		}
		i := len(cells) - 1
		// Rows and columns of their own give panels axes of their own.
		c := cell{row: k, col: k, panel: o.figure(pair.Panel).panels()[0], title: pair.Title, where: pair.Title, runs: slices.Concat(pair.Baseline, pair.Candidate), halved: pair.halved()}
		both := content{}
		for _, side := range pair.sides() {
			name := joinParts(", ", pair.Title, side.name)
			if len(side.runs) == 0 {
				both.why = joinParts("; ", both.why, "no runs of the "+side.name)
				notes = append(notes, name+": no runs")
				continue
			}
			own := c
			own.runs, own.title, own.where, own.halved = side.runs, name, name, side.halved
			ct := curvesOf(&own, varSeries)
			for _, cv := range ct.curves {
				cv.extra = side.name
				both.curves = append(both.curves, cv)
			}
			if len(ct.curves) == 0 {
				both.why = joinParts("; ", both.why, side.name+": "+ct.why)
				if ct.notes == nil {
					notes = append(notes, name+": "+ct.why)
				}
			}
			both.splits = unique(append(both.splits, ct.splits...))
			both.constant = max(both.constant, ct.constant)
			for _, r := range ct.references {
				if !slices.Contains(both.references, r) {
					both.references = append(both.references, r)
				}
			}
			warnings, notes = append(warnings, ct.warnings...), append(notes, ct.notes...)
		}
		cells[i], contents[i] = append(cells[i], c), append(contents[i], both)
	}
	return cells, contents, warnings, notes
}

// overlayLooks gives all baselines one look, and candidates that of their series, but
// solid.
func overlayLooks(contents [][]content) (looks, legend) {
	l := looks{color: varSeries, byLabel: make(map[string]Style)}
	var order []seriesID
	hasBaseline := false
	for _, row := range contents {
		for _, ct := range row {
			for _, cv := range ct.curves {
				if cv.extra == sideBaseline {
					l.byLabel[l.label(cv)], hasBaseline = baselineStyle, true
				} else if !slices.Contains(order, cv.series) {
					order = append(order, cv.series)
				}
			}
		}
	}
	slices.SortStableFunc(order, compareSeries)
	var keys legend
	if hasBaseline {
		keys = append(keys, legendEntry{label: sideBaseline, style: baselineStyle})
	}
	styles := assignStyles(order)
	for _, id := range order {
		s := styles[id.series]
		s.Dashes, s.Width = nil, 1.6
		e := legendEntry{label: l.label(curve{series: id, extra: sideCandidate}), style: s}
		l.byLabel[e.label] = s
		if !slices.ContainsFunc(keys, func(k legendEntry) bool { return k.label == e.label }) {
			keys = append(keys, e)
		}
	}
	return l, keys
}
