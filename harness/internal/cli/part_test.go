package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
)

// three returns the small spec with three data sets, and so three groups of runs that share data.
func three(t *testing.T) string {
	t.Helper()
	return edit(t, small, dataset, dataset+
		"\n  - {id: h, source: simulated-gaussian, with: {dim: 7, gap: 2}, problem: {k: 2}}"+
		"\n  - {id: i, source: simulated-gaussian, with: {dim: 8, gap: 2}, problem: {k: 2}}")
}

// shardFiles lists the files that shards have written in a results folder.
func shardFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(at(t, dir, record.PartsFolder, "shard*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Shards give the same bytes as one process, in any order, even if repeated. Collect or run imports them. Other
// commands read the records of the parts.
func TestShardsGiveTheSameBytes(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, three(t), "select:", tables+"select:"))
	ok(t, "run", "small.yaml", "--out", "whole", "-j", "1")
	for _, c := range []struct {
		out, jobs string
		assemble  []string
	}{
		{"collected", "1", []string{"collect", "collected"}},
		{"completed", "2", []string{"run", "small.yaml", "--out", "completed"}},
	} {
		dir := filepath.Join(c.out, "small")
		o := ok(t, "run", "small.yaml", "--out", c.out, "--shard", "prepare")
		if want := "small: prepared: 3 data sets, 18 runs missing; optima certified: 3\n"; o.out != want {
			t.Errorf("prepare prints %q, want %q", o.out, want)
		}
		optima := optimaOf(t, dir)
		for i, shard := range []string{"2/3", "1/3", "2/3", "3/3"} {
			ok(t, "run", "small.yaml", "--out", c.out, "--shard", shard, "-j", c.jobs)
			done := []int{6, 12, 12, 18}[i]
			if n := sumOnRecord(parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--out", c.out, "--json").out)); n != done {
				t.Errorf("after shard %s plan counts %d runs, want %d", shard, n, done)
			}
		}
		ok(t, "table", dir)
		if optimaOf(t, dir) != optima {
			t.Error("a shard has certified an optimum again")
		}
		if files := shardFiles(t, dir); len(files) != 3 {
			t.Errorf("the parts are %v, want one for each shard that ran something", files)
		}
		wantNone(t, dir, record.DatabaseFile)
		o = ok(t, "run", "small.yaml", "--out", c.out, "--shard", "prepare")
		if want := "small: prepared: 3 data sets, 0 runs missing; optima certified: 0\n"; o.out != want {
			t.Errorf("prepare prints %q, want %q", o.out, want)
		}
		for range 2 {
			ok(t, c.assemble...)
			if exported(t, dir) != exported(t, "whole/small") || optimaOf(t, dir) != optimaOf(t, "whole/small") {
				t.Errorf("%s: the records or the optima differ from those of one process", c.out)
			}
			for _, file := range []string{"curves.csv", "selection.csv", "tables/tab.md"} {
				if read(t, dir, file) != read(t, "whole/small", file) {
					t.Errorf("%s: %s differs from that of one process", c.out, file)
				}
			}
		}
		var spec string
		if query(t, dir, "SELECT value FROM meta WHERE name = 'spec'", &spec); spec != read(t, dir, experiment.SpecFile) {
			t.Errorf("%s: in the database the spec is\n%s", c.out, spec)
		}
	}
}

func sumOnRecord(rows []planned) (n int) {
	for _, r := range rows {
		n += r.OnRecord
	}
	return n
}

// Only one process may write to a database.
func TestLockedFolder(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml", "--shard", "1/1")
	lock := filepath.Join("results/small", record.LockFile)
	write(t, lock, `{"host": "far", "process": 7, "started": "1"}`)
	for _, args := range [][]string{{"run", "small.yaml"}, {"collect", "results"}} {
		o := stochopt(t, args...)
		if o.code != exitUsage {
			t.Errorf("%s: exit %d: %s", args[0], o.code, o.err)
		}
	}
	// Commands that do not write to the database do not need the lock.
	for _, args := range [][]string{{"run", "small.yaml", "--shard", "1/1"}, {"run", "small.yaml", "--shard", "prepare"}, {"status", "results"}} {
		ok(t, args...)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	const noProcess = 1 << 30
	write(t, lock, fmt.Sprintf(`{"host": %q, "process": %d}`, host, noProcess))
	wantOutcome(t, ok(t, "run", "small.yaml"), exitOK, "small: 6 runs, 6 already done")
	wantNone(t, lock)
}

// A shard with a failed run fails. A shard without runs succeeds.
func TestShardWithFailures(t *testing.T) {
	home(t)
	write(t, "huge.csv", strings.Repeat("1e200,2e200,-1e200\n", 8))
	write(t, "small.yaml", edit(t, small, dataset, "  - {id: huge, path: huge.csv, format: csv, problem: {k: 2}}"))
	ok(t, "run", "small.yaml", "--shard", "prepare")
	for shard, code := range map[string]int{"1/2": exitFailed, "2/2": exitOK} {
		if o := stochopt(t, "run", "small.yaml", "--shard", shard); o.code != code {
			t.Errorf("shard %s: exit %d, want %d: %s", shard, o.code, code, o.err)
		}
	}
	if r := parseJSON[[]statusReport](t, ok(t, "status", "results/small", "--json").out)[0]; r.Failed != 6 || r.Missing != 0 {
		t.Errorf("status: %+v", r)
	}
	if o := stochopt(t, "collect", "results"); o.code != exitFailed || lastLine(o.err) != "stochopt: small: 6 runs failed; status lists them" {
		t.Errorf("collect: exit %d: %s", o.code, o.err)
	}
}

// Status lists all series of the plan and the process that writes to the folder.
func TestStatus(t *testing.T) {
	home(t)
	write(t, "small.yaml", three(t))
	ok(t, "run", "small.yaml", "--shard", "1/3")
	read := func() statusReport {
		t.Helper()
		all := parseJSON[[]statusReport](t, ok(t, "status", "results", "--json").out)
		if len(all) != 1 {
			t.Fatalf("status: %+v", all)
		}
		return all[0]
	}
	if s := read(); s.Runs != 6 || s.Missing != 12 || len(s.Series) != 6 || s.Series[3].Missing != 2 || s.Left <= 0 {
		t.Errorf("status: %+v", s)
	}
	wantText(t, "status", ok(t, "status", "results/small").out, "12 runs missing: about ", "no process is running\n",
		"│ h       │ incremental │    0 │        0 │        0 │      0 │")
	ok(t, "run", "small.yaml")
	store, err := record.Open(at(t, "results/small"), record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all := read().Running; len(all) != 1 || all[0].Process != os.Getpid() {
		t.Errorf("running are %v, want this process, %d", all, os.Getpid())
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if s := read(); len(s.Running) != 0 || s.Missing != 0 || s.Left != 0 {
		t.Errorf("after the run, the status is %+v", s)
	}
}
