package claims

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/stats"
)

// pValue is the p-value of a decided verdict: that of the last of the parts with its outcome that it
// needs, in the order of their p-values. All are at levels corrected for their number.
func (v *Verdict) pValue(needed, of int) float64 {
	switch v.Outcome {
	case Inconclusive, NotRun:
		return 0
	case NotReproduced:
		needed = of - needed + 1
	}
	var all []float64
	for _, p := range v.Parts {
		if p.Outcome != v.Outcome {
			continue
		}
		var own []float64
		for _, e := range p.Estimates {
			if e.Outcome == v.Outcome {
				own = append(own, e.P)
			}
		}
		switch {
		case len(own) == 0: // all runs diverged
			all = append(all, 0)
		case v.Outcome == Reproduced: // by all
			all = append(all, slices.Max(own))
		default: // by any
			all = append(all, slices.Min(own))
		}
	}
	slices.Sort(all)
	return all[needed-1]
}

// Chance says how many of the verdicts on experiments that confidence intervals decided are expected to
// be wrong at most, and which of them have too large a p-value for a false discovery rate of 5 % among
// all that were judged. It is empty where less than one is expected to be wrong.
func Chance(verdicts []Verdict) string {
	var p []float64
	var decided []Verdict
	for _, v := range OfClaims(verdicts) {
		if v.OfKind() != Experiment {
			continue
		}
		if v.P > 0 {
			p, decided = append(p, v.P), append(decided, v)
		} else if v.Outcome == Inconclusive {
			p = append(p, 1)
		}
	}
	wrong, limit := (1-confidence)*float64(len(decided)), stats.DiscoveryLimit(p, 1-confidence)
	if len(decided) < 20 {
		return ""
	}
	var doubted []string
	for _, v := range decided {
		if v.P > limit {
			doubted = append(doubted, v.ID)
		}
	}
	text := fmt.Sprintf("of %d claims that intervals of 95 %% decided, at most %.1f are expected to be wrong by chance; "+
		"at a false discovery rate of 5 %% among %d judged %d stand", len(decided), wrong, len(p), len(decided)-len(doubted))
	if len(doubted) > 0 {
		text += ", but not " + strings.Join(doubted, ", ")
	}
	return text
}
