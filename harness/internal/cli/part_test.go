package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// three is small on three datasets: three groups of runs that share data.
func three(t *testing.T) string {
	t.Helper()
	return edit(t, small, dataset, dataset+
		"\n  - {id: h, source: simulated-gaussian, with: {dim: 7, gap: 2}, problem: {k: 2}}"+
		"\n  - {id: i, source: simulated-gaussian, with: {dim: 8, gap: 2}, problem: {k: 2}}")
}

// sorted sorts the lines of certified optima, which are in the order in which they were
// solved.
func sorted(file, text string) string {
	if filepath.Base(file) != "references.jsonl" {
		return text
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Shards give the same bytes as one process, in whatever order they are performed, and
// however often.
func TestShardsAssembleToTheSameBytes(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, three(t), "select:", figure+"select:"))
	ok(t, "run", "small.yaml", "--out", "whole")
	o := ok(t, "run", "small.yaml", "--out", "parts", "--prepare")
	wantText(t, "prepare", o.out, "small: prepared: 3 data sets, 18 runs missing, optima certified now: 3\n")
	refs := read(t, "parts/small/references.jsonl")
	for _, shard := range []string{"2/3", "1/3", "2/3", "3/3"} {
		o := ok(t, "run", "small.yaml", "--out", "parts", "--shard", shard, "-j", "3")
		wantText(t, "shard", o.out, "small: shard "+shard+" done: 6 runs")
	}
	if read(t, "parts/small/references.jsonl") != refs {
		t.Error("a shard has certified an optimum again")
	}
	journals, _ := filepath.Glob("parts/small/journal-*.jsonl")
	if len(journals) != 3 {
		t.Errorf("journals are %v, want one for each shard that ran something", journals)
	}
	o = ok(t, "run", "small.yaml", "--out", "parts", "--prepare")
	wantText(t, "prepare", o.out, "small: prepared: 3 data sets, 0 runs missing, optima certified now: 0\n")
	ok(t, "collect", "parts")
	for _, file := range []string{"runs.jsonl", "plan.jsonl", "references.jsonl", "curves.csv", "selection.csv", "figures/fig.svg"} {
		if sorted(file, read(t, "parts/small", file)) != sorted(file, read(t, "whole/small", file)) {
			t.Errorf("%s differs from that of one process", file)
		}
	}
	if left, _ := filepath.Glob("parts/small/journal-*"); len(left) > 0 {
		t.Errorf("left are %v", left)
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
	if err := os.RemoveAll("results"); err != nil {
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
	if _, err := os.Stat("results"); err == nil {
		t.Error("a folder was made")
	}
}

// A shard that a process on another machine holds is left to it if it is alive, and
// performed if it is dead, or was an earlier attempt of the same job.
func TestShardOfAnotherMachine(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	args := []string{"run", "small.yaml", "--shard", "1/1"}
	ok(t, args...)
	marks, _ := filepath.Glob("results/small/journal-shard1-*-1.lease")
	if len(marks) != 1 {
		t.Fatalf("marks %v", marks)
	}
	held := strings.TrimSuffix(marks[0], "1.lease") + "2.lease"
	holder := func(age time.Duration) {
		write(t, held, `{"host": "far", "pid": 7, "boot": "another", "job": "12_1", "nonce": "n"}`)
		at := time.Now().Add(-age)
		if err := os.Chtimes(held, at, at); err != nil {
			t.Fatal(err)
		}
	}
	holder(time.Minute)
	stop, idle := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(idle)
		for at := time.Now(); ; at = at.Add(time.Millisecond) {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
				_ = os.Chtimes(held, at, at)
			}
		}
	}()
	o := ok(t, args...)
	close(stop)
	<-idle
	wantText(t, "stdout", o.out, "is being done by process 7 on far (job 12_1); there is nothing to do here\n")
	wantText(t, "stderr", o.err, "small: waiting: shard1-", " is held by process 7 on far (job 12_1), which was last heard of ", " ago and is taken for dead after 3m0s\n")

	holder(time.Second)
	again := stochoptWith(t, context.Background(), map[string]string{"SLURM_ARRAY_JOB_ID": "12", "SLURM_ARRAY_TASK_ID": "1", "SLURM_RESTART_COUNT": "1"}, args...)
	if again.code != exitOK || !strings.Contains(again.out, "shard 1/1 done: 6 runs") {
		t.Errorf("started again: exit %d: %s%s", again.code, again.out, again.err)
	}
	holder(time.Second)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if o := stochoptWith(t, ctx, nil, args...); !strings.Contains(o.err, "waiting: ") {
		t.Errorf("exit %d: %s%s", o.code, o.out, o.err)
	}
	holder(time.Hour)
	wantText(t, "stdout", ok(t, args...).out, "shard 1/1 done: 6 runs")
}
