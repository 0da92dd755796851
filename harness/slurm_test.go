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

// The tests of this file submit to a real Slurm of two nodes, n1 and n2, whose MaxArraySize
// is 5: make slurm-test starts it. Whatever happens to the jobs, the results have the same
// bytes as those of a run on this machine.

// site is a folder of experiments, and what submits from it.
type site struct {
	t   *testing.T
	dir string
	env []string
}

func newSite(t *testing.T, spec string) *site {
	t.Helper()
	if os.Getenv("SLURM_CONF") == "" {
		t.Fatal("there is no SLURM_CONF: use make slurm-test")
	}
	s := &site{t: t, dir: t.TempDir()}
	write(t, filepath.Join(s.dir, "sweep.yaml"), spec)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.do("status", "results").stdout)
		}
		for line := range strings.Lines(s.queued()) {
			_ = exec.Command("scancel", strings.Fields(strings.TrimPrefix(line, s.dir))[0]).Run() // it may have ended
		}
		s.quiet() // the folder can be removed
	})
	return s
}

func (s *site) do(args ...string) outcome {
	s.t.Helper()
	return finish(s.t, s.command(args...))
}

func (s *site) command(args ...string) *exec.Cmd {
	cmd := command(s.t, s.dir, args...)
	cmd.Env = append(cmd.Env, s.env...)
	return cmd
}

// ok runs a command that must succeed.
func (s *site) ok(args ...string) string {
	s.t.Helper()
	o := s.do(args...)
	if o.code != 0 {
		s.t.Fatalf("stochopt %s: exit %d\n%s%s", strings.Join(args, " "), o.code, o.stdout, o.stderr)
	}
	return o.stdout
}

// slurm runs a command of Slurm, or the script of the test cluster.
func (s *site) slurm(name string, args ...string) string {
	s.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// until waits for something to be so.
func (s *site) until(what string, so func() bool) {
	s.t.Helper()
	for end := time.Now().Add(5 * time.Minute); !so(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%s: not so after five minutes\n%s", what, s.slurm("squeue", "--array"))
		}
	}
}

// quiet waits until nothing of the site is in the queue.
func (s *site) quiet() {
	s.t.Helper()
	s.until("an empty queue", func() bool { return s.queued() == "" })
}

