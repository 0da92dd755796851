package record

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stochopt/internal/lease"
)

// journals lists those of a folder, and leases those that are held or left.
func journals(t *testing.T, dir string) (journals, leases []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch {
		case isJournal(e.Name()):
			journals = append(journals, e.Name())
		case filepath.Ext(e.Name()) == ".lease":
			leases = append(leases, e.Name())
		}
	}
	return journals, leases
}

// foreignLease writes the lease of a process on another machine that was renewed so long ago.
func foreignLease(t *testing.T, dir, stem string, ago time.Duration) string {
	t.Helper()
	text, err := json.Marshal(lease.Holder{Host: "far", PID: 7, Boot: "another boot", Nonce: "n"})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, stem+".lease", string(text))
	path := filepath.Join(dir, stem+".lease")
	at := time.Now().Add(-ago)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

// A part is held by one process at a time, and the others are left alone.
func TestPartsAreHeldOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := open(t, dir, Options{Shared: true, Part: "task1-ab"})
	open(t, dir, Options{Shared: true, Part: "task2-cd"})
	_, err := Open(dir, Options{Shared: true, Part: "task1-ab"})
	var busy *BusyError
	if !errors.As(err, &busy) || busy.Part != "task1-ab" || busy.Holder.Part != "task1-ab" || !busy.Holder.Here {
		t.Errorf("a part that is held: %v", err)
	}
	_, err = Open(dir, Options{})
	if !errors.As(err, &busy) || busy.Part != "" {
		t.Errorf("a folder with parts that are held: %v", err)
	}
	appendRuns(t, a, testRun(0))
	a.Close()
	a = open(t, dir, Options{Shared: true, Part: "task1-ab"})
	appendRuns(t, a, testRun(1))
	names, leases := journals(t, dir)
	if want := []string{"journal-task1-ab-1.jsonl", "journal-task1-ab-2.jsonl"}; !slices.Equal(names, want) {
		t.Errorf("journals %v, want %v", names, want)
	}
	if want := []string{"journal-task1-ab-1.lease", "journal-task1-ab-2.lease", "journal-task2-cd-1.lease"}; !slices.Equal(leases, want) {
		t.Errorf("leases %v, want %v", leases, want)
	}
	for _, bad := range []string{"whole", "a.b", "../x", "A", "a b"} {
		if _, err := Open(dir, Options{Shared: true, Part: bad}); err == nil || !strings.Contains(err.Error(), "cannot be named") {
			t.Errorf("part %q: %v", bad, err)
		}
	}
}

// Who compacts beside those that work on takes what they have recorded, and removes the
// journals of those that have ended, but none that a living process writes.
func TestCompactBesideLivingParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ended := open(t, dir, Options{Shared: true, Part: "ended"})
	appendRuns(t, ended, testRun(0))
	ended.Close()
	living := open(t, dir, Options{Shared: true, Part: "living"})
	j, err := living.Writer()
	if err != nil {
		t.Fatal(err)
	}
	put := func(i int) {
		t.Helper()
		if err := j.Append(testRun(i), testTiming(i)); err != nil {
			t.Fatal(err)
		}
	}
	put(1)
	// Half a line of a living process is not there yet, and one with a hole is not damage to
	// be put aside: it may be that this machine does not see all of it.
	far := foreignLease(t, dir, "journal-far-1", 0)
	writeFile(t, dir, "journal-far-1.jsonl", journalLine(t, testRun(2), testTiming(2))+"\x00\x00\x00\x00\n"+journalLine(t, testRun(3), testTiming(3))[:50])

	plan := planOf(0, 1, 2, 3, 4)
	s := open(t, dir, Options{Beside: true, Job: Job{"12", 0}})
	var busy *BusyError
	for _, o := range []Options{{Beside: true}, {Beside: true, Job: Job{"12", 1}}, {}} {
		if _, err := Open(dir, o); !errors.As(err, &busy) {
			t.Errorf("beside who compacts, %+v: %v", o, err)
		}
	}
	started := open(t, dir, Options{Shared: true, Part: "started"}) // meanwhile
	appendRuns(t, started, testRun(4))
	if err := s.Compact(plan); err != nil {
		t.Fatal(err)
	}
	if got, want := readFile(t, dir, RunsFile), lines(t, testRun(0), testRun(1), testRun(2)); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
	names, _ := journals(t, dir)
	if want := []string{"journal-far-1.jsonl", "journal-living-1.jsonl", "journal-started-1.jsonl"}; !slices.Equal(names, want) {
		t.Errorf("journals %v, want %v", names, want)
	}
	if slices.Contains(files(t, dir), DamagedFile) {
		t.Error("what a living process writes was put aside")
	}
	s.Close()

	// They go on, as if nothing had been.
	put(3)
	living.Close()
	started.Close()
	s = open(t, dir, Options{Beside: true})
	if err := s.Compact(plan); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(plan); err != nil { // which changes nothing
		t.Fatal(err)
	}
	s.Close()
	if got, want := readFile(t, dir, RunsFile), lines(t, testRun(0), testRun(1), testRun(2), testRun(3), testRun(4)); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
	if _, err := Open(dir, Options{}); !errors.As(err, &busy) || busy.Holder.Part != "far" || !strings.Contains(err.Error(), "process 7 on far, which was last heard of ") {
		t.Errorf("who wants the folder alone: %v", err)
	}
	// Once it has not been heard of for long, it is dead.
	at := time.Now().Add(-lease.Expiry - time.Minute)
	if err := os.Chtimes(far, at, at); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	if err := s.Compact(plan); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if names, leases := journals(t, dir); len(names)+len(leases) > 0 {
		t.Errorf("left are %v and %v", names, leases)
	}
	if got := strings.Count(readFile(t, dir, DamagedFile), "\n"); got != 1 {
		t.Errorf("%d damaged lines are kept, want 1", got)
	}
}

