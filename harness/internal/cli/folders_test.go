package cli

import (
	"os"
	"strings"
	"testing"
)

// A folder of results folders stands for them; what is none is passed over, and what is
// wrong with one does not keep a verb from the others.
func TestFoldersOfFolders(t *testing.T) {
	claimsHome(t)
	ok(t, "run", "small.yaml", "--profile", "smoke")
	write(t, "two.yaml", edit(t, claimed, "name: small", "name: two"))
	ok(t, "run", "two.yaml", "--profile", "smoke")
	write(t, "results/code/one.go", "package code\n")
	const counts = "claims: 2 reproduced, 2 not reproduced, 2 not run\n"
	for _, args := range [][]string{{"claims", "results"}, {"claims", "results/code", "results/small", "results/two"}, {"claims", "results", "results/two"}} {
		o := stochopt(t, args...)
		wantText(t, "stdout", o.out, counts)
		if got, want := strings.Contains(o.err, "note: results/code holds no results and is ignored\n"), len(args) == 4; o.code != exitFailed || got != want {
			t.Errorf("%q: exit %d, stderr %s", args, o.code, o.err)
		}
	}
	wantText(t, "status", ok(t, "status", "results").out, "small: ", "two: ")
	if got := ok(t, "plot", "results").out; got != "results/small: redrawn\nresults/two: redrawn\n" {
		t.Errorf("plot: %s", got)
	}
	wantText(t, "table", ok(t, "table", "results").out, "results/two: redrawn\n")

	write(t, "results/bad/runs.jsonl", "")
	o := stochopt(t, "claims", "results")
	wantText(t, "stdout", o.out, counts)
	wantText(t, "stderr", o.err, "warning: results/bad has no manifest.json and is passed over\n")
	wantOutcome(t, stochopt(t, "claims", "results/bad"), exitUsage, "stochopt: results/bad is not a results folder, because it has no manifest.json; name a folder that run has made, such as results/<name>")

	if err := os.Remove(at(t, "results/small/spec.yaml")); err != nil {
		t.Fatal(err)
	}
	o = stochopt(t, "claims", "results", "--no-fail")
	wantText(t, "stdout", o.out, "claims: 1 reproduced, 1 not reproduced, 1 not run\n")
	if want := "stochopt: results/small has no spec.yaml, the spec that it was run with; run the spec with --out results to record it again: no recorded run is repeated\n"; o.code != exitUsage || !strings.HasSuffix(o.err, want) {
		t.Errorf("exit %d, stderr %s", o.code, o.err)
	}
}
