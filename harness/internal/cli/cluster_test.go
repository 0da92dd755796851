package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stochopt/harness/internal/cluster"
)

// fakeSlurm is a queue in which no job starts.
type fakeSlurm struct {
	jobs int
	// queue has the state of each job and task in the queue.
	queue map[string]string
	// most is how many jobs sbatch takes, 0 for any number; none: Slurm is not installed.
	most   int
	none   bool
	config string
	// hangs: squeue does not answer. within is the time that it was given.
	hangs  bool
	within time.Duration
	// submitted are the arguments of each sbatch.
	submitted [][]string
}

func (f *fakeSlurm) command(ctx context.Context, name string, args ...string) (string, error) {
	line := strings.Join(args, " ")
	switch {
	case f.none:
		return "", fmt.Errorf("%s: %w", name, cluster.ErrNoSlurm)
	case name == "sbatch":
		if f.jobs++; f.most > 0 && f.jobs > f.most {
			return "", errors.New("sbatch: Batch job submission failed: Job violates accounting/QOS policy")
		}
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
		deadline, _ := ctx.Deadline()
		f.within = time.Until(deadline)
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
	case name == "scancel":
		for task := range f.queue {
			if job, _, _ := strings.Cut(task, "_"); slices.Contains(args, job) {
				delete(f.queue, task)
			}
		}
		return "", nil
	case name == "scontrol":
		return f.config, nil
	}
	return "", errors.New(name + ": not here")
}

// clusterHome is a folder with the spec small.yaml, and a queue.
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
	return outcome{code, asGiven(t, out.String()), asGiven(t, err.String())}
}

func (f *fakeSlurm) ok(t *testing.T, args ...string) outcome {
	t.Helper()
	o := f.do(t, args...)
	if o.code != exitOK {
		t.Fatalf("stochopt %s: exit %d\n%s%s", strings.Join(args, " "), o.code, o.out, o.err)
	}
	return o
}

