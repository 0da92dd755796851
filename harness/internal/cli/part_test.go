package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
)

// three is small on three datasets: three groups of runs that share data.
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

// Shards give the same bytes as one process, in whatever order they are performed, and
// however often, whether collect or run imports them.
func TestShardsAssembleToTheSameBytes(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, three(t), "select:", figure+"select:"))
	ok(t, "run", "small.yaml", "--out", "whole", "-j", "1")
	for _, c := range []struct {
		out, jobs string
		assemble  []string
	}{
		{"collected", "1", []string{"collect", "collected"}},
		{"completed", "2", []string{"run", "small.yaml", "--out", "completed"}},
	} {
		dir := filepath.Join(c.out, "small")
		o := ok(t, "run", "small.yaml", "--out", c.out, "--prepare")
		wantText(t, "prepare", o.out, "small: prepared: 3 data sets, 18 runs missing, optima certified now: 3\n")
		optima := optimaOf(t, dir)
		for _, shard := range []string{"2/3", "1/3", "2/3", "3/3"} {
			o := ok(t, "run", "small.yaml", "--out", c.out, "--shard", shard, "-j", c.jobs)
			wantText(t, "shard", o.out, "small: shard "+shard+" done: 6 runs")
		}
		if optimaOf(t, dir) != optima {
			t.Error("a shard has certified an optimum again")
		}
		if files := shardFiles(t, dir); len(files) != 3 {
			t.Errorf("the parts are %v, want one for each shard that ran something", files)
		}
		if _, err := os.Stat(at(t, dir, record.DatabaseFile)); !os.IsNotExist(err) {
			t.Errorf("a shard has made a database: %v", err)
		}
		o = ok(t, "run", "small.yaml", "--out", c.out, "--prepare")
		wantText(t, "prepare", o.out, "small: prepared: 3 data sets, 0 runs missing, optima certified now: 0\n")
		for range 2 {
			o := ok(t, c.assemble...)
			wantText(t, c.assemble[0], o.out, "small: 18 runs, 18 of them from the record in ")
			if exported(t, dir) != exported(t, "whole/small") || optimaOf(t, dir) != optimaOf(t, "whole/small") {
				t.Errorf("%s: the records or the optima differ from those of one process", c.out)
			}
			for _, file := range []string{"curves.csv", "selection.csv", "figures/fig.svg"} {
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

// Two processes that perform the same shard both record its runs, which count once.
func TestTheSameShardTwiceAtOnce(t *testing.T) {
	home(t)
	write(t, "small.yaml", three(t))
	ok(t, "run", "small.yaml", "--out", "whole")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if o := stochopt(t, "run", "small.yaml", "--shard", "1/1"); o.code != exitOK {
				t.Errorf("exit %d: %s", o.code, o.err)
			}
		})
	}
	wg.Wait()
	if o := ok(t, "collect", "results"); strings.Contains(o.err, "warning") {
		t.Errorf("collect says %s", o.err)
	}
	if exported(t, "results/small") != exported(t, "whole/small") {
		t.Error("the records differ from those of one process")
	}
}

// A kill may leave the last line of a part cut short: its run is performed again.
func TestShardThatWasKilled(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml", "--out", "whole")
	ok(t, "run", "small.yaml", "--shard", "1/1")
	file := shardFiles(t, "results/small")[0]
	text := read(t, file)
	write(t, file, text[:len(text)-30])
	wantText(t, "status", ok(t, "status", "results").out, "small: 5 of 6 runs on record")
	o := stochopt(t, "collect", "results")
	if wantText(t, "collect", o.err, "PARTIAL: 1 run not on record", "1 run missing"); o.code != exitFailed {
		t.Errorf("exit %d", o.code)
	}
	o = ok(t, "run", "small.yaml", "--shard", "1/1")
	wantText(t, "shard", o.out, "small: shard 1/1 done: 6 runs, 5 of them from the record;")
	if ok(t, "collect", "results"); exported(t, "results/small") != exported(t, "whole/small") {
		t.Error("the records differ from those of one process")
	}
}

