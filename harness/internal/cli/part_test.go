package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// taskFile writes the runs of a plan to a task file, so many of them a task, the last ones
// first.
func taskFile(t *testing.T, path string, each int, planArgs ...string) (tasks int) {
	t.Helper()
	var keys []string
	for _, r := range parseJSON[[]planned](t, ok(t, append(append([]string{"plan"}, planArgs...), "--json", "--list")...).out) {
		for _, k := range r.Keys {
			keys = append([]string{k.Key + "@" + k.Extent}, keys...)
		}
	}
	var text strings.Builder
	for len(keys) > 0 {
		n := min(each, len(keys))
		tasks++
		list, err := json.Marshal(keys[:n])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "{\"task\": %d, \"keys\": %s}\n", tasks, list)
		keys = keys[n:]
	}
	write(t, path, text.String())
	return tasks
}

// What tasks make is the same to the byte as what one process does, in whatever order they
// are done, and however often.
func TestTasksAssembleToTheSameBytes(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, small, "select:", figure+"select:"))
	ok(t, "run", "small.yaml", "--out", "whole")
	n := taskFile(t, "tasks.jsonl", 4, "small.yaml", "--out", "parts")
	if n != 2 {
		t.Fatalf("%d tasks, want 2", n)
	}
	o := ok(t, "run", "small.yaml", "--out", "parts", "--prepare")
	wantText(t, "prepare", o.out, "small: prepared: 1 data set, 6 runs missing, optima certified now: 1\n")
	refs := read(t, "parts/small/references.jsonl")
	for _, task := range []string{"2", "1", "2"} {
		o := ok(t, "run", "small.yaml", "--out", "parts", "--task", "tasks.jsonl:"+task, "-j", "3")
		wantText(t, "task", o.out, "small: task "+task+" done: ")
	}
	if read(t, "parts/small/references.jsonl") != refs {
		t.Error("a task has certified an optimum again")
	}
	journals, _ := filepath.Glob("parts/small/journal-*.jsonl")
	if len(journals) != 2 {
		t.Errorf("journals are %v, want one a task that ran something", journals)
	}
	o = ok(t, "run", "small.yaml", "--out", "parts", "--prepare")
	wantText(t, "prepare", o.out, "small: prepared: 1 data set, 0 runs missing, optima certified now: 0\n")
	o = ok(t, "run", "small.yaml", "--out", "parts")
	wantText(t, "run", o.out, "6 runs, 6 of them from the record")
	for _, file := range []string{"runs.jsonl", "plan.jsonl", "references.jsonl", "curves.csv", "selection.csv", "figures/fig.svg"} {
		if read(t, "parts/small", file) != read(t, "whole/small", file) {
			t.Errorf("%s differs from that of one process", file)
		}
	}
	if left, _ := filepath.Glob("parts/small/journal-*"); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// A run that fails is a record, and its task is done. One whose folder cannot be written is
