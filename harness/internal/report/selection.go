package report

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/results/analysis"
	"stochopt/results/record"
)

// selection returns how parameters were selected, and what was chosen in each cell
// that had a choice.
func selection(d *experiment.Derivation) (by string, choices []Choice) {
	if d.Halved != nil {
		for i := range d.Halved.Curves {
			choices = append(choices, halved(&d.Halved.Curves[i], d.Halved.Options))
		}
		if d.Halved.Options.Validation {
			return fmt.Sprintf("at each support size the best of %s on the validation split, reported on the test split",
				strings.Join(d.Halved.Options.Tune, ", ")), choices
		}
		return fmt.Sprintf("at each support size the best of %s on a random half of the test split, reported on the other half, over %d halvings, the same for all",
			strings.Join(d.Halved.Options.Tune, ", "), d.Halved.Options.Count), choices
	}
	o := d.Selection.Options
	if len(d.Selection.Choices) == 0 {
		return "", nil
	}
	split := ""
	for _, c := range d.Selection.Choices {
		if c.Split != "" {
			split = c.Split
		}
		choices = append(choices, Choice{Choice: c, Tuned: soleNumber(c, o.Tune)})
	}
	over := map[string]string{analysis.OverCurve: "the mean over the curve of the ", analysis.OverFinal: "the final "}[o.Over]
	by = fmt.Sprintf("%s by %s%s, mean over repeats", strings.Join(o.Tune, ", "), over, o.Metric)
	if split != "" {
		by += ", on the split " + split
	}
	if o.By == analysis.ByOracle {
		by += " (oracle: what is reported is what was selected by)"
	}
	return by, choices
}

// soleNumber names the tuned parameter that candidates differ in, if it is one only
// and a number in all of them.
func soleNumber(c analysis.Choice, tune []string) string {
	sole := ""
	for _, name := range tune {
		values := make(map[string]bool)
		numeric := true
		for _, cand := range c.Candidates {
			values[record.FormatParam(cand.Params[name])] = true
			_, ok := record.Number(cand.Params[name])
			numeric = numeric && ok
		}
		if len(values) < 2 {
			continue
		}
		if sole != "" || !numeric {
			return ""
		}
		sole = name
	}
	return sole
}

// halved lists what was chosen most often, ranges of sizes with the same choice as
// one.
func halved(c *analysis.HalvedCurve, o analysis.HalvingOptions) Choice {
	out := Choice{Choice: analysis.Choice{Setting: c.Setting}}
	out.Warnings = slices.Clone(c.Warnings)
	for _, e := range c.Edges {
		out.Warnings = append(out.Warnings, e.String())
	}
	for i, size := range c.Sizes {
		top := c.Chosen[i][0]
		share := float64(top.Count) / float64(o.Count*len(c.Repeats))
		params := top.Params.String()
		if n := len(out.BySize); n > 0 && out.BySize[n-1].Params == params {
			last := &out.BySize[n-1]
			last.To, last.Share = size, min(last.Share, share)
			last.Least, last.Most = min(last.Least, c.Error[i]), max(last.Most, c.Error[i])
			continue
		}
		out.BySize = append(out.BySize, SizeChoice{From: size, To: size, Params: params, Share: share, Least: c.Error[i], Most: c.Error[i]})
	}
	return out
}
