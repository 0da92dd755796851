package run

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
)

// survey announces the pending runs.
func (t *svmTask) survey(pending []*plan.Item) {
	for _, it := range pending {
		key := svmKeyOf(it)
		t.expect(key)
		if it.Algorithm.AssumesUnitNorm && !slices.Contains(t.unit[key], it.Series) {
			t.unit[key] = append(t.unit[key], it.Series)
		}
	}
}

// warnOfNorms warns, once for a dataset and kernel, where points are longer
// than the analysis of a method assumes.
func (t *svmTask) warnOfNorms(it *plan.Item, sh *svmShared) {
	series := t.unit[sh.key]
	if len(series) == 0 {
		return
	}
	var most float64
	for i := range sh.points.Len() {
		norm := sh.points.SqNorm(i)
		most = max(most, sh.kern.Eval(norm, norm, norm))
	}
	if most <= 1+1e-6 {
		return
	}
	text := fmt.Sprintf("dataset %q: K(x, x) of %s goes up to %.4g; the analysis of %s assumes at most 1: prepare the data with unit-max-norm or use another kernel",
		it.Problem.Entry.ID, sh.key.kernel, most, strings.Join(series, ", "))
	t.warnOnce(text, text)
}

// warnOfReference warns, once for a problem, that its records have no
// suboptimality.
func (r *svmRun) warnOfReference(err error) {
	form := registry.Regulariser(r.it.Params)
	problem := fmt.Sprintf("dataset %q, %s, bias %t, %s = %g", r.it.Problem.Entry.ID, r.shared.key.kernel, r.reg.Bias, form, r.it.Params.Float(form))
	r.warnOnce(problem, fmt.Sprintf("%s: runs go without their suboptimality, for want of the reference optimum: %v, or set record.reference to false", problem, err))
}
