package record

import (
	"cmp"
	"slices"
)

// record is what is known of one run.
type record struct {
	run    *Run
	timing timed
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
	case !ok || old.run.yields(*r.run):
		rs[r.run.ref()] = &r
	case r.run.standing() < standingEnded:
	default:
		if differ(*old.run, *r.run) {
			warning = nondeterminism(*old.run)
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
			runs = append(runs, *r.run)
		}
	}
	slices.SortFunc(runs, compareRefs)
	return runs
}

func compareRefs(a, b Run) int {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Extent, b.Extent))
}

// merge brings the records of all files together: RunsFile goes before
// ArchiveFile, and that before the journals. Each warning is handed to warn with
// the run it is about.
func (c *contents) merge(warn func(id ref, warning string)) records {
	all := make(records, len(c.runs)+len(c.archive)+len(c.journals))
	add := func(r record) {
		if w := all.add(r); w != "" {
			warn(r.run.ref(), w)
		}
	}
	timings := c.timingsByRun()
	for _, runs := range [][]Run{c.runs, c.archive} {
		for i := range runs {
			t, ok := timings[runs[i].ref()]
			add(record{&runs[i], t, ok})
		}
	}
	for i := range c.journals {
		add(record{&c.journals[i].run, c.journals[i].timing, true})
	}
	return all
}

// timingsByRun finds the timings of TimingsFile, of several of one run the first.
func (c *contents) timingsByRun() map[ref]timed {
	of := make(map[ref]timed, len(c.timings))
	for _, t := range c.timings {
		if _, ok := of[t.ref]; !ok {
			of[t.ref] = t.timed
		}
	}
	return of
}
