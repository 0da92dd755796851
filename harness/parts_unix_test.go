//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stochopt/internal/record"
)

// onceJournalled calls do as soon as so many records are journalled in a folder, or the
// command ends.
func onceJournalled(t *testing.T, cmd *exec.Cmd, folder string, n int, do func()) (stderr string, err error) {
	t.Helper()
	var text strings.Builder
	cmd.Stderr = &text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	for {
		select {
		case err := <-exited:
			return text.String(), err
		case <-time.After(time.Millisecond):
			if do != nil && journalled(folder) >= n {
				do()
				do = nil
			}
		}
	}
}

// fourGroups is a spec with four groups of eight runs that share data.
func fourGroups(iterations int) string {
	text := strings.Replace(sweep, "iterations: 4000", fmt.Sprintf("iterations: %d", iterations), 1)
	text = strings.Replace(text, "repeats: 4", "repeats: 2", 1)
	return strings.Replace(text, "algorithms:\n", `  - {id: gauss2, group: Gaussian 2, source: simulated-gaussian, with: {dim: 25, gap: 2}, problem: {k: 2}}
  - {id: orth2, group: Orthogonal 2, source: simulated-orthogonal, with: {dim: 25, gap: 2}, problem: {k: 2}}
algorithms:
`, 1)
}

