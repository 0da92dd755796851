package cli

import (
	"bytes"
	"compress/gzip"
	"regexp"
	"strings"
	"testing"

	"stochopt/harness/internal/verify"
)

// A folder with a list of its runs in place of their records can be verified by repeating runs.
func TestVerifyListedRuns(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+tables)
	ok(t, "run", "small.yaml")
	list := ok(t, "export", "results/small", "--to", "checksums").out
	remove(t, "results/small/results.db")
	remove(t, "results/small/curves.csv")
	wantText(t, "verify", stochopt(t, "verify", "results/small").err, "results/small has no records")
	compress := func(list string) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(list))
		z.Close()
		write(t, "results/small/runs.csv.gz", b.String())
	}
	checked := func(list string) verify.Report {
		t.Helper()
		compress(list)
		return parseJSON[verify.Report](t, stochopt(t, "verify", "results/small", "--sample", "5", "--json").out)
	}
	if r := checked(list); !r.OK || !r.Complete || r.Count("records re-run").Checked != 5 {
		t.Errorf("%+v", r)
	}
	lines := strings.SplitAfter(list, "\n")
	if r := checked(strings.Join(lines[:len(lines)-2], "")); !r.OK || r.Complete {
		t.Errorf("with a run less: %+v", r)
	}
	r := checked(regexp.MustCompile(`(?m)[0-9a-f]{8}$`).ReplaceAllString(list, "00000000"))
	if r.OK || r.Count("records re-run").Findings != 5 {
		t.Errorf("with wrong checksums: %+v", r)
	}
	wantFinding(t, r, verify.Differs, "", "finished, checksum 00000000 / finished, checksum")
	r = checked(list + lines[1][:8] + lines[2][8:])
	wantFinding(t, r, verify.Differs, "runs.csv.gz", "the plan of the spec does not have 1 run of the list")
	compress("key\n")
	wantOutcome(t, stochopt(t, "verify", "results/small"), exitUsage,
		"stochopt: results/small/runs.csv.gz: its first line does not have the names of the columns")
}
