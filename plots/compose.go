package plots

import (
	"cmp"
	"fmt"
	"slices"

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

// runsOf returns the runs that a panel shows some of.
func (in Input) runsOf(p Panel) []record.Run {
	if p.Tuned == "" {
		return in.Choice.Runs()
	}
	return tuningOf(p.Tuned).runs(in.Choice)
}

// Compose lays out a valid figure. It is an error if it would have too many panels; missing
// data make an empty panel and a warning.
func Compose(fig Figure, in Input) (*Chart, error) {
	if err := fig.checkTradeoffs(in.Choice); err != nil {
		return nil, err
	}
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

// chart makes the chart of a figure from its panels and the entries of the legend.
func (l layout) chart(fig Figure, in Input, keys []ChartKey) *Chart {
	l.setAxes()
	f := factsOf(fig, in, l)
	ch := &Chart{ID: fig.ID, Crowded: fig.tradesOff(), Keys: keys}
	var missing, beyond []string
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
	for _, w := range unique(append(missing, beyond...)) {
		ch.Warnings = append(ch.Warnings, "figure "+fig.ID+": "+w)
	}
	if f.standIns != nil {
		ch.Alarms = []Text{Text(alarm(f.standIns))}
	}
	ch.Title, ch.Detail = Text(f.title), Text(f.detail(in))
	ch.Remarks, ch.Notes = textList(unique(in.Notes)), textList(f.notes(l))
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

// finish completes the panel and finds out what there is to be said of it. It warns of
// a panel without a curve in sight and of values moved to the floor of the y axis.
func (c *pane) finish() {
	plain := cmp.Or(string(c.Title), c.where)
	if c.spec.Y == ySpectrum && !c.illustrates() && len(c.Curves) > 0 {
		c.Title = Text(joinParts(" · ", string(c.Title), "one run"))
	}
	if c.StandIn = standIn(c.runs); c.StandIn {
		c.Title = Text(joinParts(" · ", string(c.Title), "stand-in data"))
	}
	c.X.Label, c.Y.Label = Text(c.xLabel()), Text(c.yLabel())
	if len(c.Curves) == 0 {
		c.Empty = Text("no data: " + c.why)
		return
	}
	seen := false
	for i := range c.Curves {
		cv := &c.Curves[i]
		inView, leaves := cv.inView(c.X, c.Y), cv.leaves(c.X, c.Y)
		seen = seen || inView
		c.floored = c.floored || c.Y.Floor > 0 && cv.floored(c.X, c.Y)
		if cv.Thin {
			continue
		}
		cv.Done = cv.endsBefore(c.X.Max)
		c.stops, c.leaves = c.stops || cv.Done, c.leaves || leaves
		switch {
		case !c.tradesOff():
		case !inView:
			c.hidden = append(c.hidden, fmt.Sprintf("%s lies outside its panel (%s): its least error is %s",
				c.in.Name(cv.series.series), plain, words.Percent(slices.Min(cv.Y))))
		default:
			c.visible++
			if leaves {
				c.cut = append([]string{cv.Key}, c.cut...)
			}
		}
	}
	switch {
	case !seen:
		c.Empty = "no curve lies within the axes"
		c.warn("%s", c.Empty)
	case c.floored:
		c.warn("values below %g are drawn at the floor of the logarithmic axis", c.Y.Floor)
	}
}