// sortedLines sorts lines, such as certified optima, which are in the order in which they
// were solved.
func sortedLines(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Shards that are killed and performed again, and shards that two processes perform at the
// same time, give the records of one process, to the byte, and leave nothing else.
func TestShardsThatAreKilledAndDoneTwice(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the experiment several times")
	}
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), fourGroups(16000))
	if o := stochopt(t, dir, "run", spec, "--out", "whole"); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	folder := filepath.Join(dir, "parts", "sweep")
	shard := func(i int, env ...string) *exec.Cmd {
		cmd := command(t, dir, "run", spec, "--out", "parts", "--shard", fmt.Sprintf("%d/4", i), "-j", "2")
		cmd.Env = append(cmd.Env, env...)
		return cmd
	}
	if o := stochopt(t, dir, "run", spec, "--out", "parts", "--prepare"); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}

	// Killed in the middle, it is done again at once, though nobody has waited 3 minutes.
	first := shard(1)
	if _, err := onceJournalled(t, first, folder, 2, func() { _ = first.Process.Kill() }); err == nil {
		t.Fatal("the shard was not killed; make it longer")
	}
	if o := finish(t, shard(1)); o.code != 0 || !strings.Contains(o.stdout, "shard 1/4 done: 8 runs, ") {
		t.Errorf("after a kill: exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	before := journalled(folder)

	// The same shard while a process performs it: another process leaves it alone; one that
	// the batch system has started again does not; and the records are collected. The first
	// process is stopped during this time, and then goes on.
	second := shard(2, "SLURM_JOB_ID=12")
	if stderr, err := onceJournalled(t, second, folder, before+2, func() {
		if err := second.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Error(err)
		}
		defer second.Process.Signal(syscall.SIGCONT)
		o := finish(t, shard(2))
		if o.code != 0 || !strings.Contains(o.stdout, "(job 12); there is nothing to do here") {
			t.Errorf("the same shard again: exit %d: %s%s", o.code, o.stdout, o.stderr)
		}
		if o := stochopt(t, dir, "run", spec, "--out", "parts"); o.code != 2 || !strings.Contains(o.stderr, "is in use by process ") {
			t.Errorf("run while a shard is at work: exit %d: %s", o.code, o.stderr)
		}
		o = finish(t, shard(2, "SLURM_JOB_ID=12", "SLURM_RESTART_COUNT=1", "SLURMD_NODENAME=node-b"))
		if o.code != 0 || !strings.Contains(o.stdout, "shard 2/4 done: 8 runs, ") {
			t.Errorf("started again: exit %d: %s%s", o.code, o.stdout, o.stderr)
		}
		s, err := record.Open(folder, record.Options{Beside: true})
		if err != nil {
			t.Error(err)
			return
		}
		e, err := record.ReadDir(folder)
		if err != nil {
			t.Error(err)
			return
		}
		var plan []record.ID
		for _, r := range e.Runs {
			plan = append(plan, r.ID())
		}
		if err := s.Compact(plan); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	e, err := record.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	nodes := make(map[string]int)
	for _, r := range e.Runs {
		timing, _ := e.Timings().Of(r)
		nodes[timing.Job+" "+timing.Node]++
		if timing.CPU == "" {
			t.Errorf("%s: its timing does not say which processors", r.Name())
		}
	}
	host, _ := os.Hostname()
	if len(nodes) != 3 || nodes["12 "+host] == 0 || nodes["12 node-b"] == 0 || nodes[" "+host] == 0 {
		t.Errorf("runs by job and machine: %v", nodes)
	}

	// All the others side by side.
	var wg sync.WaitGroup
	for i := 3; i <= 4; i++ {
		wg.Go(func() {
			if out, err := shard(i).CombinedOutput(); err != nil {
				t.Errorf("shard %d: %v: %s", i, err, out)
			}
		})
	}
	wg.Wait()
	if late, err := record.Await(t.Context(), folder, 0); err != nil || len(late) > 0 {
		t.Errorf("late: %v, %v", late, err)
	}
	if o := stochopt(t, dir, "run", spec, "--out", "parts"); o.code != 0 || !strings.Contains(o.stdout, "32 runs, 32 of them from the record") {
		t.Fatalf("exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	if sortedLines(read(t, folder, "references.jsonl")) != sortedLines(read(t, dir, "whole", "sweep", "references.jsonl")) {
		t.Error("references.jsonl differs from that of one process")
	}
	for _, name := range []string{"runs.jsonl", "plan.jsonl", "curves.csv", "selection.csv", "figures/fig.svg"} {
		if read(t, folder, name) != read(t, dir, "whole", "sweep", name) {
			t.Errorf("%s differs from that of one process", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "journal-*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// A signal stops a shard, which can be performed again.
func TestShardThatIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), sweep)
	folder := filepath.Join(dir, "results", "sweep")
	cmd := command(t, dir, "run", spec, "--shard", "1/1", "-j", "1")
	stderr, _ := onceJournalled(t, cmd, folder, 1, func() { _ = cmd.Process.Signal(os.Interrupt) })
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Fatalf("exit %d, want 130: %s", code, stderr)
	}
	// What it has finished is marked as written.
	if late, err := record.Await(t.Context(), folder, 0); err != nil || len(late) > 0 {
		t.Errorf("late: %v, %v", late, err)
	}
	if o := stochopt(t, dir, "run", spec, "--shard", "1/1"); o.code != 0 || !strings.Contains(o.stdout, "of them from the record") {
		t.Errorf("exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
}

// Records of another architecture are not mixed with those of this one, and nothing is written
// to find that out.
func TestAnotherArchitectureIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), strings.Replace(sweep, "iterations: 4000", "iterations: 50", 1))
	folder := filepath.Join(dir, "results", "sweep")
	if o := stochopt(t, dir, "run", spec, "--shard", "1/2"); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	manifest := filepath.Join(folder, "manifest.json")
	other := "amd64"
	if runtime.GOARCH == other {
		other = "arm64"
	}
	text := strings.Replace(read(t, manifest), runtime.GOOS+"/"+runtime.GOARCH, "linux/"+other, 1)
	write(t, manifest, text)
	list := func() (names []string) {
		in, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range in {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, fmt.Sprint(e.Name(), info.Size(), info.ModTime()))
		}
		return names
	}
	before := list()
	for _, part := range [][]string{{"--shard", "2/2"}, {"--prepare"}} {
		o := stochopt(t, dir, append([]string{"run", spec}, part...)...)
		if o.code != 2 || !strings.Contains(o.stderr, "are made on "+other+", and this is "+runtime.GOARCH) {
			t.Errorf("%v: exit %d: %s", part, o.code, o.stderr)
		}
	}
	if after := list(); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("the folder was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	// Of one process the user is warned.
	if o := stochopt(t, dir, "run", spec); o.code != 0 || !strings.Contains(o.stderr, "warning: the records of results/sweep are made on "+other) {
		t.Errorf("run: exit %d: %s", o.code, o.stderr)
	}
}
