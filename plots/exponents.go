package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// columnObservations is the column for the number of observations of the first exponent of a table.
const columnObservations = "observations"

// ExponentColumns lists the columns of a table of exponents, except exponents and theory.
var ExponentColumns = []string{columnObservations, "runs"}

// PowerLaws returns the definitions of the exponents of the table.
func (t Table) PowerLaws() observe.PowerLaws {
	return observe.PowerLaws{Table: t.ID, Where: t.Where, Exponents: t.Exponents}
}

func exponentTitle(e observe.Exponent) string {
	title := "Measured exponent of " + observe.Variable(e.Over)
	switch {
	case e.Of != "":
		title += " in " + inSentence(e.Of)
	case e.OfState():
		title += " in " + inSentence(e.Cost)
	}
	return title
}

// inSentence returns the label of a cost or metric in lower case.
func inSentence(name string) string { return strings.ToLower(observe.Label(name)) }

// exponentNote returns two texts on the fit of a power law: its dependent variable, and its other variables with the
// targets.
func exponentNote(e observe.Exponent) (dependent, law string) {
	var names []string
	for _, v := range slices.Sorted(slices.Values(e.Variables())) {
		names = append(names, "log "+observe.Variable(v))
	}
	targets := "ε = " + words.Exact(e.Targets[0])
	if n := len(e.Targets); n > 1 {
		targets = fmt.Sprintf("%d ε, %s to %s", n, words.Exact(slices.Min(e.Targets)), words.Exact(slices.Max(e.Targets)))
	}
	return "log " + inSentence(cmp.Or(e.Of, e.Cost)), fmt.Sprintf("on %s (%s)", strings.Join(names, " and "), targets)
}

// buildExponents makes a row for each series.
func buildExponents(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
	rows := in.bySeries(runs)
	for i := range rows { // row by row, so that the curves of a row are read only once
		rows[i].observed = make(map[string]observe.Observations)
		for _, e := range t.Exponents {
			rows[i].observed[e.Column()] = e.WithDefaults().Observe(rows[i].runs)
		}
	}
	first := t.Exponents[0].Column()
	var laws, edges notesByText
	known := []column{{
		Column: textColumn(columnObservations, observe.Label(columnObservations)),
		cell: func(r tableRow) Cell {
			o := r.observed[first]
			if len(r.runs) == 0 {
				return missing
			}
			return Cell{Text: o.String(), Value: strconv.Itoa(len(o.Points))}
		},
	}}
	for _, e := range t.Exponents {
		e = e.WithDefaults()
		laws.add(exponentNote(e))
		known = append(known, column{
			Column: Column{ID: e.Column(), Title: exponentTitle(e), Numeric: true, Spread: spreadInterval},
			cell:   func(r tableRow) Cell { return g.exponentCell(e, r) },
		})
	}
	for i, law := range laws.texts {
		dependent := strings.Join(laws.subjects[i], " and ")
		g.Notes = append(g.Notes, fmt.Sprintf("Fit of %s %s, [95 %% confidence interval]: %s", dependent, law, columnsHelp))
	}
	ids := append([]string{record.VarSeries}, t.Columns...)
	rows = g.fill(t, in, in.columns(t, ids, append(known, measurements...), runs), rows)
	for _, r := range rows {
		if o := r.observed[first]; o.Edge > 0 {
			edges.add(fmt.Sprintf("%s %d of %d", r.name, o.Edge, len(o.Points)),
				"grid edge: the best n was the least or the largest tried, so another n might cost less")
		}
	}
	g.remark(edges.lines()...)
	return rows
}

// exponentCell fits a power law and shows the exponent of its first variable. If the fit fails, it adds a remark.
func (g *Grid) exponentCell(e observe.Exponent, r tableRow) Cell {
	if len(r.runs) == 0 || !e.Recorded(r.runs) {
		return missing
	}
	law, err := e.Fit(r.observed[e.ID])
	if err != nil {
		g.remark(fmt.Sprintf("%s: %v", r.name, err))
		return missing
	}
	v := law.Exponents[0]
	return Cell{
		Text:  fmt.Sprintf("%.2f [%.2f, %.2f]", v.Value, v.Lo, v.Hi),
		Value: words.Exact(v.Value), Spread: words.Exact((v.Hi - v.Lo) / 2),
	}
}

// notesByText collects notes and the subjects of each.
type notesByText struct {
	texts    []string
	subjects [][]string
}

// add adds a subject to the note of a text.
func (n *notesByText) add(subject, text string) {
	i := slices.Index(n.texts, text)
	if i < 0 {
		i = len(n.texts)
		n.texts, n.subjects = append(n.texts, text), append(n.subjects, nil)
	}
	n.subjects[i] = words.AddOnce(n.subjects[i], subject)
}

// lines returns "subject; subject: text" for each text.
func (n *notesByText) lines() []string {
	lines := make([]string, len(n.texts))
	for i, text := range n.texts {
		lines[i] = strings.Join(n.subjects[i], "; ") + ": " + text
	}
	return lines
}
