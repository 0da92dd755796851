package record

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A file that is not a results database is reported and not modified.
func TestNotADatabase(t *testing.T) {
	long(t)
	t.Parallel()
	source := t.TempDir()
	record(t, source, Options{}, testRuns(40)...)
	whole := readFile(t, source, DatabaseFile)
	spoil(t, source, "DELETE FROM curve; DROP TABLE curve; CREATE TABLE notes (text); PRAGMA user_version = 0; DELETE FROM times")
	for what, content := range map[string]string{
		"another program's": readFile(t, source, DatabaseFile),
		"empty":             "", "text": "some text\n", "half a page": whole[:2000], "half": whole[:len(whole)/2],
		"short by a byte": whole[:len(whole)-1], "longer": whole + strings.Repeat("x", 4096),
		"zeros": strings.Repeat("\x00", len(whole)),
	} {
		dir := t.TempDir()
		writeFile(t, dir, DatabaseFile, content)
		_, damage := snapshotOf(dir)
		s := open(t, dir, Options{})
		warnings := s.Warnings()
		lost := addMissing(t, s, testRuns(40))
		closeStore(t, s)
		if what != "longer" && (len(damage) == 0 || lost > 0 && len(warnings) == 0) {
			t.Errorf("%s: found %q; %d runs are lost with the warnings %q", what, damage, lost, warnings)
		}
		if len(damage) > 0 && readFile(t, dir, DatabaseFile+".damaged-1") != content {
			t.Errorf("%s: the file was not kept", what)
		}
		if n, err := readAll(readDir(t, dir)); n != 40 || err != nil {
			t.Errorf("%s: %d runs after the repair, %v", what, n, err)
		}
	}
	for what, put := range map[string]func(path string) error{
		"a folder": func(path string) error { return os.Mkdir(path, 0o755) },
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"a link":   func(path string) error { return os.Symlink("nowhere", path) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, DatabaseFile)
		must(t, put(path))
		_, err := ReadDir(dir)
		wantNamed(t, err, path)
		_, err = Open(dir, Options{})
		wantNamed(t, err, path)
		if got := filesOf(t, dir); !slices.Equal(got, []string{DatabaseFile}) {
			t.Errorf("%s: the folder contains %q", what, got)
		}
	}
}

// An overwritten leaf page of the database loses few runs.
func TestDamagedPages(t *testing.T) {
	long(t)
	t.Parallel()
	const runs, page = 100, 4096
	source := t.TempDir()
	record(t, source, Options{}, testRuns(runs)...)
	whole := []byte(readFile(t, source, DatabaseFile))
	contents := [][]byte{make([]byte, page), whole[:page]}
	lost, leaves := 0, 0
	for at := page; at < len(whole); at += page {
		kind := whole[at]
		if kind != 0x0d && kind != 0x0a || bytes.Contains(whole[at:at+page], []byte("CREATE ")) {
			continue // not a leaf, or part of the schema
		}
		if leaves++; leaves > 8 && leaves%4 > 0 {
			continue
		}
		dir := t.TempDir()
		writeFile(t, dir, DatabaseFile, string(whole[:at])+string(contents[leaves%2])+string(whole[at+page:]))
		s := open(t, dir, Options{})
		warnings := s.Warnings()
		missing := addMissing(t, s, testRuns(runs))
		if missing > 30 || missing > 0 && len(warnings) == 0 {
			t.Errorf("page %d: %d runs are lost; warnings %q", at/page, missing, warnings)
		}
		lost += missing
		closeStore(t, s)
		if n, err := readAll(readDir(t, dir)); n != runs || err != nil {
			t.Errorf("page %d: %d runs after the repair, %v", at/page, n, err)
		}
	}
	if lost == 0 {
		t.Error("the damage lost no runs")
	}
}

