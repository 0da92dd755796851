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

// columnObservations is the column of how many observations the first exponent
// of a table comes from.
const columnObservations = "observations"

// PowerLaws returns the exponents that the table shows.
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

// inSentence names a counter or a metric within a sentence.
func inSentence(name string) string { return strings.ToLower(observe.Label(name)) }

// exponentNote says of what the law of the exponent is, and on which variables at which
// targets. docs/glossary.md has the rest, which is the same for all.
func exponentNote(e observe.Exponent) (of, law string) {
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

// exponentLines are the footnotes of laws: a line for those on the same variables.
func exponentLines(laws notesByText) []string {
	var lines []string
	for i, law := range laws.texts {
		lines = append(lines, fmt.Sprintf("Fit of %s %s, [95 %% confidence interval]: %s",
			strings.Join(unique(laws.of[i]), " and "), law, exponentsHelp))
	}
	return lines
}

// exponentRow is a row of a table of exponents: a series with its observations for each
// exponent.
type exponentRow struct {
	tableRow
	observed map[string]observe.Observations
}

// buildExponents makes a row of each series.
func buildExponents(g *Grid, t Table, runs []record.Run, in Input) ([]tableRow, error) {
	made := in.bySeries(runs)
	made = append(made, in.theoryAlone(t, made)...)
	slices.SortStableFunc(made, in.compareRows)
	of := func(f field[tableRow]) field[exponentRow] {
		return field[exponentRow]{f.Column, func(r exponentRow) Cell { return f.cell(r.tableRow) }}
	}
	exponents := make(map[string]observe.Exponent, len(t.Exponents))
	for _, e := range t.Exponents {
		exponents[e.Column()] = e.WithDefaults()
	}
	rows := make([]exponentRow, len(made))
	for i, row := range made {
		rows[i] = exponentRow{row, make(map[string]observe.Observations)}
		for id, e := range exponents {
			rows[i].observed[id] = e.Observe(row.runs)
		}
	}
	first := t.Exponents[0].Column()
	fields := []field[exponentRow]{of(seriesField)}
	var laws, edges notesByText
	for _, id := range t.Columns {
		e, fitted := exponents[id]
		f := field[exponentRow]{Column: Column{ID: id, Title: observe.Label(id)}}
		switch {
		case t.isTheory(id):
			f = of(t.theoryField(id, f.Title))
		case fitted:
			f.Title, f.Numeric, f.Spread = exponentTitle(e), true, spreadInterval
			laws.add(exponentNote(e))
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
	g.Notes = append(g.Notes, exponentLines(laws)...)
	lay(g, fields, rows)
	for _, r := range rows {
		if o := r.observed[first]; o.Edge > 0 {
			edges.add(fmt.Sprintf("%s %d of %d", r.name, o.Edge, o.Points()),
				"grid edge: the best n was the least or the largest tried, so another n might cost less")
		}
	}
	g.remark(edges.lines()...)
	return made, nil
}

// exponentCell fits the law, and shows the exponent of the first variable. It notes what
// stands in the way of that.
func (g *Grid) exponentCell(e observe.Exponent, r exponentRow) Cell {
	if len(r.runs) == 0 || !e.Recorded(r.runs) {
		return missing
	}
	law, err := e.Fit(r.observed[e.ID])
	if err != nil {
		g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: %s: %v", g.ID, r.name, err))
		g.remark(fmt.Sprintf("%s: %v", r.name, err))
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
