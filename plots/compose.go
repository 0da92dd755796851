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

// Input holds the runs and texts that figures and tables show.
type Input struct {
	// Catalog lists the algorithms with their names and styles.
	Catalog
	// Choice holds the selected runs: for each series and problem one setting of the tuned parameters, or the
	// trade-offs of whole grids.
	Choice *selection.Choice
	// Data lists the datasets of the experiment in the order of panels.
	Data []Data
	// Title is the title of the experiment.
	Title string
	// Profile is the name of the profile of the runs; it may be empty.
	Profile string
	// Set lists the changes to the specification, as path=value.
	Set []string
	// Notes are remarks for every figure and table, such as on missing runs. They stand above the panels and rows.
	Notes []string
}

// Data is a dataset with its title, which may be empty.
type Data struct{ ID, Title string }

// titlesOf returns the title of each dataset or, without a title, its id.
func (in Input) titlesOf(ids []string) []string {
	titles := slices.Clone(ids)
	for i, id := range ids {
		if k := slices.IndexFunc(in.Data, func(d Data) bool { return d.ID == id }); k >= 0 {
			titles[i] = cmp.Or(in.Data[k].Title, id)
		}
	}
	return titles
}

// datasets returns the datasets for which panels are made, in the order of the experiment. These are the datasets of
// runs, and the datasets without any runs that meet the conditions of some panel.
func (in Input) datasets(runs []record.Run, panels []Panel) (ids []any) {
	shown, known := textsOf(runs, record.VarDataset), textsOf(in.Choice.Runs(), record.VarDataset)
	for _, d := range in.Data {
		wanted := func(p Panel) bool { return observe.Where(p.Where).Matches(&record.Run{Dataset: d.ID}) }
		if slices.Contains(shown, d.ID) || !slices.Contains(known, d.ID) && slices.ContainsFunc(panels, wanted) {
			ids = append(ids, d.ID)
		}
	}
	for _, id := range shown { // those that the experiment does not declare
		if !slices.Contains(ids, any(id)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Compose lays out a valid figure. A panel without data is empty and has a warning. It is an error if there are too
// many panels.
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

// Criteria returns a note for each criterion of the selection that the figures or tables show. Such results are
// optimistic.
func (in Input) Criteria(figures []Figure, tables []Table) (texts []string) {
	var shown []Panel
	for _, f := range figures {
		shown = append(shown, f.AllPanels()...)
	}
	for _, t := range tables {
		for _, id := range append(slices.Clone(t.Columns), t.Kind) {
			if metric := metricOf[id]; metric != "" && !t.isTheory(id) {
				shown = append(shown, Panel{Y: metric, Where: t.Where})
			}
		}
		if t.Validation {
			shown = append(shown, Panel{
				Draw: DrawTradeoff, Y: record.MetricError, Where: t.Where, Split: record.SplitValidation,
			})
		}
	}
	selected := "" // the Panel.Draw of panels that show selected runs
	if in.Choice.BySize() {
		selected = DrawTradeoff
	}
	for _, p := range shown {
		if p.Draw != selected && !p.Profiles() {
			continue
		}
		for _, own := range observe.Grouped(filter(in.Choice.Runs(), p.shows), in.Choice.Of) {
			series := in.Choice.Of(&own[0])
			if series == nil || len(series.Candidates) < 2 && in.Choice.Over != selection.OverAny {
				continue // there was nothing to select
			}
			split := p.Split
			if split == "" {
				split, _ = observe.UnseenSplit(&own[0], "", p.Y)
			}
			if text := in.Choice.Criterion(p.Y, split); text != "" {
				texts = words.AddOnce(texts, text)
			}
		}
	}
	return texts
}

// chart returns the finished chart of a figure, with the given legend. It sets the axes.
func (l layout) chart(fig Figure, in Input, keys []ChartKey) *Chart {
	l.setAxes(fig.Style)
	crowded := slices.ContainsFunc(fig.AllPanels(), func(p Panel) bool { return p.Draw == DrawTradeoff })
	ch := &Chart{ID: fig.ID, Crowded: crowded, Keys: keys, Style: fig.Style}
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
	if datasets := standIns(l.runs()); datasets != nil {
		ch.Alarms = []string{standInAlarm(in.titlesOf(datasets))}
	}
	ch.Title, ch.Detail = cmp.Or(fig.Title, in.Title, fig.ID), l.detail(fig, in)
	notes := append(l.notes(in), in.Criteria([]Figure{fig}, nil)...)
	ch.Remarks, ch.Notes = unique(in.Notes), notes
	if fig.Style.Notes == Omitted {
		for _, remark := range ch.Remarks {
			ch.Warnings = append(ch.Warnings, "figure "+fig.ID+": not drawn because of notes: none: "+remark)
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

// finish sets the titles, labels and end marks of a panel with axes. It warns if all curves are outside the axes.
func (c *pane) finish() {
	if c.spec.Y == observe.Spectrum && len(c.Curves) > 0 {
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
	visible := false
	for i := range c.Curves {
		cv := &c.Curves[i]
		// A curve that reaches the end of the axis has no end mark.
		cv.Converged = cv.Converged && !cv.Points && cv.X[len(cv.X)-1] < c.X.Max*(1-slack)
		visible = visible || cv.inView(c.X, c.Y)
	}
	if !visible {
		c.Empty = "no curve lies within the axes"
		c.warn("%s", c.Empty)
	}
}

// Overlay is a figure of the curves of a baseline and a candidate, with a panel for each pair.
type Overlay struct {
	// Catalog lists the algorithms with their names and styles.
	Catalog
	// ID is the name of the output files, Title the title of the figure.
	ID, Title string
	Pairs     []OverlayPair
	// Profile is the name of the profile of the runs; it may be empty.
	Profile string
}

// OverlayPair is a panel of an Overlay. Each setting of the parameters has its own curve.
type OverlayPair struct {
	Title               string
	Panel               Panel
	Baseline, Candidate OverlaySide
}

// OverlaySide holds the runs of one side of a pair.
type OverlaySide struct {
	Runs []record.Run
	// Choice holds the selection at each support size, for trade-offs. Runs then holds the whole grids.
	Choice *selection.Choice
}

// MaxOverlayPairs is the maximum number of panels of an Overlay.
const MaxOverlayPairs = 36

const overlayColumns = 3

// Names of the sides in legends.
const (
	sideBaseline  = "baseline"
	sideCandidate = "candidate"
)

// baselineStyle is grey and dashed for all series. Candidates are solid, in the colour of their series, so that both
// curves remain visible where they coincide.
var baselineStyle = Style{Color: "#767676", Dash: []float64{3.5, 2.5}, Width: 1.1, Glyph: GlyphRing}

// Compose lays out the overlay like a figure. Each panel has its own axes. It is an error if there are no pairs, or
// more than MaxOverlayPairs.
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
		ID: o.ID, Title: o.Title, Panel: o.Pairs[0].Panel,
		Caption: "In each panel the baseline is dashed and grey, the candidate solid.",
	}
	return l.chart(fig, Input{Catalog: o.Catalog, Profile: o.Profile}, l.legend(o.catalog(l), fig.Style)), nil
}

// pane makes panel k with the curves of both sides. Its row and column are unique, so that it shares no axes.
func (o Overlay) pane(k int, p OverlayPair) *pane {
	paneOf := func(side OverlaySide, name string) *pane {
		side.Choice = cmp.Or(side.Choice, &selection.Choice{})
		return &pane{
			ChartPanel: &ChartPanel{Title: name}, row: k, col: k, spec: p.Panel.withDefaults(), where: name,
			runs: side.Runs, in: Input{Catalog: o.Catalog, Choice: side.Choice},
		}
	}
	both := OverlaySide{
		Runs:   slices.Concat(p.Baseline.Runs, p.Candidate.Runs),
		Choice: cmp.Or(p.Candidate.Choice, p.Baseline.Choice),
	}
	all := paneOf(both, p.Title)
	for _, side := range []struct {
		name string
		OverlaySide
	}{{sideCandidate, p.Candidate}, {sideBaseline, p.Baseline}} {
		own := paneOf(side.OverlaySide, joinParts(", ", p.Title, side.name))
		own.fill()
		for _, cv := range own.Curves {
			if cv.setting = ""; side.name == sideBaseline {
				cv.curveID = curveID{series: seriesID{id: sideBaseline}}
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

// catalog lists the baseline and the series of the candidates. A series keeps its colour but has a solid line.
func (o Overlay) catalog(l layout) Catalog {
	sides := Catalog{{ID: sideBaseline, Name: sideBaseline, Style: baselineStyle}}
	for _, c := range slices.Concat(l...) {
		for _, cv := range c.Curves {
			if sides.find(cv.series.id) < 0 {
				s := o.styles(cv.series)[0]
				s.Dash, s.Width = nil, 1.6
				sides = append(sides, Algorithm{ID: cv.series.id, Name: o.Name(cv.series.id) + ", " + sideCandidate, Style: s})
			}
		}
	}
	return sides
}
