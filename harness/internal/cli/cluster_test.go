package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/cluster"
)

// fakeSlurm is a Slurm that never starts a job.
type fakeSlurm struct {
	jobs int
	// queue has the states of jobs and tasks.
	queue map[string]string
	// missing means that Slurm is not installed.
	missing bool
	config  string
	// hangs means that squeue does not answer. hasDeadline means that its context has a deadline.
	hangs, hasDeadline bool
	// submitted has the arguments of each sbatch.
	submitted [][]string
}

func (f *fakeSlurm) command(ctx context.Context, name string, args ...string) (string, error) {
	line := strings.Join(args, " ")
	switch {
	case f.missing:
		return "", fmt.Errorf("%s: %w", name, cluster.ErrNoSlurm)
	case name == "sbatch":
		f.jobs++
		f.submitted = append(f.submitted, args)
		if m := regexp.MustCompile(`--array=([0-9,]+)`).FindStringSubmatch(line); m != nil {
			for i := range strings.SplitSeq(m[1], ",") {
				f.queue[fmt.Sprintf("%d_%s", f.jobs, i)] = "PENDING"
			}
		} else {
			f.queue[fmt.Sprint(f.jobs)] = "PENDING"
		}
		return fmt.Sprintln(f.jobs), nil
	case name == "squeue" && f.hangs:
		_, f.hasDeadline = ctx.Deadline()
		return "", fmt.Errorf("squeue: %w", context.DeadlineExceeded)
	case name == "squeue":
		var out []string
		for task, state := range f.queue {
			if !strings.Contains(task, "_") {
				task += "_N/A"
			}
			out = append(out, task+" "+state+"\n")
		}
		return strings.Join(out, ""), nil
	case name == "scontrol":
		return f.config, nil
	}
	return "", errors.New(name + ": unknown command")
}

// clusterHome creates a folder with the spec small.yaml and returns an empty queue.
func clusterHome(t *testing.T) *fakeSlurm {
	t.Helper()
	home(t)
	write(t, "small.yaml", three(t))
	return &fakeSlurm{queue: make(map[string]string)}
}

func (f *fakeSlurm) do(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	a := newApp(t, &out, &err)
	a.slurm.Command = f.command
	code := a.run(context.Background(), args)
	return outcome{code, relative(t, out.String()), relative(t, err.String())}
}

func (f *fakeSlurm) ok(t *testing.T, args ...string) outcome {
	t.Helper()
	o := f.do(t, args...)
	if o.code != exitOK {
		t.Fatalf("stochopt %s: exit %d\n%s%s", strings.Join(args, " "), o.code, o.out, o.err)
	}
	return o
}

// runTask runs a job or array task, as Slurm does.
func (f *fakeSlurm) runTask(t *testing.T, job int, index string) {
	t.Helper()
	args := f.submitted[job-1]
	at := slices.IndexFunc(args, func(arg string) bool { return strings.HasSuffix(arg, "/job.sh") })
	shards, command := args[at+1], slices.Clone(args[at+3:])
	name := fmt.Sprint(job)
	if shards != "0" {
		command, name = append(command, "--shard", index+"/"+shards), name+"_"+index
	}
	if o := f.do(t, command...); o.code != exitOK && !slices.Contains(command, "collect") {
		t.Fatalf("stochopt %s: exit %d\n%s", strings.Join(command, " "), o.code, o.err)
	}
	delete(f.queue, name)
	write(t, filepath.Join(filepath.Dir(args[at]), "logs", name+".log"), "stochopt: exit code 0\n")
}

