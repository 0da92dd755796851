package plots

import (
	"slices"
	"strconv"

	"stochopt/internal/record"
)

// datasetColumns are the columns that tables of data sets can have, besides parameters of the
// problem.
var datasetColumns = []column{
	ofProblem("train_rows", "Train size n", rowsCell("train")),
	ofProblem("test_rows", "Test size", rowsCell("test")),
	ofProblem("sigma2", "σ²", paramCell("sigma2")),
	ofProblem("gamma", "γ", gammaCell),
	ofProblem("C", "C", penaltyCell),
	ofProblem("bias", "Bias", paramCell("bias")),
	ofProblem("nu", "ν", nuCell),
	ofProblem(factReferenceError, "Error of the reference SVM", factCell(factReferenceError, percentCell)),
	ofProblem(factReferenceSupport, "Its support vectors", factCell(factReferenceSupport, threeDigitsCell)),
}

// ofProblem returns a column with the cell of the first run that has one: not every run of a problem
// needed to know all of it.
func ofProblem(id, title string, cell func(*record.Run) Cell) column {
	return column{Column: numbers(id, title), cell: func(row tableRow) Cell {
		for i := range row.runs {
			if c := cell(&row.runs[i]); c != missing {
				return c
			}
		}
		return missing
	}}
}

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

func factCell(name string, show func(float64) Cell) func(*record.Run) Cell {
	return func(r *record.Run) Cell {
		v, ok := r.Facts[name]
		if !ok {
			return missing
		}
		return show(v)
	}
}

func threeDigitsCell(v float64) Cell { return numberCell(v, 3) }

// gammaCell shows gamma, or what sigma2 makes it.
func gammaCell(r *record.Run) Cell {
	if c := paramCell("gamma")(r); c != missing {
		return c
	}
	sigma2, ok := record.Number(r.Params["sigma2"])
	if !ok || sigma2 <= 0 {
		return missing
	}
	return threeDigitsCell(1 / (2 * sigma2))
}

// penaltyCell shows C as it came out, or else as it was given.
func penaltyCell(r *record.Run) Cell {
	if c := factCell("C", threeDigitsCell)(r); c != missing {
		return c
	}
	return paramCell("C")(r)
}

// nuCell shows nu, unless it is what rounding and the tolerance of the optimum
// leave of zero: a mean hinge loss less than the gap that the optimum is
// certified to, which misclassifies no example.
func nuCell(r *record.Run) Cell {
	c := factCell("nu", threeDigitsCell)(r)
	hinge, ok := r.Facts["reference_hinge"]
	if c != missing && ok && hinge <= r.Facts["reference_gap"] && hinge*float64(r.Rows[record.SplitTrain]) < 1 {
		c.Text = "~0 (separable)"
	}
	return c
}

// buildDatasets makes a row of each data set, and of each problem posed on it.
func buildDatasets(g *Grid, t Table, runs []record.Run, in Input) ([]tableRow, error) {
	columns := []column{{Column: named(varDataset, "Dataset"), cell: func(r tableRow) Cell {
		return dataCell(r.series.series, standIn(r.runs))
	}}}
	for _, id := range append(t.apart(runs), t.Columns...) {
		c, ok := columnOf(datasetColumns, id)
		switch {
		case t.isTheory(id):
			c = t.theory(id, columnTitle(id))
		case !ok:
			c = ofProblem(id, symbol(id), paramCell(id))
		}
		columns = append(columns, c)
	}
	var rows []tableRow
	for _, of := range byDataset(runs) {
		for _, part := range partition(of, problemVars) {
			rows = append(rows, in.row(seriesID{series: part[0].Dataset}, part))
		}
	}
	rows = append(rows, in.theoryAlone(t, rows)...)
	g.fill(columns, rows)
	if slices.Contains(t.Columns, "nu") {
		g.Notes = append(g.Notes, "ν and R are those of the certified optimum w* of the regularised problem: R = |w*|, and ν = its mean hinge loss / |w*|")
	}
	return rows, nil
}

// apart returns the parameters, not among the columns, in which problems on one data
// set differ that the columns do not tell apart.
func (t Table) apart(runs []record.Run) []string {
	var vars []string
	for _, of := range byDataset(runs) {
		problems := len(partition(of, problemVars))
		for _, v := range problemVars[1:] {
			shown := slices.Concat(vars, t.Columns)
			apart := len(partition(of, shown)) >= problems
			if !apart && !slices.Contains(shown, v) && len(partition(of, []string{v})) > 1 {
				vars = append(vars, v)
			}
		}
	}
	return vars
}
