package cli

import (
	"strings"
	"testing"
)

// Runs that are to be alone go one at a time and are not taken from records that
// were made otherwise.
func TestAloneIsSaid(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", svmSmall)
	ok(t, "run", "small.yaml", "-j", "2")
	const note = "record.alone: one run at a time, not 2, so that times compare\n"
	o := ok(t, "run", "small.yaml", "-j", "2", "--set", "record.alone=true")
	wantText(t, "stderr", o.err, "small: 6 runs, 0 of them on record\n"+note)
	if strings.Count(o.err, note) != 1 {
		t.Errorf("stderr is\n%s", o.err)
	}
	var most, least int
	query(t, "results/small", "SELECT min(data ->> 'jobs'), max(data ->> 'jobs') FROM times", &least, &most)
	if least != 1 || most != 2 {
		t.Errorf("from %d to %d runs went side by side", least, most)
	}
	o = ok(t, "run", "small.yaml", "-j", "1", "--fresh", "--set", "record.alone=true")
	if strings.Contains(o.err, "alone") {
		t.Errorf("stderr is\n%s", o.err)
	}
	wantText(t, "verify", ok(t, "verify", "results/small", "--all").out, "6 of 6 records re-run, 0 differ")
}

// Status lists all series of the plan, those without a record included.
func TestStatusListsWhatIsMissing(t *testing.T) {
	home(t)
	write(t, "small.yaml", three(t))
	ok(t, "run", "small.yaml", "--shard", "1/3")
	o := ok(t, "status", "results/small")
	wantText(t, "status", o.out, "small: 6 of 18 runs on record", "missing", "12 runs missing: about ", ", one after the other\n",
		"│ g       │ msg         │    4 │        4 │        0 │      0 │",
		"│ h       │ msg         │    0 │        0 │        0 │      0 │", "│       4 │",
		"│ h       │ incremental │    0 │        0 │        0 │      0 │", "│       2 │")
	s := parseJSON[[]progressReport](t, ok(t, "status", "results/small", "--json").out)
	if len(s) != 1 || s[0].Missing != 12 || len(s[0].Series) != 6 || s[0].Series[3].Missing != 2 || s[0].Left <= 0 {
		t.Errorf("status: %+v", s)
	}
	ok(t, "run", "small.yaml")
	if o := ok(t, "status", "results/small"); strings.Contains(o.out, "missing") {
		t.Errorf("status is\n%s", o.out)
	}
}
