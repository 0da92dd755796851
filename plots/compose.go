package plots

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// Input is what figures and tables are made from.
type Input struct {
	// Catalog lists the algorithms that have names and looks of their own.
	Catalog
	// Choice has the runs that were selected: of each series and problem those of one
	// setting of the tuned parameters, or the trade-offs of whole grids.
	Choice *selection.Choice
	// Title is the experiment's.
	Title string
	// Profile names the profile the runs were made with; it may be empty.
	Profile string
	// Set lists the changes to the specification, as path=value, that they were made with.
	Set []string
	// Notes are remarks for the face of every figure and table, such as that
	// runs are missing. They go above the panels and the table's rows.
	Notes []string
}

func (in Input) runsOf(p Panel) []record.Run {
	if p.Tuned == "" {
		return in.Choice.Runs()
	}
	return tuningOf(p.Tuned).runs(in.Choice)
}

// Compose lays out a valid figure. It is an error if it would have too many panels; missing
// data make an empty panel and a warning.
func Compose(fig Figure, in Input) (*Chart, error) {
	panes, err := layOut(fig, in)
	if err != nil {
		return nil, err
	}
	color := cmp.Or(fig.Color, varSeries)
	for c := range panes.all() {
		c.fill(color)
	}
	return panes.chart(fig, in, panes.legend(in.Catalog, color)), nil
}

func (l layout) chart(fig Figure, in Input, keys []ChartKey) *Chart {
	l.setAxes()
	f := factsOf(fig, in, l)
	ch := &Chart{ID: fig.ID, Crowded: fig.tradesOff(), Keys: keys}
	var missing, beyond []warning
	for i, row := range l {
		var panels []*ChartPanel
		for j, c := range row {
			missing = append(missing, c.warnings...)
			c.warnings = nil
			c.finish()
			beyond = append(beyond, c.warnings...)
			if j > 0 {
				left := row[j-1]
				c.Y.Bare = c.yKey() == left.yKey() && c.Y.Label == left.Y.Label
			}
			c.X.Bare = i+1 < len(l) && j < len(l[i+1]) && c.xKey() == l[i+1][j].xKey()
			panels = append(panels, c.ChartPanel)
		}
		ch.Panels = append(ch.Panels, panels)
	}
	for _, w := range textsOfWarnings(append(missing, beyond...)) {
		ch.Warnings = append(ch.Warnings, "figure "+fig.ID+": "+w)
	}
	if made := standIns(f.shown); made != nil {
		ch.Alarms = []Text{Text(alarm(made))}
	}
	ch.Title, ch.Detail = Text(f.title), Text(f.detail(in))
	ch.Remarks, ch.Notes = textList(unique(in.Notes)), textList(f.notes(in, l))
	ch.Lead = captionOf(f.title, fig.Caption, string(ch.Detail), ch.Remarks, nil)
	ch.Caption = captionOf(f.title, fig.Caption, string(ch.Detail), slices.Concat(ch.Alarms, ch.Remarks), ch.Notes)
	return ch
}

func textList(texts []string) []Text {
	var list []Text
	for _, t := range texts {
		list = append(list, Text(t))
	}
	return list
}

const standInMark = "stand-in data"

// finish completes the panel. It warns of a panel without a curve in sight and of values
// moved to the floor of the y axis.
func (c *pane) finish() {
	if c.spec.Y == ySpectrum && !c.illustrates() && len(c.Curves) > 0 {
		c.Title = Text(joinParts(" · ", string(c.Title), "one run"))
	}
	if c.StandIn = standIn(c.runs); c.StandIn {
		c.Title = Text(joinParts(" · ", string(c.Title), standInMark))
	}
	c.X.Label, c.Y.Label = Text(c.xLabel()), Text(c.yLabel())
	if len(c.Curves) == 0 {
		c.Empty = Text("no data: " + c.why)
		return
	}
	seen, floored := false, false
	for i := range c.Curves {
		cv := &c.Curves[i]
		cv.Done = cv.endsBefore(c.X.Max)
		seen, floored = seen || cv.inView(c.X, c.Y), floored || cv.floored(c.X, c.Y)
	}
	switch {
	case !seen:
		c.Empty = "no curve lies within the axes"
		c.warn("%s", c.Empty)
	case floored:
		c.warn("values below %g are drawn at the floor of the logarithmic axis", c.Y.Floor)
	}
}

// Overlay is a figure of the curves of two sets of runs, one upon the other: a panel a pair.
type Overlay struct {
	// Catalog lists the algorithms that have names and looks of their own.
	Catalog
	// ID names the output files. Title is the figure's.
	ID, Title string
	Pairs     []OverlayPair
	// Profile names the profile of the runs; it may be empty.
	Profile string
}

// OverlayPair is a panel of an Overlay. Runs that differ in their parameters have a curve each.
type OverlayPair struct {
	Title string
	// Panel says what is shown.
	Panel               Panel
	Baseline, Candidate OverlaySide
}

