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

// claimKind is the claims of a kind, with how many of them have which outcome.
type claimKind struct {
	// ID is the kind, Title what stands above its claims, Name what they are called, One
	// and Many with their number.
	ID, Title, Name, One, Many string
	Outcomes                   []outcome
	Groups                     []*claimGroup
}

// kinds are those of claims, in the order that the page has them.
func kinds() []*claimKind {
	return []*claimKind{
		{ID: claims.Experiment, Title: "What experiments show", Name: "Experiments", One: "claim on experiments", Many: "claims on experiments"},
		{ID: claims.Theorem, Title: "Bounds of theorems", Name: "Bounds", One: "bound of a theorem", Many: "bounds of theorems"},
		{ID: claims.Identity, Title: "True by construction", Name: "Identities", One: "identity", Many: "identities"},
	}
}

// kindsOf are the kinds that there are claims of, in groups by experiment, the list being
// in the order of those.
func kindsOf(list []*claim, names names) []*claimKind {
	var of []*claimKind
	for _, k := range kinds() {
		own := slices.DeleteFunc(slices.Clone(list), func(c *claim) bool { return c.OfKind() != k.ID })
		if len(own) > 0 {
			k.Outcomes, k.Groups = tallied(own), groupsOf(own, names)
			of = append(of, k)
		}
	}
	if len(of) == 1 && len(of[0].Groups) == 1 || len(list) <= fewClaims {
		for _, k := range of {
			for _, g := range k.Groups {
				g.Open = true
			}
		}
	}
	return of
}

// claimGroup is the claims of an experiment that are of a kind.
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
func groupsOf(list []*claim, names names) []*claimGroup {
	var groups []*claimGroup
	for _, c := range list {
		if n := len(groups); n == 0 || groups[n-1].Experiment != c.Experiment {
			groups = append(groups, &claimGroup{Anchor: names.unique("g-" + c.Experiment.Name), Experiment: c.Experiment, Outcomes: slices.Clone(outcomes)})
		}
		g := groups[len(groups)-1]
		g.Claims = append(g.Claims, c)
		tally(g.Outcomes, c.Outcome)
	}
	return groups
}

// Groups are those of all kinds.
func (v *view) Groups() []*claimGroup {
	var groups []*claimGroup
	for _, k := range v.Kinds {
		groups = append(groups, k.Groups...)
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
	for _, v := range e.claimed() {
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
