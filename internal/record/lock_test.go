package record

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// wantLocked checks that a folder cannot be opened for writing and that the attempt changes no files.
func wantLocked(t *testing.T, dir string, holder Holder) {
	t.Helper()
	before := filesOf(t, dir)
	s, err := Open(dir, Options{})
	if err == nil {
		s.Close()
	}
	locked := wantType[*LockedError](t, err)
	if locked.Path != filepath.Join(dir, LockFile) || locked.Holder.Host != holder.Host || locked.Holder.Process != holder.Process {
		t.Fatalf("the error is %v, want one of the holder %+v", err, holder)
	}
	wantNamed(t, err, "remove "+locked.Path)
	if got := filesOf(t, dir); !slices.Equal(got, before) {
		t.Errorf("the folder has %q, before %q", got, before)
	}
}

func writeLock(t *testing.T, dir, name string, h Holder) {
	t.Helper()
	text, err := json.Marshal(h)
	must(t, err)
	writeFile(t, dir, name, string(text))
}

// deadHolder returns a process on this machine that has ended.
func deadHolder(t *testing.T) Holder {
	t.Helper()
	c := startChild(t, "lock")
	h := Holder{Host: hostname(), Process: c.Process.Pid}
	c.kill()
	return h
}

// A folder has one writer. Readers and parts need no lock.
func TestLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	add(t, s, testRun(0))
	wantLocked(t, dir, Holder{Host: hostname(), Process: os.Getpid()})
	record(t, dir, Options{Part: "1of1"}, testRun(1))
	closeStore(t, s)
	wantRuns(t, dir, testRun(0), testRun(1))
	if got := filesOf(t, dir); slices.Contains(got, LockFile) {
		t.Errorf("after Close, the folder has %q", got)
	}

	c := startChild(t, "add", dir, "")
	c.line(t)
	wantLocked(t, dir, Holder{Host: hostname(), Process: c.Process.Pid})
	c.kill()
	record(t, dir, Options{}) // takes over the lock
	if got := filesOf(t, dir); !slices.Equal(got, []string{PartsFolder, DatabaseFile}) {
		t.Errorf("after takeover and Close, the folder has %q", got)
	}
}

// A lock is kept unless its holder is known to have ended.
func TestForeignLocks(t *testing.T) {
	t.Parallel()
	dead := deadHolder(t)
	dir := t.TempDir()
	other := Holder{Host: "another-host", Process: dead.Process}
	writeLock(t, dir, LockFile, other)
	wantLocked(t, dir, other)
	for _, content := range []string{"", "{", "[]", strings.Repeat(" ", 5000) + "{}", `{"host":"` + hostname() + `","process":-1}`} {
		writeFile(t, dir, LockFile, content)
		var h Holder
		json.Unmarshal([]byte(content), &h)
		wantLocked(t, dir, h)
		if readFile(t, dir, LockFile) != content {
			t.Errorf("the lock %q was changed", content)
		}
	}
	path := filepath.Join(dir, LockFile)
	for what, put := range map[string]func() error{
		"a folder": func() error { return os.Mkdir(path, 0o755) },
		"a pipe":   func() error { return syscall.Mkfifo(path, 0o644) },
		"a link":   func() error { return os.Symlink("nowhere", path) },
	} {
		os.Remove(path)
		must(t, put())
		t.Run(what, func(t *testing.T) { wantLocked(t, dir, Holder{}) })
	}
}

// A process that has ended may have had the same id as this process.
func TestLockOfAnEarlierProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeLock(t, dir, LockFile, Holder{hostname(), os.Getpid(), processStart.Add(-time.Minute)})
	record(t, dir, Options{}, testRun(0))
	wantRuns(t, dir, testRun(0))
}

// Close does not remove a lock that replaced its own.
func TestUnlockLeavesLocksOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	other := Holder{Host: "another-host", Process: 1}
	writeLock(t, dir, LockFile, other)
	closeStore(t, s)
	wantLocked(t, dir, other)
}

// If several processes find a stale lock, exactly one takes it over.
func TestOneTakesOver(t *testing.T) {
	t.Parallel()
	const rounds, contenders = 24, 4
	dead := deadHolder(t)
	var children []*child
	for range contenders {
		children = append(children, startChild(t, "lock"))
	}
	for round := range rounds {
		dir := t.TempDir()
		if round%4 > 0 {
			writeLock(t, dir, LockFile, dead)
		}
		if round%4 > 2 { // a process ended during a takeover
			writeLock(t, dir, LockFile+".takeover", dead)
		}
		for _, c := range children {
			fmt.Fprintln(c.in, dir)
		}
		won := 0
		for _, c := range children {
			switch answer := c.line(t); answer {
			case "won":
				won++
			case "lost":
			default:
				t.Error(answer)
			}
		}
		if won != 1 {
			t.Fatalf("round %d: %d of %d processes have the lock", round, won, contenders)
		}
		if got := filesOf(t, dir); !slices.Equal(got, []string{LockFile}) {
			t.Errorf("the folder contains %q", got)
		}
	}
}
