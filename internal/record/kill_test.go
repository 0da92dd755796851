package record

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// killDuring starts a child process, reads what it prints, and kills it after some time. It returns
// when each number was printed.
func killDuring(t *testing.T, after time.Duration, role string, args ...string) map[int]time.Time {
	t.Helper()
	c := startChild(t, role, args...)
	began := make(chan struct{})
	printed := make(chan map[int]time.Time)
	go func() {
		times := map[int]time.Time{}
		first := sync.OnceFunc(func() { close(began) })
		for c.out.Scan() {
			if n, err := strconv.Atoi(c.out.Text()); err == nil {
				times[n] = time.Now()
			} else if c.out.Text() != "ready" {
				t.Error(c.out.Text())
			}
			first()
		}
		printed <- times
	}()
	select {
	case <-began:
	case <-time.After(time.Minute):
		t.Error("the child process does not begin")
	}
	time.Sleep(after)
	c.Process.Kill()
	times := <-printed
	c.kill()
	return times
}

// Whenever a process that adds runs is killed, the folder is sound and has what was added a second
// before, in a part at once. Repeating the command gives the same bytes as one that was not killed.
func TestKilledWhileAdding(t *testing.T) {
	t.Parallel()
	kills := 6
	if !testing.Short() {
		kills = 20
	}
	for _, part := range []string{"", "1of1"} {
		t.Run("part "+part, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(29, 0))
			dir := t.TempDir()
			added := map[int]time.Time{}
			for kill := range kills {
				again := killDuring(t, time.Duration(rng.IntN(1500))*time.Millisecond, "add", dir, part)
				now := time.Now()
				for i, when := range again {
					if _, ok := added[i]; ok && part != "" {
						t.Errorf("run %d was repeated", i)
					}
					added[i] = when
				}
				e := readDir(t, dir)
				if n, err := readAll(e); err != nil || n == 0 && kill > 3 {
					t.Fatalf("kill %d: read %d runs, %v", kill, n, err)
				}
				if damage, err := e.Check(); err != nil || len(damage) > 0 {
					t.Fatalf("kill %d: damage %q, %v", kill, damage, err)
				}
				have := refs(e.Runs)
				for i, when := range added {
					if !have[testRun(i).ref()] {
						if part != "" || now.Sub(when) > time.Second {
							t.Errorf("kill %d: run %d, which was added %v before, is missing", kill, i, now.Sub(when))
						}
						delete(added, i)
					}
				}
				e.Close()
			}
			most := 0
			for i := range added {
				most = max(most, i)
			}
			want := testRuns(most + 10)
			s := open(t, dir, Options{})
			if len(s.Warnings()) > 0 {
				t.Errorf("warnings %q", s.Warnings())
			}
			must(t, s.SetPlan(idsOf(want)))
			for _, r := range want {
				if _, ok := s.Lookup(r.Key, r.Extent); !ok {
					add(t, s, r)
				}
			}
			closeStore(t, s)
			if got := canonicalLines(t, wantRuns(t, dir, want...).Runs); got != canonicalLines(t, want) {
				t.Error("the runs are other bytes than those of one process")
			}
		})
	}
}

// A process that is killed while it imports parts, or creates or repairs the database, loses nothing.
func TestKilledWhileOpening(t *testing.T) {
	t.Parallel()
	kills := 5
	if !testing.Short() {
		kills = 30
	}
	rng := rand.New(rand.NewPCG(29, 1))
	const runs = 400
	source := t.TempDir()
	record(t, source, Options{Part: "1of2"}, testRuns(runs)[:runs/2]...)
	record(t, source, Options{Part: "2of2"}, testRuns(runs)[runs/2:]...)
	damaged := t.TempDir()
	record(t, damaged, Options{}, testRuns(runs)...)
	spoil(t, damaged, "UPDATE times SET crc = crc + 1 WHERE run % 40 = 7")
	for kill := range kills {
		dir, repaired := t.TempDir(), t.TempDir()
		for _, name := range partsOf(t, source) {
			writeFile(t, dir, name, readFile(t, source, name))
		}
		writeFile(t, repaired, DatabaseFile, readFile(t, damaged, DatabaseFile))
		after := time.Duration(rng.IntN(100)) * time.Millisecond
		killDuring(t, after, "open", dir)
		e := readDir(t, dir)
		if n, err := readAll(e); err != nil || n != runs {
			t.Fatalf("kill %d, after %v: read %d runs, %v", kill, after, n, err)
		}
		record(t, dir, Options{})
		must(t, os.RemoveAll(filepath.Join(dir, PartsFolder)))
		if n, err := readAll(readDir(t, dir)); err != nil || n != runs {
			t.Fatalf("kill %d, after %v: imported are %d runs, %v", kill, after, n, err)
		}

		killDuring(t, after, "open", repaired)
		s := open(t, repaired, Options{})
		for _, r := range testRuns(runs) {
			if _, ok := s.Lookup(r.Key, r.Extent); !ok {
				add(t, s, r)
			}
		}
		closeStore(t, s)
		if n, err := readAll(readDir(t, repaired)); err != nil || n != runs {
			t.Fatalf("kill %d, after %v: repaired are %d runs, %v", kill, after, n, err)
		}
		if got := readFile(t, repaired, DatabaseFile+".damaged-1"); got != readFile(t, damaged, DatabaseFile) {
			t.Errorf("kill %d, after %v: the damaged file was changed", kill, after)
		}
	}
}

// spoil changes a database behind its back.
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

// A reader in another process sees a sound folder at any time, and never fewer runs than before.
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