// OverlaySide is a side of a pair.
type OverlaySide struct {
	Runs []record.Run
	// Choice holds what was selected at each support size, of which trade-offs are drawn;
	// runs are then those of the whole grids.
	Choice *selection.Choice
}

// MaxOverlayPairs bounds the panels of an Overlay.
const MaxOverlayPairs = 36

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
	if n := len(o.Pairs); n == 0 || n > MaxOverlayPairs {
		return nil, fmt.Errorf("plots: overlay %s has %d pairs; it needs 1 to %d", o.ID, n, MaxOverlayPairs)
	}
	var panes []*pane
	for k, pair := range o.Pairs {
		c, err := o.pane(k, pair)
		if err != nil {
			return nil, err
		}
		panes = append(panes, c)
	}
	l := layout(slices.Collect(slices.Chunk(panes, overlayColumns)))
	in := Input{Catalog: o.Catalog, Profile: o.Profile}
	return l.chart(o.figure(o.Pairs[0].Panel), in, l.sideLegend(o.Catalog)), nil
}

func (o Overlay) figure(p Panel) Figure {
	return Figure{
		ID: o.ID, Title: o.Title, Panel: p, Caption: "In each panel the baseline is dashed and grey, the candidate solid.",
	}
}

// pane makes the k-th panel, with the curves of both sides. It has a row and a column of
// its own, and thereby axes of its own.
func (o Overlay) pane(k int, p OverlayPair) (*pane, error) {
	fig := o.figure(p.Panel)
	both := func(side OverlaySide, name string) *pane {
		return &pane{
			ChartPanel: &ChartPanel{Title: Text(name)}, row: k, col: k, spec: fig.panels()[0], where: name,
			runs: side.Runs, in: Input{Catalog: o.Catalog, Choice: side.Choice},
		}
	}
	b, c := p.Baseline.Choice, p.Candidate.Choice
	all := both(OverlaySide{slices.Concat(p.Baseline.Runs, p.Candidate.Runs), cmp.Or(c, b)}, p.Title)
	if b.BySize() && c.BySize() && len(b.Series) > 0 && len(c.Series) > 0 && b.By == selection.ByHalvings && c.By == b.By &&
		(b.Series[0].Seed != c.Series[0].Seed || b.Halvings != c.Halvings) {
		all.notes = append(all.notes, "baseline and candidate use different random halvings, because their seeds differ")
	}
	for i, side := range []OverlaySide{p.Candidate, p.Baseline} {
		name := []string{sideCandidate, sideBaseline}[i]
		if len(side.Runs) == 0 {
			all.why = joinParts("; ", all.why, "no runs of the "+name)
			all.notes = append(all.notes, joinParts(", ", p.Title, name)+": no runs")
			continue
		}
		own := both(side, joinParts(", ", p.Title, name))
		own.fill(varSeries)
		all.addSide(name, own)
	}
	return all, nil
}

func (c *pane) addSide(side string, own *pane) {
	for i := range own.Curves {
		own.Curves[i].extra = side
	}
	if c.tradesOff() { // the first series is on top
		c.Curves = slices.Concat(own.Curves, c.Curves)
	} else {
		c.Curves = append(c.Curves, own.Curves...)
	}
	if len(own.Curves) == 0 {
		c.why = joinParts("; ", c.why, side+": "+own.why)
		if own.notes == nil {
			c.notes = append(c.notes, own.where+": "+own.why)
		}
	}
	c.splits, c.constant = unique(append(c.splits, own.splits...)), max(c.constant, own.constant)
	for _, l := range own.Lines {
		if !slices.ContainsFunc(c.Lines, func(o ChartLine) bool { return reflect.DeepEqual(l, o) }) {
			c.Lines = append(c.Lines, l)
		}
	}
	c.warnings, c.notes = append(c.warnings, own.warnings...), append(c.notes, own.notes...)
}

// sideLegend gives all baselines one look, and candidates that of their series, but solid.
func (l layout) sideLegend(catalog Catalog) []ChartKey {
	var order []seriesID
	var keys []ChartKey
	for c := range l.all() {
		for _, cv := range c.Curves {
			if cv.extra == sideBaseline {
				keys = []ChartKey{newKey(sideBaseline, "", baselineStyle)}
			} else if !slices.Contains(order, cv.series) {
				order = append(order, cv.series)
			}
		}
	}
	slices.SortStableFunc(order, catalog.compare)
	candidates := make(map[seriesID]ChartKey)
	for _, id := range order {
		s := catalog.stylesOf(order)[id.series]
		s.Dash, s.Width = nil, 1.6
		candidates[id] = newKey(joinParts(", ", catalog.Name(id.series), sideCandidate), id.series, s)
		keys = append(keys, candidates[id])
	}
	for c := range l.all() {
		for i := range c.Curves {
			cv := &c.Curves[i]
			key, ok := candidates[cv.series]
			if !ok || cv.extra == sideBaseline {
				key = keys[0]
			}
			cv.wear(key, c.spec.Y == ySpectrum)
		}
	}
	return keys
}
