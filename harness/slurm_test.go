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
)

// The tests of this file submit to a real Slurm of two nodes, n1 and n2, whose MaxArraySize
// is 5: make slurm-test starts it. Whatever happens to the jobs, in the end there are the
// same bytes as of a run on this machine.

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
	dir := t.TempDir()
	s := &site{t, dir, []string{"XDG_CONFIG_HOME=" + filepath.Join(dir, "config")}}
	write(t, filepath.Join(s.dir, "sweep.yaml"), spec)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.do("logs", "results").stdout)
		}
		s.do("cancel", "results")
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

var (
	jobsLine = regexp.MustCompile(`(?m)^  jobs: (.*)$`)
	arrays   = regexp.MustCompile(`([0-9]+) tasks [0-9]+-[0-9]+`)
)

// submit submits the spec and returns the numbers of its arrays.
func (s *site) submit(args ...string) (jobs []string) {
	s.t.Helper()
	out := s.ok(append([]string{"submit", "sweep.yaml"}, args...)...)
	for _, m := range arrays.FindAllStringSubmatch(jobsLine.FindString(out), -1) {
		jobs = append(jobs, m[1])
	}
	if len(jobs) == 0 {
		s.t.Fatalf("nothing was submitted:\n%s", out)
	}
	return jobs
}

