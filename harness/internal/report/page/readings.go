package page

import "stochopt/harness/internal/claims"

// investigation is a claim under the readings of its text.
type investigation struct {
	claims.Investigation
	Anchor string
	// Open: the readings are shown open at first.
	Open bool
}

// investigationsOf gathers the readings that the experiments judge, by claim.
func investigationsOf(list []*experiment, names names) []investigation {
	var verdicts []claims.Verdict
	for _, e := range list {
		verdicts = append(verdicts, e.Verdicts...)
	}
	var all []investigation
	for _, in := range claims.Investigations(verdicts) {
		all = append(all, investigation{Investigation: in, Anchor: names.unique("r-" + in.Of)})
	}
	for i := range all {
		all[i].Open = len(all) <= fewInvestigations
	}
	return all
}

// fewInvestigations is the number of claims whose readings are shown without opening
// them.
const fewInvestigations = 3

// claimed are the verdicts on claims that are no readings of others.
func (e *experiment) claimed() []claims.Verdict { return claims.OfClaims(e.Verdicts) }
