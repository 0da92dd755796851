package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// What takes the place of the database is reported, and nothing that is no database is written to.
func TestOtherFilesInPlaceOfTheDatabase(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	record(t, source, Options{}, testRuns(40)...)
	whole := readFile(t, source, DatabaseFile)
	for what, content := range map[string]string{
		"empty": "", "text": "some text\n", "half a page": whole[:2000], "page": whole[:4096], "half": whole[:len(whole)/2],
		"short by a byte": whole[:len(whole)-1], "longer": whole + strings.Repeat("x", 4096),
		"zeros": strings.Repeat("\x00", len(whole)), "compressed": gzipped(t, whole),
	} {
		dir := t.TempDir()
		writeFile(t, dir, DatabaseFile, content)
		_, damage := snapshotOf(dir)
		s := open(t, dir, Options{})
		warnings := s.Warnings()
		lost := 0
		for _, r := range testRuns(40) {
			if _, ok := s.Lookup(r.Key, r.Extent); !ok {
				lost++
				add(t, s, r)
			}
		}
		closeStore(t, s)
		if what != "longer" && (len(damage) == 0 || lost > 0 && len(warnings) == 0) {
			t.Errorf("%s: found %q; %d runs are lost with the warnings %q", what, damage, lost, warnings)
		}
		if len(damage) > 0 && readFile(t, dir, DatabaseFile+".damaged-1") != content {
			t.Errorf("%s: the file is not kept as it was", what)
		}
		if n, err := readAll(readDir(t, dir)); n != 40 || err != nil {
			t.Errorf("%s: repaired and repeated, there are %d runs, %v", what, n, err)
		}
	}
	for what, put := range map[string]func(path string) error{
		"a folder": func(path string) error { return os.Mkdir(path, 0o755) },
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"a link":   func(path string) error { return os.Symlink("nowhere", path) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, DatabaseFile)
		if err := put(path); err != nil {
			t.Fatal(err)
		}
		_, err := ReadDir(dir)
		wantError(t, err, path)
		s, err := Open(dir, Options{})
		if err == nil {
			s.Close()
			t.Errorf("%s is opened", what)
			continue
		}
		wantError(t, err, DatabaseFile)
		if got := filesOf(t, dir); !slices.Equal(got, []string{DatabaseFile}) {
			t.Errorf("%s: left are %q", what, got)
		}
	}
}

// Whatever page of a database is overwritten, few runs are lost unless the page says where others are.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	const runs, page = 300, 4096
	source := t.TempDir()
	record(t, source, Options{}, testRuns(runs)...)
	whole := []byte(readFile(t, source, DatabaseFile))
	rows := 0
	for at := page; at < len(whole); at += page {
		kind := whole[at]
		if kind != 0x0d && kind != 0x0a || bytes.Contains(whole[at:at+page], []byte("CREATE ")) {
			continue // no leaf, or part of the schema
		}
		if testing.Short() && at/page%4 > 0 {
			continue
		}
		for what, content := range map[string][]byte{"zeros": make([]byte, page), "another page": whole[:page]} {
			dir := t.TempDir()
			writeFile(t, dir, DatabaseFile, string(whole[:at])+string(content)+string(whole[at+page:]))
			s, err := Open(dir, Options{})
			if err != nil {
				t.Errorf("page %d, %s: %v", at/page, what, err)
				continue
			}
			lost := 0
			for _, r := range testRuns(runs) {
				if _, ok := s.Lookup(r.Key, r.Extent); !ok {
					lost++
				}
			}
			if lost > 30 || lost > 0 && len(s.Warnings()) == 0 {
				t.Errorf("page %d, %s: %d runs are lost; warnings %q", at/page, what, lost, s.Warnings())
			}
			rows += lost
			closeStore(t, s)
			if _, err := readAll(readDir(t, dir)); err != nil {
				t.Errorf("page %d, %s: %v", at/page, what, err)
			}
		}
	}
	if rows == 0 {
		t.Error("no run was lost at all")
	}
}

