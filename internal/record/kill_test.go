package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// killDuring starts a child process and kills it some time after its first output. It returns the
// numbers that the child printed.
func killDuring(t *testing.T, after time.Duration, role string, args ...string) (printed []int) {
	t.Helper()
	c := startChild(t, role, args...)
	read := make(chan string)
	go func() {
		defer close(read)
		for c.out.Scan() {
			read <- c.out.Text()
		}
	}()
	var kill <-chan time.Time
	for {
		select {
		case text, ok := <-read:
			if !ok {
				c.kill()
				return printed
			}
			if n, err := strconv.Atoi(text); err == nil {
				printed = append(printed, n)
			} else if text != "ready" {
				t.Error(text)
			}
			if kill == nil {
				kill = time.After(after)
			}
		case <-kill:
			c.Process.Kill()
		}
	}
}

// After a kill the folder is intact. The database has the first of the added runs, a part has all of
// them. Adding the missing runs gives the same bytes as one uninterrupted process.
func TestKilledWhileAdding(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"", "1of1"} {
		t.Run("part "+part, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			have := map[ref]bool{}
			most := 0
			// Kill before, during and after the writing of the first batch.
			after := time.Duration(0)
			for kill := 0; kill < 3 || len(have) == 0; kill++ {
				printed := killDuring(t, after, "add", dir, part)
				after = 2*after + batchDelay
				e := readDir(t, dir)
				if _, err := readAll(e); err != nil {
					t.Fatalf("kill %d: %v", kill, err)
				}
				if damage, err := e.Check(); err != nil || len(damage) > 0 {
					t.Fatalf("kill %d: damage %q, %v", kill, damage, err)
				}
				before := have
				have = refs(e.Runs)
				for id := range before {
					if !have[id] {
						t.Errorf("kill %d: a recorded run was lost", kill)
					}
				}
				lost := false
				for _, i := range printed {
					id := testRun(i).ref()
					if before[id] {
						t.Errorf("kill %d: run %d was repeated", kill, i)
					}
					if lost && have[id] || part != "" && !have[id] {
						t.Errorf("kill %d: run %d: recorded %t, an earlier run lost %t", kill, i, have[id], lost)
					}
					lost = lost || !have[id]
					most = max(most, i)
				}
				e.Close()
			}
			want := testRuns(most + 10)
			s := open(t, dir, Options{})
			must(t, s.SetPlan(idsOf(want)))
			addMissing(t, s, want)
			if len(s.Warnings()) > 0 {
				t.Errorf("warnings %q", s.Warnings())
			}
			closeStore(t, s)
			if got := canonicalLines(t, wantRuns(t, dir, want...).Runs); got != canonicalLines(t, want) {
				t.Error("the bytes differ from those of one process")
			}
		})
	}
}

// addMissing adds the runs that a store lacks and returns their number.
func addMissing(t testing.TB, s *Store, runs []Run) (missing int) {
	t.Helper()
	for _, r := range runs {
		if _, ok := s.Lookup(r.Key, r.Extent); !ok {
			missing++
			add(t, s, r)
		}
	}
	return missing
}

// A process killed while it imports parts or creates or repairs the database loses no runs.
func TestKilledWhileOpening(t *testing.T) {
	long(t)
	t.Parallel()
	const runs = 200
	source := t.TempDir()
	record(t, source, Options{Part: "1of2"}, testRuns(runs)[:runs/2]...)
	record(t, source, Options{Part: "2of2"}, testRuns(runs)[runs/2:]...)
	damaged := t.TempDir()
	record(t, damaged, Options{}, testRuns(runs)...)
	spoil(t, damaged, "UPDATE times SET crc = crc + 1 WHERE run % 40 = 7")
	before := readFile(t, damaged, DatabaseFile)
	for _, after := range []time.Duration{0, 10 * time.Millisecond, 40 * time.Millisecond} {
		dir, repaired := t.TempDir(), t.TempDir()
		must(t, os.CopyFS(dir, os.DirFS(source)))
		killDuring(t, after, "open", dir)
		e := readDir(t, dir)
		if n, err := readAll(e); err != nil || n != runs {
			t.Fatalf("killed after %v: read %d runs, %v", after, n, err)
		}
		record(t, dir, Options{})
		must(t, os.RemoveAll(filepath.Join(dir, PartsFolder)))
		if n, err := readAll(readDir(t, dir)); err != nil || n != runs {
			t.Fatalf("killed after %v: imported %d runs, %v", after, n, err)
		}

		writeFile(t, repaired, DatabaseFile, before)
		killDuring(t, after, "open", repaired)
		s := open(t, repaired, Options{})
		addMissing(t, s, testRuns(runs))
		closeStore(t, s)
		if n, err := readAll(readDir(t, repaired)); err != nil || n != runs {
			t.Fatalf("killed after %v: %d runs after the repair, %v", after, n, err)
		}
		if readFile(t, repaired, DatabaseFile+".damaged-1") != before {
			t.Errorf("killed after %v: the damaged file was changed", after)
		}
	}
}

// spoil executes a statement on the database, to damage it.
func spoil(t testing.TB, dir, statement string, args ...any) {
	t.Helper()
	db, err := openDatabase(filepath.Join(dir, DatabaseFile), false)
	must(t, err)
	defer db.Close()
	if result, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	} else if n, err := result.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s changes nothing: %v", statement, err)
	}
}

// A reader in another process always sees an intact folder, and never fewer runs than before.
func TestReaderWhileWriting(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"", "1of1"} {
		dir := t.TempDir()
		record(t, dir, Options{}, testRun(0))
		writer, reader := startChild(t, "add", dir, part), startChild(t, "read", dir)
		writer.line(t)
		go func() {
			for writer.out.Scan() {
			}
		}()
		last := 0
		for grown := 0; grown < 3; {
			fmt.Fprintln(reader.in)
			text := reader.line(t)
			n, err := strconv.Atoi(text)
			if err != nil || n < last {
				t.Fatalf("read %q after %d", text, last)
			}
			if n > last {
				grown++
			}
			last = n
		}
		writer.kill()
	}
}
