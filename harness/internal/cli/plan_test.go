package cli

import "testing"

// Plan prints how long the runs on record took, and counts the iterations of the others.
func TestPlanOfRecordedRuns(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml", "--only", "series=msg")
	rows := parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)
	if len(rows) != 2 {
		t.Fatalf("%+v", rows)
	}
	if msg := rows[0]; msg.OnRecord != msg.Runs || msg.Seconds <= 0 || msg.Seconds > 3600 || msg.Iterations != 0 {
		t.Errorf("on record: %+v", msg)
	}
	if rest := rows[1]; rest.OnRecord != 0 || rest.Seconds != 0 || rest.Iterations != 40*int64(rest.Runs) {
		t.Errorf("not on record: %+v", rest)
	}
	wantText(t, "plan", ok(t, "plan", "small.yaml").out, "seconds on record", "iterations left")
}
