package page

import (
	"cmp"
	"slices"

	"stochopt/harness/internal/claims"
	"stochopt/results/words"
)

// claim is a verdict in the list of claims.
type claim struct {
	claims.Verdict
	Anchor     string
	Outcome    outcome
	Experiment *experiment
	// Link is the anchor of the figure or table that shows it.
	Link, LinkText string
	StandIn        bool
	Facets         facets
}

// claimGroup is the claims of an experiment.
type claimGroup struct {
	Anchor     string
	Experiment *experiment
	Outcomes   []outcome
	Claims     []*claim
	// Open: the group is shown open at first.
	Open bool
}

// fewClaims is the number of claims that are shown without opening their groups.
const fewClaims = 12

// groupsOf groups claims, which are in the order of their experiments.
func groupsOf(list []claim, names names) []*claimGroup {
	var groups []*claimGroup
	for i := range list {
		c := &list[i]
		if n := len(groups); n == 0 || groups[n-1].Experiment != c.Experiment {
			groups = append(groups, &claimGroup{Anchor: names.unique("g-" + c.Experiment.Name), Experiment: c.Experiment, Outcomes: slices.Clone(outcomes)})
		}
		g := groups[len(groups)-1]
		g.Claims = append(g.Claims, c)
		tally(g.Outcomes, c.Outcome)
	}
	for _, g := range groups {
		g.Open = len(groups) == 1 || len(list) <= fewClaims
	}
	return groups
}

// tally counts an outcome among those of a list.
func tally(list []outcome, o outcome) {
	for i := range list {
		if list[i].ID == o.ID {
			list[i].Count++
		}
	}
}

// tallied counts claims by outcome.
func tallied(list []*claim) []outcome {
	counts := slices.Clone(outcomes)
	for _, c := range list {
		tally(counts, c.Outcome)
	}
	return counts
}

// claimsOf returns the claims of an experiment, those first that readers ask for
// first: what did not hold, then what is open.
func claimsOf(e *experiment, names names) []claim {
	var list []claim
	for _, v := range e.Verdicts {
		c := claim{Verdict: v, Anchor: names.unique("c-" + v.ID), Outcome: outcomeOf(v.Outcome), Experiment: e,
			Facets: facets{Experiment: e.Anchor, Outcomes: []string{outcomeOf(v.Outcome).ID}}}
		for _, p := range v.Parts {
			c.StandIn = c.StandIn || p.StandIn && p.Outcome != claims.NotRun
			if p.Dataset != "" {
				c.Facets.Datasets = words.AddOnce(c.Facets.Datasets, p.Dataset)
			}
		}
		for _, m := range v.Mentions() {
			switch m.Kind {
			case claims.KindSeries:
				c.Facets.Series = words.AddOnce(c.Facets.Series, m.Name)
			case claims.KindDataset:
				c.Facets.Datasets = words.AddOnce(c.Facets.Datasets, m.Name)
			}
		}
		// A claim that names no data set is about all of them.
		if len(c.Facets.Datasets) == 0 {
			c.Facets.Datasets = slices.Clone(e.Facets.Datasets)
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b claim) int { return cmp.Compare(a.Outcome.Rank, b.Outcome.Rank) })
	return list
}