// A journal that a kill leaves is applied, by readers too. Without it, damage is detected or there is
// none.
func TestJournal(t *testing.T) {
	t.Parallel()
	source, dir, without := t.TempDir(), t.TempDir(), t.TempDir()
	const runs = 60
	record(t, source, Options{}, testRuns(runs)...)
	want, _ := snapshotOf(source)
	text, journal := interrupted(t, source)
	for _, read := range []bool{true, false} {
		writeFile(t, dir, DatabaseFile, text)
		writeFile(t, dir, DatabaseFile+"-journal", journal)
		if !read {
			record(t, dir, Options{})
		}
		if got, damage := snapshotOf(dir); len(damage) > 0 || !slices.Equal(slices.Sorted(mapValues(got.runs)), slices.Sorted(mapValues(want.runs))) {
			t.Errorf("with its journal, the folder has %d runs, %q", len(got.runs), damage)
		}
	}
	writeFile(t, without, DatabaseFile, text)
	if _, damage := snapshotOf(without); len(damage) == 0 {
		t.Error("without its journal, no damage is found")
	}
	s := open(t, without, Options{})
	wantWarning(t, s.Warnings(), "is damaged and kept as")
	closeStore(t, s)
	got, damage := snapshotOf(without)
	for id, line := range got.runs {
		if want.runs[id] != line {
			t.Errorf("run %v is neither as before nor lost", id)
		}
	}
	if len(got.runs) > 0 && len(damage) > 0 {
		t.Errorf("repaired, the folder is damaged: %q", damage)
	}

	// The journal of a database that was removed is not applied to another.
	other := t.TempDir()
	writeFile(t, other, DatabaseFile+"-journal", journal)
	record(t, other, Options{}, testRuns(runs)...)
	if n, err := readAll(readDir(t, other)); n != runs || err != nil {
		t.Errorf("next to a journal of another database, there are %d runs, %v", n, err)
	}
}

