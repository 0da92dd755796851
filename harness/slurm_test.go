//go:build slurm

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stochopt/internal/record"
)

// These tests need a Slurm with the nodes n1 and n2 and MaxArraySize 5, which make slurm-test starts. In all tests,
// the results must have the same bytes as those of a local run.

// newSlurmSite returns a site whose jobs are cancelled at the end of the test.
func newSlurmSite(t *testing.T, spec string) *site {
	t.Helper()
	if os.Getenv("SLURM_CONF") == "" {
		t.Fatal("there is no SLURM_CONF: use make slurm-test")
	}
	s := newSite(t, spec)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.do("status", "results").stdout)
		}
		for _, job := range s.queued() {
			_ = exec.Command("scancel", job).Run() // it may have ended
		}
		s.waitForEmptyQueue() // before the folder is removed
	})
	return s
}

// slurm runs a Slurm command or the script of the test cluster.
func (s *site) slurm(name string, args ...string) string {
	s.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// waitFor waits until a condition holds.
func (s *site) waitFor(what string, condition func() bool) {
	s.t.Helper()
	for end := time.Now().Add(5 * time.Minute); !condition(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("waiting for %s timed out after five minutes\n%s", what, s.slurm("squeue", "--array"))
		}
	}
}

// waitForEmptyQueue waits until no job of the site is in the queue.
func (s *site) waitForEmptyQueue() {
	s.t.Helper()
	s.waitFor("an empty queue", func() bool { return len(s.queued()) == 0 })
}

// queued returns the jobs of the site that are in the queue.
func (s *site) queued() (jobs []string) {
	for line := range strings.Lines(s.slurm("squeue", "--noheader", "--array", "--format=%Z %A")) {
		if job, ok := strings.CutPrefix(line, s.dir+" "); ok {
			jobs = append(jobs, strings.TrimSpace(job))
		}
	}
	return jobs
}

var jobsLine = regexp.MustCompile(`as jobs ([0-9]+), ([0-9]+), ([0-9]+);`)

// submit submits the spec and returns the numbers of prepare, the array and collect.
func (s *site) submit(args ...string) (jobs []string) {
	s.t.Helper()
	out := s.ok(append([]string{"submit", "sweep.yaml"}, args...)...)
	if jobs = jobsLine.FindStringSubmatch(out); jobs == nil {
		s.t.Fatalf("nothing was submitted:\n%s", out)
	}
	return jobs[1:]
}

