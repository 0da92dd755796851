package cli

import (
	"os"
	"testing"

	"stochopt/internal/record"
)

// Status lists all series of the plan, those without a record included, and names the process that writes
// to the folder until it has closed it.
func TestStatus(t *testing.T) {
	home(t)
	write(t, "small.yaml", three(t))
	ok(t, "run", "small.yaml", "--shard", "1/3")
	read := func() progressReport {
		t.Helper()
		all := parseJSON[[]progressReport](t, ok(t, "status", "results", "--json").out)
		if len(all) != 1 {
			t.Fatalf("status: %+v", all)
		}
		return all[0]
	}
	if s := read(); s.Runs != 6 || s.Missing != 12 || len(s.Series) != 6 || s.Series[3].Missing != 2 || s.Left <= 0 {
		t.Errorf("status: %+v", s)
	}
	wantText(t, "status", ok(t, "status", "results/small").out, "12 runs missing: about ", "no process is running here\n",
		"│ h       │ incremental │    0 │        0 │        0 │      0 │")
	ok(t, "run", "small.yaml")
	store, err := record.Open(at(t, "results/small"), record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all := read().Running; len(all) != 1 || all[0].Process != os.Getpid() {
		t.Errorf("running are %v, want this process, %d", all, os.Getpid())
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if s := read(); len(s.Running) != 0 || s.Missing != 0 || s.Left != 0 {
		t.Errorf("after the end the status is %+v", s)
	}
}
