package verify

import (
	"fmt"

	"stochopt/harness/internal/plan"
	"stochopt/internal/record"
	"stochopt/results/words"
)

// writtenAnew says what to do about a file that a run writes.
const writtenAnew = "run the spec again to restore it; finished runs are not repeated"

// comparePlan compares the plan on record with that of the spec.
func (v *verification) comparePlan() {
	if len(v.lines.Plan) == 0 {
		if v.folder.Packed() {
			v.remark(checkPlan, remarkUnchecked, "this folder has packed reference records: "+
				"no plan, timings, optima, tables or figures, and perhaps not all runs")
			return
		}
		v.findf(checkPlan, Missing, Finding{File: record.PlanFile}, "missing or empty; "+writtenAnew)
		return
	}
	byKey := make(map[string]*plan.Item, len(v.plan.Items))
	byLabel := make(map[record.Labels][]*plan.Item)
	for _, it := range v.plan.Items {
		byKey[it.ID.Key] = it
	}
	seen := make(map[*plan.Item]int)
	var strange []record.Written[record.ID]
	last := -1
	for _, w := range v.lines.Plan {
		id := w.Value
		it := byKey[id.Key]
		if it == nil {
			strange = append(strange, w)
			continue
		}
		at := Finding{File: w.File, Line: w.Line, Run: nameOf(v.plan, it), Key: id.Key}
		if line := seen[it]; line > 0 {
			v.findf(checkPlan, Superfluous, at, "a second line of this run; the first is line %d", line)
			continue
		}
		seen[it] = w.Line
		v.checked(checkPlan, 1)
		differ := func(what, is, want string) {
			if is != want {
				v.findf(checkPlan, Differs, at, "%s is %q; the spec gives %q", what, is, want)
			}
		}
		differ("extent", id.Extent, it.ID.Extent)
		differ("data set", id.Dataset, it.ID.Dataset)
		differ("group", id.Group, it.ID.Group)
		differ("series", id.Series, it.ID.Series)
		if it.Index < last {
			v.findf(checkPlan, Differs, at, "out of order: the run is at line %d, but number %d of the spec", w.Line, it.Index+1)
		}
		last = max(last, it.Index)
	}
	for _, it := range v.plan.Items {
		if seen[it] == 0 {
			byLabel[it.ID.Labels] = append(byLabel[it.ID.Labels], it)
		}
	}
	for _, w := range strange {
		at := Finding{File: w.File, Line: w.Line, Key: w.Value.Key}
		if same := byLabel[w.Value.Labels]; len(same) > 0 {
			it := same[0]
			byLabel[w.Value.Labels] = same[1:]
			seen[it] = w.Line
			v.checked(checkPlan, 1)
			at.Run = nameOf(v.plan, it)
			v.findf(checkPlan, Differs, at, otherKey, w.Value.Key, it.ID.Key)
			continue
		}
		v.findf(checkPlan, Superfluous, at, "the spec has no such run")
	}
	v.absent(checkPlan, record.PlanFile, "no line", func(it *plan.Item) bool { return seen[it] == 0 })
}

const otherKey = "key is %s; spec, data and program give %s"

// nameOf is the name of an item in messages.
func nameOf(p *plan.Plan, it *plan.Item) string { return planned(p, it).Name() }

// absent reports the items that are missing from a file, one finding for each series on a
// data set.
func (v *verification) absent(check, file, what string, lacks func(*plan.Item) bool) {
	var order []record.Labels
	of := make(map[record.Labels]int)
	missing := make(map[record.Labels][]*plan.Item)
	for _, it := range v.plan.Items {
		at := it.ID.Labels
		if of[at] == 0 {
			order = append(order, at)
		}
		of[at]++
		if lacks(it) {
			missing[at] = append(missing[at], it)
		}
	}
	for _, at := range order {
		items := missing[at]
		if len(items) == 0 {
			continue
		}
		f := Finding{File: file, Count: len(items), Run: nameOf(v.plan, items[0]), Key: items[0].ID.Key}
		f.Text = "there is " + what + " of this run"
		if n := len(items) - 1; n > 0 {
			f.Text += fmt.Sprintf(" and %d others of the %s of %s on %s", n, words.Count(of[at], "run"), at.Series, at.Dataset)
		}
		v.find(check, Missing, f)
	}
}
