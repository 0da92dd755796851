package record

import (
	"bytes"
	"fmt"
)

// records holds one record for each identity, with the labels that it was recorded with.
type records struct {
	runs []Run
	at   map[ref]int
}

// newRecords returns records that take the place of runs, which must not be used any more.
func newRecords(runs []Run) *records {
	rs := &records{runs[:0], make(map[ref]int, len(runs))}
	for i := range runs {
		rs.add(runs[i])
	}
	return rs
}

func (rs *records) get(id ref) *Run {
	if i, ok := rs.at[id]; ok {
		return &rs.runs[i]
	}
	return nil
}

// add takes in a record that was found or made later than the others. Of two of the same run the
// first that ended by itself counts, or else the one of the larger limit, or else the later. It
// returns the one that is replaced, if r counts, and a warning if both ended by themselves and
// differ.
func (rs *records) add(r Run) (replaced *Run, counts bool, warning string) {
	i, ok := rs.at[r.ref()]
	if !ok {
		rs.at[r.ref()] = len(rs.runs)
		rs.runs = append(rs.runs, r)
		return nil, true, ""
	}
	old := rs.runs[i]
	if old.yields(r) {
		rs.runs[i] = r
		return &old, true, ""
	}
	if r.standing() == standingEnded && differ(old, r) {
		warning = nondeterminism(old)
	}
	return nil, false, warning
}

// planned returns what there is of the plan, in its order and with its labels. A run may be in it
// under several labels.
func (rs *records) planned(plan []ID) []Run {
	runs := make([]Run, 0, len(plan))
	for _, id := range plan {
		if r := rs.get(id.ref()); r != nil {
			runs = append(runs, r.relabelled(id.Labels))
		}
	}
	return runs
}

// differ reports whether two records of one identity differ in more than what the plan calls them:
// if so, the computation is not deterministic.
func differ(a, b Run) bool {
	if a.CurveChecksum() != b.CurveChecksum() {
		return true
	}
	x, errX := content(a.With(Curve{}))
	y, errY := content(b.With(Curve{}).relabelled(a.labels()))
	return errX != nil || errY != nil || !bytes.Equal(x, y)
}

func nondeterminism(r Run) string {
	return fmt.Sprintf("%s: two records of the same run (key %s, extent %s) differ; the first is kept. Either the algorithm, its data or the machine is not deterministic, or the algorithm changed without a new Version", r.Name(), r.Key, r.Extent)
}