// processes returns the tasks of the site that are at work.
func (s *site) processes() (pids []int) {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range list {
		text, _ := os.ReadFile(path)
		args := strings.Split(string(text), "\x00")
		if strings.HasSuffix(args[0], "/stochopt") && strings.HasPrefix(args[0], s.dir) && slices.Contains(args, "--task") {
			pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// works waits until so many tasks are at work, and have begun to record.
func (s *site) works(n int) []int {
	s.t.Helper()
	s.until("tasks at work", func() bool {
		journals, _ := filepath.Glob(filepath.Join(s.dir, "results", "sweep", "journal-*.jsonl"))
		return len(s.processes()) >= n && len(journals) >= n
	})
	return s.processes()
}

// same compares what is in the results folder with that of a local run, but for times, what
// was submitted, and blank lines.
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
	if len(want) < 5 || !strings.Contains(want["runs.jsonl"], `"finished"`) {
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
		case e.IsDir() && (name == "cluster" || name == "checkpoints"):
			return filepath.SkipDir
		case e.IsDir() || strings.HasPrefix(e.Name(), ".") || e.Name() == "timings.jsonl":
			return nil
		}
		text, err := os.ReadFile(path)
		if files[name] = string(text); name == "references.jsonl" {
			// Optima are there in the order in which they were solved.
			lines := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
			slices.Sort(lines)
			files[name] = strings.Join(lines, "\n")
		}
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

// slow is sweep with runs of about a second, which can be met at work.
var slow = strings.Replace(sweep, "iterations: 4000", "iterations: 150000", 1)

// More tasks than an array may have, on a plain cluster without a file of settings.
func TestSlurm(t *testing.T) {
	t.Parallel()
	s := newSite(t, sweep)
	s.wants(s.ok("submit", "sweep.yaml", "--tasks", "10", "--dry-run"), "--array=1-4", "afterok:1", "tasks.sh 8")
	if _, err := os.Stat(filepath.Join(s.dir, "results")); err == nil {
		t.Error("a dry run has made the results folder")
	}
	if jobs := s.submit("--tasks", "10", "--throttle", "2"); len(jobs) != 3 {
		t.Errorf("ten tasks are %d arrays, want three of at most four", len(jobs))
	}
	s.quiet()
	s.wants(s.ok("status", "results"), "10 tasks: 0 queued, 0 running, 10 done, 0 lost")
	if out := s.ok("logs", "results", "--failed"); out != "" {
		t.Errorf("there are logs of failures:\n%s", out)
	}
	s.wants(s.ok("logs", "results"), "task 10 done", "prepare ended with exit code 0", "collect ended with exit code 0")
	s.same()
	if out := s.ok("verify", "results/sweep"); strings.Contains(out, "cluster/") {
		t.Errorf("verify minds what was submitted:\n%s", out)
	}
	s.wants(s.ok("submit", "sweep.yaml"), "nothing to submit")
}

// The folder's name is the most hostile that there is.
func TestSlurmHostileNames(t *testing.T) {
	t.Parallel()
	s := newSite(t, sweep)
	within := filepath.Join(s.dir, `a b'c"$(touch owned); #SBATCH --wrap=id`)
	write(t, filepath.Join(within, "sweep.yaml"), sweep)
	write(t, filepath.Join(within, "clusters.yaml"), "clusters:\n  here: {scratch: '"+t.TempDir()+"/$(touch owned)', directives: {comment: \"$(touch owned) #SBATCH --hold\"}}\n")
	s.dir = within
	s.submit("--tasks", "3", "--set", "title='%j\\\\ $(touch owned)'")
	s.quiet()
	s.same("--set", "title='%j\\\\ $(touch owned)'")
	if found, _ := filepath.Glob(filepath.Join(filepath.Dir(within), "*", "owned")); len(found) > 0 {
		t.Errorf("a name was run as a command: %s", found)
	}
}

// Tasks that are killed, and that are put back into the queue.
func TestSlurmKilled(t *testing.T) {
	t.Parallel()
	s := newSite(t, slow)
	job := s.submit("--tasks", "3")[0]
	for _, pid := range s.works(2) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	s.until("failed tasks", func() bool {
		return strings.Count(s.slurm("scontrol", "--oneliner", "show", "job", job), "JobState=FAILED") >= 2
	})
	s.slurm("scontrol", "requeue", job) // all that have ended
	s.quiet()
	s.do("collect", "results") // that of the submission may have come before
	s.wants(s.ok("status", "results"), "3 done, 0 lost")
	s.same()
}

// A node that goes down takes its tasks with it; they go on where there is one.
func TestSlurmNodeDown(t *testing.T) {
	s := newSite(t, slow)
	s.submit("--tasks", "6")
	s.works(3)
	s.slurm("../scripts/slurm-local.sh", "node", "n1", "stop")
	s.slurm("scontrol", "update", "nodename=n1", "state=down", "reason=test")
	s.until("tasks on the other node", func() bool { return len(s.processes()) > 0 })
	s.slurm("../scripts/slurm-local.sh", "node", "n1", "start")
	s.quiet()
	s.same()
}

// A run that is longer than its job may be goes on where it was, as often as it takes.
func TestSlurmTimeLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
name: sweep
task: pca
seed: 7
budget: {iterations: 8000000}
record: {points: 20}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 30, gap: 2}, problem: {k: 4}}
algorithms:
  - {id: msg, step: {c: 1}}
select: {by: oracle}
`)
	write(t, filepath.Join(s.dir, "clusters.yaml"), "clusters:\n  here: {time: 1m}\n")
	s.submit("--checkpoint", "2s") // what has taken no longer is not saved
	local := s.command("run", "sweep.yaml", "--out", "local")
	if err := local.Start(); err != nil {
		t.Fatal(err)
	}
	s.quiet()
	s.wants(s.ok("logs", "results"), "goes back into the queue")
	for range 5 { // on a slow machine
		if strings.Contains(s.ok("status", "results"), "1 of 1 runs on record") {
			break
		}
		s.ok("resubmit", "results")
		s.quiet()
	}
	if err := local.Wait(); err != nil {
		t.Fatal(err)
	}
	s.compare()
}

// What has been submitted is not submitted again; more of it is.
func TestSlurmTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t, slow)
	s.submit("--tasks", "2")
	s.wants(s.ok("submit", "sweep.yaml", "--tasks", "2"), "nothing to submit")
	s.submit("--tasks", "2", "--set", "repeats=6")
	s.quiet()
	s.same("--set", "repeats=6")
	if text := s.files("results")["runs.jsonl"]; strings.Count(text, "\n") != strings.Count(s.files("local")["runs.jsonl"], "\n") {
		t.Error("some run is there twice")
	}
}

// What is there can be collected while tasks are at work, and nothing is lost by it.
func TestSlurmCollectMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSite(t, slow)
	s.submit("--tasks", "4")
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

func TestSlurmCancelAndResubmit(t *testing.T) {
	t.Parallel()
	s := newSite(t, slow)
	s.submit("--tasks", "6")
	s.works(2)
	s.wants(s.ok("cancel", "results"), "cancelled")
	s.quiet()
	status := s.ok("status", "results")
	s.wants(status, "0 queued, 0 running", "stochopt resubmit")
	if o := s.do("collect", "results"); o.code != 1 || !strings.Contains(o.stderr, "stochopt resubmit") {
		t.Errorf("collect: exit %d\n%s", o.code, o.stderr)
	}
	// A rebuilt program does not go on with what another has begun.
	other := filepath.Join(s.dir, "rebuilt")
	path, _ := binary()
	text := read(t, path)
	if err := os.WriteFile(other, []byte(text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(other, "resubmit", "results")
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "is not the one that was submitted") {
		t.Errorf("%v\n%s", err, out)
	}
	s.ok("resubmit", "results", "--tasks", "2")
	s.wants(s.ok("resubmit", "results"), "nothing to submit")
	s.quiet()
	s.same()
}

// A failed run is a record: its task is done. Mended, it is submitted again.
func TestSlurmFailedRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	bin := filepath.Join(s.dir, "bin")
	solver := write(t, filepath.Join(bin, "svm-train"), "#!/bin/sh\necho it is broken >&2\nexit 1\n")
	if err := os.Chmod(solver, 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "PATH="+bin+":"+os.Getenv("PATH"))
	write(t, filepath.Join(s.dir, "train.svm"), blobs())
	write(t, filepath.Join(s.dir, "sweep.yaml"), `version: 1
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
	s.submit("--tasks", "2")
	s.quiet()
	s.wants(s.ok("status", "results"), "0 queued, 0 running", "0 lost", "1 failed")
	s.wants(s.ok("logs", "results", "--failed"), "FAILED")
	if o := s.do("collect", "results"); o.code != 1 || !strings.Contains(o.stderr, "failed") {
		t.Errorf("collect: exit %d\n%s", o.code, o.stderr)
	}
	// There is another solver, or none, and its runs are skipped: here as there.
	if err := os.Remove(solver); err != nil {
		t.Fatal(err)
	}
	s.ok("resubmit", "results")
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

// A task that nobody prepares for never starts, and is cancelled.
func TestSlurmPrepareFails(t *testing.T) {
	t.Parallel()
	s := newSite(t, sweep)
	write(t, filepath.Join(s.dir, "config", "stochopt", "clusters.yaml"), "clusters:\n  here: {setup: ['[[ $SLURM_JOB_NAME != *-prepare ]] || exit 9']}\n")
	s.submit("--tasks", "2")
	s.quiet()
	s.wants(s.ok("status", "results"), "2 lost", "CANCELLED 2")
	if err := os.Remove(filepath.Join(s.dir, "config", "stochopt", "clusters.yaml")); err != nil {
		t.Fatal(err)
	}
	o := s.do("resubmit", "results")
	if o.code != 2 || !strings.Contains(o.stderr, "--cluster") {
		t.Errorf("without its settings: exit %d\n%s", o.code, o.stderr)
	}
	write(t, filepath.Join(s.dir, "clusters.yaml"), "clusters:\n  here: {cpus: 2}\n")
	s.ok("resubmit", "results")
	s.quiet()
	s.same()
}
