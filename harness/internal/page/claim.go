package page

import (
	"cmp"
	"slices"

	"stochopt/harness/internal/claims"
)

// claim is a verdict of an experiment.
type claim struct {
	claims.Verdict
	In *Experiment
	// StandIn: a part of it was judged on stand-in data.
	StandIn bool
	// ShownBy is the figure or table that shows it, nil for a claim that is not shown.
	ShownBy *Exhibit
	// Anchor is the id of its element. Known names the document that says what is known about it, and
	// KnownLink is the link to that, empty if the page is not in the tree of the documentation.
	Anchor, Known, KnownLink string
}

func newClaim(v claims.Verdict, in *Experiment) *claim {
	standIn := func(p claims.Part) bool { return p.StandIn && p.Outcome != claims.NotRun }
	return &claim{Verdict: v, In: in, StandIn: slices.ContainsFunc(v.Parts, standIn)}
}

// outcome is an outcome with a symbol and the name of its style. Symbols differ in shape.
type outcome struct{ Name, ID, Symbol string }

// outcomes are the outcomes in the order of claims on the page: those that readers
// look for come first.
var outcomes = []outcome{
	{claims.NotReproduced, "not-reproduced", "✗"},
	{claims.Inconclusive, "inconclusive", "≈"},
	{claims.Reproduced, "reproduced", "✓"},
	{claims.NotRun, "not-run", "–"},
}

// outcomeOf returns the outcome of a name; an unknown one looks like "not run".
func outcomeOf(name string) outcome {
	if i := slices.IndexFunc(outcomes, func(o outcome) bool { return o.Name == name }); i >= 0 {
		return outcomes[i]
	}
	return outcome{name, "not-run", "–"}
}

// group is the claims of a kind about the same chapters.
type group struct {
	Kind, Chapter string
	// Counts are the numbers of claims by outcome, in the order of outcomes.
	Counts []int
	Claims []*claim
	// Open: its claims are shown from the start.
	Open bool
}

// kindTitles are the titles of the kinds of claims, in their order.
var kindTitles = []string{"experiments", "order of upper bounds", "bounds of theorems", "true by construction"}

// fewClaims is the number of claims up to which groups are open from the start.
const fewClaims = 12

// groups are the claims of all experiments by chapter and kind. A claim of no chapter is
// grouped by its experiment.
func (p *Page) groups() []*group {
	var all []*claim
	chapters := claims.Subjects()
	chapterOf := func(c *claim) string { return cmp.Or(c.Subject(), c.In.Heading()) }
	for _, e := range p.Experiments {
		all = append(all, e.Claims...)
		for _, c := range e.Claims {
			if name := chapterOf(c); !slices.Contains(chapters, name) {
				chapters = append(chapters, name)
			}
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
