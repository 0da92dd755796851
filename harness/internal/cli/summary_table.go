package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/experiment"
	"stochopt/plots"
	"stochopt/plots/table"
	"stochopt/results/analysis"
)

// mainTable returns the lines of the table that says best what came out, as much of it as
// there is room for: the first of the spec that has a row a series, or one of outcomes,
// with the parameters that were selected, or else another of the spec.
func mainTable(d *experiment.Derivation, p *experiment.Products, room int) []string {
	var tables, others []*plots.Grid
	for i, t := range d.Spec.Tables {
		switch t.Kind {
		case "":
			tables = append(tables, p.Tables[i])
		case plots.KindDatasets:
		default:
			others = append(others, p.Tables[i])
		}
	}
	// Where nothing is selected, outcomes have a row for each value of each grid.
	outcomes := outcomeTable(d)
	if d.Selection.Options.By == analysis.ByNone {
		tables = slices.Concat(tables, others, outcomes)
	} else {
		tables = slices.Concat(tables, outcomes, others)
	}
	for _, g := range tables {
		lines, more := table.Brief(g, screenWidth, room-1)
		if lines == nil {
			continue
		}
		if more > 0 {
			lines = append(lines, leftOut(d, g, more))
		}
		return lines
	}
	return nil
}

// outcomeTable makes the table of outcomes, if the runs have any that it can show.
func outcomeTable(d *experiment.Derivation) []*plots.Grid {
	if d.Halved != nil {
		return nil
	}
	g, err := plots.Outcomes(d.Plots(), d.Selection.Options.Tune)
	if err != nil {
		return nil // no measurement applies, as to a drawing of losses
	}
	return []*plots.Grid{g}
}

// leftOut says where the rows are that there was no room for.
func leftOut(d *experiment.Derivation, g *plots.Grid, more int) string {
	file := experiment.SelectionFile
	for _, t := range d.Spec.Tables {
		if t.ID == g.ID {
			file = filepath.Join("tables", t.ID+".txt")
		}
	}
	return fmt.Sprintf("and %d more rows: %s", more, filepath.Join(d.Folder.Dir, file))
}
