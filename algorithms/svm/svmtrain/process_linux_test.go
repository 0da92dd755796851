package svmtrain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stochopt/algorithms/internal/suite"
)

// helperScript names the variable that makes a test process train with the
// stand-in for svm-train that it holds, until it is killed.
const helperScript = "SVMTRAIN_TEST_WITH"

func TestHelperTrain(t *testing.T) {
	path := os.Getenv(helperScript)
	if path == "" {
		t.Skip("a process that TestTrainEndsWithTheProcess starts")
	}
	t.Log(trainWith(t.Context(), path))
}

// trainWith trains with a stand-in for svm-train.
func trainWith(ctx context.Context, path string) error {
	x := suite.Blobs(suite.NewRand(33), 5, 5, 0, 2, 1, 0)
	_, _, err := Train(ctx, path, Options{C: 1, Gamma: 1}, problemOf(x))
	return err
}

// script writes a stand-in for svm-train.
func script(t *testing.T, text string) string {
	t.Helper()
	needTool(t, "sh")
	path := filepath.Join(t.TempDir(), "svm-train")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 1000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("after ten seconds still not: %s", what)
}

// written returns the process whose number a stand-in writes to a file.
func written(t *testing.T, file string) (pid string) {
	t.Helper()
	eventually(t, "svm-train runs", func() bool {
		text, err := os.ReadFile(file)
		pid = strings.TrimSpace(string(text))
		return err == nil && strings.HasSuffix(string(text), "\n")
	})
	return pid
}

// ended reports whether a process has ended, though nobody may have waited for
// it yet.
func ended(pid string) bool {
	text, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(state, "Z")
}

// A process that is killed takes svm-train with it, and the next one tidies up.
func TestTrainEndsWithTheProcess(t *testing.T) {
	needTool(t, "sleep")
	temp, pidFile := t.TempDir(), filepath.Join(t.TempDir(), "pid")
	t.Setenv("TMPDIR", temp)
	path := script(t, fmt.Sprintf("echo $$ > %s; exec sleep 600", pidFile))
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperTrain$")
	cmd.Env = append(os.Environ(), helperScript+"="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := written(t, pidFile)
	left := func() (names []string) {
		entries, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	// What is in use stays.
	failing := script(t, "exit 3")
	trainWith(t.Context(), failing)
	if names := left(); len(names) != 2 {
		t.Errorf("while svm-train runs there are %q", names)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Errorf("the killed process: %v", err)
	}
	eventually(t, "svm-train has ended", func() bool { return ended(pid) })
	if names := left(); len(names) != 2 {
		t.Errorf("the killed process has left %q", names)
	}
	other := filepath.Join(temp, "stochopt-svm-training")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	trainWith(t.Context(), failing)
	if names := left(); len(names) != 1 || names[0] != filepath.Base(other) {
		t.Errorf("after the next step there are %q", names)
	}
}

// The end of the context ends what svm-train has started, too.
func TestTrainEndsItsProcessGroup(t *testing.T) {
	needTool(t, "sleep")
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	pidFile := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan error)
	path := script(t, fmt.Sprintf("sleep 600 & echo $! > %s; wait", pidFile))
	go func() { done <- trainWith(ctx, path) }()
	pid := written(t, pidFile)
	start := time.Now()
	cancel(errors.New("interrupted by the user"))
	if err := <-done; err == nil || !strings.Contains(err.Error(), "interrupted by the user") {
		t.Errorf("error %v", err)
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("ending took %v", took)
	}
	eventually(t, "the grandchild has ended", func() bool { return ended(pid) })
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
}

// A program that outlives svm-train and holds its output open is not waited for
// for ever.
func TestRunTiedDoesNotWaitForGrandchildren(t *testing.T) {
	needTool(t, "setsid")
	pidFile := filepath.Join(t.TempDir(), "pid")
	var out strings.Builder
	cmd := exec.CommandContext(context.Background(), script(t, fmt.Sprintf("setsid sh -c 'echo $$ > %s; exec sleep 20' & echo done", pidFile)))
	cmd.Stdout, cmd.WaitDelay = &out, 200*time.Millisecond
	if err := runTied(cmd); !errors.Is(err, exec.ErrWaitDelay) || out.String() != "done\n" {
		t.Errorf("error %v, output %q", err, &out)
	}
	pid := written(t, pidFile)
	if ended(pid) {
		t.Error("the program has been waited for")
	}
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if cmd := exec.CommandContext(context.Background(), "true"); runTied(cmd) != nil || cmd.WaitDelay != 5*time.Second {
		t.Errorf("the output is waited for %v", cmd.WaitDelay)
	}
}
