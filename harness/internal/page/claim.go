package page

import (
	"cmp"
	"slices"

	"stochopt/harness/internal/claims"
	"stochopt/internal/words"
)

// claim is a verdict of an experiment.
type claim struct {
	claims.Verdict
	In *Experiment
	// StandIn is true if a part was judged on stand-in data.
	StandIn bool
	// ShownBy is the first figure or table that shows the claim, or nil.
	ShownBy *Exhibit
	// Anchor is the id of its element.
	Anchor string
}

// outcome is an outcome of claims. ID is its style class.
type outcome struct{ Name, ID, Symbol string }

// outcomes lists the outcomes in display order.
var outcomes = []outcome{
	{claims.NotReproduced, "not-reproduced", "✗"},
	{claims.Inconclusive, "inconclusive", "≈"},
	{claims.Reproduced, "reproduced", "✓"},
	{claims.NotRun, "not-run", "–"},
}

// outcomeOf returns the outcome of a name. An unknown outcome has the style of "not run".
func outcomeOf(name string) outcome {
	if i := slices.IndexFunc(outcomes, func(o outcome) bool { return o.Name == name }); i >= 0 {
		return outcomes[i]
	}
	return outcome{name, "not-run", "–"}
}

// group holds the claims of one kind on one chapter. Chapter may name several chapters of the thesis.
type group struct {
	Kind, Chapter string
	// Counts has the numbers of claims by outcome, in the order of outcomes.
	Counts []int
	Claims []*claim
	// Open is true if the group is initially open.
	Open bool
}

// kindTitles has the titles of claims.Kinds, in its order.
var kindTitles = []string{"experiments", "order of upper bounds", "bounds of theorems", "true by construction"}

// fewClaims is the largest number of claims for which groups are initially open.
const fewClaims = 12

// groups returns the claims of all experiments by chapter and kind. Claims that concern no chapter are grouped by
// experiment.
func (p *Page) groups() []*group {
	var all []*claim
	chapters := claims.Subjects()
	chapterOf := func(c *claim) string { return cmp.Or(c.Subject(), c.In.Heading()) }
	for _, e := range p.Experiments {
		all = append(all, e.Claims...)
		for _, c := range e.Claims {
			chapters = words.AddOnce(chapters, chapterOf(c))
		}
	}
	var groups []*group
	for _, chapter := range chapters {
		for i, kind := range claims.Kinds() {
			g := &group{Kind: kindTitles[i], Chapter: chapter, Open: len(all) <= fewClaims}
			for _, o := range outcomes {
				n := len(g.Claims)
				for _, c := range all {
					if c.KindOrDefault() == kind && chapterOf(c) == chapter && outcomeOf(c.Outcome) == o {
						g.Claims = append(g.Claims, c)
					}
				}
				g.Counts = append(g.Counts, len(g.Claims)-n)
			}
			if len(g.Claims) > 0 {
				groups = append(groups, g)
			}
		}
	}
	return groups
}
