package cli

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"stochopt/harness/internal/verify"
)

// Records are verified with the limits that they were made with.
func TestVerifyAfterLimitsChange(t *testing.T) {
	svmHome(t)
	for _, limit := range []string{"memory: 10", "seconds: 600, memory: 1GB", "memory: 10", "memory: 5"} {
		text := edit(t, sparseSmall, "with: {ratio: [0.1, 0.3]}", "with: {ratio: [0.1, 0.3]}, limit: {"+limit+"}")
		write(t, "small.yaml", text)
		ok(t, "run", "small.yaml")
		wantText(t, limit, ok(t, "verify", "results/small", "--all").out, "5 of 5 records re-run, 0 differ")
	}
	write(t, "small.yaml", edit(t, sparseSmall, "with: {ratio: [0.1, 0.3]}", "with: {ratio: [0.1, 0.3]}, limit: {memory: 10}"))
	ok(t, "run", "small.yaml", "--fresh")
	write(t, "small.yaml", edit(t, sparseSmall, "with: {ratio: [0.1, 0.3]}", "with: {ratio: [0.1, 0.3]}, limit: {memory: 5}"))
	ok(t, "run", "small.yaml")
	wantText(t, "out of memory", ok(t, "verify", "results/small", "--all").out, "5 of 5 records re-run, 0 differ")
}

// A folder is as it should be however it came about, and whatever became of its runs.
func TestVerifyOfWholeFolders(t *testing.T) {
	well := func(t *testing.T, dir string, runs int, args ...string) {
		t.Helper()
		r := parseJSON[verify.Report](t, ok(t, append([]string{"verify", dir, "--all", "--json"}, args...)...).out)
		if !r.OK || !r.Complete || r.Rerun().Checked != runs {
			t.Errorf("%d of %d re-run, complete: %t, findings %+v", r.Rerun().Checked, runs, r.Complete, r.Findings)
		}
	}
	t.Run("resumed", func(t *testing.T) {
		home(t)
		write(t, "small.yaml", small+tables)
		ok(t, "run", "small.yaml")
		write(t, "small.yaml", edit(t, small, "c: [0.25, 1]", "c: [0.25, 2]")+tables)
		ok(t, "run", "small.yaml")
		well(t, "results/small", 6)
		if n := strings.Count(read(t, "results/small/archive.jsonl"), "\n"); n != 2 {
			t.Errorf("%d records in the archive, want 2", n)
		}
	})
	t.Run("sharded", func(t *testing.T) {
		home(t)
		write(t, "small.yaml", three(t)+tables)
		ok(t, "run", "small.yaml", "--shard", "1/3")
		r, o := verified(t, "results/small", func(string) {})
		if r.OK || r.Complete || r.Count("records").Missing != 12 || r.Rerun().Checked != 6 {
			t.Errorf("half: %+v", r)
		}
		wantText(t, "half", o.out, "6 of the records are in journals only", "some of the records are missing")
		ok(t, "run", "small.yaml", "--shard", "2/3")
		ok(t, "run", "small.yaml", "--shard", "3/3")
		r, _ = verified(t, "results/small", func(string) {})
		if r.OK || !r.Complete || r.Count("records").Missing != 0 || r.Count("tables, figures and the like").Missing != 5 {
			t.Errorf("not assembled: %+v", r)
		}
		ok(t, "collect", "results/small")
		well(t, "results/small", 18)
	})
	t.Run("diverged", func(t *testing.T) {
		home(t)
		write(t, "small.yaml", edit(t, small, "{id: msg, step: {c: [0.25, 1]}}", "{id: power, step: {c: 1e+100}}")+tables)
		wantText(t, "run", ok(t, "run", "small.yaml").out, "2 diverged")
		well(t, "results/small", 4)
	})
	t.Run("failed", func(t *testing.T) {
		home(t)
		write(t, "huge.csv", strings.Repeat("1e200,2e200,-1e200\n", 8))
		write(t, "small.yaml", edit(t, small, dataset, "  - {id: huge, path: huge.csv, format: csv, problem: {k: 2}}")+tables)
		if o := stochopt(t, "run", "small.yaml"); o.code != exitFailed {
			t.Fatalf("exit %d: %s", o.code, o.err)
		}
		well(t, "results/small", 6)
	})
	t.Run("out of time", func(t *testing.T) {
		svmHome(t)
		write(t, "small.yaml", edit(t, sparseSmall, "with: {ratio: [0.1, 0.3]}", "with: {ratio: [0.1, 0.3]}, limit: {seconds: 1e-9}"))
		wantText(t, "run", ok(t, "run", "small.yaml").out, "2 out of time")
		well(t, "results/small", 5)
	})
}

// What cannot be compared, as there is nothing to compare with, is no finding.
func TestVerifyRemarks(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+tables)
	ok(t, "run", "small.yaml")
	write(t, "results/small/notes.txt", "mine")
	m := regexp.MustCompile(`(?s),\n  "spec_sha256".*`).ReplaceAllString(read(t, "results/small/manifest.json"), "\n}\n")
	write(t, "results/small/manifest.json", edit(t, m, `"version": "`, `"version": "other`))
	r := parseJSON[verify.Report](t, ok(t, "verify", "results/small", "--sample", "1", "--seed", "3", "--json").out)
	var kinds []string
	for _, m := range r.Remarks {
		kinds = append(kinds, m.Kind)
	}
	if got, want := strings.Join(kinds, " "), "no-checksum tool no-checksum not-of-the-experiment"; got != want {
		t.Errorf("remarks are %s, want %s: %+v", got, want, r.Remarks)
	}
	s := r.Sample
	if s.Runs != 1 || s.Of != 6 || s.Seed != 3 || len(s.Found) != 1 || math.Abs(s.Found[0].Probability-1./6) > 1e-15 {
		t.Errorf("the sample is %+v", s)
	}
	for _, line := range strings.Split(ok(t, "verify", "results/small", "--sample", "1", "--seed", "3").out, "\n") {
		if utf8.RuneCountInString(line) > 120 {
			t.Errorf("a line of %d characters: %s", utf8.RuneCountInString(line), line)
		}
	}
}