// task runs a job, or a task of an array, as Slurm does.
func (f *fakeSlurm) task(t *testing.T, job int, index string) {
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

// From submit to collect, with a task that fails on the way.
func TestSubmitToCollect(t *testing.T) {
	f := clusterHome(t)
	o := f.ok(t, "submit", "small.yaml", "--cpus", "2", "--sbatch", "partition=short", "--sbatch", "time=30")
	wantText(t, "submit", o.out, "small: submitted 3 of 3 shards as jobs 1, 2, 3;", "stochopt status results/small")
	for _, option := range []string{"--array=1,2,3", "--dependency=afterok:1", "--partition=short", "--time=30", "--cpus-per-task=2", "--jobs=2"} {
		if !slices.Contains(f.submitted[1], option) {
			t.Errorf("there is no %s in %q", option, f.submitted[1])
		}
	}
	wantText(t, "status", f.ok(t, "status", "results").out, "0 of 18 runs on record", "jobs 1, 2, 3 (prepare, shards, collect); logs: ",
		"    1 PENDING\n    2_1 PENDING\n", "    3 PENDING\n")
	o = f.do(t, "submit", "small.yaml")
	wantText(t, "submit again", o.err, "small: jobs 1, 2, 3 are in the queue: wait until they have ended, or end them with scancel 1 2 3")
	if f.jobs != 3 || o.code != exitUsage {
		t.Errorf("%d jobs were submitted", f.jobs)
	}

	// The first task runs, and the second fails while the third waits.
	f.task(t, 1, "")
	f.task(t, 2, "1")
	log := asGiven(t, filepath.Join(submission(t), "logs", "2_2.log"))
	write(t, log, "one\ntwo\nno space\x1b[2J\nstochopt: exit code 1\n")
	delete(f.queue, "2_2")
	status := parseJSON[[]progressReport](t, f.ok(t, "status", "results", "--json").out)
	if s := status[0]; len(s.Tasks) != 3 || s.Tasks[0].Name != "2_2" || s.Tasks[0].Log != log || len(s.Tasks[0].Failed) != 4 {
		t.Errorf("status says %+v", s)
	}
	wantText(t, "status", f.ok(t, "status", "results").out, "    2_2 failed; the end of "+log+":\n        one\n        two\n        no space�[2J\n", "    2_3 PENDING\n")
	o = f.do(t, "collect", "results/small")
	if o.code != exitFailed {
		t.Errorf("collect: exit %d", o.code)
	}
	wantText(t, "collect", o.err, "PARTIAL: 12 runs not on record", "12 runs missing")

	// Only the second is submitted again.
	f.task(t, 2, "3")
	f.task(t, 3, "")
	o = f.ok(t, "submit", "small.yaml")
	wantText(t, "submit again", o.out, "submitted 1 of 3 shards as jobs 4, 5, 6;")
	if !slices.Contains(f.submitted[4], "--array=2") {
		t.Errorf("sbatch gets %q", f.submitted[4])
	}
	write(t, "small.yaml", "not: this")
	f.task(t, 4, "")
	f.task(t, 5, "2")
	f.task(t, 6, "")
	wantText(t, "status", f.ok(t, "status", "results").out, "18 of 18 runs on record", "jobs 4, 5, 6 (prepare, shards, collect); logs: ")

	// The results are those of a local run.
	write(t, "small.yaml", three(t))
	wantText(t, "submit", f.ok(t, "submit", "small.yaml").out, "small: nothing to submit: all of 18 runs are on record\n")
	f.ok(t, "run", "small.yaml", "--out", "local")
	want, got := contentsOf(t, "local/small"), contentsOf(t, "results/small")
	for path, text := range want {
		name := filepath.Base(path)
		if got[filepath.Join("results/small", name)] != text {
			t.Errorf("%s differs from that of a local run", name)
		}
	}
}

// Slurm is not waited for if its controller does not answer.
func TestStatusWithoutController(t *testing.T) {
	f := clusterHome(t)
	f.ok(t, "submit", "small.yaml")
	f.hangs = true
	o := f.ok(t, "status", "results")
	wantText(t, "status", o.out, "0 of 18 runs on record", "no process is running here\n", "jobs 1, 2, 3 (prepare, shards, collect); logs: ")
	wantText(t, "stderr", o.err, "note: small: squeue: context deadline exceeded")
	if f.within <= 0 || f.within > 5*time.Second {
		t.Errorf("squeue may take %v", f.within)
	}
}

// A submission that the cluster does not take leaves nothing in its queue.
func TestSubmitRefused(t *testing.T) {
	f := clusterHome(t)
	f.most = 2
	o := f.do(t, "submit", "small.yaml")
	if o.code != exitUsage || len(f.queue) > 0 {
		t.Errorf("exit %d, the queue has %v", o.code, slices.Sorted(maps.Keys(f.queue)))
	}
	wantText(t, "submit", o.err, "small: nothing was submitted: Slurm refuses the job collect: ", "Job violates accounting/QOS policy")
	if left, _ := filepath.Glob(at(t, "results/small/cluster/*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// There are no more shards than an array may have tasks.
func TestSubmitKeepsToTheArrayLimit(t *testing.T) {
	f := clusterHome(t)
	f.config = "MaxArraySize = 3\n"
	wantText(t, "submit", f.ok(t, "submit", "small.yaml").out, "2 of 2 shards")
	f = clusterHome(t)
	wantText(t, "submit", f.ok(t, "submit", "small.yaml", "--shards", "1").out, "1 of 1 shard")
	f = clusterHome(t)
	f.config = "MaxArraySize = 0\n"
	if o := f.do(t, "submit", "small.yaml"); o.code != exitUsage || !strings.Contains(o.err, "no job arrays") {
		t.Errorf("exit %d\n%s", o.code, o.err)
	}
}

func TestBadUseOfSubmit(t *testing.T) {
	f := clusterHome(t)
	for args, want := range map[string]string{
		"--shards 0":             "--shards 0, --cpus 1: both must be at least 1",
		"--cpus -1":              "--shards 1000, --cpus -1: both must be at least 1",
		"--sbatch --partition=x": `--sbatch "--partition=x": want a long option of sbatch without the hyphens, such as partition=short`,
		"--sbatch=":              `--sbatch "": want a long option of sbatch without the hyphens, such as partition=short`,
		"--memory much":          `invalid argument "much" for "--memory" flag: want a size from 1 byte to 8 EiB, such as 8GiB or 512MiB; see stochopt submit --help`,
	} {
		wantOutcome(t, f.do(t, append([]string{"submit", "small.yaml"}, strings.Fields(args)...)...), exitUsage, "stochopt: "+want)
	}
	if o := f.do(t, "submit", "small.yaml", "--out", "100%"); o.code != exitUsage || !strings.Contains(o.err, "choose another --out") {
		t.Errorf("exit %d\n%s", o.code, o.err)
	}
	f.none = true
	if o := f.do(t, "submit", "small.yaml"); o.code != exitUsage || !strings.Contains(o.err, "Slurm is not installed here") {
		t.Errorf("exit %d\n%s", o.code, o.err)
	}
	f.none = false
	f.ok(t, "submit", "small.yaml")
	write(t, filepath.Join(submission(t), "submission.json"), "{")
	for _, verb := range []string{"submit small.yaml", "status results"} {
		if o := f.do(t, strings.Fields(verb)...); !strings.Contains(o.err, " is damaged (") {
			t.Errorf("%s: exit %d\n%s", verb, o.code, o.err)
		}
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
