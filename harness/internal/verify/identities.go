package verify

import (
	"fmt"
	"maps"
	"slices"

	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/internal/record"
)

// checkSuboptimality checks that the certified optima are valid. It also checks that each recorded suboptimality
// equals, bit for bit, the value computed from the objective and the optimum.
func (v *verification) checkSuboptimality() {
	v.optima = make(map[string]objective.Optimum)
	for _, id := range slices.Sorted(maps.Keys(v.records.Optima)) {
		v.Count("optima").Checked++
		if o, err := objective.ParseOptimum(id, v.records.Optima[id]); err == nil {
			v.optima[id] = o
		} else {
			v.find("optima", Damaged, id, "%v; the next run that needs the optimum solves it again", err)
		}
	}
	unknown := 0
	for _, it := range v.plan.Items {
		r := v.recorded[it]
		if r == nil {
			continue
		}
		text, known := v.contradiction(it, r)
		if !known {
			unknown++
		} else if v.Count("identities of records").Checked++; text != "" {
			v.find("identities of records", Differs, runText(r), "%s", text)
		}
	}
	if unknown > 0 {
		v.note("%d runs have no optimum on record, for example after an import: their suboptimality was not checked", unknown)
	}
}

// contradiction describes how the suboptimality of a record contradicts the optimum, "" if it does not.
// known is false if the optimum is not on record.
func (v *verification) contradiction(it *plan.Item, r *record.Run) (text string, known bool) {
	metrics := r.Measured().Metrics
	for _, split := range slices.Sorted(maps.Keys(metrics)) {
		objectives, recorded := metrics[split][record.MetricObjective], metrics[split][record.MetricSuboptimality]
		if len(recorded) == 0 || len(objectives) != len(recorded) {
			continue
		}
		suboptimality, ok := v.suboptimality(it, r, split)
		if !ok {
			return "", false
		}
		for i, x := range objectives {
			if want := suboptimality(x); recorded[i] != want {
				return fmt.Sprintf("at point %d the %s suboptimality is %v, but its objective of %v and the optimum give %v",
					i+1, split, recorded[i], x, want), true
			}
		}
	}
	return "", true
}

// suboptimality returns the suboptimality of an item on a split as a function of the objective. ok is false
// if the optimum is not on record.
func (v *verification) suboptimality(it *plan.Item, r *record.Run, split string) (of func(float64) float64, ok bool) {
	repeat := -1
	if split != record.SplitPopulation {
		split, repeat = split+" of "+it.Problem.Split, it.Repeat
	}
	for _, o := range v.optima {
		if o.Problem().DatasetHash != r.DatasetHash {
			continue
		}
		switch o := o.(type) {
		case *objective.SVMReference:
			if o.Primal == r.Facts["reference_primal"] && o.Dual == r.Facts["reference_dual"] {
				return func(x float64) float64 { return max(x-o.Dual, 0) }, true
			}
		case *objective.Reference:
			if o.Split == split && o.Repeat == repeat && (repeat < 0 || o.Seed == r.Seed) {
				best, ok := o.Value(it.Params.Int("k"))
				return func(x float64) float64 { return best - x }, ok
			}
		}
	}
	return nil, false
}
