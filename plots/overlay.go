package plots

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// Overlay is a figure of the curves of two sets of runs, one upon the other: a panel a
// pair.
type Overlay struct {
	// Catalog lists the algorithms that have names and looks of their own.
	Catalog
	// ID names the output files. Title is the figure's.
	ID, Title string
	Pairs     []OverlayPair
	// Profile names the profile of the runs; it may be empty.
	Profile string
}

// OverlayPair is a panel of an Overlay. Runs that differ in their parameters have a
// curve each.
type OverlayPair struct {
	Title string
	// Panel says what is shown: X, Y, Split, Log and Band count, and Draw if it is
	// DrawTradeoff.
	Panel               Panel
	Baseline, Candidate []record.Run
	// BaselineChoice and CandidateChoice hold what was selected at each support size, of which
	// trade-offs are drawn; runs are then those of the whole grids.
	BaselineChoice, CandidateChoice *selection.Choice
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
var baselineStyle = Style{Color: "#767676", Dash: []float64{3.5, 2.5}, Width: 1.1, Glyph: GlyphRing}

// Compose lays out o, as Compose does a figure: the mean over repeats with its band, or
// what was selected by halvings, of both sides. Each panel has axes of its own. It is an
// error if there are no pairs, or more than MaxOverlayPairs.
func (o Overlay) Compose() (*Chart, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	var more []string
	if slices.ContainsFunc(o.Pairs, OverlayPair.apart) {
		more = []string{"baseline and candidate use different random halvings, because their seeds differ"}
	}
	panes := o.panels()
	looks, keys := o.looks(panes)
	in := Input{Catalog: o.Catalog, Title: o.Title, Profile: o.Profile, Choice: o.choice()}
	chart := panes.chart(o.figure(o.Pairs[0].Panel), in, looks, more...)
	chart.Keys = keys
	return chart, nil
}

// figure is the figure that the overlay is drawn like, with the panel given.
func (o Overlay) figure(p Panel) Figure {
	return Figure{
		ID: o.ID, Title: o.Title, Panel: Panel{Draw: p.Draw, X: p.X, Y: p.Y, Split: p.Split, Log: p.Log, Band: p.Band},
		Caption: "In each panel the baseline is dashed and grey, the candidate solid.",
	}
}

// validate reports what makes the overlay impossible to draw.
func (o Overlay) validate() error {
	if n := len(o.Pairs); n == 0 || n > MaxOverlayPairs {
		return fmt.Errorf("plots: overlay %s has %d pairs; it needs 1 to %d", o.ID, n, MaxOverlayPairs)
	}
	for _, pair := range o.Pairs {
		fig := o.figure(pair.Panel)
		if err := fig.Validate(); err != nil {
			return err
		}
		for _, side := range pair.sides() {
			if err := fig.checkTradeoffs(side.choice); len(side.runs) > 0 && err != nil {
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
	choice *selection.Choice
}

// sides returns the sides of a pair, the candidate first.
func (p OverlayPair) sides() []overlaySide {
	return []overlaySide{{sideCandidate, p.Candidate, p.CandidateChoice}, {sideBaseline, p.Baseline, p.BaselineChoice}}
}

// choice is what was selected on the side that has it, nil if none has.
func (p OverlayPair) choice() *selection.Choice { return cmp.Or(p.CandidateChoice, p.BaselineChoice) }

// apart reports whether the sides were selected by other halvings.
func (p OverlayPair) apart() bool {
	b, c := p.BaselineChoice, p.CandidateChoice
	if b == nil || c == nil || len(b.Series) == 0 || len(c.Series) == 0 {
		return false
	}
	if b.By == selection.ByValidation || c.By == selection.ByValidation {
		return false
	}
	return b.Series[0].Seed != c.Series[0].Seed || b.Halvings != c.Halvings
}

// choice is that of the first pair that has it.
func (o Overlay) choice() (h *selection.Choice) {
	for _, pair := range o.Pairs {
		h = cmp.Or(h, pair.choice())
	}
	return h
}

// panels turns the pairs into panels, row by row.
func (o Overlay) panels() layout {
	var panes []pane
	for k, pair := range o.Pairs {
		// Rows and columns of their own give panels axes of their own.
		both := pane{
			row: k, col: k, panel: o.figure(pair.Panel).panels()[0], title: pair.Title, where: pair.Title,
			runs: slices.Concat(pair.Baseline, pair.Candidate), in: Input{Catalog: o.Catalog, Choice: pair.choice()},
		}
		for _, side := range pair.sides() {
			both.addSide(side)
		}
		panes = append(panes, both)
	}
	return slices.Collect(slices.Chunk(panes, overlayColumns))
}

// addSide adds the curves of one side to a panel of both.
func (c *pane) addSide(side overlaySide) {
	name := joinParts(", ", c.title, side.name)
	if len(side.runs) == 0 {
		c.why = joinParts("; ", c.why, "no runs of the "+side.name)
		c.notes = append(c.notes, name+": no runs")
		return
	}
	own := pane{panel: c.panel, title: name, where: name, runs: side.runs, in: Input{Catalog: c.in.Catalog, Choice: side.choice}}
	own.fill(varSeries)
	for _, cv := range own.curves {
		cv.extra = side.name
		c.curves = append(c.curves, cv)
	}
	if len(own.curves) == 0 {
		c.why = joinParts("; ", c.why, side.name+": "+own.why)
		if own.notes == nil {
			c.notes = append(c.notes, name+": "+own.why)
		}
	}
	c.splits, c.constant = unique(append(c.splits, own.splits...)), max(c.constant, own.constant)
	for _, r := range own.references {
		if !slices.Contains(c.references, r) {
			c.references = append(c.references, r)
		}
	}
	c.warnings, c.notes = append(c.warnings, own.warnings...), append(c.notes, own.notes...)
}

// looks gives all baselines one look, and candidates that of their series, but
// solid.
func (o Overlay) looks(panes layout) (looks, []ChartKey) {
	l := looks{Catalog: o.Catalog, color: varSeries, byLabel: make(map[string]ChartKey)}
	var order []seriesID
	var keys []ChartKey
	for c := range panes.all() {
		for _, cv := range c.curves {
			if cv.extra == sideBaseline {
				keys = []ChartKey{newKey(sideBaseline, "", baselineStyle)}
				l.byLabel[l.labelOf(cv)] = keys[0]
			} else if !slices.Contains(order, cv.series) {
				order = append(order, cv.series)
			}
		}
	}
	slices.SortStableFunc(order, o.compare)
	styles := o.styles(order)
	for _, id := range order {
		s := styles[id.series]
		s.Dash, s.Width = nil, 1.6
		label := l.labelOf(curve{series: id, extra: sideCandidate})
		if _, known := l.byLabel[label]; !known {
			keys = append(keys, newKey(label, id.series, s))
		}
		l.byLabel[label] = newKey(label, id.series, s)
	}
	return l, keys
}
