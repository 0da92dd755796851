package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stochopt/results/record"
)

const longRuns = `version: 1
name: long
title: A few long runs
task: pca
seed: 7
budget: {iterations: 80000}
record: {points: 20}
datasets:
  - {id: gauss, source: simulated-gaussian, with: {dim: 24, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: 0.25}, with: {iterate: [last, sample]}}
  - {id: warmuth-kuzmin, step: {c: 1}}
`

var goesOn = regexp.MustCompile(`goes on at iteration ([0-9,]+)`)

// A run that is ended or killed on its way goes on, in another process, where it was saved,
// and ends with the same bytes.
func TestRunsGoOnWhereTheyWereSaved(t *testing.T) {
	t.Parallel()
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("runs the experiment many times, and sends signals")
	}
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "long.yaml"), longRuns)
	if o := stochopt(t, dir, "run", spec, "--out", "whole", "--checkpoint", "0"); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	want := read(t, dir, "whole", "long", "runs.jsonl")
	for name, stop := range map[string]syscall.Signal{"kill": syscall.SIGKILL, "terminate": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(dir, name, "long")
			far := map[string]int{}
			for attempt := range 40 {
				began := time.Now()
				cmd := command(t, dir, "run", spec, "--out", name, "-j", "2", "--checkpoint", "50ms")
				done, stderr := stoppedOnce(t, cmd, stop, func() bool { return attempt < 5 && savedSince(folder, began) })
				for line := range strings.Lines(stderr) {
					if m := goesOn.FindStringSubmatchIndex(line); m != nil {
						at, _ := strconv.Atoi(strings.ReplaceAll(line[m[2]:m[3]], ",", ""))
						if run := line[:m[0]]; at < far[run] {
							t.Errorf("%sgoes on at %d, and had come to %d before", run, at, far[run])
						} else {
							far[run] = at
						}
					}
				}
				if done {
					break
				}
				if o := stochopt(t, dir, "status", folder); !strings.Contains(o.stdout, " saved on their way") {
					t.Errorf("status does not tell of saved runs: %s", o.stdout)
				}
			}
			if len(far) == 0 {
				t.Error("no run went on where it was saved; make them longer")
			}
			if got := read(t, folder, "runs.jsonl"); got != want {
				t.Error("the records differ from those of an uninterrupted run")
			}
			if parts := strings.Count(read(t, folder, record.TimingsFile), `"parts":`); parts < len(far) {
				t.Errorf("%d timings say that they are of several parts, of %d runs", parts, len(far))
			}
			if left, err := os.ReadDir(filepath.Join(folder, record.CheckpointsFolder)); err == nil {
				t.Errorf("checkpoints are left: %v", left)
			}
			if o := stochopt(t, dir, "verify", folder, "--sample", "1"); o.code != 0 {
				t.Errorf("verify: exit %d: %s%s", o.code, o.stdout, o.stderr)
			}
		})
	}
}

// savedSince reports whether a checkpoint was written since a time.
func savedSince(folder string, since time.Time) bool {
	files, _ := filepath.Glob(filepath.Join(folder, record.CheckpointsFolder, "*"+record.CheckpointSuffix))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.ModTime().After(since) {
			return true
		}
	}
	return false
}
