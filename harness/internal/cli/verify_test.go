package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/verify"
)

// Verify uses the recorded limits. Run repeats runs that met a lower limit.
func TestVerifyAfterLimitsChange(t *testing.T) {
	svmHome(t)
	for _, test := range []struct {
		limit    string
		onRecord int
	}{{"memory: 10", 0}, {"seconds: 600, memory: 1GB", 3}, {"memory: 10", 5}, {"memory: 5", 5}} {
		write(t, "small.yaml", edit(t, sparseSmall, "with: {ratio: [0.1, 0.3]}", "with: {ratio: [0.1, 0.3]}, limit: {"+test.limit+"}"))
		if n := sumOnRecord(parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)); n != test.onRecord {
			t.Errorf("with limit %s %d runs are on record, want %d", test.limit, n, test.onRecord)
		}
		ok(t, "run", "small.yaml")
		if r := verified(t, "results/small", func(string) {}); !r.OK || r.Count("records re-run").Checked != 5 {
			t.Errorf("with limit %s: %+v", test.limit, r)
		}
	}
}

// Intact folders have no findings, with any history and any status of runs.
func TestVerifyIntactFolders(t *testing.T) {
	wantIntact := func(t *testing.T, runs int) verify.Report {
		t.Helper()
		r := parseJSON[verify.Report](t, ok(t, "verify", "results/small", "--all", "--json").out)
		if n := r.Count("records re-run").Checked; !r.OK || !r.Complete || n != runs {
			t.Errorf("%d of %d re-run, complete: %t, findings %+v", n, runs, r.Complete, r.Findings)
		}
		return r
	}
	t.Run("resumed", func(t *testing.T) {
		home(t)
		write(t, "small.yaml", small+tables)
		ok(t, "run", "small.yaml")
		write(t, "small.yaml", edit(t, small, "c: [0.25, 1]", "c: [0.25, 2]")+tables)
		ok(t, "run", "small.yaml")
		if r := wantIntact(t, 6); !slices.Contains(r.Notes, "not compared: 2 records of runs that the spec does not have") {
			t.Errorf("notes %q", r.Notes)
		}
	})
	t.Run("sharded", func(t *testing.T) {
		home(t)
		write(t, "small.yaml", three(t)+tables)
		ok(t, "run", "small.yaml", "--shard", "1/3")
		r := verified(t, "results/small", func(string) {})
		if r.OK || r.Complete || len(r.Findings) != 12 || r.Count("records re-run").Checked != 6 {
			t.Errorf("one shard: %+v", r)
		}
		wantFinding(t, r, verify.Missing, "", "not on record")
		ok(t, "run", "small.yaml", "--shard", "2/3")
		ok(t, "run", "small.yaml", "--shard", "3/3")
		r = verified(t, "results/small", func(string) {})
		if r.OK || !r.Complete || len(r.Findings) != r.Count("products").Findings {
			t.Errorf("before collect: %+v", r)
		}
		ok(t, "collect", "results/small")
		wantIntact(t, 18)
	})
	t.Run("diverged", func(t *testing.T) {
		home(t)
		write(t, "small.yaml", edit(t, small, "{id: msg, step: {c: [0.25, 1]}}", "{id: power, step: {c: 1e+100}}")+tables)
		ok(t, "run", "small.yaml")
		wantIntact(t, 4)
	})
	t.Run("failed", func(t *testing.T) {
		home(t)
		write(t, "huge.csv", strings.Repeat("1e200,2e200,-1e200\n", 8))
		write(t, "small.yaml", edit(t, small, dataset, "  - {id: huge, path: huge.csv, format: csv, problem: {k: 2}}")+tables)
		if o := stochopt(t, "run", "small.yaml"); o.code != exitFailed {
			t.Fatalf("exit %d: %s", o.code, o.err)
		}
		wantIntact(t, 6)
	})
	t.Run("out of time", func(t *testing.T) {
		svmHome(t)
		write(t, "small.yaml", edit(t, sparseSmall, "with: {ratio: [0.1, 0.3]}", "with: {ratio: [0.1, 0.3]}, limit: {seconds: 1e-9}"))
		ok(t, "run", "small.yaml")
		wantIntact(t, 5)
	})
	t.Run("text", func(t *testing.T) {
		home(t)
		write(t, "small.yaml", small+tables)
		ok(t, "run", "small.yaml")
		asText(t, "results/small")
		wantIntact(t, 6)
		r := verified(t, "results/small", func(dir string) {
			_, rest, _ := strings.Cut(read(t, dir, "runs.jsonl"), "\n")
			write(t, filepath.Join(dir, "runs.jsonl"), rest)
		})
		wantFinding(t, r, verify.Missing, "", "not on record")
		r = verified(t, "results/small", func(dir string) {
			path := filepath.Join(dir, "runs.jsonl")
			write(t, path, edit(t, read(t, path), `"seed":7`, `"seed":8`))
		})
		wantFinding(t, r, verify.Damaged, "", "runs.jsonl:1: wrong checksum")
	})
}

// Verify also solves the reference classifiers of svm-sparse again.
func TestVerifyFindsDamagedOptima(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", sparseSmall)
	ok(t, "run", "small.yaml")
	for _, test := range []struct {
		old, new, kind, text string
	}{
		{`"primal":0`, `"primal":1`, verify.Damaged, "its primal value is 1"},
		{`"dual":0`, `"dual":1`, verify.Damaged, "is no certificate"},
		{`"iterations":`, `"iterations":7`, verify.Differs, "solving it again gives numbers that differ"},
	} {
		r := verified(t, "results/small", func(dir string) {
			rebuilt(t, dir, func(c *contents) {
				for id, data := range c.optima {
					c.optima[id] = []byte(edit(t, string(data), test.old, test.new))
				}
			})
		})
		wantFinding(t, r, test.kind, "", test.text)
	}
	r := verified(t, "results/small", func(dir string) { rebuilt(t, dir, func(c *contents) { clear(c.optima) }) })
	if !r.OK {
		t.Errorf("without optima: %+v", r.Findings)
	}
	r = verified(t, "results/small", func(dir string) {
		rebuilt(t, dir, func(c *contents) { c.runs[0].Facts["reference_primal"] = 0.9 })
	})
	wantFinding(t, r, verify.Differs, "", "fact reference_primal: 0.9 / ")
}

// The report states the probability that the sample contains a given record.
func TestVerifySample(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+tables)
	ok(t, "run", "small.yaml")
	args := []string{"verify", "results/small", "--sample", "1", "--seed", "3"}
	r := parseJSON[verify.Report](t, ok(t, append(args, "--json")...).out)
	if c := r.Count("records re-run"); c.Checked != 1 || c.Of != 6 || c.Findings != 0 || r.Seed != 3 {
		t.Errorf("the sample is %+v, seed %d", c, r.Seed)
	}
	out := ok(t, args...).out
	wantText(t, "verify", out, "the sample (seed 3) contains a given record of the 6 with probability 0.1667")
	wantNarrow(t, out)
}