// A submission with a failed task, which is submitted again.
func TestSubmitToCollect(t *testing.T) {
	f := clusterHome(t)
	o := f.ok(t, "submit", "small.yaml", "--cpus", "2", "--sbatch", "partition=short", "--sbatch", "time=30")
	if want := "small: submitted 3 of 3 shards as jobs 1, 2, 3; to see their state: stochopt status results/small\n"; o.out != want {
		t.Errorf("submit prints %q, want %q", o.out, want)
	}
	for _, option := range []string{"--array=1,2,3", "--dependency=afterok:1", "--partition=short", "--time=30", "--cpus-per-task=2", "--jobs=2"} {
		if !slices.Contains(f.submitted[1], option) {
			t.Errorf("there is no %s in %q", option, f.submitted[1])
		}
	}
	status := func() statusReport {
		t.Helper()
		return parseJSON[[]statusReport](t, f.ok(t, "status", "results", "--json").out)[0]
	}
	if s := status(); s.Runs != 0 || len(s.Tasks) != 5 || !slices.Equal(s.Submission.Jobs, []string{"1", "2", "3"}) {
		t.Errorf("status says %+v", s)
	}
	o = f.do(t, "submit", "small.yaml")
	wantOutcome(t, o, exitUsage, "stochopt: small: jobs 1, 2, 3 are in the queue: wait until they end, or cancel them with scancel 1 2 3")
	if f.jobs != 3 {
		t.Errorf("%d jobs were submitted", f.jobs)
	}

	// The first task succeeds and the second fails, while the third waits.
	f.runTask(t, 1, "")
	f.runTask(t, 2, "1")
	log := relative(t, filepath.Join(submission(t), "logs", "2_2.log"))
	write(t, log, "one\ntwo\nno space\x1b[2J\nstochopt: exit code 1\n")
	delete(f.queue, "2_2")
	if s := status(); len(s.Tasks) != 3 || s.Tasks[0].Name != "2_2" || s.Tasks[0].Log != log || len(s.Tasks[0].Failed) != 4 {
		t.Errorf("status says %+v", s)
	}
	wantText(t, "status", f.ok(t, "status", "results").out, "jobs 1, 2, 3 (prepare, shards, collect); logs: ",
		"    2_2 failed; last lines of "+log+":\n        one\n        two\n        no space�[2J\n", "    2_3 PENDING\n")
	if o = f.do(t, "collect", "results/small"); o.code != exitFailed || lastLine(o.err) != "stochopt: small: PARTIAL: 12 runs missing; run or submit the spec again" {
		t.Errorf("collect: exit %d: %s", o.code, o.err)
	}

	// Only the second task is submitted again. It uses the copy of the spec.
	f.runTask(t, 2, "3")
	f.runTask(t, 3, "")
	f.ok(t, "submit", "small.yaml")
	if !slices.Contains(f.submitted[4], "--array=2") {
		t.Errorf("sbatch gets %q", f.submitted[4])
	}
	write(t, "small.yaml", "not: this")
	f.runTask(t, 4, "")
	f.runTask(t, 5, "2")
	f.runTask(t, 6, "")
	if s := status(); s.Finished != 18 || !slices.Equal(s.Submission.Jobs, []string{"4", "5", "6"}) {
		t.Errorf("status says %+v", s)
	}

	// The results equal those of a local run.
	write(t, "small.yaml", three(t))
	if f.ok(t, "submit", "small.yaml"); f.jobs != 6 {
		t.Errorf("%d jobs were submitted", f.jobs)
	}
	f.ok(t, "run", "small.yaml", "--out", "local")
	want, got := comparableFiles(t, "local/small"), comparableFiles(t, "results/small")
	for path, text := range want {
		name := filepath.Base(path)
		if got[filepath.Join("results/small", name)] != text {
			t.Errorf("%s differs from that of a local run", name)
		}
	}
}

// Status works even if the controller does not answer.
func TestStatusWithoutController(t *testing.T) {
	f := clusterHome(t)
	f.ok(t, "submit", "small.yaml")
	f.hangs = true
	wantOutcome(t, f.ok(t, "status", "results"), exitOK, "note: small: squeue: context deadline exceeded\nwarning: results/small: no records yet")
	if !f.hasDeadline {
		t.Error("squeue has no deadline")
	}
}

// The array limit of Slurm bounds the number of shards.
func TestSubmitArrayLimit(t *testing.T) {
	f := clusterHome(t)
	f.config = "MaxArraySize = 3\n"
	f.ok(t, "submit", "small.yaml")
	if !slices.Contains(f.submitted[1], "--array=1,2") {
		t.Errorf("sbatch gets %q", f.submitted[1])
	}
}

func TestSubmitErrors(t *testing.T) {
	f := clusterHome(t)
	bad := func(args string) {
		t.Helper()
		if o := f.do(t, append([]string{"submit", "small.yaml"}, strings.Fields(args)...)...); o.code != exitUsage || f.jobs > 0 {
			t.Errorf("submit %s: exit %d, %d jobs: %s", args, o.code, f.jobs, o.err)
		}
	}
	for _, args := range []string{"--shards 0", "--cpus -1", "--sbatch --partition=x", "--sbatch=", "--memory much", "--out 100%"} {
		bad(args)
	}
	f.missing = true
	bad("")
	f.missing = false
	f.ok(t, "submit", "small.yaml")
	write(t, filepath.Join(submission(t), "submission.json"), "{")
	if o := f.do(t, "submit", "small.yaml"); o.code != exitUsage || f.jobs != 3 {
		t.Errorf("after damage: exit %d, %d jobs: %s", o.code, f.jobs, o.err)
	}
	if o := f.ok(t, "status", "results"); o.err == "" {
		t.Error("status does not report the damage")
	}
}

// submission returns the folder of the only submission.
func submission(t *testing.T) string {
	t.Helper()
	all, err := filepath.Glob(at(t, "results/small/cluster/*"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	return all[0]
}
