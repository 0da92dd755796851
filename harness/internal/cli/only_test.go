package cli

import (
	"strings"
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

// Only the data of the picked runs have to be there.
func TestOnlyWithoutTheOtherData(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, small, "datasets:\n", "datasets:\n  - {id: gone, path: gone.csv, problem: {k: 1}}\n"))
	if o := stochopt(t, "run", "small.yaml"); o.code != exitUsage {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
	ok(t, "run", "small.yaml", "--only", "dataset=g")
	if r := parseJSON[[]progressReport](t, ok(t, "status", "results/small", "--json").out)[0]; r.Finished != 6 || r.Missing != 6 {
		t.Errorf("status: %+v", r)
	}
	ok(t, "plan", "small.yaml", "--only", "dataset=g")
}

func TestBadUseOfOnly(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	for args, want := range map[string]string{
		"--only g":                                `"g": want dataset=NAME, series=NAME or algorithm=NAME, or several of them with commas between`,
		"--only serie=msg":                        `"serie=msg": there is no "serie" to choose by (did you mean "series"?)`,
		"--only series=msg,series=oja":            `"series=msg,series=oja": a run has only one series; repeat the flag for series=oja`,
		"--only series=mgs":                       `series=mgs: no run has this series (did you mean "msg"?)`,
		"--only series=msg,algorithm=oja":         `algorithm=oja: no run has this algorithm (known: msg, incremental)`,
		"--only algorithm=incremental,series=msg": `series=msg,algorithm=incremental: no run has all of these names`,
	} {
		o := stochopt(t, append([]string{"run", "small.yaml"}, strings.Fields(args)...)...)
		wantOutcome(t, o, exitUsage, "stochopt: --only "+want)
	}
}
