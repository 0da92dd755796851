package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
	"stochopt/results/words"
)

// columnObservations is the column of how many observations the first exponent
// of a table comes from.
const columnObservations = "observations"

// ExponentColumns lists the columns that a table of exponents can have besides
// theory and its exponents.
func ExponentColumns() []string { return []string{columnObservations, "runs"} }

// PowerLaws returns the exponents that the table shows.
func (t Table) PowerLaws() analysis.PowerLaws {
	return analysis.PowerLaws{Table: t.ID, Where: t.Where, Exponents: t.Exponents}
}

func exponentTitle(e analysis.Exponent) string {
	title := "Measured exponent of " + analysis.Variable(e.Over)
	switch {
	case e.Of != "":
		title += " in " + inSentence(e.Of)
	case e.OfState():
		title += " in " + inSentence(e.Cost)
	}
	return title
}

// inSentence names a counter or a metric within a sentence.
func inSentence(name string) string { return strings.ToLower(axisLabel(name)) }

// exponentNote says how the law of the exponent is found. It is the same for all the
// exponents of a law.
func exponentNote(e analysis.Exponent) string {
	var targets, names, each []string
	for _, v := range e.Targets {
		targets = append(targets, words.Exact(v))
	}
	variables := slices.Sorted(slices.Values(e.Variables()))
	for _, v := range variables {
		names = append(names, "log "+analysis.Variable(v))
		if v != analysis.OverEpsilon {
			each = append(each, analysis.Variable(v))
		}
	}
	left := cmp.Or(strings.Join(each, " and "), "problem")
	each = append(each, "ε in {"+strings.Join(targets, ", ")+"}")
	what, aside := e.Cost, ""
	if e.Of != "" {
		what, aside = e.Of, ", taken where the "+inSentence(e.Cost)+" are fewest"
	}
	norm := ""
	if slices.Contains(variables, analysis.FactNorm) {
		norm = "; R is the norm of the reference classifier whose expected hinge loss is L*"
	}
	early := ", or had reached when first recorded"
	if e.OfState() {
		early = ""
	}
	others := "n and parameters"
	if slices.Contains(variables, analysis.OverN) {
		others = "parameters"
	}
	return fmt.Sprintf("least squares of log %s on %s, with the 95 %% interval of Student's t from leaving out the observations of each %s in turn, "+
		"as they come from the same runs; an observation for each %s%s: the least over all other settings tried, such as %s, "+
		"of the median over repeats at the first record of the %s on the %s split at most ε above its floor L*%s; "+
		"not counted is what half of the repeats or more did not reach%s; "+
		"the bounds are upper ones, for any data, up to constants and logarithms",
		inSentence(what), strings.Join(names, " and "), left, strings.Join(each, " and "), aside, others, inSentence(e.Metric), e.Split, norm, early)
}

// exponentRow is a row of a table of exponents: a series with its observations for each
// exponent.
type exponentRow struct {
	tableRow
	observed map[string]analysis.Observations
}

// buildExponents makes a row of each series.
func buildExponents(g *Grid, t Table, runs []record.Run, in Input) ([]tableRow, error) {
	made := in.bySeries(runs)
	made = append(made, in.theoryAlone(t, made)...)
	slices.SortStableFunc(made, in.compareRows)
	of := func(f field[tableRow]) field[exponentRow] {
		return field[exponentRow]{f.Column, func(r exponentRow) Cell { return f.cell(r.tableRow) }}
	}
	exponents := make(map[string]analysis.Exponent, len(t.Exponents))
	for _, e := range t.Exponents {
		exponents[e.Column()] = e.WithDefaults()
	}
	rows := make([]exponentRow, len(made))
	for i, row := range made {
		rows[i] = exponentRow{row, make(map[string]analysis.Observations)}
		for id, e := range exponents {
			rows[i].observed[id] = e.Observe(row.runs)
		}
	}
	first := t.Exponents[0].Column()
	fields := []field[exponentRow]{of(seriesField)}
	var notes, edges notesByText
	for _, id := range t.Columns {
		e, fitted := exponents[id]
		f := field[exponentRow]{Column: Column{ID: id, Title: axisLabel(id)}}
		switch {
		case t.isTheory(id):
			f = of(t.theoryField(id, f.Title))
		case fitted:
			f.Title, f.Numeric, f.Spread = exponentTitle(e), true, spreadInterval
			notes.add(f.Title, exponentNote(e))
			f.cell = func(r exponentRow) Cell { return g.exponentCell(e, r) }
		case id == columnObservations:
			f.cell = func(r exponentRow) Cell {
				o := r.observed[first]
				if len(r.runs) == 0 {
					return missing
				}
				return Cell{Text: o.String(), Value: strconv.Itoa(o.Points())}
			}
		default:
			m, _ := columnOf(measurements, id)
			f.cell = func(r exponentRow) Cell { return m.measure(r.runs, in) }
		}
		fields = append(fields, f)
	}
	g.Notes = append(g.Notes, notes.lines()...)
	lay(g, fields, rows)
	for _, r := range rows {
		if o := r.observed[first]; o.Edge > 0 {
			edges.add(fmt.Sprintf("%s %d of %d", r.name, o.Edge, o.Points()),
				"the best n was the least or the largest of those tried, so that others might cost less")
		}
	}
	g.Notes = append(g.Notes, edges.lines()...)
	return made, nil
}

// exponentCell fits the law, and shows the exponent of the first variable. It notes what
// stands in the way of that.
func (g *Grid) exponentCell(e analysis.Exponent, r exponentRow) Cell {
	if len(r.runs) == 0 || !e.Recorded(r.runs) {
		return missing
	}
	law, err := e.Fit(r.observed[e.ID])
	if err != nil {
		g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: %s: %v", g.ID, r.name, err))
		g.Notes = append(g.Notes, fmt.Sprintf("%s: %v", r.name, err))
		return missing
	}
	v := law.Exponents[0]
	return Cell{
		Text:  fmt.Sprintf("%.2f [%.2f, %.2f]", v.Value, v.Lo, v.Hi),
		Value: words.Exact(v.Value), Spread: words.Exact((v.Hi - v.Lo) / 2),
	}
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
