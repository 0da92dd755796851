package plots

import (
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

// runsOf returns the runs that a panel shows some of.
func (in Input) runsOf(p Panel) []record.Run {
	if p.Tuned == "" {
		return in.Choice.Runs()
	}
	return in.Choice.Tuned(p.Tuned)
}

// Compose lays out fig. It is an error if fig is not valid or would have too many
// panels; missing data make an empty panel and a warning.
func Compose(fig Figure, in Input) (chart *Chart, err error) {
	if err := fig.Validate(); err != nil {
		return nil, err
	}
	if err := fig.checkTradeoffs(in.Choice); err != nil {
		return nil, err
	}
	panes, err := layOut(fig, in)
	if err != nil {
		return nil, err
	}
	color := fig.Color
	if color == "" {
		color = varSeries
	}
	var curves []curve
	for c := range panes.all() {
		c.fill(color)
		curves = append(curves, c.curves...)
	}
	looks := newLooks(in.Catalog, color, curves)
	chart = panes.chart(fig, in, looks)
	chart.Keys = looks.legend(panes)
	return chart, nil
}

// chart makes the chart of a figure from its panels, but for the keys; more are notes
// on all of it.
func (l layout) chart(fig Figure, in Input, looks looks, more ...string) *Chart {
	ch := &Chart{ID: fig.ID, Crowded: fig.tradesOff()}
	l.setAxes()
	var missing, beyond []warning
	for i := range l {
		var row []*ChartPanel
		for j := range l[i] {
			c := &l[i][j]
			missing = append(missing, c.warnings...)
			if text := c.lay(looks); text != "" {
				beyond = append(beyond, warning{c.where, text})
			}
			if j > 0 {
				left := &l[i][j-1]
				c.out.Y.Bare = c.yKey() == left.yKey() && c.yLabel() == left.yLabel()
			}
			c.out.X.Bare = i+1 < len(l) && j < len(l[i+1]) && c.xKey() == l[i+1][j].xKey()
			row = append(row, c.out)
		}
		ch.Panels = append(ch.Panels, row)
	}
	for _, w := range collapse(append(missing, beyond...)) {
		ch.Warnings = append(ch.Warnings, "figure "+fig.ID+": "+w)
	}
	f := factsOf(fig, in, l)
	notes := f.notes(l, more...)
	var alarms []string
	if f.standIns != nil {
		alarms = []string{alarm(f.standIns)}
	}
	ch.Title, ch.Detail = Text(f.title(fig, in)), Text(f.detail(in))
	ch.Alarms, ch.Remarks, ch.Notes = textList(alarms), textList(unique(in.Notes)), textList(notes)
	ch.Caption, ch.Lead = f.caption(fig, in, alarms, notes), f.caption(fig, in, nil, nil)
	return ch
}

func textList(texts []string) []Text {
	var list []Text
	for _, t := range texts {
		list = append(list, Text(t))
	}
	return list
}
