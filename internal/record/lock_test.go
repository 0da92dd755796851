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

// wantLocked checks that a folder cannot be opened for writing, and that this changes nothing.
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

// deadHolder returns a process of this machine that has ended.
func deadHolder(t *testing.T) Holder {
	t.Helper()
	c := startChild(t, "lock")
	h := Holder{Host: hostname(), Process: c.Process.Pid}
	c.kill()
	return h
}

// A folder has one writer. Readers and parts do not need the lock.
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
		t.Errorf("closed, the folder has %q", got)
	}

	c := startChild(t, "add", dir, "")
	c.line(t)
	wantLocked(t, dir, Holder{Host: hostname(), Process: c.Process.Pid})
	c.kill()
	record(t, dir, Options{}) // that of a process that has ended is taken over
	if got := filesOf(t, dir); !slices.Equal(got, []string{PartsFolder, DatabaseFile}) {
		t.Errorf("taken over and closed, the folder has %q", got)
	}
}

// A lock that cannot be shown to be that of a process that has ended is left alone.
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

// The number of a process that has ended may be that of this one.
func TestLockOfAnEarlierProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeLock(t, dir, LockFile, Holder{hostname(), os.Getpid(), began.Add(-time.Minute)})
	record(t, dir, Options{}, testRun(0))
	wantRuns(t, dir, testRun(0))
}

// Whoever has removed a lock, and perhaps made another, keeps that.
func TestUnlockLeavesLocksOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	other := Holder{Host: "another-host", Process: 1}
	writeLock(t, dir, LockFile, other)
	closeStore(t, s)
	wantLocked(t, dir, other)
}

// Of several processes that find the lock of a process that has ended, one takes it over.
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
		if round%4 > 2 { // one that was taking over has ended too
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
			t.Errorf("left are %q", got)
		}
	}
}
