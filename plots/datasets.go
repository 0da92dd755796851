package plots

import (
	"slices"
	"strconv"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

func rowsCell(split string) func(*record.Run) Cell {
	return func(r *record.Run) Cell {
		n, ok := r.Rows[split]
		if !ok {
			return missing
		}
		c := textCell(strconv.FormatInt(n, 10))
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
		return textCell(format(v))
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
	sigma2, ok := record.Number(r.Params["sigma2"])
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
	return percentCell(v)
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
	if c != missing && ok && hinge <= r.Facts["reference_gap"] && hinge*float64(r.Rows[record.SplitTrain]) < 1 {
		c.Text = "~0 (separable)"
	}
	return c
}

// buildDatasets makes a row of each data set, and of each problem posed on it.
func buildDatasets(g *Grid, t Table, runs []record.Run, in Input) ([]tableRow, error) {
	fields := []field[tableRow]{{Column{ID: varDataset, Title: "Dataset"}, func(r tableRow) Cell {
		return dataCell(r.series.series, r.madeUp())
	}}}
	t.Columns = append(t.apart(runs), t.Columns...)
	for _, id := range t.Columns {
		f := t.theoryField(id, columnTitle(id))
		if m, ok := datasetColumn(id); ok && !t.isTheory(id) {
			f = in.field(m)
		}
		fields = append(fields, f)
	}
	var rows []tableRow
	for _, of := range byDataset(runs) {
		for _, part := range partition(of, problemVars) {
			rows = append(rows, in.row(seriesID{series: part[0].Dataset}, part))
		}
	}
	rows = append(rows, in.theoryAlone(t, rows)...)
	lay(g, fields, rows)
	if slices.Contains(t.Columns, "nu") || slices.Contains(t.Columns, "R") {
		g.Notes = append(g.Notes, "ν and R are those of the certified optimum w* of the regularised problem: R = |w*|, and ν = its mean hinge loss / |w*|")
	}
	return rows, nil
}

// apart returns the parameters, not among the columns, in which problems on one
// data set differ that the columns do not tell apart.
func (t Table) apart(runs []record.Run) []string {
	var vars []string
	for _, of := range byDataset(runs) {
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

// datasetColumn returns the column of that id, which any parameter of the problem has.
func datasetColumn(id string) (measurement, bool) {
	if m, ok := columnOf(datasetColumns, id); ok {
		return m, true
	}
	return measurement{id: id, title: symbol(id), cell: firstOf(paramCell(id))}, slices.Contains(problemVars, id)
}