// interrupted returns the database of a folder and its journal in the middle of a transaction.
func interrupted(t *testing.T, dir string) (text, journal string) {
	t.Helper()
	db, err := openDatabase(filepath.Join(dir, DatabaseFile), true)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA cache_size = 1"); err != nil { // so that pages are written before the end
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		encoded, err := encodeRow(wideRun(i), timingOf(testRun(i)))
		if err == nil {
			_, err = tx.Exec("INSERT OR REPLACE INTO run (id, record, step_seconds, eval_seconds, crc) VALUES (?, ?, 0, 0, ?)", i+1, string(encoded.record), encoded.crc())
		}
		if err == nil {
			_, err = tx.Exec("INSERT OR REPLACE INTO curve (run, data, crc) VALUES (?, ?, ?)", i+1, string(encoded.curve), checksum(string(encoded.curve)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, journal = readFile(t, dir, DatabaseFile), readFile(t, dir, DatabaseFile+"-journal")
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if text == readFile(t, dir, DatabaseFile) {
		t.Fatal("nothing was written before the end of the transaction")
	}
	return text, journal
}

func mapValues(m map[ref]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// A database of another version is refused and left alone; one of another program is moved away.
func TestOtherSchemas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, Options{}, testRun(0))
	sound := readFile(t, dir, DatabaseFile)
	for version, remedy := range map[int]string{2: "use a newer build", 999: "use a newer build"} {
		writeFile(t, dir, DatabaseFile, sound)
		db, err := openDatabase(filepath.Join(dir, DatabaseFile), false)
		if err == nil {
			_, err = db.Exec(fmt.Sprintf("PRAGMA user_version = %d", version))
		}
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		before := readFile(t, dir, DatabaseFile)
		for _, try := range []func() error{
			func() error { _, err := ReadDir(dir); return err },
			func() error { _, err := Open(dir, Options{}); return err },
			func() error { _, err := Open(dir, Options{Part: "1of1"}); return err },
		} {
			err := try()
			var schema *SchemaError
			if !errors.As(err, &schema) || schema.Schema != version || schema.Known != 1 {
				t.Errorf("version %d: %v", version, err)
			}
			wantError(t, err, filepath.Join(dir, DatabaseFile), fmt.Sprintf("schema %d", version), remedy, "another --out")
		}
		if got := filesOf(t, dir); !slices.Equal(got, []string{DatabaseFile}) || readFile(t, dir, DatabaseFile) != before {
			t.Errorf("version %d: left are %q", version, got)
		}
	}

	other := t.TempDir()
	db, err := openDatabase(filepath.Join(other, "x.db"), true)
	if err == nil {
		_, err = db.Exec("DROP TABLE curve; CREATE TABLE notes (text); PRAGMA user_version = 0")
	}
	if err := errors.Join(err, db.Close(), os.Rename(filepath.Join(other, "x.db"), filepath.Join(other, DatabaseFile))); err != nil {
		t.Fatal(err)
	}
	before := readFile(t, other, DatabaseFile)
	_, err = ReadDir(other)
	var broken *DamageError
	if !errors.As(err, &broken) {
		t.Errorf("the error is %v", err)
	}
	wantError(t, err, DatabaseFile, "its schema is not that of results")
	s := open(t, other, Options{})
	wantWarning(t, s.Warnings(), "its schema is not that of results")
	closeStore(t, s)
	if readFile(t, other, DatabaseFile+".damaged-1") != before {
		t.Error("the database of another program was changed")
	}
}

// Folders may have any name.
func TestNamesOfFolders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a?mode=ro", "a#b", "100%", "%41", "with space", "ümläut 目", "a&b=c;d+e", "quote'\"", "-dash", "file:x", "back\\slash"} {
		dir := filepath.Join(t.TempDir(), name, "results")
		record(t, dir, Options{}, testRun(0))
		record(t, dir, Options{Part: "1of1"}, testRun(1))
		record(t, dir, Options{})
		e := wantRuns(t, dir, testRun(0), testRun(1))
		if damage, err := e.Check(); err != nil || damage != nil {
			t.Errorf("%q: damage %q, %v", name, damage, err)
		}
		if got := filesOf(t, dir); !slices.Equal(got, []string{PartsFolder, DatabaseFile}) {
			t.Errorf("%q has %q", name, got)
		}
	}
}

// readOnlyChild reads and opens a folder that it may not write to.
func readOnlyChild(args []string, _ *bufio.Scanner) error {
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			return err
		}
	}
	say := func(what string, err error) {
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

// A folder that one may read is read, and that one may not write to it is reported.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux to change the user")
	}
	dir := t.TempDir()
	record(t, dir, Options{Part: "1of1"}, testRun(0))
	record(t, dir, Options{}, testRun(1))
	record(t, dir, Options{Part: "1of1"}, testRun(2))
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	folders := []string{dir, filepath.Join(dir, PartsFolder)}
	for _, folder := range folders {
		if err := os.Chmod(folder, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(folder, 0o755)
	}
	before := filesOf(t, dir)
	c := startChild(t, "read-only", dir)
	if got := c.line(t); got != "read: <nil>" {
		t.Error(got)
	}
	for _, want := range [][]string{{"open: ", LockFile, "permission denied", "use another --out"}, {"part: ", PartsFolder, "permission denied"}} {
		wantWarning(t, []string{c.line(t)}, append(want, dir)...)
	}
	if got := filesOf(t, dir); !slices.Equal(got, before) {
		t.Errorf("left are %q", got)
	}

	// A write that a kill has interrupted cannot be undone there.
	text, journal := interrupted(t, dir)
	writeFile(t, dir, DatabaseFile, text)
	writeFile(t, dir, DatabaseFile+"-journal", journal)
	wantWarning(t, []string{startChild(t, "read-only", dir).line(t)}, "read: ", dir, "a write was interrupted", "permission to write")
	os.Chmod(dir, 0o755)
	if _, err := readAll(readDir(t, dir)); err != nil {
		t.Error(err)
	}
}

