package record

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Kept counts the completed records of a folder that a plan does not ask for.
type Kept struct {
	// Budget counts those of runs of the plan with another budget, Record those
	// with the same budget and other points or measurements, and Other those of
	// other runs.
	Budget, Record, Other int
}

// NewKept compares what is completed with a plan.
func NewKept(completed iter.Seq[ID], plan []ID) Kept {
	var k Kept
	asked := finderOf(plan)
	var others []ID
	for id := range completed {
		if asked.Find(id.Key, id.Extent) < 0 {
			others = append(others, id)
		}
	}
	if len(others) == 0 {
		return k
	}
	budgets := make(map[string][]string, len(plan))
	for _, id := range plan {
		budgets[id.Key] = append(budgets[id.Key], ParseExtent(id.Extent).Budget)
	}
	seen := make(map[ref]bool)
	for _, id := range others {
		at := id.ref()
		if seen[at] {
			continue
		}
		seen[at] = true
		planned, ok := budgets[id.Key]
		switch {
		case !ok:
			k.Other++
		case slices.Contains(planned, ParseExtent(id.Extent).Budget):
			k.Record++
		default:
			k.Budget++
		}
	}
	return k
}

// String says it in words, or is empty if there is nothing to say.
func (k Kept) String() string {
	var parts []string
	verb := " are"
	if k.Budget+k.Record+k.Other == 1 {
		verb = " is"
	}
	for _, c := range []struct {
		n    int
		what string
	}{{k.Budget, "of another budget"}, {k.Record, "with other settings of record"}, {k.Other, "of other runs"}} {
		switch {
		case c.n == 0:
			continue
		case parts != nil:
		case c.n == 1:
			c.what = "record " + c.what
		default:
			c.what = "records " + c.what
		}
		parts = append(parts, strconv.Itoa(c.n)+" "+c.what)
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + verb + " kept in the archive"
}

// HasCompleted reports whether there is a run that was completed (see Run.Completed).
func (s *Store) HasCompleted() bool {
	for range s.Completed() {
		return true
	}
	return false
}

// Completed yields the ids of the runs that were completed (see Run.Completed), in
// no particular order. The store must not be used meanwhile.
func (s *Store) Completed() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for r := range s.records.all() {
			if r.run.Completed() && !yield(r.run.ID()) {
				return
			}
		}
	}
}
