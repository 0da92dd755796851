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

// choice is what was selected in a setting.
type choice struct {
	Dataset string
	StandIn bool
	// Params are those that are not tuned.
	Params record.Params
	// Label names the series.
	Label, Chosen, Score string
	// Candidates is the number of candidates.
	Candidates int
	// Sizes are the choices by range of support sizes.
	Sizes []sizeChoice
	// Remarks say what is wrong with it, such as that it is at an end of the grid.
	Remarks []string
}

// sizeChoice is the most frequent choice in a range of support sizes.
type sizeChoice struct {
	From, To int
	Params   string
	// Share is the least share of the votes within the range.
	Share float64
}

// choicesOf returns how parameters were selected, and what was chosen in each setting.
func choicesOf(d *experiment.Derivation) (by string, choices []choice) {
	split := ""
	for i := range d.Choice.Series {
		c := &d.Choice.Series[i]
		split = cmp.Or(c.Split, split)
		choices = append(choices, newChoice(c, d.Plots().Catalog.Name(c.Name), d.Choice.BySize()))
	}
	rule := d.Choice.Rule
	tuned := strings.Join(rule.Tune, ", ")
	switch {
	case rule.BySize() && rule.By == selection.ByValidation:
		by = "at each support size the best of %s on the validation split, reported on the test split"
		return fmt.Sprintf(by, tuned), choices
	case rule.BySize():
		by = "at each support size the best of %s on a random half of the test split, " +
			"reported on the other half, over %d halvings, the same for all"
		return fmt.Sprintf(by, tuned, rule.Halvings), choices
	case len(choices) == 0:
		return "", nil
	}
	over := map[string]string{selection.OverCurve: "mean over the curve of the", selection.OverFinal: "final"}[rule.Over]
	by = fmt.Sprintf("%s by the %s %s, mean over repeats", tuned, over, rule.Metric)
	if split != "" {
		by += ", on the split " + split
	}
	return by + " (" + rule.By + " selection)", choices
}

// newChoice lists what was chosen, at each support size most often; a range of sizes with the same choice
// is one entry.
func newChoice(c *selection.Series, label string, bySize bool) choice {
	out := choice{
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
		out.Sizes = append(out.Sizes, sizeChoice{From: size, To: size, Params: params, Share: share})
	}
	return out
}
