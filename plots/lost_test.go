package plots

import (
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func TestLostNotes(t *testing.T) {
	t.Parallel()
	run := func(ratio float64, status, reason string) record.Run {
		return record.Run{Dataset: "forest", Series: "rsvm", Params: record.Params{"ratio": ratio}, Status: status, Reason: reason}
	}
	const finished, late, large = record.StatusFinished, record.StatusOutOfTime, record.StatusOutOfMemory
	in := Input{Catalog: listed, Choice: &selection.Choice{Rule: selection.Rule{Tune: []string{"ratio"}}}}
	for _, test := range []struct {
		name string
		runs []record.Run
		want []string
	}{
		{"none", []record.Run{run(0.5, finished, "")}, []string{}},
		{"all of one reason", []record.Run{run(0.5, late, "600 s"), run(1, late, "600 s")}, []string{"RSVM: 2 of 2 runs ran out of time on forest (600 s)"}},
		{"some", []record.Run{run(0.5, finished, ""), run(1, late, "600 s")}, []string{"RSVM: 1 of 2 runs ran out of time on forest for ratio = 1 (600 s)"}},
		{"of several statuses", []record.Run{run(0.5, late, "600 s"), run(1, large, "6 GB")}, []string{
			"RSVM: 1 of 2 runs ran out of time on forest for ratio = 0.5 (600 s)", "RSVM: 1 of 2 runs ran out of memory on forest for ratio = 1 (6 GB)"}},
		{"of several reasons", []record.Run{run(0.5, record.StatusFailed, "a"), run(1, record.StatusFailed, "b")}, []string{
			"RSVM: 2 of 2 runs failed on forest (the first: a)"}},
		{"of several amounts of memory", []record.Run{run(0.25, finished, ""), run(0.5, large, "needs 3 GB"), run(1, large, "needs 6 GB")}, []string{
			"RSVM: 2 of 3 runs ran out of memory on forest for ratio = 0.5; ratio = 1 (the first: needs 3 GB)"}},
		{"all of several amounts", []record.Run{run(0.5, large, "needs 3 GB"), run(1, large, "needs 6 GB")}, []string{
			"RSVM: 2 of 2 runs ran out of memory on forest (the first: needs 3 GB)"}},
	} {
		if got := in.lostNotes(test.runs); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