// processes returns the process IDs of the running tasks of the site.
func (s *site) processes() (pids []int) {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range list {
		text, _ := os.ReadFile(path)
		args := strings.Split(string(text), "\x00")
		if filepath.Base(args[0]) == "stochopt" && within(args[0], s.dir) && slices.Contains(args, "--shard") {
			pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// waitForTasks waits until n tasks are running and have created their part files.
func (s *site) waitForTasks(n int) []int {
	s.t.Helper()
	s.waitFor("running tasks", func() bool {
		parts, _ := filepath.Glob(filepath.Join(s.dir, "results", "sweep", record.PartsFolder, "shard*.jsonl"))
		return len(s.processes()) >= n && len(parts) >= n
	})
	return s.processes()
}

// same checks that the results equal those of a local run.
func (s *site) same(args ...string) {
	s.t.Helper()
	s.ok(append([]string{"run", "sweep.yaml", "--out", "local"}, args...)...)
	s.equal("results/sweep", "local/sweep")
}

func (s *site) wants(text string, pieces ...string) {
	s.t.Helper()
	for _, p := range pieces {
		if !strings.Contains(text, p) {
			s.t.Errorf("there is no %q in\n%s", p, text)
		}
	}
}

// slow is a spec with 32 runs of about half a second, so that tests can interfere. Its four groups are the maximum
// size of an array.
var slow = sweep(80000)

// There are more groups of runs than an array may have tasks.
func TestSlurm(t *testing.T) {
	t.Parallel()
	more := "algorithms:\n"
	s := newSlurmSite(t, strings.Replace(sweep(4000), more, "  - {id: small, source: simulated-gaussian, with: {dim: 8, gap: 2}, problem: {k: 2}}\n"+more, 1))
	s.submit("--cpus", "2")
	s.waitForEmptyQueue()
	if p := s.progress("results"); p.Finished != 40 {
		t.Errorf("status: %+v, want 40 finished runs", p)
	}
	s.same()
	if out := s.ok("verify", "results/sweep"); strings.Contains(out, "cluster/") {
		t.Errorf("verify reports the submission:\n%s", out)
	}
	s.wants(s.ok("submit", "sweep.yaml"), "nothing to submit")
}

// The folder name contains shell commands.
func TestSlurmHostileNames(t *testing.T) {
	t.Parallel()
	s := newSlurmSite(t, "")
	within := filepath.Join(s.dir, `a b'c"$(touch owned); #SBATCH --wrap=id`)
	write(t, filepath.Join(within, "sweep.yaml"), sweep(4000))
	s.dir = within
	s.submit("--shards", "2", "--set", "title='%j\\\\ $(touch owned)'", "--sbatch", "comment=$(touch owned) #SBATCH --hold")
	s.waitForEmptyQueue()
	s.same("--set", "title='%j\\\\ $(touch owned)'")
	if found, _ := filepath.Glob(filepath.Join(filepath.Dir(within), "*", "owned")); len(found) > 0 {
		t.Errorf("a name was run as a command: %s", found)
	}
}

// Tasks are killed and requeued.
func TestSlurmKilled(t *testing.T) {
	t.Parallel()
	s := newSlurmSite(t, slow)
	job := s.submit("--shards", "3")[1]
	for _, pid := range s.waitForTasks(2) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	s.waitFor("failed tasks", func() bool {
		return strings.Count(s.slurm("scontrol", "--oneliner", "show", "job", job), "JobState=FAILED") >= 2
	})
	s.wants(s.ok("status", "results"), "    "+job+"_", " failed; last lines of ", "Killed", "    stochopt: exit code 137\n")
	s.slurm("scontrol", "requeue", job) // all tasks that have ended
	s.waitForEmptyQueue()
	s.do("collect", "results") // the job collect may have ended before
	s.same()
}

// Another node performs the tasks of a node that goes down.
func TestSlurmNodeDown(t *testing.T) {
	s := newSlurmSite(t, sweep(240000)) // tasks take longer than stopping a node
	s.submit()
	s.waitForTasks(3)
	s.slurm("../scripts/slurm-local.sh", "node", "n1", "stop")
	s.slurm("scontrol", "update", "nodename=n1", "state=down", "reason=test")
	s.waitFor("tasks on the other node", func() bool { return len(s.processes()) > 0 })
	s.slurm("../scripts/slurm-local.sh", "node", "n1", "start")
	s.waitForEmptyQueue()
	s.same()
}

// A task near its time limit, which Slurm signals, is requeued and keeps its finished runs. The solver waits until
// the test removes it.
func TestSlurmTimeLimit(t *testing.T) {
	t.Parallel()
	s := newSlurmSite(t, "")
	solver := s.libsvm("while [ -e " + s.path("sweep.yaml") + " ]; do sleep 1; done")
	job := s.submit("--shards", "1")[1]
	s.waitForTasks(1)
	s.waitFor("two runs on record", func() bool { return s.progress("results").Runs == 2 })
	s.slurm("scancel", "--batch", "--signal=USR1", job+"_1")
	s.waitFor("a requeued task", func() bool { return len(s.processes()) == 0 })
	if err := os.Remove(solver); err != nil {
		t.Fatal(err)
	}
	before := s.timings("results/sweep")
	s.waitForEmptyQueue()
	for key, timing := range s.timings("results/sweep") {
		if old, ok := before[key]; ok && old.Finished != timing.Finished {
			t.Errorf("run %s was repeated", key)
		}
	}
	s.same()
}

// Cancelled jobs are not requeued. Another submission performs the missing runs.
func TestSlurmCancelled(t *testing.T) {
	t.Parallel()
	s := newSlurmSite(t, slow)
	jobs := s.submit()
	s.waitForTasks(2)
	s.slurm("scancel", jobs...)
	s.waitForEmptyQueue()
	s.exits(1, "collect", "results")
	s.submit()
	s.waitForEmptyQueue()
	s.same()
}

// libsvm writes a spec of three runs, one of them of LIBSVM, whose program is a script with the given lines. It
// returns the path of the script.
func (s *site) libsvm(lines ...string) (solver string) {
	s.t.Helper()
	bin := filepath.Join(s.dir, "bin")
	solver = write(s.t, filepath.Join(bin, "svm-train"), "#!/bin/sh\n"+strings.Join(lines, "\n")+"\n")
	if err := os.Chmod(solver, 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.env = append(s.env, "PATH="+bin+":"+os.Getenv("PATH"))
	write(s.t, filepath.Join(s.dir, "train.svm"), blobs())
	write(s.t, s.path("sweep.yaml"), `version: 1
name: sweep
task: svm
seed: 7
repeats: 2
budget: {iterations: 200}
record: {points: 5}
datasets:
  - {id: b, path: train.svm, format: libsvm, problem: {sigma2: 2, C: 1}}
algorithms:
  - {id: sbp, with: {bias: true}}
  - {id: libsvm, with: {bias: true}}
figures:
  - {id: fig, x: kernel_evals, y: error}
`)
	return solver
}

// A failed run is recorded, and its task fails. Another submission repeats the run.
func TestSlurmFailedRun(t *testing.T) {
	t.Parallel()
	s := newSlurmSite(t, "")
	solver := s.libsvm("echo it is broken >&2", "exit 1")
	job := s.submit()[1]
	s.waitForEmptyQueue()
	s.wants(s.ok("status", "results"), " 1 failed", "    "+job+"_1 failed", "1 run failed; status lists them")
	s.exits(1, "collect", "results")
	// Without the solver, the cluster and the local run both skip its runs.
	if err := os.Remove(solver); err != nil {
		t.Fatal(err)
	}
	s.submit()
	s.waitForEmptyQueue()
	s.same()
}

// blobs returns two classes around two points in LIBSVM format.
func blobs() string {
	var b strings.Builder
	for i := range 40 {
		sign := 1 - 2*(i%2)
		fmt.Fprintf(&b, "%+d 1:%g 2:%g\n", sign, float64(sign)+float64(i%7)/5, float64(i%5)/4-float64(sign))
	}
	return b.String()
}

// If prepare fails, Slurm cancels the array. Another submission starts again.
func TestSlurmPrepareFails(t *testing.T) {
	t.Parallel()
	s := newSlurmSite(t, strings.Replace(sweep(4000), "source: simulated-gaussian, with: {dim: 25, gap: 2}", "path: rows.csv, format: csv", 1))
	rows := filepath.Join(s.dir, "rows.csv")
	text := strings.Repeat("1,2,3,0.5\n3,2,1,1\n1,1,0,2\n0,4,1,1\n", 10)
	write(t, rows, text)
	job := s.submit("--sbatch", "begin=now+5")[0]
	if err := os.Remove(rows); err != nil {
		t.Fatal(err)
	}
	s.waitForEmptyQueue()
	s.wants(s.ok("status", "results"), "0 of 32 runs on record", "    "+job+" failed; last lines of ", "no such file")
	write(t, rows, text)
	s.submit()
	s.waitForEmptyQueue()
	s.same()
}
