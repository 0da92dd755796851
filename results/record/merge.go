package record

import (
	"cmp"
	"slices"
)

// record is what is known of one run.
type record struct {
	run    Run
	timing Timing
	timed  bool
}

// records holds what is known of each run, under its identity.
type records map[ref]*record

// add takes in a record read or appended later than those already there: the
// first that ended by itself counts, or else the one of the largest limit, or else
// the last. It returns a warning if both ended by themselves and differ, or "".
func (rs records) add(r record) (warning string) {
	old, ok := rs[r.run.ref()]
	switch {
	case !ok || old.run.yields(r.run):
		rs[r.run.ref()] = &r
	case r.run.standing() < standingEnded:
	default:
		if differ(old.run, r.run) {
			warning = nondeterminism(old.run)
		}
		if !old.timed {
			old.timing, old.timed = r.timing, r.timed
		}
	}
	return warning
}

// planned returns what there is of the plan, in its order and with its labels.
func (rs records) planned(plan []ID) []Run {
	runs := make([]Run, 0, len(plan))
	seen := make(map[ID]bool, len(plan))
	for _, id := range plan {
		r, ok := rs[id.ref()]
		if !ok {
			continue
		}
		run := r.run.relabelled(id.Labels)
		if !seen[run.ID()] {
			seen[run.ID()] = true
			runs = append(runs, run)
		}
	}
	return runs
}

// completed returns the completed records to keep, sorted by identity.
func (rs records) completed(keep func(ref) bool) []Run {
	var runs []Run
	for id, r := range rs {
		if r.run.Completed() && keep(id) {
			runs = append(runs, r.run)
		}
	}
	slices.SortFunc(runs, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Extent, b.Extent))
	})
	return runs
}

// merge brings the records of all files together: RunsFile goes before
// ArchiveFile, and that before the journals. Each warning is handed to warn with
// the run it is about.
func (c *contents) merge(warn func(id ref, warning string)) records {
	all := records{}
	add := func(r record) {
		if w := all.add(r); w != "" {
			warn(r.run.ref(), w)
		}
	}
	for _, r := range slices.Concat(c.runs, c.archive) {
		t, ok := c.timings[r.ref()]
		add(record{r, t, ok})
	}
	for _, e := range c.journals {
		add(record{e.Run, e.Timing, true})
	}
	return all
}
