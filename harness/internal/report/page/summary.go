package page

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/results/words"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// mostFindings is the number of claims on the first screen.
const mostFindings = 5

// findingRule says which claims these are; findingClass and findingsOf do as it says.
const findingRule = "First up to three claims that are not reproduced, then one with a caveat that could " +
	"change its verdict, then what is reproduced, of the thesis's own figures and tables first. Places that are " +
	"left go to the first of these. Claims on real data without such a caveat go first; experiments take turns, " +
	"in the order of the page."

// places is how many findings of each class there are before places that are left are
// filled.
var places = [...]int{3, 1, mostFindings}

// findingClass is an index of places, and -1 for a claim that is no finding.
func findingClass(c *claim) int {
	switch {
	case c.Outcome.Name == claims.NotReproduced:
		return 0
	case c.Outcome.Name == claims.NotRun:
		return -1
	case c.doubtful():
		return 1
	case c.Outcome.Name == claims.Reproduced:
		return 2
	}
	return -1
}

func (c *claim) doubtful() bool { return c.Doubtful || c.StandIn }

// findingsOf chooses the claims that a reader is to see first.
func findingsOf(list []*claim) []*claim {
	var classes [len(places)][]*claim
	for _, c := range list {
		if k := findingClass(c); k >= 0 {
			classes[k] = append(classes[k], c)
		}
	}
	var chosen []*claim
	var left [len(places)][]*claim
	for k := range classes {
		classes[k] = inTurn(classes[k])
		n := min(places[k], len(classes[k]), mostFindings-len(chosen))
		chosen, left[k] = append(chosen, classes[k][:n]...), classes[k][n:]
	}
	for _, rest := range left {
		chosen = append(chosen, rest[:min(len(rest), mostFindings-len(chosen))]...)
	}
	slices.SortStableFunc(chosen, func(a, b *claim) int { return findingClass(a) - findingClass(b) })
	return chosen
}

// inTurn sorts claims: those that nothing casts doubt on first, then those that a redrawn
// figure or table shows, then the first of each experiment, the second of each, and so on.
func inTurn(list []*claim) []*claim {
	turn := map[*claim]int{}
	met := map[string]int{}
	rank := func(c *claim) string { return fmt.Sprint(c.doubtful(), !c.redrawn()) }
	for _, c := range list {
		of := rank(c) + c.Experiment.Anchor
		turn[c] = met[of]
		met[of]++
	}
	slices.SortStableFunc(list, func(a, b *claim) int {
		if d := strings.Compare(rank(a), rank(b)); d != 0 {
			return d
		}
		return turn[a] - turn[b]
	})
	return list
}

// redrawn reports whether the claim is shown by a figure or table of the thesis.
func (c *claim) redrawn() bool {
	return c.Shown != "" && slices.Contains(c.Experiment.Mirrors, c.Shown)
}

// FindingRule is the rule as the page tells it.
func (v *view) FindingRule() string { return findingRule }

// Asked says in a few words what was asked, and what was run to find out.
func (v *view) Asked() string {
	var profiles, datasets, series []string
	finished, planned := 0, 0
	for _, e := range v.Experiments {
		if e.Profile != "" {
			profiles = words.AddOnce(profiles, e.Profile)
		}
		for _, d := range e.Facets.Datasets {
			datasets = words.AddOnce(datasets, d)
		}
		for _, s := range e.Series {
			series = words.AddOnce(series, s.ID)
		}
		finished, planned = finished+e.Finished, planned+e.Planned
	}
	var text string
	if len(v.Claims) > 0 {
		var kinds []string
		for _, k := range v.Kinds {
			kinds = append(kinds, plural(k.Count(), k.One, k.Many))
		}
		text = "Asked: " + english.PluralWord(len(v.Claims), "does ", "do ") + english.WordSeries(kinds, "and") + " hold? "
	}
	text += "Run: " + plural(len(series), "algorithm", "algorithms") + " on " +
		plural(len(datasets), "data set", "data sets")
	if n := len(datasets); n > 0 && n <= 3 {
		text += " (" + strings.Join(datasets, ", ") + ")"
	}
	if len(profiles) > 0 {
		text += ", " + english.PluralWord(len(profiles), "profile ", "profiles ") + strings.Join(profiles, ", ")
	}
	text += "; "
	if finished < planned {
		text += humanize.Comma(int64(finished)) + " of "
	}
	return text + plural(planned, "run", "runs") + " finished."
}

// Count is the number of claims of the kind.
func (k *claimKind) Count() (n int) {
	for _, o := range k.Outcomes {
		n += o.Count
	}
	return n
}
