package record

import (
	"cmp"
	"iter"
	"slices"
)

// record is what is known of one run.
type record struct {
	run    *Run
	timing timed
	timed  bool
}

// records holds what is known of each run, under its identity. Nil holds nothing.
type records struct {
	// parts hold the records, in the order in which they were added: partSize each, so that
	// none is moved.
	parts  [][]record
	count  int
	finder *Finder
}

const partSize = 1 << 12

func newRecords(room int) *records {
	rs := &records{}
	rs.finder = NewFinder(room, func(i int) (string, string) { r := rs.at(i).run; return r.Key, r.Extent })
	return rs
}

// at is the record that was added as the ith.
func (rs *records) at(i int) *record { return &rs.parts[i/partSize][i%partSize] }

func (rs *records) len() int {
	if rs == nil {
		return 0
	}
	return rs.count
}

// get returns the record of a run, nil if there is none.
func (rs *records) get(id ref) *record {
	if rs.len() == 0 {
		return nil
	}
	if i := rs.finder.Find(id.key, id.extent); i >= 0 {
		return rs.at(i)
	}
	return nil
}

// near is get for a run that is most likely the ith.
func (rs *records) near(i int, id ref) *record {
	if i < rs.len() && rs.at(i).run.ref() == id {
		return rs.at(i)
	}
	return rs.get(id)
}

// all yields the records, in the order in which they were added.
func (rs *records) all() iter.Seq[*record] {
	return func(yield func(*record) bool) {
		for i := range rs.len() {
			if !yield(rs.at(i)) {
				return
			}
		}
	}
}

// insert adds the record of a run, unless there is one: that is returned.
func (rs *records) insert(r record) (old *record) {
	if rs.count%partSize == 0 {
		rs.parts = append(rs.parts, make([]record, 0, partSize))
	}
	last := &rs.parts[len(rs.parts)-1]
	*last = append(*last, r)
	if i := rs.finder.Add(rs.count); i != rs.count {
		if *last = (*last)[:len(*last)-1]; len(*last) == 0 {
			rs.parts = rs.parts[:len(rs.parts)-1]
		}
		return rs.at(i)
	}
	rs.count++
	return nil
}

// add takes in a record read or appended later than those already there: the
// first that ended by itself counts, or else the one of the largest limit, or else
// the last. It returns a warning if both ended by themselves and differ, or "".
func (rs *records) add(r record) (warning string) {
	switch old := rs.insert(r); {
	case old == nil:
	case old.run.yields(*r.run):
		*old = r
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

// without returns the records but for some.
func (rs *records) without(leave func(*record) bool) *records {
	out := newRecords(rs.len())
	for r := range rs.all() {
		if !leave(r) {
			out.insert(*r)
		}
	}
	return out
}

// are reports whether the runs that there are of a plan are these, with the labels that they
// have.
func (rs *records) are(plan []ID, runs []Run) bool {
	i := 0
	for _, id := range plan {
		r := rs.near(i, id.ref())
		if r == nil {
			continue
		}
		if i == len(runs) || r.run != &runs[i] || id.over(r.run.labels()) != r.run.labels() {
			return false
		}
		i++
	}
	return i == len(runs)
}

// planned returns what there is of the plan, in its order and with its labels.
func (rs *records) planned(plan []ID) []Run {
	runs := make([]Run, 0, len(plan))
	seen := FinderOf(runs[:len(plan)])
	// A run may be there under several labels.
	var again map[ID]bool
	for _, id := range plan {
		r := rs.near(len(runs), id.ref())
		if r == nil {
			continue
		}
		n := len(runs)
		runs = append(runs, r.run.relabelled(id.Labels))
		if first := seen.Add(n); first < n {
			own := runs[n].ID()
			if again[own] || runs[first].ID() == own {
				runs = runs[:n]
				continue
			}
			if again == nil {
				again = map[ID]bool{}
			}
			again[own] = true
		}
	}
	return runs
}

// completed returns the completed records to keep, sorted by identity.
func (rs *records) completed(keep func(ref) bool) []Run {
	var runs []Run
	for r := range rs.all() {
		if r.run.Completed() && keep(r.run.ref()) {
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
func (c *contents) merge(warn func(id ref, warning string)) *records {
	all := newRecords(len(c.runs) + len(c.archive) + len(c.journals))
	add := func(r record) {
		if w := all.add(r); w != "" {
			warn(r.run.ref(), w)
		}
	}
	for _, runs := range [][]Run{c.runs, c.archive} {
		for i := range runs {
			add(record{run: &runs[i]})
		}
	}
	// Of several timings of one run the first counts.
	for i, t := range c.timings {
		if r := all.near(i, t.ref); r != nil && !r.timed {
			r.timing, r.timed = t.timed, true
		}
	}
	for i := range c.journals {
		add(record{&c.journals[i].run, c.journals[i].timing, true})
	}
	return all
}

// point makes the runs of the records those of some lists, and lets go of the others: the
// lists that they are in may be large.
func (rs *records) point(lists ...[]Run) {
	listed := make([]bool, rs.len())
	for _, runs := range lists {
		for i := range runs {
			at := rs.finder.Find(runs[i].Key, runs[i].Extent)
			rs.at(at).run, listed[at] = &runs[i], true
		}
	}
	for i, is := range listed {
		if r := rs.at(i); !is {
			r.run = &Run{Key: r.run.Key, Extent: r.run.Extent}
		}
	}
}