// A process that stood still until it was taken for dead, and its journal for nobody's, goes
// on in a new one, and no record is lost: nor is the one that it was writing meanwhile.
func TestTakenForDead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"its part is free", "its part is held", "while it writes"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			a := open(t, dir, Options{Shared: true, Part: "a"})
			j, err := a.Writer()
			if err != nil {
				t.Fatal(err)
			}
			if err := j.Append(testRun(0), testTiming(0)); err != nil {
				t.Fatal(err)
			}
			plan := planOf(0, 1, 2)
			collect := func() {
				t.Helper()
				h, err := allHolders(dir)
				if err != nil || len(h) != 1 {
					t.Fatalf("%+v, %v", h, err)
				}
				if err := h[0].Break(); err != nil { // as who opens it after Expiry does
					t.Fatal(err)
				}
				s := open(t, dir, Options{Beside: true})
				if err := s.Compact(plan); err != nil {
					t.Fatal(err)
				}
				s.Close()
				if names, _ := journals(t, dir); len(names) > 0 {
					t.Fatalf("journals %v", names)
				}
			}
			switch name {
			case "while it writes":
				a.wrote = func() {
					a.wrote = nil
					collect()
				}
			default:
				collect()
			}
			if name == "its part is held" {
				open(t, dir, Options{Shared: true, Part: "a"})
			}
			for i := 1; i < 3; i++ {
				if err := j.Append(testRun(i), testTiming(i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			late, err := Await(t.Context(), dir, 0)
			if err != nil || len(late) > 0 {
				t.Errorf("late: %v, %v", late, err)
			}
			s := open(t, dir, Options{Beside: true})
			if err := s.Compact(plan); err != nil {
				t.Fatal(err)
			}
			if got, want := readFile(t, dir, RunsFile), lines(t, testRun(0), testRun(1), testRun(2)); got != want {
				t.Errorf("runs are\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Who has the folder to itself and is taken for dead stops.
func TestWholeTakenForDead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	j, err := s.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(testRun(0), testTiming(0)); err != nil {
		t.Fatal(err)
	}
	s.at = func(point string) error {
		if point != "before renaming "+RunsFile {
			return nil
		}
		h, err := allHolders(dir)
		if err != nil || len(h) != 1 || h[0].Part != wholePart {
			t.Fatalf("%+v, %v", h, err)
		}
		if err := h[0].Break(); err != nil {
			t.Fatal(err)
		}
		other := open(t, dir, Options{})
		appendRuns(t, other, testRun(1))
		return other.Compact(planOf(0, 1))
	}
	wantError(t, s.Compact(planOf(0)), "another process has taken it for dead")
	if got, want := readFile(t, dir, RunsFile), lines(t, testRun(0), testRun(1)); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
	wantError(t, j.Append(testRun(0), testTiming(0)), "another process has taken it for dead")
	wantError(t, s.Compact(planOf(0)), "another process has taken it for dead")
}

// The same run in the journals of two processes is there once.
func TestARunThatTwoHaveMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := open(t, dir, Options{Shared: true, Part: "a", Job: Job{"12_4", 0}})
	// The batch system has started the job again, while its former self still writes.
	b := open(t, dir, Options{Shared: true, Part: "a", Job: Job{"12_4", 1}})
	appendRuns(t, a, testRun(0), testRun(1))
	appendRuns(t, b, testRun(0), failedRun(1, "no luck"), testRun(2))
	a.Close()
	b.Close()
	s := open(t, dir, Options{})
	if w := s.Warnings(); len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
	if err := s.Compact(planOf(0, 1, 2)); err != nil {
		t.Fatal(err)
	}
	if got, want := readFile(t, dir, RunsFile), lines(t, testRun(0), testRun(1), testRun(2)); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
}
