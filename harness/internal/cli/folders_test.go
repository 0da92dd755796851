package cli

import (
	"strings"
	"testing"
)

// A folder of results folders stands for them. Other folders are passed over, and a verb goes on after a
// folder that it cannot read.
func TestFoldersOfFolders(t *testing.T) {
	claimsHome(t)
	write(t, "two.yaml", edit(t, claimed, "name: small", "name: two"))
	ok(t, "run", "small.yaml", "two.yaml", "--profile", "smoke")
	write(t, "results/code/one.go", "package code\n")
	const (
		both = "results/small: redrawn\nresults/two: redrawn\n"
		idle = "note: results/code holds no results and is ignored\n"
		edge = "note: g msg[k=2]: step.c = 0.25 is at the low end of its grid: widen it\n" // of each folder
	)
	for args, said := range map[string]string{"results": "", "results results/two": "", "results/code results/small results/two": idle} {
		if o := ok(t, append([]string{"plot"}, strings.Fields(args)...)...); o.out != both || o.err != said+edge+edge {
			t.Errorf("%s: stdout %q, stderr %q", args, o.out, o.err)
		}
	}
	write(t, "results/bad/runs.jsonl", "")
	o := ok(t, "plot", "results")
	if o.out != both || o.err != "warning: results/bad has no manifest.json and is passed over\n"+edge+edge {
		t.Errorf("stdout %q, stderr %q", o.out, o.err)
	}
	if o := stochopt(t, "claims", "results/bad"); o.code != exitUsage {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
	remove(t, "results/small/spec.yaml")
	o = stochopt(t, "claims", "results", "--json")
	if got := outcomesOf(t, o.out); o.code != exitUsage || got != "length: reproduced, too-long: not reproduced, far: not run" {
		t.Errorf("exit %d, %s: %s", o.code, got, o.err)
	}
}
