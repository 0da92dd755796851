package page

import (
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
	series := d.Plots().Catalog.Name
	if h := d.Choice; h.BySize() {
		for i := range h.Series {
			choices = append(choices, choiceBySize(&h.Series[i], series(h.Series[i].Name)))
		}
		tuned := strings.Join(h.Tune, ", ")
		if h.By == selection.ByValidation {
			by = "at each support size the best of %s on the validation split, reported on the test split"
			return fmt.Sprintf(by, tuned), choices
		}
		by = "at each support size the best of %s on a random half of the test split, " +
			"reported on the other half, over %d halvings, the same for all"
		return fmt.Sprintf(by, tuned, h.Halvings), choices
	}
	split := ""
	for i := range d.Choice.Series {
		c := &d.Choice.Series[i]
		if c.Split != "" {
			split = c.Split
		}
		choices = append(choices, newChoice(c, series(c.Name)))
	}
	if len(choices) == 0 {
		return "", nil
	}
	o := d.Choice.Rule
	over := map[string]string{selection.OverCurve: "mean over the curve of the", selection.OverFinal: "final"}[o.Over]
	by = fmt.Sprintf("%s by the %s %s, mean over repeats", strings.Join(o.Tune, ", "), over, o.Metric)
	if split != "" {
		by += ", on the split " + split
	}
	if o.By == selection.ByOracle {
		by += " (oracle: what is reported is what was selected by)"
	}
	return by, choices
}

// choiceOf has what the two kinds of choices have in common.
func choiceOf(c *selection.Series, series string) choice {
	return choice{Dataset: c.Dataset, StandIn: c.StandIn, Params: c.Params, Label: series, Remarks: slices.Clone(c.Warnings)}
}

func newChoice(c *selection.Series, series string) choice {
	out := choiceOf(c, series)
	out.Candidates = len(c.Candidates)
	switch {
	case c.OK:
		out.Chosen, out.Score = c.Chosen.String(), words.Rounded(c.Score)
		if c.SE > 0 {
			out.Score += " ± " + words.Rounded(c.SE)
		}
	default:
		out.Chosen = "none"
	}
	return out
}

// choiceBySize lists what was chosen most often; a range of sizes with the same choice is one
// entry.
func choiceBySize(c *selection.Series, series string) choice {
	out := choiceOf(c, series)
	out.Chosen = "by support size"
	for _, e := range c.Edges {
		out.Remarks = append(out.Remarks, e.String())
	}
	for i, size := range c.Sizes {
		top := c.Votes[i][0]
		share := c.Share(i)
		params := top.Params.String()
		if n := len(out.Sizes); n > 0 && out.Sizes[n-1].Params == params {
			last := &out.Sizes[n-1]
			last.To, last.Share = size, min(last.Share, share)
			continue
		}
		out.Sizes = append(out.Sizes, sizeChoice{From: size, To: size, Params: params, Share: share})
	}
	return out
}