// not.
func TestTaskWithFailures(t *testing.T) {
	home(t)
	write(t, "huge.csv", strings.Repeat("1e200,2e200,-1e200\n", 8))
	write(t, "small.yaml", edit(t, small, dataset, "  - {id: huge, path: huge.csv, format: csv, problem: {k: 2}}"))
	taskFile(t, "tasks.jsonl", 100, "small.yaml")
	o := ok(t, "run", "small.yaml", "--prepare")
	if n := strings.Count(o.err, "warning: dataset \"huge\": the optimum on the population split: "); n != 1 {
		t.Errorf("an optimum that cannot be had is told of %d times: %s", n, o.err)
	}
	wantText(t, "task", ok(t, "run", "small.yaml", "--task", "tasks.jsonl:1").out, "task 1 done: 6 runs, 6 FAILED\n")
	wantText(t, "status", ok(t, "status", "results/small").out, "6 of 6 runs on record: 0 finished, 0 diverged, 6 failed")
	if err := os.RemoveAll("results"); err != nil {
		t.Fatal(err)
	}
	write(t, "results", "a file")
	if o := stochopt(t, "run", "small.yaml", "--task", "tasks.jsonl:1"); o.code != exitUsage || !strings.Contains(o.err, "cannot create folder results/small") {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
}

func TestBadUseOfParts(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	write(t, "other.yaml", edit(t, small, "name: small", "name: other"))
	taskFile(t, "tasks.jsonl", 100, "small.yaml")
	for args, want := range map[string]string{
		"small.yaml --task tasks.jsonl":                             `--task "tasks.jsonl": want FILE:I, a task file and the number of a line, from 1, such as tasks.jsonl:3`,
		"small.yaml --task tasks.jsonl:2":                           `--task tasks.jsonl has 1 line, and no line 2`,
		"small.yaml --task none.jsonl:1":                            `--task cannot read the task file: open none.jsonl: no such file or directory`,
		"small.yaml --task tasks.jsonl:1 --shard 1/2":               `--task with --shard or --only: the task file says which runs are made; leave them out`,
		"small.yaml --task tasks.jsonl:1 --only series=msg":         `--task with --shard or --only: the task file says which runs are made; leave them out`,
		"small.yaml --task tasks.jsonl:1 --fresh":                   `--fresh with --task would discard what the other tasks have done`,
		"small.yaml --task tasks.jsonl:1 --report a.html":           `--report with --task or --prepare, which make nothing to show; give it when all tasks are done, to run without --task`,
		"small.yaml --prepare --report a.html":                      `--report with --task or --prepare, which make nothing to show; give it when all tasks are done, to run without --task`,
		"small.yaml --prepare --fresh":                              `--fresh with --prepare would discard records and run nothing`,
		"small.yaml --prepare --shard 1/2":                          `--prepare with --task or --shard: it prepares all parts at once, before they begin; leave them out`,
		"small.yaml other.yaml --task tasks.jsonl:1":                `--task with 2 specs: a task file is of one; name that`,
		"small.yaml --task tasks.jsonl:1 --set repeats=0":           "",
		"small.yaml --task tasks.jsonl:1 --set seed=8":              "has no run ",
		"small.yaml --task tasks.jsonl:1 --set budget.iterations=9": "with another budget or other points, as ",
	} {
		o := stochopt(t, append([]string{"run"}, strings.Fields(args)...)...)
		switch {
		case strings.HasPrefix(want, "has no"), strings.HasPrefix(want, "with another"), want == "":
			if o.code != exitUsage || !strings.Contains(o.err, want) {
				t.Errorf("%s: exit %d: %s", args, o.code, o.err)
			}
		default:
			wantOutcome(t, o, exitUsage, "stochopt: "+want)
		}
	}
	if _, err := os.Stat("results"); err == nil {
		t.Error("a folder was made")
	}
}

// A part that a process on another machine holds is left to it once that has given a sign of
// life, and done where it has not for long, or was a former self.
func TestPartOfAnotherMachine(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	taskFile(t, "tasks.jsonl", 100, "small.yaml")
	args := []string{"run", "small.yaml", "--task", "tasks.jsonl:1"}
	ok(t, args...)
	marks, _ := filepath.Glob("results/small/journal-task1-*-1.lease")
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
	wantText(t, "stderr", o.err, "small: waiting: task1-", " is held by process 7 on far (job 12_1), which was last heard of ", " ago and is taken for dead after 3m0s\n")

	holder(time.Second)
	again := stochoptWith(t, context.Background(), map[string]string{"SLURM_ARRAY_JOB_ID": "12", "SLURM_ARRAY_TASK_ID": "1", "SLURM_RESTART_COUNT": "1"}, args...)
	if again.code != exitOK || !strings.Contains(again.out, "task 1 done: 6 runs") {
		t.Errorf("started again: exit %d: %s%s", again.code, again.out, again.err)
	}
	holder(time.Second)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if o := stochoptWith(t, ctx, nil, args...); !strings.Contains(o.err, "waiting: ") {
		t.Errorf("exit %d: %s%s", o.code, o.out, o.err)
	}
	holder(time.Hour)
	wantText(t, "stdout", ok(t, args...).out, "task 1 done: 6 runs")
}
