package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// Exponent describes an exponent of a power law to be fitted: what it costs at
// best to bring the excess of a metric over its floor down to a target, against
// what varies.
type Exponent struct {
	// ID names the column, by default exponent_<over>.
	ID string `yaml:"id,omitempty"`
	// Over is what the exponent is of: "epsilon" (the law is in 1/epsilon,
	// epsilon being the target), "n" (the number of training rows), or else a
	// fact or a parameter of the records, such as "u_norm".
	Over string `yaml:"over"`
	// With lists what else varies in the law. What it leaves out, such as n or a
	// parameter, is chosen so that the cost is least.
	With []string `yaml:"with,omitempty"`
	// Of is what the law is of: by default the cost, else a metric of the state
	// when that cost was paid, such as "support".
	Of string `yaml:"of,omitempty"`
	// Metric is "error" by default, Split "test", Cost "kernel_evals"; "support"
	// in its place is the number of support vectors.
	Metric string `yaml:"metric,omitempty"`
	Split  string `yaml:"split,omitempty"`
	Cost   string `yaml:"cost,omitempty"`
	// Targets are the excesses epsilon over the floor.
	Targets []float64 `yaml:"targets"`
	// Values gives the values of Over, by data set, in place of what is recorded.
	Values map[string]float64 `yaml:"values,omitempty"`
	// Floor gives the floor of the metric, by data set; without it that is the
	// fact "l_star", or 0.
	Floor map[string]float64 `yaml:"floor,omitempty"`
	// Where restricts the runs, besides the table's own conditions.
	Where map[string]any `yaml:"where,omitempty"`
}

// Names of Exponent.Over that are neither facts nor parameters.
const (
	OverEpsilon = "epsilon"
	OverN       = "n"
)

// CostSupport as Exponent.Cost stands for the number of support vectors, no
// counter but a property of the classifier.
const CostSupport = xSupport

// factFloor is what an error is measured from where no floor is given.
const factFloor = "l_star"

// columnObservations is the column of how many observations the first exponent
// of a table comes from.
const columnObservations = "observations"

// ExponentColumns lists the columns that a table of exponents can have besides
// theory and its exponents.
func ExponentColumns() []string { return []string{columnObservations, "runs"} }

// withDefaults fills in what is left out.
func (e Exponent) withDefaults() Exponent {
	e.ID = cmp.Or(e.ID, "exponent_"+e.Over)
	e.Metric, e.Split, e.Cost = cmp.Or(e.Metric, yError), cmp.Or(e.Split, "test"), cmp.Or(e.Cost, "kernel_evals")
	return e
}

// Column returns the id of the exponent's column.
func (e Exponent) Column() string { return e.withDefaults().ID }

// variables returns what varies in the law, Over first.
func (e Exponent) variables() []string { return append([]string{e.Over}, e.With...) }

// buildExponents makes a row of each series.
func buildExponents(g *Grid, t Table, runs []record.Run, ms measures) ([]tableRow, error) {
	exponents := make(map[string]Exponent, len(t.Exponents))
	for _, e := range t.Exponents {
		exponents[e.Column()] = e.withDefaults()
	}
	g.Columns = []Column{{ID: varSeries, Title: "Algorithm"}}
	var notes notesByText
	for _, id := range t.Columns {
		c := Column{ID: id, Title: axisLabel(id)}
		if e, ok := exponents[id]; ok && !t.isTheory(id) {
			c.Title, c.Numeric, c.Spread = e.title(), true, spreadInterval
			notes.add(c.Title, e.note())
		}
		g.Columns = append(g.Columns, c)
	}
	g.Notes = append(g.Notes, notes.lines()...)
	var rows []tableRow
	for _, id := range seriesOf(runs) {
		rows = append(rows, tableRow{id, filter(runs, func(r *record.Run) bool { return r.Series == id.series && r.Algorithm == id.algorithm })})
	}
	for _, name := range sortedKeys(t.Theory) {
		if !slices.ContainsFunc(rows, func(r tableRow) bool { return r.series.series == name }) {
			rows = append(rows, tableRow{series: seriesID{series: name}})
		}
	}
	slices.SortStableFunc(rows, func(a, b tableRow) int { return compareSeries(a.series, b.series) })
	var edges notesByText
	for _, row := range rows {
		name := DisplayName(row.series.series)
		observed := make(map[string]observations, len(exponents))
		for id, e := range exponents {
			observed[id] = e.observe(row.runs)
		}
		first := observed[t.Exponents[0].Column()]
		if first.edge > 0 {
			edges.add(fmt.Sprintf("%s %d of %d", name, first.edge, len(first.points)), "the best n was the least or the largest of those tried, so that others might cost less")
		}
		cells := []Cell{{Text: name, Value: row.series.series}}
		for _, id := range t.Columns {
			e, fitted := exponents[id]
			switch {
			case t.isTheory(id):
				cells = append(cells, t.theoryCell(row.series.series, id))
			case len(row.runs) == 0, fitted && !e.recorded(row.runs):
				cells = append(cells, missing)
			case fitted:
				c, warning := e.cell(observed[id])
				if warning != "" {
					g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: %s: %s", t.ID, name, warning))
					g.Notes = append(g.Notes, name+": "+warning)
				}
				cells = append(cells, c)
			case id == columnObservations:
				cells = append(cells, first.cell())
			default:
				cells = append(cells, measurements[id].measure(row.runs, ms))
			}
		}
		g.Rows = append(g.Rows, cells)
		g.StandIn = append(g.StandIn, standIn(row.runs))
	}
	g.Notes = append(g.Notes, edges.lines()...)
	return rows, nil
}

// notesByText collects notes that hold for several things.
type notesByText struct {
	texts []string
	of    [][]string
}

func (n *notesByText) add(of, text string) {
	i := slices.Index(n.texts, text)
	if i < 0 {
		i = len(n.texts)
		n.texts, n.of = append(n.texts, text), append(n.of, nil)
	}
	n.of[i] = append(n.of[i], of)
}

// lines returns "a; b: text" for each text.
func (n *notesByText) lines() []string {
	lines := make([]string, len(n.texts))
	for i, text := range n.texts {
		lines[i] = strings.Join(n.of[i], "; ") + ": " + text
	}
	return lines
}

// FitExponent fits the power law behind an exponent of a table of exponents to the
// runs of a series, as Build does; the exponent itself is the first. Its level is
// 95 %.
//
// It is an error if the table has no such exponent, the runs lack what it is over
// or of, or they are too few to fit it to.
func FitExponent(t Table, column, series string, runs []record.Run) (analysis.Law, error) {
	i := slices.IndexFunc(t.Exponents, func(e Exponent) bool { return e.Column() == column })
	if i < 0 {
		return analysis.Law{}, fmt.Errorf("plots: table %s has no exponent %q", t.ID, column)
	}
	e := t.Exponents[i].withDefaults()
	own := filter(runs, func(r *record.Run) bool { return r.Series == series && matches(r, t.Where) })
	switch {
	case len(own) == 0:
		return analysis.Law{}, fmt.Errorf("plots: table %s: no runs of series %s", t.ID, series)
	case !e.recorded(own):
		return analysis.Law{}, fmt.Errorf("plots: table %s: no record of %s", t.ID, e.Of)
	}
	law, err := e.fit(e.observe(own))
	if err != nil {
		return analysis.Law{}, fmt.Errorf("plots: table %s: %w", t.ID, err)
	}
	return law, nil
}
