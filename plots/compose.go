package plots

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// Input is what figures and tables are made from.
type Input struct {
	// Catalog lists the algorithms that have names and looks of their own.
	Catalog
	// Choice has the runs that were selected: of each series and problem those of one
	// setting of the tuned parameters, or the trade-offs of whole grids.
	Choice *selection.Choice
	// Data lists the data sets of the experiment in the order of panels.
	Data []Data
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

// Data is a data set as figures name it: by its title, or else its id.
type Data struct{ ID, Title string }

// titlesOf returns the titles of data sets.
func (in Input) titlesOf(ids []string) []string {
	titles := slices.Clone(ids)
	for i, id := range ids {
		if k := slices.IndexFunc(in.Data, func(d Data) bool { return d.ID == id }); k >= 0 {
			titles[i] = cmp.Or(in.Data[k].Title, id)
		}
	}
	return titles
}

// datasets returns those of runs, and those without any runs, in the experiment's order, that the panels
// are for.
func (in Input) datasets(runs []record.Run, panels []Panel) (ids []any) {
	shown, known := textsOf(runs, varDataset), textsOf(in.Choice.Runs(), varDataset)
	for _, d := range in.Data {
		meant := func(p Panel) bool { return observe.Where(p.Where).Matches(&record.Run{Dataset: d.ID}) }
		if slices.Contains(shown, d.ID) || !slices.Contains(known, d.ID) && slices.ContainsFunc(panels, meant) {
			ids = append(ids, d.ID)
		}
	}
	for _, id := range shown { // of which the experiment says nothing
		if !slices.Contains(ids, any(id)) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (in Input) runsOf(p Panel) []record.Run {
	if p.Tuned == "" {
		return in.Choice.Runs()
	}
	return wholeGrid(in.Choice)
}

// Compose lays out a valid figure. It is an error if it would have too many panels; missing
// data make an empty panel and a warning.
func Compose(fig Figure, in Input) (*Chart, error) {
	in.Catalog = in.Catalog.renamed(fig.Style.Series)
	panes, err := layOut(fig, in)
	if err != nil {
		return nil, err
	}
	for _, c := range slices.Concat(panes...) {
		c.fill()
	}
	return panes.chart(fig, in, panes.legend(in.Catalog, fig.Style)), nil
}

// Criteria say of what figures and tables show that parameters were chosen by it.
func (in Input) Criteria(figures []Figure, tables []Table) (texts []string) {
	var shown []Panel
	for _, f := range figures {
		shown = append(shown, f.panels()...)
	}
	for _, t := range tables {
		for _, id := range append(slices.Clone(t.Columns), t.Kind) {
			if metric := metricOf[id]; metric != "" && !t.isTheory(id) {
				shown = append(shown, Panel{Y: metric, Where: t.Where})
			}
		}
		if t.Validation {
			shown = append(shown, Panel{Draw: DrawTradeoff, Y: yError, Where: t.Where, Split: record.SplitValidation})
		}
	}
	drawn := ""
	if in.Choice.BySize() { // other curves are of runs that nothing was chosen among
		drawn = DrawTradeoff
	}
	for _, p := range shown {
		for _, own := range observe.Grouped(filter(in.Choice.Runs(), p.shows), in.Choice.Of) {
			split, of := p.Split, in.Choice.Of(&own[0])
			if split == "" {
				split, _ = observe.UnseenSplit(&own[0], "", p.Y)
			}
			if p.Draw != drawn && !p.Profiles() || of == nil || len(of.Candidates) < 2 && in.Choice.Over != selection.OverAny {
				continue
			}
			if text := in.Choice.Criterion(p.Y, split); text != "" {
				texts = words.AddOnce(texts, text)
			}
		}
	}
	return texts
}

func (l layout) chart(fig Figure, in Input, keys []ChartKey) *Chart {
	l.setAxes(fig.Style)
	ch := &Chart{ID: fig.ID, Crowded: fig.tradesOff(), Keys: keys, Style: fig.Style}
	for i, row := range l {
		var panels []*ChartPanel
		for j, c := range row {
			c.finish()
			for _, w := range c.warnings {
				ch.Warnings = words.AddOnce(ch.Warnings, "figure "+fig.ID+": "+w)
			}
			if j > 0 {
				left := row[j-1]
				c.Y.LabelHidden = c.yKey() == left.yKey() && c.Y.Label == left.Y.Label
			}
			c.X.LabelHidden = i+1 < len(l) && j < len(l[i+1]) && c.xKey() == l[i+1][j].xKey()
			panels = append(panels, c.ChartPanel)
		}
		ch.Panels = append(ch.Panels, panels)
	}
	fig.Style.titlePanels(ch)
	if made := standIns(l.runs()); made != nil {
		ch.Alarms = []string{alarm(in.titlesOf(made))}
	}
	ch.Title, ch.Detail = cmp.Or(fig.Title, in.Title, fig.ID), l.detail(fig, in)
	notes := append(l.notes(in), in.Criteria([]Figure{fig}, nil)...)
	ch.Remarks, ch.Notes = unique(in.Notes), notes
	if fig.Style.Notes == Omitted {
		for _, remark := range ch.Remarks {
			ch.Warnings = append(ch.Warnings, "figure "+fig.ID+": left out of the drawing by notes: none: "+remark)
		}
	}
	ch.Lead = sentences(fig.Caption, ch.Detail)
	all := slices.Concat([]string{ch.Title, ch.Lead}, ch.Alarms, ch.Remarks)
	for _, n := range notes {
		all = append(all, "Note: "+n)
	}
	ch.Caption = sentences(all...)
	return ch
}

const standInMark = "stand-in data"

// finish completes the panel. It warns of a panel without a curve in sight.
func (c *pane) finish() {
	if c.spec.Y == ySpectrum && len(c.Curves) > 0 {
		c.Title = joinParts(" · ", c.Title, "one run")
	}
	if c.StandIn = standIn(c.runs); c.StandIn {
		c.Title = joinParts(" · ", c.Title, standInMark)
	}
	c.X.Label, c.Y.Label = c.xLabel(), c.yLabel()
	if len(c.Curves) == 0 {
		c.Empty = "no data: " + c.why
		return
	}
	seen := false
	for i := range c.Curves {
		cv := &c.Curves[i]
		// A mark at the end says that the method had converged before the end of the axis.
		cv.Converged = cv.Converged && !cv.Points && cv.X[len(cv.X)-1] < c.X.Max*(1-slack)
		seen = seen || cv.inView(c.X, c.Y)
	}
	if !seen {
		c.Empty = "no curve lies within the axes"
		c.warn("%s", c.Empty)
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
		panes = append(panes, o.pane(k, pair))
	}
	l := layout(slices.Collect(slices.Chunk(panes, overlayColumns)))
	fig := Figure{
		ID: o.ID, Title: o.Title, Panel: o.Pairs[0].Panel, Caption: "In each panel the baseline is dashed and grey, the candidate solid.",
	}
	return l.chart(fig, Input{Catalog: o.Catalog, Profile: o.Profile}, l.legend(o.sides(l), fig.Style)), nil
}

// pane makes the k-th panel, with the curves of both sides. It has a row and a column of
// its own, and thereby axes of its own.
func (o Overlay) pane(k int, p OverlayPair) *pane {
	paneOf := func(side OverlaySide, name string) *pane {
		side.Choice = cmp.Or(side.Choice, &selection.Choice{})
		return &pane{
			ChartPanel: &ChartPanel{Title: name}, row: k, col: k, spec: Figure{Panel: p.Panel}.panels()[0], where: name,
			runs: side.Runs, in: Input{Catalog: o.Catalog, Choice: side.Choice},
		}
	}
	all := paneOf(OverlaySide{slices.Concat(p.Baseline.Runs, p.Candidate.Runs), cmp.Or(p.Candidate.Choice, p.Baseline.Choice)}, p.Title)
	for _, side := range []struct {
		name string
		OverlaySide
	}{{sideCandidate, p.Candidate}, {sideBaseline, p.Baseline}} {
		own := paneOf(side.OverlaySide, joinParts(", ", p.Title, side.name))
		own.fill()
		for _, cv := range own.Curves {
			if cv.extra = ""; side.name == sideBaseline {
				cv.identity = identity{series: seriesID{series: sideBaseline}}
			}
			all.Curves = append(all.Curves, cv)
		}
		if len(own.Curves) == 0 {
			all.why = joinParts("; ", all.why, own.why)
			all.notes = append(all.notes, own.where+": "+own.why)
		}
		for _, line := range own.Lines {
			if !slices.ContainsFunc(all.Lines, func(o ChartLine) bool { return reflect.DeepEqual(line, o) }) {
				all.Lines = append(all.Lines, line)
			}
		}
		all.splits, all.constant = unique(append(all.splits, own.splits...)), max(all.constant, own.constant)
		all.warnings = append(all.warnings, own.warnings...)
		all.notes = append(all.notes, own.notes...)
	}
	return all
}

// sides lists the baseline and the series of the candidates, which look as they do elsewhere, but solid.
func (o Overlay) sides(l layout) Catalog {
	sides := Catalog{{ID: sideBaseline, Name: sideBaseline, Style: baselineStyle}}
	for _, c := range slices.Concat(l...) {
		for _, cv := range c.Curves {
			if sides.find(cv.series.series) < 0 {
				s := o.looks(cv.series)[0]
				s.Dash, s.Width = nil, 1.6
				sides = append(sides, Algorithm{ID: cv.series.series, Name: o.Name(cv.series.series) + ", " + sideCandidate, Style: s})
			}
		}
	}
	return sides
}
