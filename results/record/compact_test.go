package record

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childMode names, in the environment, what a child process of the tests does.
const childMode = "STOCHOPT_RESULTS_TEST_CHILD"

func TestMain(m *testing.M) {
	mode, dir, _ := strings.Cut(os.Getenv(childMode), ":")
	var err error
	switch mode {
	case "":
		os.Exit(m.Run())
	case "hold":
		err = childHold(dir)
	case "append":
		err = childAppend(dir)
	default:
		err = childCompact(mode, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child(t *testing.T, mode, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childMode+"="+mode+":"+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

func killed(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

func childHold(dir string) error {
	if _, err := Open(dir, Options{}); err != nil {
		return err
	}
	fmt.Println("open")
	time.Sleep(time.Minute)
	return nil
}

func TestLockOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := child(t, "hold", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("the child did not open the store")
	}
	for _, o := range []Options{{}, {Shared: true}} {
		_, err = Open(dir, o)
		wantError(t, err, "is in use by process ")
	}
	if e, err := ReadDir(dir); err != nil || len(e.Runs) != 0 {
		t.Errorf("reading needs no lock, but gives %v", err)
	}
	cmd.Process.Kill()
	if err := cmd.Wait(); !killed(err) {
		t.Fatalf("the child ended with %v", err)
	}
	// A kill leaves no lock behind.
	open(t, dir, Options{})
}

// childAppend appends runs from four workers, says so on stdout, and compacts
// now and then, until it is killed.
func childAppend(dir string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	errs := make(chan error)
	for w := range 4 {
		j, err := s.Writer()
		if err != nil {
			return err
		}
		go func() {
			for i := w; ; i += 4 {
				if _, ok := s.Lookup(testRun(i).Key, testRun(i).Extent); !ok {
					if err := j.Append(testRun(i), testTiming(i)); err != nil {
						errs <- err
					}
				}
				fmt.Println(i)
				if w == 0 && i%40 == 0 {
					// Every other time half of the plan moves to the archive.
					var plan []int
					for n := range 200 {
						if i%80 == 0 || n%2 == 0 {
							plan = append(plan, n)
						}
					}
					if err := s.Compact(planOf(plan...)); err != nil {
						errs <- err
					}
				}
			}
		}()
	}
	return <-errs
}

func TestKillWhileAppending(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	stored := map[int]bool{}
	for round := range 6 {
		cmd := child(t, "append", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(60+37*round)*time.Millisecond, func() { cmd.Process.Kill() })
		for lines := bufio.NewReader(out); ; {
			// A line cut by the kill says nothing.
			text, err := lines.ReadString('\n')
			if err != nil {
				break
			}
			i, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				t.Fatal(err)
			}
			stored[i] = true
		}
		if err := cmd.Wait(); !killed(err) {
			t.Fatalf("the child ended with %v", err)
		}
		s := open(t, dir, Options{})
		if w := s.Warnings(); len(w) > 0 {
			t.Fatalf("round %d: warnings %q", round, w)
		}
		for i := range stored {
			if r, ok := s.Lookup(testRun(i).Key, testRun(i).Extent); !ok || differ(r, testRun(i)) {
				t.Fatalf("round %d: run %d was stored and is lost", round, i)
			}
		}
		s.Close()
	}
	if len(stored) < 10 {
		t.Fatalf("only %d runs were stored", len(stored))
	}
}

// oldPlan and newPlan have runs in common, runs that enter the archive, runs
// that leave it, and runs that are in the journals only.
var (
	oldPlan = []int{0, 1, 2, 3, 9}
	newPlan = []int{7, 5, 3, 1, 2, 8, 9}
)

// prepare leaves runs 0-3 in RunsFile beside a failed 9, 4-5 in ArchiveFile,
// and 6-8 in journals beside a repaired 9.
func prepare(t *testing.T, dir string) {
	t.Helper()
	s := open(t, dir, Options{})
	appendRuns(t, s, testRun(0), testRun(1), testRun(2), testRun(3), testRun(4), testRun(5), failedRun(9, "out of memory"))
	if err := s.Compact(planOf(oldPlan...)); err != nil {
		t.Fatal(err)
	}
	appendRuns(t, s, testRun(6), testRun(7))
	appendRuns(t, s, testRun(8), testRun(9))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// snapshot holds the contents of a compacted folder.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range files(t, dir) {
		out[name] = readFile(t, dir, name)
	}
	return out
}

func childCompact(point, dir string) error {
	n, err := strconv.Atoi(point)
	if err != nil {
		return err
	}
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	s.at = func(string) error {
		if n--; n < 0 {
			self, err := os.FindProcess(os.Getpid())
			if err != nil {
				return err
			}
			return self.Kill()
		}
		return nil
	}
	return s.Compact(planOf(newPlan...))
}

// compactPoints lists the points of Compact after prepare.
func compactPoints(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	prepare(t, dir)
	s := open(t, dir, Options{})
	var points []string
	s.at = func(p string) error { points = append(points, p); return nil }
	if err := s.Compact(planOf(newPlan...)); err != nil {
		t.Fatal(err)
	}
	return points
}

func wantCompacted(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	prepare(t, dir)
	s := open(t, dir, Options{})
	if err := s.Compact(planOf(newPlan...)); err != nil {
		t.Fatal(err)
	}
	want := snapshot(t, dir)
	if got, expect := want[RunsFile], lines(t, testRun(7), testRun(5), testRun(3), testRun(1), testRun(2), testRun(8), testRun(9)); got != expect {
		t.Fatalf("runs are\n%s\nwant\n%s", got, expect)
	}
	if got := strings.Count(want[ArchiveFile], "\n"); got != 3 {
		t.Fatalf("%d runs archived, want 3 (0, 4 and 6)", got)
	}
	if got := strings.Count(want[TimingsFile], "\n"); got != 10 {
		t.Fatalf("%d timings, want 10", got)
	}
	if len(want) != 4 {
		t.Fatalf("files %v", files(t, dir))
	}
	return want
}

// checkIntact tests that a folder where Compact was stopped has all runs, and
// that compacting it gives what it would have given without the interruption.
func checkIntact(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	e, err := ReadDir(dir)
	if err != nil || len(e.Warnings) > 0 {
		t.Fatalf("reading gives %v, %v", err, e)
	}
	// Readers find the whole of one plan or of the other.
	var keys []string
	for _, r := range e.Runs {
		if r.Status != StatusFinished {
			t.Errorf("%s is %s", r.Name(), r.Status)
		}
		keys = append(keys, r.Key)
	}
	keysOf := func(plan []ID) (keys []string) {
		for _, id := range plan {
			keys = append(keys, id.Key)
		}
		return keys
	}
	if !reflect.DeepEqual(keys, keysOf(planOf(oldPlan...))) && !reflect.DeepEqual(keys, keysOf(planOf(newPlan...))) {
		t.Errorf("read the runs %q", keys)
	}
	if n := len(e.Completed()); n != 10 {
		t.Errorf("%d completed runs, want 10", n)
	}
	s := open(t, dir, Options{})
	defer s.Close()
	if w := s.Warnings(); len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
	for i := range 10 {
		if r, ok := s.Lookup(testRun(i).Key, testRun(i).Extent); !ok || differ(r, testRun(i)) {
			t.Errorf("run %d is lost", i)
		}
		if !s.records.get(testRun(i).ref()).timed {
			t.Errorf("the timing of run %d is lost", i)
		}
	}
	for range 2 {
		if err := s.Compact(planOf(newPlan...)); err != nil {
			t.Fatal(err)
		}
		if got := snapshot(t, dir); !reflect.DeepEqual(got, want) {
			t.Errorf("compacted to %v, want %v", got, want)
		}
	}
}

func TestKillWhileCompacting(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	want := wantCompacted(t)
	points := compactPoints(t)
	if len(points) < 10 {
		t.Fatalf("points %q", points)
	}
	for i, name := range points {
		t.Run(fmt.Sprintf("%d %s", i, name), func(t *testing.T) {
			dir := t.TempDir()
			prepare(t, dir)
			if err := child(t, strconv.Itoa(i), dir).Run(); !killed(err) {
				t.Fatalf("the child ended with %v", err)
			}
			checkIntact(t, dir, want)
		})
	}
}

func TestErrorWhileCompacting(t *testing.T) {
	t.Parallel()
	want := wantCompacted(t)
	for i, name := range compactPoints(t) {
		t.Run(fmt.Sprintf("%d %s", i, name), func(t *testing.T) {
			dir := t.TempDir()
			prepare(t, dir)
			s := open(t, dir, Options{})
			n := i
			s.at = func(string) error {
				if n--; n < 0 {
					return syscall.ENOSPC
				}
				return nil
			}
			if err := s.Compact(planOf(newPlan...)); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("got %v", err)
			}
			for _, f := range files(t, dir) {
				if strings.HasPrefix(f, ".") {
					t.Errorf("%s is left", f)
				}
			}
			// The same store can try again, after the plan was changed back.
			s.at = nil
			if i%2 == 0 {
				if err := s.Compact(planOf(oldPlan...)); err != nil {
					t.Fatal(err)
				}
			}
			s.Close()
			checkIntact(t, dir, want)
		})
	}
}

func TestAppendAfterCompact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	j, err := s.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := j.Append(testRun(i), testTiming(i)); err != nil {
			t.Fatal(err)
		}
		if err := s.Compact(planOf(0, 1, 2)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Append(testRun(3), testTiming(3)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got, want := readFile(t, dir, RunsFile), lines(t, testRun(0), testRun(1), testRun(2)); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
	s = open(t, dir, Options{})
	if n := len(s.Runs(planOf(0, 1, 2, 3))); n != 4 {
		t.Errorf("%d runs, want 4", n)
	}
}

func TestCompactAppliesLabels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	appendRuns(t, s, testRun(0), testRun(1))
	id := func(i int, l Labels) ID { return ID{Key: testRun(i).Key, Extent: testRun(i).Extent, Labels: l} }
	a, b := Labels{Dataset: "A", Group: "g", Series: "new"}, Labels{Dataset: "B", Series: "new"}
	plan := []ID{id(0, a), id(0, b), id(1, Labels{}), id(0, a)}
	if err := s.Compact(plan); err != nil {
		t.Fatal(err)
	}
	r, q := testRun(0), testRun(0)
	r.Dataset, r.Group, r.Series = "A", "g", "new"
	q.Dataset, q.Group, q.Series = "B", "", "new"
	want := lines(t, r, q, testRun(1))
	if got := readFile(t, dir, RunsFile); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
	s.Close()
	s = open(t, dir, Options{})
	if w := s.Warnings(); len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
	if err := s.Compact(plan); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, dir, RunsFile); got != want {
		t.Errorf("again, runs are\n%s\nwant\n%s", got, want)
	}
	if got := strings.Count(readFile(t, dir, TimingsFile), "\n"); got != 2 {
		t.Errorf("%d timings, want 2", got)
	}
	e, err := ReadDir(dir)
	if err != nil || len(e.Runs) != 3 || len(e.Warnings) > 0 {
		t.Errorf("read %d runs, %v, %q", len(e.Runs), err, e.Warnings)
	}
}

func TestOpenRemovesLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{".plan.jsonl985200309101", ".runs.jsonl123456789", ".archive.jsonl4123456789", ".write.test985200309101", ".runs.jsonl.bak", "notes"} {
		writeFile(t, dir, name, "half a li")
	}
	for _, o := range []Options{{Shared: true}, {Beside: true}} {
		open(t, dir, o).Close()
		if n := len(files(t, dir)); n != 6 {
			t.Errorf("%+v: files of others were removed: %v", o, files(t, dir))
		}
	}
	open(t, dir, Options{})
	if got, want := files(t, dir), []string{".runs.jsonl.bak", "notes"}; !reflect.DeepEqual(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}
