package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A file system that shows what others have written bit by bit, and late, is waited for.
func TestAwaitsWhatIsLate(t *testing.T) {
	t.Parallel()
	there, here := t.TempDir(), t.TempDir()
	s := open(t, there, Options{Shared: true, Part: "task1"})
	appendRuns(t, s, testRun(0), testRun(1))
	s.Close()
	const journal, mark = "journal-task1-1.jsonl", "journal-task1-1.lease"
	text := readFile(t, there, journal)
	zeros := strings.Repeat("\x00", len(text)-100)
	// What is to be seen at each look after the first.
	writeFile(t, here, mark, readFile(t, there, mark))
	looks := []func(){
		func() {},
		func() { writeFile(t, here, journal, "") },
		func() { writeFile(t, here, journal, text[:100]) },
		func() { writeFile(t, here, journal, text[:100]+zeros) },
		func() { writeFile(t, here, journal, text+text) }, // more than was promised is no harm
		func() { t.Error("it was all there"); t.FailNow() },
	}
	look := 0
	wait := func(time.Duration) bool { looks[look](); look++; return true }
	late, err := await(context.Background(), here, wait)
	if err != nil || len(late) > 0 || look != 5 {
		t.Errorf("after %d looks %v, %v", look, late, err)
	}

	// In the end it goes on with what is there, and says what is missing.
	for want, spoil := range map[string]func(){
		"journal-task1-1.jsonl of task1, written by process ": func() {},
		"is not to be seen here as it was written: 100 B of ": func() { writeFile(t, here, journal, text[:100]) },
	} {
		if err := os.Remove(filepath.Join(here, journal)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		spoil()
		late, err := await(context.Background(), here, func(time.Duration) bool { return false })
		if err != nil || len(late) != 1 || !strings.Contains(late[0].String(), want) {
			t.Errorf("late %v, %v; want %q", late, err, want)
		}
	}
	if late, err := Await(context.Background(), here, 0); err != nil || len(late) != 1 || late[0].Holder.PID != os.Getpid() {
		t.Errorf("late %+v, %v", late, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Await(ctx, here, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	// Who works is not waited for, nor is what was compacted.
	open(t, here, Options{Shared: true, Part: "task3"})
	writeFile(t, here, journal, text)
	c := open(t, here, Options{Beside: true})
	if err := c.Compact(planOf(0, 1)); err != nil {
		t.Fatal(err)
	}
	if late, err := Await(context.Background(), here, 0); err != nil || len(late) > 0 {
		t.Errorf("late %v, %v", late, err)
	}
	if got, want := readFile(t, here, RunsFile), lines(t, testRun(0), testRun(1)); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
	writeFile(t, here, "journal-x-1.lease", `{"ended": true, "files": [{"file": "../journal-y.jsonl", "bytes": 3}]}`)
	if _, err := Await(context.Background(), here, 0); err == nil || !strings.Contains(err.Error(), "which is no journal") {
		t.Errorf("a mark that leads out of the folder: %v", err)
	}
}