// Only one process writes to a database, and the message says which and what to do.
func TestLockedFolder(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml", "--shard", "1/1")
	lock := filepath.Join("results/small", record.LockFile)
	write(t, lock, `{"host": "far", "process": 7, "started": "1"}`)
	for _, args := range [][]string{{"run", "small.yaml"}, {"run", "small.yaml", "--fresh"}, {"collect", "results"}} {
		o := stochopt(t, args...)
		if wantText(t, args[0], o.err, "stochopt: results/small is being written by process 7 on far", "remove "+lock); o.code != exitUsage {
			t.Errorf("%s: exit %d", args[0], o.code)
		}
	}
	// Whoever does not write to the database does not need the lock.
	for _, args := range [][]string{{"run", "small.yaml", "--shard", "1/1"}, {"run", "small.yaml", "--prepare"}, {"status", "results"}} {
		ok(t, args...)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	const noProcess = 1 << 30
	write(t, lock, fmt.Sprintf(`{"host": %q, "process": %d}`, host, noProcess))
	wantText(t, "run", ok(t, "run", "small.yaml").out, "small: 6 runs, 6 of them from the record")
	if _, err := os.Stat(at(t, lock)); !os.IsNotExist(err) {
		t.Errorf("the lock is left: %v", err)
	}
}

// A run that fails is a record. A folder that cannot be written is an error.
func TestShardWithFailures(t *testing.T) {
	home(t)
	write(t, "huge.csv", strings.Repeat("1e200,2e200,-1e200\n", 8))
	write(t, "small.yaml", edit(t, small, dataset, "  - {id: huge, path: huge.csv, format: csv, problem: {k: 2}}"))
	o := ok(t, "run", "small.yaml", "--prepare")
	if n := strings.Count(o.err, "warning: dataset \"huge\": the optimum on the population split: "); n != 1 {
		t.Errorf("the warning about the optimum is printed %d times: %s", n, o.err)
	}
	o = stochopt(t, "run", "small.yaml", "--shard", "1/2")
	wantText(t, "shard", o.out, "shard 1/2 done: 6 runs, 6 FAILED;")
	if o.code != exitFailed {
		t.Errorf("exit %d, want %d", o.code, exitFailed)
	}
	wantText(t, "shard without runs", ok(t, "run", "small.yaml", "--shard", "2/2").out, "shard 2/2 done: 0 runs;")
	wantText(t, "status", ok(t, "status", "results/small").out, "6 of 6 runs on record: 0 finished, 0 diverged, 6 failed")
	if err := os.RemoveAll(at(t, "results")); err != nil {
		t.Fatal(err)
	}
	write(t, "results", "a file")
	if o := stochopt(t, "run", "small.yaml", "--shard", "1/2"); o.code != exitUsage || !strings.Contains(o.err, "cannot create folder results/small") {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
}

func TestBadUseOfParts(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	for args, want := range map[string]string{
		"small.yaml --prepare --report a.html":   `--report with --shard or --prepare, which make nothing to show; give it to collect`,
		"small.yaml --shard 1/2 --report a.html": `--report with --shard or --prepare, which make nothing to show; give it to collect`,
		"small.yaml --prepare --fresh":           `--fresh with --prepare would discard records and run nothing`,
		"small.yaml --prepare --shard 1/2":       `--prepare with --shard: it prepares all shards at once, before they begin; leave --shard out`,
		"small.yaml --shard 1/2 --fresh":         `--fresh with --shard would discard what the other shards have done`,
		"small.yaml --only series=msg --fresh":   `--fresh with --only would discard the other runs`,
	} {
		wantOutcome(t, stochopt(t, append([]string{"run"}, strings.Fields(args)...)...), exitUsage, "stochopt: "+want)
	}
	if _, err := os.Stat(at(t, "results")); err == nil {
		t.Error("a folder was made")
	}
}
