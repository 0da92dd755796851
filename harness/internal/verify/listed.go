package verify

import (
	"context"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// checkListed verifies a folder that has a list of its runs in place of their records. It compares the spec, the
// manifest, the data and the plan, and repeats a sample of the runs.
func (v *verification) checkListed(ctx context.Context) error {
	list, err := v.folder.Checksums()
	if err != nil {
		return err
	}
	v.records = &record.Experiment{}
	v.compareFiles()
	if err := v.buildPlan(ctx); err != nil || v.plan == nil {
		return err
	}
	v.compareList(list)
	return v.rerun(ctx)
}

// compareList compares the list of runs with the plan of the spec.
func (v *verification) compareList(list []experiment.RunChecksum) {
	byID := make(map[string]experiment.RunChecksum)
	for _, c := range list {
		byID[record.ID{Key: c.Key, Extent: c.Extent}.Text()] = c
	}
	v.recorded = make(map[*plan.Item]*record.Run)
	v.checksums = make(map[*plan.Item]experiment.RunChecksum)
	for _, it := range v.plan.Items {
		c, ok := byID[it.ID.Text()]
		if !ok {
			continue
		}
		r := run.Planned(it)
		r.Status = c.Status
		v.recorded[it], v.checksums[it] = &r, c
	}
	v.Count("plan").Checked = len(v.plan.Items)
	if n := len(byID) - len(v.recorded); n > 0 {
		v.find("plan", Differs, experiment.ChecksumsFile, "the plan of the spec does not have %s of the list", words.Count(n, "run"))
	}
	if n := len(v.plan.Items) - len(v.recorded); n > 0 {
		v.note("the list does not have %s of the plan", words.Count(n, "run"))
	}
	v.Complete = len(v.recorded) == len(v.plan.Items)
}