// queued returns the lines of the queue that are of the site.
func (s *site) queued() (mine string) {
	for line := range strings.Lines(s.slurm("squeue", "--noheader", "--array", "--format=%Z %A %T %r")) {
		if strings.HasPrefix(line, s.dir) {
			mine += line
		}
	}
	return mine
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

// processes returns the tasks of the site that are at work.
func (s *site) processes() (pids []int) {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range list {
		text, _ := os.ReadFile(path)
		args := strings.Split(string(text), "\x00")
		if strings.HasSuffix(args[0], "/stochopt") && strings.HasPrefix(args[0], s.dir) && slices.Contains(args, "--shard") {
			pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// works waits until n tasks are at work and have begun to record.
func (s *site) works(n int) []int {
	s.t.Helper()
	s.until("tasks at work", func() bool {
		parts, _ := filepath.Glob(filepath.Join(s.dir, "results", "sweep", record.PartsFolder, "shard*.jsonl"))
		return len(s.processes()) >= n && len(parts) >= n
	})
	return s.processes()
}

// same compares what is in the results folder with that of a local run, except for times, the
// parts and what was submitted.
func (s *site) same(args ...string) {
	s.t.Helper()
	s.ok(append([]string{"run", "sweep.yaml", "--out", "local"}, args...)...)
	s.compare()
}

func (s *site) compare() {
	s.t.Helper()
	want, got := s.files("local"), s.files("results")
	for name, text := range want {
		if got[name] != text {
			s.t.Errorf("%s differs from that of a local run, or is missing", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			s.t.Errorf("%s is not made by a local run", name)
		}
	}
	if len(want) < 5 || !strings.Contains(want[record.DatabaseFile], `"finished"`) {
		s.t.Errorf("a local run makes only %d files", len(want))
	}
}

func (s *site) files(out string) map[string]string {
	files := make(map[string]string)
	root := filepath.Join(s.dir, out, "sweep")
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (name == "cluster" || name == record.PartsFolder):
			return filepath.SkipDir
		case e.IsDir() || strings.HasPrefix(e.Name(), "."):
			return nil
		case name == record.DatabaseFile:
			files[name] = exported(s.t, root)
			return nil
		}
		text, err := os.ReadFile(path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

func (s *site) wants(text string, pieces ...string) {
	s.t.Helper()
	for _, p := range pieces {
		if !strings.Contains(text, p) {
			s.t.Errorf("there is no %q in\n%s", p, text)
		}
	}
}

// slow is a spec whose 32 runs take about a second each, so that a test can meet them at
// work. Its four groups are as many as the tasks that an array may have.
var slow = fourGroups(150000)

// A plain cluster, and more groups of runs than an array may have tasks.
func TestSlurm(t *testing.T) {
	t.Parallel()
	more := "algorithms:\n"
	s := newSite(t, strings.Replace(fourGroups(4000), more, "  - {id: small, source: simulated-gaussian, with: {dim: 8, gap: 2}, problem: {k: 2}}\n"+more, 1))
	s.submit("--cpus", "2")
	s.quiet()
	s.wants(s.ok("status", "results"), "40 of 40 runs on record", " (prepare, shards, collect); logs: ")
	s.same()
	if out := s.ok("verify", "results/sweep"); strings.Contains(out, "cluster/") {
		t.Errorf("verify minds the submission:\n%s", out)
	}
	s.wants(s.ok("submit", "sweep.yaml"), "nothing to submit")
}

// The folder has the most hostile name.
func TestSlurmHostileNames(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	within := filepath.Join(s.dir, `a b'c"$(touch owned); #SBATCH --wrap=id`)
	write(t, filepath.Join(within, "sweep.yaml"), fourGroups(4000))
	s.dir = within
	s.submit("--shards", "2", "--set", "title='%j\\\\ $(touch owned)'", "--sbatch", "comment=$(touch owned) #SBATCH --hold")
	s.quiet()
	s.same("--set", "title='%j\\\\ $(touch owned)'")
	if found, _ := filepath.Glob(filepath.Join(filepath.Dir(within), "*", "owned")); len(found) > 0 {
		t.Errorf("a name was run as a command: %s", found)
	}
}

// Tasks that are killed, and then put back into the queue.
func TestSlurmKilled(t *testing.T) {
	t.Parallel()
	s := newSite(t, slow)
	job := s.submit("--shards", "3")[1]
	for _, pid := range s.works(2) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	s.until("failed tasks", func() bool {
		return strings.Count(s.slurm("scontrol", "--oneliner", "show", "job", job), "JobState=FAILED") >= 2
	})
	s.wants(s.ok("status", "results"), "    "+job+"_", " failed; the end of ", "Killed", "    stochopt: exit code 137\n")
	s.slurm("scontrol", "requeue", job) // all that have ended
	s.quiet()
	s.do("collect", "results") // the job collect may have ended before
	s.wants(s.ok("status", "results"), "32 of 32 runs on record")
	s.same()
}

// The tasks of a node that goes down are performed by another.
func TestSlurmNodeDown(t *testing.T) {
	s := newSite(t, slow)
	s.submit()
	s.works(3)
	s.slurm("../scripts/slurm-local.sh", "node", "n1", "stop")
	s.slurm("scontrol", "update", "nodename=n1", "state=down", "reason=test")
	s.until("tasks on the other node", func() bool { return len(s.processes()) > 0 })
	s.slurm("../scripts/slurm-local.sh", "node", "n1", "start")
	s.quiet()
	s.same()
}

// A task that nears its time limit goes back into the queue, and keeps the finished runs. A
// solver that waits for the test makes it last that long on any machine.
func TestSlurmTimeLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	solver := s.libsvm("while [ -e " + filepath.Join(s.dir, "sweep.yaml") + " ]; do sleep 1; done")
	s.submit("--shards", "1", "--sbatch", "time=2")
	log := func() string {
		logs, _ := filepath.Glob(filepath.Join(s.dir, "results", "sweep", "cluster", "*", "logs", "*_1.log"))
		if len(logs) != 1 {
			return ""
		}
		return read(t, logs[0])
	}
	s.until("a task that is put back", func() bool { return strings.Contains(log(), "goes back into the queue") })
	if err := os.Remove(solver); err != nil {
		t.Fatal(err)
	}
	s.quiet()
	s.wants(log(), "sweep: 3 runs, 2 of them on record")
	s.same()
}

// What is in the queue is not submitted again. Afterwards more repeats are.
func TestSlurmTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t, slow)
	s.submit("--shards", "2")
	o := s.do("submit", "sweep.yaml", "--shards", "2")
	if o.code != 2 {
		t.Errorf("submit again: exit %d", o.code)
	}
	s.wants(o.stderr, "are in the queue")
	s.quiet()
	s.submit("--shards", "2", "--set", "repeats=3")
	s.quiet()
	s.same("--set", "repeats=3")
}

// What is there can be collected while tasks are at work, and nothing is lost by it.
func TestSlurmCollectMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSite(t, slow)
	s.submit()
	s.works(2)
	for range 3 {
		o := s.do("collect", "results")
		if o.code == 1 {
			s.wants(o.stderr, "missing")
		}
		time.Sleep(300 * time.Millisecond)
	}
	s.quiet()
	s.same()
}

// Jobs that the user cancels do not come back; submitting again performs the rest.
func TestSlurmCancelled(t *testing.T) {
	t.Parallel()
	s := newSite(t, slow)
	jobs := s.submit()
	s.works(2)
	s.slurm("scancel", jobs...)
	s.quiet()
	if o := s.do("collect", "results"); o.code != 1 || !strings.Contains(o.stderr, "submit the spec again") {
		t.Errorf("collect: exit %d\n%s", o.code, o.stderr)
	}
	s.submit()
	s.quiet()
	s.same()
}

// libsvm gives the site a spec of three runs, one of them of LIBSVM, and puts a script with the
// given lines in the place of its program; it returns the script's path.
func (s *site) libsvm(lines ...string) (solver string) {
	s.t.Helper()
	bin := filepath.Join(s.dir, "bin")
	solver = write(s.t, filepath.Join(bin, "svm-train"), "#!/bin/sh\n"+strings.Join(lines, "\n")+"\n")
	if err := os.Chmod(solver, 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.env = append(s.env, "PATH="+bin+":"+os.Getenv("PATH"))
	write(s.t, filepath.Join(s.dir, "train.svm"), blobs())
	write(s.t, filepath.Join(s.dir, "sweep.yaml"), `version: 1
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
`)
	return solver
}

// A failed run is a record, and its task fails. Submitting again repeats it.
func TestSlurmFailedRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	solver := s.libsvm("echo it is broken >&2", "exit 1")
	job := s.submit()[1]
	s.quiet()
	s.wants(s.ok("status", "results"), " 1 failed", "    "+job+"_1 failed", "1 run failed; status names them")
	if o := s.do("collect", "results"); o.code != 1 || !strings.Contains(o.stderr, "failed") {
		t.Errorf("collect: exit %d\n%s", o.code, o.stderr)
	}
	// With another solver, or without one, which skips its runs, both give the same.
	if err := os.Remove(solver); err != nil {
		t.Fatal(err)
	}
	s.submit()
	s.quiet()
	s.same()
}

// blobs are two classes around two points.
func blobs() string {
	var b strings.Builder
	for i := range 40 {
		sign := 1 - 2*(i%2)
		fmt.Fprintf(&b, "%+d 1:%g 2:%g\n", sign, float64(sign)+float64(i%7)/5, float64(i%5)/4-float64(sign))
	}
	return b.String()
}

// If prepare fails, Slurm cancels the array, and submitting again starts over.
func TestSlurmPrepareFails(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(fourGroups(4000), "source: simulated-gaussian, with: {dim: 25, gap: 2}", "path: rows.csv, format: csv", 1))
	rows := filepath.Join(s.dir, "rows.csv")
	text := strings.Repeat("1,2,3,0.5\n3,2,1,1\n1,1,0,2\n0,4,1,1\n", 10)
	write(t, rows, text)
	job := s.submit("--sbatch", "begin=now+5")[0]
	if err := os.Remove(rows); err != nil {
		t.Fatal(err)
	}
	s.quiet()
	s.wants(s.ok("status", "results"), "0 of 32 runs on record", "    "+job+" failed; the end of ", "no such file")
	write(t, rows, text)
	s.submit()
	s.quiet()
	s.same()
}
