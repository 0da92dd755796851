package verify

import (
	"fmt"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
)

// planned is the record that an item should have, without what only running it tells.
func planned(p *plan.Plan, it *plan.Item) record.Run { return run.Planned(p, it) }

// identity is what names a record.
type identity struct{ key, extent string }

func identityOf(r record.Run) identity { return identity{r.Key, r.Extent} }

// compareRecords compares the records with the plan: that each run has one, with what the
// plan says of it, and that there are no others.
func (v *verification) compareRecords() {
	e, err := v.folder.Records()
	if err != nil {
		return // said already
	}
	items := make(map[identity]*plan.Item, len(v.plan.Items))
	for _, it := range v.plan.Items {
		items[identity{it.ID.Key, it.ID.Extent}] = it
	}
	onRecord := make(map[identity]bool)
	take := func(r record.Run) {
		id := identityOf(r)
		it := items[id]
		if it == nil || onRecord[id] {
			return
		}
		onRecord[id] = true
		labels := planned(v.plan, it)
		r.Dataset, r.Group, r.Series = labels.Dataset, labels.Group, labels.Series
		v.onRecord[it] = r
	}
	for _, r := range e.Runs {
		take(r)
	}
	for _, r := range e.Completed() { // those that a wrong plan hides
		take(r)
	}
	misnamed := v.checkRuns(items)
	v.checkArchive(items)
	journaled := 0
	for it := range v.onRecord {
		if !v.inRuns(it) {
			journaled++
		}
	}
	if journaled > 0 {
		v.remark(checkRecords, remarkUnchecked, "%d of the records are in journals only; "+
			"once all shards are done, use collect", journaled)
	}
	v.Complete = len(v.onRecord) == len(v.plan.Items)
	lacks := func(it *plan.Item) bool { _, ok := v.onRecord[it]; return !ok && !misnamed[it] }
	if v.folder.Packed() {
		if !v.Complete {
			of := len(v.plan.Items)
			v.remark(checkRecords, remarkUnchecked, "left out of the packed records: %d of %d planned runs",
				of-len(v.onRecord), of)
		}
		return
	}
	v.absent(checkRecords, record.RunsFile, "no record", lacks)
}

// inRuns reports whether the record of an item is in the file of runs.
func (v *verification) inRuns(it *plan.Item) bool {
	if v.compacted == nil {
		v.compacted = make(map[identity]bool)
		for _, w := range v.lines.Runs {
			v.compacted[identityOf(w.Value)] = true
		}
	}
	return v.compacted[identity{it.ID.Key, it.ID.Extent}]
}

// checkRuns compares the lines of the file of runs with the plan, which it holds in order.
// It returns the items whose records have another key or extent.
func (v *verification) checkRuns(items map[identity]*plan.Item) map[*plan.Item]bool {
	misnamed := make(map[*plan.Item]bool)
	byName := make(map[string]*plan.Item)
	for _, it := range v.plan.Items {
		if _, ok := v.onRecord[it]; !ok {
			byName[nameOf(v.plan, it)] = it
		}
	}
	seen := make(map[identity]int)
	last := -1
	for _, w := range v.lines.Runs {
		r := w.Value
		id := identityOf(r)
		at := Finding{File: w.File, Line: w.Line, Run: r.Name(), Key: r.Key}
		if line := seen[id]; line > 0 {
			v.findf(checkRecords, Superfluous, at, "a second record of this run; the first is at line %d", line)
			continue
		}
		seen[id] = w.Line
		it := items[id]
		if it == nil {
			it = byName[r.Name()]
			delete(byName, r.Name())
			v.unplanned(at, r, it)
			misnamed[it] = true
			continue
		}
		v.checked(checkRecords, 1)
		for _, text := range unlike(r, planned(v.plan, it)) {
			at.Text = text
			v.find(checkRecords, Differs, at)
		}
		if it.Index < last {
			v.findf(checkRecords, Differs, at, "out of order: the record is at line %d, but its run is number %d of the plan",
				w.Line, it.Index+1)
		}
		last = max(last, it.Index)
	}
	for it := range v.onRecord {
		if !v.inRuns(it) {
			v.checked(checkRecords, 1)
		}
	}
	return misnamed
}

// unplanned reports a record that belongs to no planned run; it may be meant for an item
// that has none.
func (v *verification) unplanned(at Finding, r record.Run, it *plan.Item) {
	if it == nil {
		v.findf(checkRecords, Superfluous, at, "the plan has no such run")
		return
	}
	v.checked(checkRecords, 1)
	if it.ID.Key != r.Key {
		v.findf(checkRecords, Differs, at, otherKey, r.Key, it.ID.Key)
		return
	}
	v.findf(checkRecords, Differs, at, "extent is %q; the spec gives %q", r.Extent, it.ID.Extent)
}

// plannedFields are what a record and its plan have in common, beside the key and the
// extent.
var plannedFields = []string{
	"task", "dataset", "group", "dataset_hash", "stand_in", "series", "algorithm", "version", "params", "repeat", "seed",
}

// unlike says how a record differs from what was planned.
func unlike(r, want record.Run) (texts []string) {
	is, planned := fields(r), fields(want)
	for _, name := range plannedFields {
		if a, b := is[name], planned[name]; a != b {
			texts = append(texts, fmt.Sprintf("%s is %s; spec and data give %s", name, orNone(a), orNone(b)))
		}
	}
	return texts
}

// fields returns what a record has beside what was measured.
func fields(r record.Run) map[string]string {
	r = r.With(record.Curve{})
	r.Facts, r.Rows = nil, nil
	return record.Members(r)
}

func orNone(text string) string {
	if text == "" {
		return "not there"
	}
	return text
}

// checkArchive checks that the archive holds records of other plans only, each once.
func (v *verification) checkArchive(items map[identity]*plan.Item) {
	seen := make(map[identity]int)
	for _, w := range v.lines.Archive {
		r := w.Value
		id := identityOf(r)
		at := Finding{File: w.File, Line: w.Line, Run: r.Name(), Key: r.Key}
		v.checked(checkArchive, 1)
		switch line := seen[id]; {
		case line > 0:
			at.Text = fmt.Sprintf("a second record of this run; the first is at line %d", line)
			v.find(checkArchive, Superfluous, at)
		case items[id] != nil && v.inRuns(items[id]):
			at.Text = "the record belongs to the plan and is in " + record.RunsFile + " too; run the spec again to tidy up"
			v.find(checkArchive, Superfluous, at)
		case !r.Completed():
			at.Text = "the archive keeps completed runs only, and this one is " + r.Status
			v.find(checkArchive, Differs, at)
		}
		seen[id] = w.Line
	}
	if len(v.lines.Archive) > 0 {
		v.remark(checkArchive, remarkUnchecked, "archived records belong to earlier plans and are not re-run")
	}
}
