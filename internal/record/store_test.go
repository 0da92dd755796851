package record

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// readOnlyChild reads and opens a folder without write permission.
func readOnlyChild(args []string, _ *bufio.Scanner) error {
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			return err
		}
	}
	say := func(what string, err error) {
		if errors.Is(err, fs.ErrPermission) {
			err = errors.New("not permitted")
		}
		fmt.Printf("%s: %v\n", what, strings.ReplaceAll(fmt.Sprint(err), "\n", "; "))
	}
	e, err := ReadDir(args[0])
	if err == nil {
		_, err = readAll(e)
		err = errors.Join(err, e.Close())
	}
	say("read", err)
	_, err = Open(args[0], Options{})
	say("open", err)
	s, err := Open(args[0], Options{Part: "1of1"})
	if err == nil {
		err = errors.Join(s.Add(testRun(9), timingOf(testRun(9))))
	}
	say("part", err)
	return nil
}

// A read-only folder can be read. Opening it for writing returns an error.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux to change the user")
	}
	dir := t.TempDir()
	record(t, dir, Options{Part: "1of1"}, testRun(0))
	record(t, dir, Options{}, testRun(1))
	record(t, dir, Options{Part: "1of1"}, testRun(2))
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	folders := []string{dir, filepath.Join(dir, PartsFolder)}
	for _, folder := range folders {
		must(t, os.Chmod(folder, 0o555))
		defer os.Chmod(folder, 0o755)
	}
	before := filesOf(t, dir)
	c := startChild(t, "read-only", dir)
	if got := c.line(t); got != "read: <nil>" {
		t.Error(got)
	}
	for _, want := range []string{"open: not permitted", "part: not permitted"} {
		if got := c.line(t); got != want {
			t.Error(got)
		}
	}
	if got := filesOf(t, dir); !slices.Equal(got, before) {
		t.Errorf("the folder contains %q", got)
	}

	// An interrupted write cannot be undone without write permission.
	text, journal := interrupted(t, dir)
	writeFile(t, dir, DatabaseFile, text)
	writeFile(t, dir, DatabaseFile+"-journal", journal)
	if got := startChild(t, "read-only", dir).line(t); got == "read: <nil>" {
		t.Error("read a folder with an interrupted write")
	}
	os.Chmod(dir, 0o755)
	if _, err := readAll(readDir(t, dir)); err != nil {
		t.Error(err)
	}
}

// filesHeld returns the files of a folder that are open in this process.
func filesHeld(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("the system does not list open files")
	}
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(name, dir) {
			names = append(names, name)
		}
	}
	return names
}

// Close leaves no open file and no lock. Neither does a failed Open.
func TestFilesAreClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, Options{}, testRuns(5)...)
	record(t, dir, Options{Part: "1of1"}, testRuns(9)...)
	for range 2 {
		e, err := ReadDir(dir)
		must(t, err)
		if _, err := readAll(e); err != nil {
			t.Fatal(err)
		}
		must(t, e.Close())
		record(t, dir, Options{}, testRuns(9)...)
		record(t, dir, Options{Part: "1of1"}, testRuns(9)...)
	}
	writeFile(t, dir, filepath.Join(PartsFolder, "x.jsonl"), string(Seal([]byte(`{"run":{"schema":3,"new":1},"timing":{}}`)))+"\n")
	wantSchemaError(t, dir, 3)
	spoil(t, dir, "UPDATE times SET crc = crc + 1")
	os.RemoveAll(filepath.Join(dir, PartsFolder))
	record(t, dir, Options{}, testRuns(9)...)
	if held := filesHeld(t, dir); len(held) > 0 {
		t.Errorf("open files: %q", held)
	}
}

// Concurrent additions lose no runs if the disk is slow.
func TestAddWhileTheDiskIsSlow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	db, err := openDatabase(filepath.Join(dir, DatabaseFile), true)
	must(t, err)
	defer db.Close()
	tx, err := db.Begin() // blocks other writers
	must(t, err)
	const workers, each = 8, 200 // more than fit into the queue
	var adding sync.WaitGroup
	var added atomic.Int64
	some := make(chan struct{})
	for w := range workers {
		adding.Go(func() {
			for i := range each {
				r := testRun(w*each + i)
				if err := s.Add(r, timingOf(r)); err != nil {
					t.Error(err)
				}
				if added.Add(1) == 100 {
					close(some)
				}
			}
		})
	}
	<-some
	must(t, tx.Rollback())
	adding.Wait()
	closeStore(t, s)
	if n, err := readAll(readDir(t, dir)); n != workers*each || err != nil {
		t.Errorf("read %d runs, %v", n, err)
	}
}

// After a failed write, Add does not block and returns an error, and Close reports the error once.
func TestFailedWrite(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"", "1of1"} {
		for what, spoilFolder := range map[string]func(dir string) error{
			"removed": os.RemoveAll,
			"renamed": func(dir string) error { return os.Rename(dir, dir+"-moved") },
			"replaced": func(dir string) error {
				return errors.Join(os.Rename(dir, dir+"-moved"), os.CopyFS(dir, os.DirFS(dir+"-moved")))
			},
		} {
			dir := filepath.Join(t.TempDir(), "results")
			s := open(t, dir, Options{Part: part})
			add(t, s, testRun(0))
			for written := 0; written == 0; time.Sleep(time.Millisecond) {
				e := readDir(t, dir)
				written = len(e.Runs)
				closeStore(t, e)
			}
			must(t, spoilFolder(dir))
			const workers, each = 4, 300 // more than fit into the queue
			failed := make([]error, workers)
			var adding sync.WaitGroup
			for w := range workers {
				adding.Go(func() {
					for i := range each {
						r := testRun(1 + w*each + i)
						failed[w] = errors.Join(failed[w], s.Add(r, timingOf(r)))
					}
				})
			}
			adding.Wait()
			err := s.Close()
			if err == nil || strings.Count(err.Error(), "cannot write") != 1 {
				t.Errorf("part %q, %s: the error is not reported once: %v", part, what, err)
			}
			if part != "" && failed[0] == nil {
				t.Errorf("part %q, %s: no addition failed", part, what)
			}
			if err := s.Close(); err != nil {
				t.Errorf("part %q, %s: second Close: %v", part, what, err)
			}
			if err := s.Add(testRun(0), Timing{}); err == nil {
				t.Errorf("part %q, %s: a run was added to a closed folder", part, what)
			}
			if what == "renamed" {
				if n, err := readAll(readDir(t, dir+"-moved")); n != 1 || err != nil {
					t.Errorf("part %q: the renamed folder has %d runs, %v", part, n, err)
				}
			}
		}
	}
}

// SetPlan removes the plan of the parts, including temporary files of killed shards.
func TestPlanOfKilledShards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{PartsPlanFile, "." + PartsPlanFile + ".tmp1"} {
		writeFile(t, dir, filepath.Join(PartsFolder, name), "")
	}
	s := open(t, dir, Options{})
	must(t, s.SetPlan(nil))
	if left := filesOf(t, filepath.Join(dir, PartsFolder)); len(left) > 0 {
		t.Errorf("the folder contains %q", left)
	}
}
