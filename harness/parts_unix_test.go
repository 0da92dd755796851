//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stochopt/internal/record"
)

// onceRecorded calls do once n runs are on record in a folder, unless the command ends before.
func onceRecorded(t *testing.T, cmd *exec.Cmd, folder string, n int, do func()) (stderr string, err error) {
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
		case <-time.After(5 * time.Millisecond):
			if do != nil && onRecord(folder) >= n {
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

// Shards that are killed and performed again, and shards that two processes perform at the
// same time, give the records of one process, to the byte.
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
	if o := stochopt(t, dir, "run", spec, "--out", "parts", "--shard", "prepare"); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}

	// Killed in the middle, it is done again.
	first := shard(1)
	if _, err := onceRecorded(t, first, folder, 2, func() { _ = first.Process.Kill() }); err == nil {
		t.Fatal("the shard was not killed; make it longer")
	}
	if o := finish(t, shard(1)); o.code != 0 || !strings.Contains(o.stdout, "shard 1/4 done: 8 runs, ") {
		t.Errorf("after a kill: exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	before := onRecord(folder)

	// Two processes perform the same shard, and the records are collected meanwhile. The first
	// process is stopped during this time, and then goes on.
	second := shard(2, "SLURM_JOB_ID=12")
	if stderr, err := onceRecorded(t, second, folder, before+2, func() {
		if err := second.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Error(err)
		}
		defer second.Process.Signal(syscall.SIGCONT)
		o := finish(t, shard(2, "SLURM_JOB_ID=13", "SLURMD_NODENAME=node-b"))
		if o.code != 0 || !strings.Contains(o.stdout, "shard 2/4 done: 8 runs, ") {
			t.Errorf("the same shard again: exit %d: %s%s", o.code, o.stdout, o.stderr)
		}
		if o := stochopt(t, dir, "collect", "parts"); o.code != 1 || !strings.Contains(o.stderr, "16 runs missing") {
			t.Errorf("collect while a shard is at work: exit %d: %s", o.code, o.stderr)
		}
	}); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	e, err := record.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	nodes := make(map[string]int)
	for _, r := range e.Runs {
		timing, _ := r.Timing()
		nodes[timing.Job+" "+timing.Node]++
		if timing.CPU == "" {
			t.Errorf("%s: its timing does not say which processors", r.Name())
		}
	}
	host, _ := os.Hostname()
	if len(nodes) != 3 || nodes["12 "+host] == 0 || nodes["13 node-b"] == 0 || nodes[" "+host] == 0 {
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
	if o := stochopt(t, dir, "run", spec, "--out", "parts"); o.code != 0 || !strings.Contains(o.stdout, "32 runs, 32 of them from the record") {
		t.Fatalf("exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	if exported(t, folder) != exported(t, dir, "whole", "sweep") {
		t.Error("the records or the optima differ from those of one process")
	}
	for _, name := range []string{"curves.csv", "selection.csv", "figures/fig.svg"} {
		if read(t, folder, name) != read(t, dir, "whole", "sweep", name) {
			t.Errorf("%s differs from that of one process", name)
		}
	}
}

// A signal stops a shard, which can be performed again.
func TestShardThatIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), longer)
	folder := filepath.Join(dir, "results", "sweep")
	cmd := command(t, dir, "run", spec, "--shard", "1/1", "-j", "1")
	stderr, _ := onceRecorded(t, cmd, folder, 1, func() { _ = cmd.Process.Signal(os.Interrupt) })
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Fatalf("exit %d, want 130: %s", code, stderr)
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
	for _, part := range [][]string{{"--shard", "2/2"}, {"--shard", "prepare"}} {
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

// A run whose folder is moved or removed says so, and does not count as done. The same command
// completes what is left.
func TestFolderThatIsMovedOrRemovedDuringARun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), longer)
	if o := stochopt(t, dir, "run", spec, "--out", "whole"); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	for _, args := range [][]string{nil, {"--shard", "1/1"}} {
		for what, do := range map[string]func(folder string) error{
			"moved":   func(folder string) error { return os.Rename(folder, folder+"-moved") },
			"removed": os.RemoveAll,
		} {
			out := what + strings.Join(args, "")
			out = strings.ReplaceAll(out, "/", "-")
			folder := filepath.Join(dir, out, "sweep")
			args := append([]string{"run", spec, "--out", out, "-j", "1"}, args...)
			cmd := command(t, dir, args...)
			stderr, _ := onceRecorded(t, cmd, folder, 1, func() {
				if err := do(folder); err != nil {
					t.Error(err)
				}
			})
			if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(stderr, "stochopt: results: cannot write "+out+"/sweep") ||
				!strings.Contains(stderr, "put the folder in its place") {
				t.Errorf("%s: exit %d: %s", out, code, stderr)
			}
			if what == "moved" {
				if err := os.Rename(folder+"-moved", folder); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if o := stochopt(t, dir, args[:4]...); o.code != 0 || what == "moved" && !strings.Contains(o.stdout, " of them from the record") {
					t.Errorf("%s: again: exit %d: %s%s", out, o.code, o.stdout, o.stderr)
				}
			}
			if exported(t, folder) != exported(t, dir, "whole", "sweep") {
				t.Errorf("%s: the records differ from those of an undisturbed run", out)
			}
		}
	}
}

// Under nohup a run goes on when its terminal is closed.
func TestRunUnderNohup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), longer)
	cmd := command(t, dir, "run", spec, "-j", "1")
	cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = sh
	sent := false
	stderr, err := onceRecorded(t, cmd, filepath.Join(dir, "results", "sweep"), 1, func() {
		sent = cmd.Process.Signal(syscall.SIGHUP) == nil
	})
	if err != nil || !sent {
		t.Errorf("sent: %v; %v: %s", sent, err, stderr)
	}
}