// Readers and writers apply the journal of a killed process. If the journal is missing, the damage is
// detected.
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
		if got, damage := snapshotOf(dir); len(damage) > 0 || !reflect.DeepEqual(got.runs, want.runs) {
			t.Errorf("with its journal, the folder has %d runs, %q", len(got.runs), damage)
		}
	}
	writeFile(t, without, DatabaseFile, text)
	if _, damage := snapshotOf(without); len(damage) == 0 {
		t.Error("without its journal, the damage was not detected")
	}
	s := open(t, without, Options{})
	if len(s.Warnings()) == 0 {
		t.Error("no warning about the damaged database")
	}
	closeStore(t, s)
	got, damage := snapshotOf(without)
	for id, line := range got.runs {
		if want.runs[id] != line {
			t.Errorf("run %v differs", id)
		}
	}
	if len(got.runs) > 0 && len(damage) > 0 {
		t.Errorf("the repaired folder is damaged: %q", damage)
	}

	// The journal of a removed database is not applied to a new one.
	other := t.TempDir()
	writeFile(t, other, DatabaseFile+"-journal", journal)
	record(t, other, Options{}, testRuns(runs)...)
	if n, err := readAll(readDir(t, other)); n != runs || err != nil {
		t.Errorf("with the journal of another database: %d runs, %v", n, err)
	}
}

// interrupted returns the contents of the database and its journal during a transaction.
func interrupted(t *testing.T, dir string) (text, journal string) {
	t.Helper()
	db, err := openDatabase(filepath.Join(dir, DatabaseFile), true)
	must(t, err)
	defer db.Close()
	if _, err := db.Exec("PRAGMA cache_size = 1"); err != nil { // forces early writes of pages
		t.Fatal(err)
	}
	tx, err := db.Begin()
	must(t, err)
	for i := range 100 {
		r := testRun(i)
		r.Curve.Vectors = map[string][]float64{"v": make([]float64, 1000)}
		encoded, err := encodeRow(r, timingOf(r))
		if err == nil {
			_, err = tx.Exec("INSERT OR REPLACE INTO run (id, record, step_seconds, eval_seconds, crc) VALUES (?, ?, 0, 0, ?)", i+1, string(encoded.record), encoded.crc())
		}
		if err == nil {
			_, err = tx.Exec("INSERT OR REPLACE INTO curve (run, data, crc) VALUES (?, ?, ?)", i+1, string(encoded.curve), checksum(string(encoded.curve)))
		}
		must(t, err)
	}
	text, journal = readFile(t, dir, DatabaseFile), readFile(t, dir, DatabaseFile+"-journal")
	must(t, tx.Rollback())
	if text == readFile(t, dir, DatabaseFile) {
		t.Fatal("no pages were written during the transaction")
	}
	return text, journal
}

// wantSchemaError checks that a folder of another schema cannot be opened and does not change.
func wantSchemaError(t *testing.T, dir string, schema int) {
	t.Helper()
	before := filesOf(t, dir)
	for _, try := range []func() error{
		func() error { _, err := ReadDir(dir); return err },
		func() error { _, err := Open(dir, Options{}); return err },
		func() error { _, err := Open(dir, Options{Part: "1of1"}); return err },
	} {
		if e := wantType[*SchemaError](t, try()); e.Schema != schema || e.File == "" {
			t.Errorf("schema %d: %v", schema, e)
		} else {
			wantNamed(t, e, e.File)
		}
	}
	if got := filesOf(t, dir); !slices.Equal(got, before) {
		t.Errorf("the folder has %q, before %q", got, before)
	}
}

// A database of another version is rejected and not modified.
func TestOtherSchemas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, Options{}, testRun(0))
	spoil(t, dir, "UPDATE run SET id = id; PRAGMA user_version = 2")
	before := readFile(t, dir, DatabaseFile)
	wantSchemaError(t, dir, 2)
	if readFile(t, dir, DatabaseFile) != before {
		t.Error("the database was changed")
	}
}

// The name of a folder may contain special characters.
func TestNamesOfFolders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a?mode=ro#b", "100%41", "ümläut 目", "a&b=c;d+e", "quote'\"", "file:x", "back\\slash"} {
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
