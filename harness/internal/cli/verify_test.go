package cli

import (
	"testing"

	"stochopt/results"
)

// Records of runs that ran out of time are compared as far as both go.
func TestReproduced(t *testing.T) {
	record := func(status string, errors ...float64) results.Run {
		r := results.Run{
			Schema: results.Schema, Rows: map[string]int64{"test": 10}, Key: "k", Extent: "9/log:3", Dataset: "a", Series: "s", Algorithm: "s", Status: status, Reason: status,
			Curve: results.Curve{Cost: map[string][]int64{"iterations": {}}, Metrics: map[string]map[string][]float64{"test": {"hinge": errors}}},
		}
		for i := range errors {
			r.Curve.Cost["iterations"] = append(r.Curve.Cost["iterations"], int64(i)+1)
			r.Curve.Mistakes = append(r.Curve.Mistakes, results.IndexSet{int32(i)})
		}
		return r
	}
	const finished, late = results.StatusFinished, results.StatusOutOfTime
	other := record(late, 1, 2)
	other.Curve.Mistakes[1] = results.IndexSet{7}
	for _, test := range []struct {
		name      string
		want, got results.Run
		same      bool
	}{
		{"the same", record(finished, 1, 2), record(finished, 1, 2), true},
		{"another value", record(finished, 1, 2), record(finished, 1, 3), false},
		{"shorter", record(finished, 1, 2), record(finished, 1), false},
		{"later", record(late, 1, 2), record(late, 1, 2, 3), true},
		{"sooner", record(late, 1, 2), record(late, 1), true},
		{"not at all", record(late, 1, 2), record(late), true},
		{"in time", record(late, 1, 2), record(finished, 1, 2, 3), true},
		{"out of time", record(finished, 1, 2), record(late, 1), true},
		{"another value before the end", record(late, 1, 2), record(late, 1, 3, 4), false},
		{"another value in time", record(late, 1, 2), record(finished, 2, 2), false},
		{"other mistakes", record(late, 1, 2), other, false},
	} {
		if same, err := reproduced(test.want, test.got); err != nil || same != test.same {
			t.Errorf("%s: %t, %v, want %t", test.name, same, err, test.same)
		}
	}
}
