package verify

import (
	"testing"

	"stochopt/internal/record"
)

// Records of runs that ran out of time are compared as far as both go.
func TestDifference(t *testing.T) {
	ran := func(status string, errors ...float64) record.Run {
		r := record.Run{
			Schema: record.Schema, Rows: map[string]int64{"test": 10}, Key: "k", Extent: "9/log:3",
			Dataset: "a", Series: "s", Algorithm: "s", Status: status, Reason: status,
			Curve: record.Curve{
				Cost: map[string][]int64{"iterations": {}}, Metrics: map[string]map[string][]float64{"test": {"hinge": errors}},
			},
		}
		for i := range errors {
			r.Curve.Cost["iterations"] = append(r.Curve.Cost["iterations"], int64(i)+1)
			r.Curve.Mistakes = append(r.Curve.Mistakes, record.IndexSet{int32(i)})
		}
		return r
	}
	const finished, late = record.StatusFinished, record.StatusOutOfTime
	other := ran(late, 1, 2)
	other.Curve.Mistakes[1] = record.IndexSet{7}
	for _, test := range []struct {
		name      string
		want, got record.Run
		same      bool
	}{
		{"the same", ran(finished, 1, 2), ran(finished, 1, 2), true},
		{"another value", ran(finished, 1, 2), ran(finished, 1, 3), false},
		{"shorter", ran(finished, 1, 2), ran(finished, 1), false},
		{"later", ran(late, 1, 2), ran(late, 1, 2, 3), true},
		{"sooner", ran(late, 1, 2), ran(late, 1), true},
		{"not at all", ran(late, 1, 2), ran(late), true},
		{"in time", ran(late, 1, 2), ran(finished, 1, 2, 3), true},
		{"out of time", ran(finished, 1, 2), ran(late, 1), true},
		{"another value before the end", ran(late, 1, 2), ran(late, 1, 3, 4), false},
		{"another value in time", ran(late, 1, 2), ran(finished, 2, 2), false},
		{"failed", ran(late, 1), ran(record.StatusFailed), false},
		{"failed before", ran(record.StatusFailed), ran(late), false},
		{"other mistakes", ran(late, 1, 2), other, false},
	} {
		if where, err := difference(test.want, test.got); err != nil || (where == "") != test.same {
			t.Errorf("%s: %q, %v, want same: %t", test.name, where, err, test.same)
		}
	}
}