// filesHeld returns the files of a folder that this process has open.
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

// Whoever closes a folder, or fails to open it, has none of its files open.
func TestFilesAreClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, Options{}, testRuns(5)...)
	record(t, dir, Options{Part: "1of1"}, testRuns(9)...)
	for range 3 {
		e, err := ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readAll(e); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		record(t, dir, Options{}, testRuns(9)...)
		record(t, dir, Options{Part: "1of1"}, testRuns(9)...)
	}
	writeFile(t, dir, filepath.Join(PartsFolder, "x.jsonl"), string(Seal([]byte(`{"run":{"schema":3},"timing":{}}`)))+"\n")
	for _, o := range []Options{{}, {Part: "1of1"}} {
		if s, err := Open(dir, o); err == nil {
			s.Close()
			t.Error("a part of another schema was imported")
		}
	}
	if _, err := ReadDir(dir); err == nil {
		t.Error("a part of another schema was read")
	}
	spoil(t, dir, "UPDATE times SET crc = crc + 1")
	os.RemoveAll(filepath.Join(dir, PartsFolder))
	record(t, dir, Options{}, testRuns(9)...)
	if held := filesHeld(t, dir); len(held) > 0 {
		t.Errorf("open are %q", held)
	}
}

// Many goroutines may add runs while the disk is slow: none is lost.
func TestAddWhileTheDiskIsSlow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	db, err := openDatabase(filepath.Join(dir, DatabaseFile), true)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin() // which nobody else can write meanwhile
	if err != nil {
		t.Fatal(err)
	}
	const workers, each = 8, 300
	var adding sync.WaitGroup
	for w := range workers {
		adding.Go(func() {
			for i := range each {
				r := testRun(w*each + i)
				if err := s.Add(r, timingOf(r)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	time.Sleep(500 * time.Millisecond)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	adding.Wait()
	closeStore(t, s)
	if n, err := readAll(readDir(t, dir)); n != workers*each || err != nil {
		t.Errorf("read %d runs, %v", n, err)
	}
}

// Once a write has failed nobody waits, each addition fails, and closing says so once.
func TestFailedWrite(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"", "1of1"} {
		for what, spoilFolder := range map[string]func(dir string) error{
			"removed": os.RemoveAll,
			"renamed": func(dir string) error { return os.Rename(dir, dir+"-moved") },
			"replaced": func(dir string) error {
				if err := os.RemoveAll(dir); err != nil {
					return err
				}
				return os.MkdirAll(dir, 0o755)
			},
		} {
			dir := filepath.Join(t.TempDir(), "results")
			s := open(t, dir, Options{Part: part})
			add(t, s, testRun(0))
			time.Sleep(2 * groupFor)
			if err := spoilFolder(dir); err != nil {
				t.Fatal(err)
			}
			const workers, each = 4, 400
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
			wantError(t, err, dir, "on record", "repeat the command")
			if n := strings.Count(err.Error(), "cannot write"); n != 1 {
				t.Errorf("part %q, %s: the error is reported %d times: %v", part, what, n, err)
			}
			if part != "" && failed[0] == nil {
				t.Errorf("part %q, %s: no addition failed", part, what)
			}
			if err := s.Close(); err != nil {
				t.Errorf("part %q, %s: closed again: %v", part, what, err)
			}
			if err := s.Add(testRun(0), Timing{}); err == nil {
				t.Errorf("part %q, %s: a run was added to a closed folder", part, what)
			}
			if what == "renamed" {
				if n, err := readAll(readDir(t, dir+"-moved")); n != 1 || err != nil {
					t.Errorf("part %q: the folder that was moved has %d runs, %v", part, n, err)
				}
			}
		}
	}
}
