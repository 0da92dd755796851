package plots

import (
	"slices"
	"strconv"

	"stochopt/results/record"
	"stochopt/results/words"
)

// datasetColumn is a column of a table of datasets that records fill in.
type datasetColumn struct {
	id, title string
	cell      func(r *record.Run) Cell
}

var datasetColumns = []datasetColumn{
	{"train_rows", "Train size n", rowsCell("train")},
	{"test_rows", "Test size", rowsCell("test")},
	{"sigma2", "σ²", paramCell("sigma2")},
	{"gamma", "γ", gammaCell},
	{"lambda", "λ", lambdaCell},
	{"C", "C", penaltyCell},
	{"nu", "ν", nuCell},
	{"R", "R", factCell("R")},
	{"bias", "Bias", paramCell("bias")},
	{factReferenceError, "Error of the reference SVM", referenceErrorCell},
	{factReferenceSupport, "Its support vectors", factCell(factReferenceSupport)},
}

func rowsCell(split string) func(*record.Run) Cell {
	return func(r *record.Run) Cell {
		n, ok := r.Rows[split]
		if !ok {
			return missing
		}
		s := strconv.FormatInt(n, 10)
		c := Cell{Text: s, Value: s}
		if of := r.Rows[split+"_of"]; of > n {
			c.Text += " of " + strconv.FormatInt(of, 10)
		}
		return c
	}
}

func paramCell(name string) func(*record.Run) Cell {
	return func(r *record.Run) Cell {
		v := r.Params[name]
		if v == nil {
			return missing
		}
		return Cell{Text: format(v), Value: format(v)}
	}
}

func factCell(name string) func(*record.Run) Cell {
	return func(r *record.Run) Cell {
		v, ok := r.Facts[name]
		if !ok {
			return missing
		}
		return numberCell(v, 3)
	}
}

// gammaCell shows gamma, or what sigma2 makes it.
func gammaCell(r *record.Run) Cell {
	if c := paramCell("gamma")(r); c != missing {
		return c
	}
	sigma2, ok := number(r.Params["sigma2"])
	if !ok || sigma2 <= 0 {
		return missing
	}
	return numberCell(1/(2*sigma2), 3)
}

// penaltyCell shows C as it came out, or else as it was given.
func penaltyCell(r *record.Run) Cell {
	if c := factCell("C")(r); c != missing {
		return c
	}
	return paramCell("C")(r)
}

func referenceErrorCell(r *record.Run) Cell {
	v, ok := r.Facts[factReferenceError]
	if !ok {
		return missing
	}
	return Cell{Text: words.Percent(v), Value: words.Exact(v)}
}

// lambdaCell shows lambda as the thesis does: 1/n, or 1/(C n).
func lambdaCell(r *record.Run) Cell {
	lambda, ok := r.Facts["lambda"]
	if !ok {
		return missing
	}
	c := numberCell(lambda, 3)
	if v, ok := r.Facts["C"]; ok {
		c.Text = "1/(" + words.Significant(v, 3) + "n)"
		if v == 1 {
			c.Text = "1/n"
		}
	}
	return c
}

// nuCell shows nu, unless it is what rounding and the tolerance of the optimum
// leave of zero: a mean hinge loss less than the gap that the optimum is
// certified to, which misclassifies no example.
func nuCell(r *record.Run) Cell {
	c := factCell("nu")(r)
	hinge, ok := r.Facts["reference_hinge"]
	if c != missing && ok && hinge <= r.Facts["reference_gap"] && hinge*float64(r.Rows[trainRows]) < 1 {
		c.Text = "~0 (separable)"
	}
	return c
}

// problemVars are the parameters that, with the data set, make a problem.
var problemVars = []string{varDataset, "bias", "kernel", "sigma2", "gamma", "degree", "coef0", "C", "lambda", "nu", "R"}

// buildDatasets makes a row of each data set, and of each problem posed on it.
func buildDatasets(g *Grid, t Table, runs []record.Run, _ measures) ([]tableRow, error) {
	g.Columns = []Column{{ID: varDataset, Title: "Dataset"}}
	t.Columns = append(t.apart(runs), t.Columns...)
	for _, id := range t.Columns {
		c := Column{ID: id, Title: columnTitle(id)}
		if d, ok := datasetColumnOf(id); ok && !t.isTheory(id) {
			c.Title, c.Numeric = d.title, true
		}
		g.Columns = append(g.Columns, c)
	}
	var rows []tableRow
	for _, name := range distinct(runs, varDataset) {
		of := filter(runs, func(r *record.Run) bool { return r.Dataset == name })
		for _, part := range partition(of, problemVars) {
			row := tableRow{seriesID{series: format(name)}, part}
			rows = append(rows, row)
			g.Rows = append(g.Rows, t.datasetCells(row))
			g.StandIn = append(g.StandIn, standIn(part))
		}
	}
	for _, name := range sortedKeys(t.Theory) {
		if !slices.ContainsFunc(rows, func(r tableRow) bool { return r.series.series == name }) {
			row := tableRow{series: seriesID{series: name}}
			rows = append(rows, row)
			g.Rows = append(g.Rows, t.datasetCells(row))
			g.StandIn = append(g.StandIn, false)
		}
	}
	if slices.Contains(t.Columns, "nu") || slices.Contains(t.Columns, "R") {
		g.Notes = append(g.Notes, "ν and R are those of the certified optimum of the regularised problem: |w*| ν is its mean hinge loss, R is |w*|")
	}
	return rows, nil
}

// apart returns the parameters, not among the columns, in which problems on one
// data set differ that the columns do not tell apart.
func (t Table) apart(runs []record.Run) []string {
	var vars []string
	for _, name := range distinct(runs, varDataset) {
		of := filter(runs, func(r *record.Run) bool { return r.Dataset == name })
		problems := len(partition(of, problemVars))
		told := func() int { return len(partition(of, slices.Concat(vars, t.Columns))) }
		for _, v := range problemVars[1:] {
			if told() >= problems {
				break
			}
			if !slices.Contains(t.Columns, v) && !slices.Contains(vars, v) && len(partition(of, []string{v})) > 1 {
				vars = append(vars, v)
			}
		}
	}
	return vars
}

// datasetColumnOf returns the column of that id, which any parameter of the
// problem has.
func datasetColumnOf(id string) (datasetColumn, bool) {
	if i := slices.IndexFunc(datasetColumns, func(d datasetColumn) bool { return d.id == id }); i >= 0 {
		return datasetColumns[i], true
	}
	if slices.Contains(problemVars, id) {
		return datasetColumn{id, symbol(id), paramCell(id)}, true
	}
	return datasetColumn{}, false
}

func (t Table) datasetCells(row tableRow) []Cell {
	name := Cell{Text: row.series.series, Value: row.series.series}
	if standIn(row.runs) {
		name.Text += " (stand-in)"
	}
	cells := []Cell{name}
	for _, id := range t.Columns {
		if t.isTheory(id) {
			cells = append(cells, t.theoryCell(row.series.series, id))
			continue
		}
		c := missing
		if d, ok := datasetColumnOf(id); ok {
			// Not every run of a problem needed to know all of it.
			for i := 0; i < len(row.runs) && c == missing; i++ {
				c = d.cell(&row.runs[i])
			}
		}
		cells = append(cells, c)
	}
	return cells
}

// theoryCell returns the text that the table gives in a theoretical column.
func (t Table) theoryCell(name, column string) Cell {
	if text := t.Theory[name][column]; text != "" {
		return Cell{Text: text, Value: text}
	}
	return missing
}
