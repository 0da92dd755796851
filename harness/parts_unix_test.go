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
	"syscall"
	"testing"
	"time"

	"stochopt/internal/record"
)

// onceRecorded starts a command, calls do when n runs are on record in a folder, and waits for the end of the
// command. If the command ends early, it does not call do.
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
		case <-time.After(2 * time.Millisecond):
			if do != nil && onRecord(folder) >= n {
				do()
				do = nil
			}
		}
	}
}

// onRecord counts the runs in a results folder, which may be in use.
func onRecord(dir string) int {
	e, err := record.ReadDir(dir)
	if err != nil {
		return 0
	}
	defer e.Close()
	return len(e.Runs)
}

// Results do not depend on the number of workers, or on whether the experiment was killed or interrupted.
func TestKilledInterruptedAndParallelRunsGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs the experiment many times")
	}
	s := newSite(t, sweep(5000))
	s.ok("run", "sweep.yaml", "--out", "one", "-j", "1")
	for stop, code := range map[syscall.Signal]int{syscall.SIGKILL: -1, syscall.SIGINT: 130} {
		out := fmt.Sprintf("stopped-%d", stop)
		folder := s.path(out, "sweep")
		stopped := 0
		for attempt := range 3 {
			cmd := s.command("run", "sweep.yaml", "--out", out, "-j", "4")
			before := onRecord(folder)
			stderr, _ := onceRecorded(t, cmd, folder, before+1+2*attempt, func() { _ = cmd.Process.Signal(stop) })
			switch cmd.ProcessState.ExitCode() {
			case 0: // it ended before the signal
			case code:
				stopped++
				if p := s.progress(out, "sweep"); p.Runs <= before || p.Planned != 32 {
					t.Errorf("%v: status: %+v, %d runs on record before", stop, p, before)
				}
			default:
				t.Fatalf("%v: exit %d, want %d: %s", stop, cmd.ProcessState.ExitCode(), code, stderr)
			}
		}
		if stopped == 0 {
			t.Fatalf("%v never stopped the experiment; make it longer", stop)
		}
		s.ok("run", "sweep.yaml", "--out", out)
		s.equal(out+"/sweep", "one/sweep")
		if left, _ := filepath.Glob(filepath.Join(folder, "results.*")); len(left) != 1 {
			t.Errorf("%v: in the folder are %v", stop, left)
		}
	}
}

// Shards give the same bytes as one process, even if they are killed and repeated, or performed by two processes at
// the same time.
func TestKilledAndRepeatedShards(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs the experiment several times")
	}
	s := newSite(t, sweep(5000))
	s.ok("run", "sweep.yaml", "--out", "whole")
	folder := s.path("parts/sweep")
	shard := func(i int) []string {
		return []string{"run", "sweep.yaml", "--out", "parts", "--shard", fmt.Sprintf("%d/4", i), "-j", "2"}
	}
	s.ok("run", "sweep.yaml", "--out", "parts", "--shard", "prepare")

	first := s.command(shard(1)...)
	if _, err := onceRecorded(t, first, folder, 2, func() { _ = first.Process.Kill() }); err == nil {
		t.Fatal("the shard was not killed; make it longer")
	}
	s.ok(shard(1)...)
	if n := onRecord(folder); n != 8 {
		t.Errorf("%d runs on record after the first shard, want 8", n)
	}

	// The first process of the second shard is stopped while another process performs the shard. Then it continues.
	s.env = []string{"SLURM_JOB_ID=12"}
	second := s.command(shard(2)...)
	if stderr, err := onceRecorded(t, second, folder, 10, func() {
		if err := second.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Error(err)
		}
		defer second.Process.Signal(syscall.SIGCONT)
		s.env = []string{"SLURM_JOB_ID=13", "SLURMD_NODENAME=node-b"}
		s.ok(shard(2)...)
		s.exits(1, "collect", "parts") // half of the runs are missing
	}); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	s.env = nil
	var places []string
	for _, timing := range s.timings("parts/sweep") {
		places = append(places, timing.Job+" "+timing.Node)
		if timing.CPU == "" {
			t.Error("a timing has no CPU")
		}
	}
	slices.Sort(places)
	host, _ := os.Hostname()
	if got, want := slices.Compact(places), []string{" " + host, "12 " + host, "13 node-b"}; !slices.Equal(got, want) {
		t.Errorf("jobs and machines are %q, want %q", got, want)
	}

	third := s.command(shard(3)...)
	if err := third.Start(); err != nil {
		t.Fatal(err)
	}
	s.ok(shard(4)...)
	if err := third.Wait(); err != nil {
		t.Error(err)
	}
	s.ok("collect", "parts")
	s.equal("parts/sweep", "whole/sweep")
}

// A shard does not continue records of another architecture, and writes nothing. A run of one process continues
// them with a warning.
func TestOtherArchitecture(t *testing.T) {
	t.Parallel()
	s := newSite(t, sweep(50))
	s.ok("run", "sweep.yaml", "--shard", "1/2")
	other := "amd64"
	if runtime.GOARCH == other {
		other = "arm64"
	}
	manifest := s.read("results/sweep/manifest.json")
	manifest = strings.Replace(manifest, runtime.GOOS+"/"+runtime.GOARCH, "linux/"+other, 1)
	s.write(manifest, "results/sweep/manifest.json")
	s.exits(2, "run", "sweep.yaml", "--shard", "2/2")
	s.exits(2, "run", "sweep.yaml", "--shard", "prepare")
	if onRecord(s.path("results/sweep")) != 16 || s.read("results/sweep/manifest.json") != manifest {
		t.Error("the folder has changed")
	}
	if o := s.exits(0, "run", "sweep.yaml"); !strings.Contains(o.stderr, "warning: the records of results/sweep were made on "+other) {
		t.Errorf("run: %s", o.stderr)
	}
}

// Under nohup, a run continues after its terminal is closed.
func TestRunUnderNohup(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	s := newSite(t, sweep(5000))
	cmd := s.command("run", "sweep.yaml", "--shard", "1/4", "-j", "1")
	cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	sent := false
	stderr, err := onceRecorded(t, cmd, s.path("results/sweep"), 1, func() {
		sent = cmd.Process.Signal(syscall.SIGHUP) == nil
	})
	if err != nil || !sent {
		t.Errorf("sent: %v; %v: %s", sent, err, stderr)
	}
}
