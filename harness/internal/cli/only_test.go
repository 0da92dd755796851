package cli

import (
	"testing"
)

// Runs that --only picks are those of the whole: what is made in parts is the same to the
// byte, and until then all that is shown says what is missing.
func TestRunOnlySome(t *testing.T) {
	claimsHome(t)
	write(t, "small.yaml", edit(t, claimed, "figures: []\n", figure))
	ok(t, "run", "small.yaml", "--profile", "smoke", "--out", "whole", "-j", "1")

	for _, r := range parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--only", "series=incremental", "--json").out) {
		if r.Series != "incremental" || r.Runs == 0 {
			t.Errorf("plan --only has %+v", r)
		}
	}
	o := ok(t, "run", "small.yaml", "--profile", "smoke", "--only", "dataset=g,algorithm=incremental")
	if last := lastLine(o.err); last != "small: PARTIAL: 10 runs not on record; the same command without --only makes them" {
		t.Errorf("stderr is %s", o.err)
	}
	wantText(t, "caption", read(t, "results/small/figures/fig.txt"), "PARTIAL: 5 of 15 runs")
	if got := outcomesOf(t, ok(t, "claims", "results/small", "--json").out); got != "length: not run, too-long: not run, far: not run" {
		t.Errorf("of the part the verdicts are %s", got)
	}
	o = ok(t, "run", "small.yaml", "--profile", "smoke", "--only", "series=msg", "--only", "series=incremental")
	wantOutcome(t, o, exitOK, "small: 15 runs, 5 of them on record")
	if exported(t, "results/small") != exported(t, "whole/small") {
		t.Error("the records are not those of the whole")
	}
	for _, file := range []string{"claims.json", "selection.csv", "figures/fig.txt"} {
		if read(t, "results/small", file) != read(t, "whole/small", file) {
			t.Errorf("%s differs from that of the whole", file)
		}
	}

	// A spec without such runs is left alone.
	write(t, "other.yaml", edit(t, edit(t, small, "name: small", "name: other"), "  - {id: incremental}\n", ""))
	ok(t, "run", "other.yaml", "small.yaml", "--only", "algorithm=incremental", "--out", "some")
	wantNone(t, "some/other")
}
