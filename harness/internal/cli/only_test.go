package cli

import "testing"

// A spec that is run in parts has the same records and products. Partial products state what is missing.
func TestOnly(t *testing.T) {
	claimsHome(t)
	write(t, "small.yaml", edit(t, claimed, "figures: []\n", figure))
	ok(t, "run", "small.yaml", "--profile", "smoke", "--out", "whole", "-j", "1")

	for _, r := range parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--only", "series=incremental", "--json").out) {
		if r.Series != "incremental" || r.Runs == 0 {
			t.Errorf("plan --only has %+v", r)
		}
	}
	o := ok(t, "run", "small.yaml", "--profile", "smoke", "--only", "dataset=g,algorithm=incremental")
	if last := lastLine(o.err); last != "small: PARTIAL: 10 runs missing; the same command without --only performs them" {
		t.Errorf("stderr is %s", o.err)
	}
	wantText(t, "caption", read(t, "results/small/figures/fig.txt"), "PARTIAL: 5 of 15 runs")
	if got := outcomesOf(t, ok(t, "claims", "results/small", "--json").out); got != "length: not run, too-long: not run, far: not run" {
		t.Errorf("the verdicts of the part are %s", got)
	}
	o = ok(t, "run", "small.yaml", "--profile", "smoke", "--only", "series=msg", "--only", "series=incremental")
	wantOutcome(t, o, exitOK, "small: 15 runs, 5 already done")
	if exported(t, "results/small") != exported(t, "whole/small") {
		t.Error("the records differ from those of one run")
	}
	for _, file := range []string{"claims.json", "selection.csv", "figures/fig.txt"} {
		if read(t, "results/small", file) != read(t, "whole/small", file) {
			t.Errorf("%s differs from that of one run", file)
		}
	}

	// A spec without selected runs is skipped.
	write(t, "other.yaml", edit(t, edit(t, small, "name: small", "name: other"), "  - {id: incremental}\n", ""))
	ok(t, "run", "other.yaml", "small.yaml", "--only", "algorithm=incremental", "--out", "some")
	wantNone(t, "some/other")
}
