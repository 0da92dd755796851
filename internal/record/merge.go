package record

import (
	"bytes"
	"fmt"
)

// records holds one record for each identity, with its original labels.
type records struct {
	runs []Run
	at   map[ref]int // index into runs
}

// newRecords returns the records of runs, which it overwrites.
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

// add adds a record, made later than the others. If there is one of the same run, add keeps the first
// that finished or diverged, else the one with the larger limit, else the later one. kept reports
// whether r is kept, replaced is the record that it replaces. The warning reports two different
// records that both finished or diverged.
func (rs *records) add(r Run) (replaced *Run, kept bool, warning string) {
	i, ok := rs.at[r.ref()]
	if !ok {
		rs.at[r.ref()] = len(rs.runs)
		rs.runs = append(rs.runs, r)
		return nil, true, ""
	}
	old := rs.runs[i]
	if old.supersededBy(r) {
		rs.runs[i] = r
		return &old, true, ""
	}
	if r.rank() == rankEnded && differ(old, r) {
		warning = nondeterminism(old)
	}
	return nil, false, warning
}

// planned returns the records of a plan, in its order and with its labels. A run may occur under
// several labels.
func (rs *records) planned(plan []ID) []Run {
	runs := make([]Run, 0, len(plan))
	for _, id := range plan {
		if r := rs.get(id.ref()); r != nil {
			runs = append(runs, r.relabelled(id.Labels))
		}
	}
	return runs
}

// differ reports whether two records of one identity differ in more than their labels. If so, the
// computation is not deterministic.
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
