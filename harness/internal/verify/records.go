package verify

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/internal/compare"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// comparePlan compares the plan on record with the plan of the spec.
func (v *verification) comparePlan() {
	var stored []record.ID
	for id := range v.records.Plan() {
		stored = append(stored, id)
	}
	if v.records.Meta == nil && v.records.Planned == 0 {
		return // text records have no plan
	}
	planned := v.plan.IDs()
	v.Count("plan").Checked = len(planned)
	if n := commonPrefix(stored, planned); n < max(len(stored), len(planned)) {
		v.find("plan", Differs, "", "the plan on record has %d runs and the plan of the spec %d; they differ from run %d on",
			len(stored), len(planned), n+1)
	}
}

// commonPrefix returns the length of the common prefix of two lists.
func commonPrefix[T comparable](a, b []T) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func runText(r *record.Run) string { return fmt.Sprintf("%s (key %s)", r.Name(), r.Key) }

// compareRecords checks that each planned run has a record with the planned values. A database may also
// have records of earlier plans.
func (v *verification) compareRecords() {
	all := slices.Concat(v.records.Completed(), v.records.Runs)
	remaining := make(map[string]*record.Run)
	for i := range all {
		remaining[all[i].ID().Text()] = &all[i]
	}
	v.recorded = make(map[*plan.Item]*record.Run)
	for _, it := range v.plan.Items {
		v.Count("records").Checked++
		planned := run.Planned(it)
		r := remaining[it.ID.Text()]
		if r == nil {
			v.find("records", Missing, runText(&planned), "the run is not on record; run the spec to perform it")
			continue
		}
		delete(remaining, it.ID.Text())
		v.recorded[it] = r
		planned.Rows, planned.Facts, planned.Status, planned.Reason = r.Rows, r.Facts, r.Status, r.Reason
		text := compare.FieldDifference(r, &planned)
		if r.ID() != it.ID {
			text = cmp.Or(text, fmt.Sprintf("labels: %v / %v", r.ID().Labels, it.ID.Labels))
		}
		if text != "" {
			v.find("records", Differs, runText(r), "recorded / planned: %s", text)
		}
	}
	v.Complete = len(v.recorded) == len(v.plan.Items)
	if len(remaining) > 0 {
		v.note("not compared: %s of runs that the spec does not have", words.Count(len(remaining), "record"))
	}
}
