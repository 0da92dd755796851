package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// selectionRow describes the selected parameters of a series on a dataset.
type selectionRow struct {
	Dataset string
	StandIn bool
	// Params are the parameters that are not tuned.
	Params record.Params
	// Label is the name of the series. Chosen has the selected parameters, and Score their score.
	Label, Chosen, Score string
	// Candidates is the number of candidates.
	Candidates int
	// Sizes has the selected parameters by range of support sizes, in a selection at each support size.
	Sizes []sizeRange
	// Remarks are warnings, for example on a parameter at the end of its grid.
	Remarks []string
}

// sizeRange is a range of support sizes for which the same parameters were selected most often.
type sizeRange struct {
	From, To int
	Params   string
	// Share is the smallest share of the votes that the parameters have in the range.
	Share float64
}

// selectionOf describes how parameters were selected, and lists the selected parameters.
func selectionOf(d *experiment.Derivation) (by string, rows []selectionRow) {
	split, in := "", d.Plots()
	for i := range d.Choice.Series {
		c := &d.Choice.Series[i]
		split = cmp.Or(c.Split, split)
		rows = append(rows, newSelectionRow(c, in.Name(c.Name), d.Choice.BySize()))
	}
	rule := d.Choice.Rule
	tuned := strings.Join(rule.Tune, ", ")
	switch {
	case rule.BySize() && rule.By == selection.ByValidation:
		by = "the best %s at each support size on the validation split; results are on the test split"
		return fmt.Sprintf(by, tuned), rows
	case rule.BySize():
		by = "the best %s at each support size on a random half of the test split; results are on the other half, " +
			"for %d halvings that all series share"
		return fmt.Sprintf(by, tuned, rule.Halvings), rows
	case len(rows) == 0:
		return "", nil
	}
	over := map[string]string{selection.OverCurve: "mean over the curve of the", selection.OverFinal: "final"}[rule.Over]
	by = fmt.Sprintf("%s by the %s %s, mean over repeats", tuned, over, rule.Metric)
	if split != "" {
		by += ", on the split " + split
	}
	return by + " (" + rule.By + " selection)", rows
}

// newSelectionRow describes the selection of a series. It merges successive support sizes with the same parameters.
func newSelectionRow(c *selection.Series, label string, bySize bool) selectionRow {
	out := selectionRow{
		Dataset: c.Dataset, StandIn: c.StandIn, Params: c.Params, Label: label, Chosen: "none",
		Candidates: len(c.Candidates), Remarks: slices.Clone(c.Warnings),
	}
	switch {
	case bySize:
		out.Chosen, out.Candidates = "by support size", 0
	case c.OK:
		out.Chosen, out.Score = c.Chosen.String(), words.Rounded(c.Score)
		if c.SE > 0 {
			out.Score += " ± " + words.Rounded(c.SE)
		}
	}
	for i, size := range c.Sizes {
		share, params := c.Share(i), c.Votes[i][0].Params.String()
		if n := len(out.Sizes); n > 0 && out.Sizes[n-1].Params == params {
			last := &out.Sizes[n-1]
			last.To, last.Share = size, min(last.Share, share)
			continue
		}
		out.Sizes = append(out.Sizes, sizeRange{From: size, To: size, Params: params, Share: share})
	}
	return out
}
