package record

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// packed returns text as gzip has it, without a name or a time.
func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadDirPacked(t *testing.T) {
	t.Parallel()
	runs := []Run{testRun(0), testRun(1), testRun(2)}
	plain, packedDir := t.TempDir(), t.TempDir()
	writeFile(t, plain, RunsFile, lines(t, runs...))
	writeFile(t, packedDir, PackedFile, packed(t, lines(t, runs...)))
	want, err := ReadDir(plain)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadDir(packedDir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Runs) != 3 || len(got.Warnings) != 0 || !reflect.DeepEqual(whole(got.Runs), whole(want.Runs)) {
		t.Errorf("read %d runs, warnings %q; want the 3 of the plain file", len(got.Runs), got.Warnings)
	}
}

// The plain file counts where there are both, and a warning says so.
func TestReadDirPlainAndPacked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, dir, RunsFile, lines(t, testRun(0)))
	writeFile(t, dir, PackedFile, packed(t, lines(t, testRun(1), testRun(2))))
	e, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Runs) != 1 || e.Runs[0].Key != testRun(0).Key {
		t.Errorf("read %d runs, want that of the plain file", len(e.Runs))
	}
	if len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0], "runs.jsonl.gz is ignored, because") {
		t.Errorf("warnings are %q", e.Warnings)
	}
}

func TestReadDirPackedDamaged(t *testing.T) {
	t.Parallel()
	whole := packed(t, lines(t, testRun(0), testRun(1), testRun(2)))
	flipped := []byte(whole)
	flipped[len(flipped)-5] ^= 1 // within the checksum
	other := string(Seal([]byte(`{"schema":3}`))) + "\n" + lines(t, testRun(1))
	for _, test := range []struct{ name, content, want string }{
		{"empty", "", "runs.jsonl.gz: it is empty; restore it"},
		{"no gzip", lines(t, testRun(0)), "runs.jsonl.gz: gzip: invalid header; restore it"},
		{"torn", whole[:len(whole)/2], "runs.jsonl.gz after line"},
		{"torn in its end", whole[:len(whole)-3], "unexpected EOF"},
		{"torn in its header", whole[:6], "unexpected EOF"},
		{"flipped", string(flipped), "invalid checksum"},
		{"followed by something", whole + "more", "runs.jsonl.gz after line 3"},
		{"of another schema", packed(t, other), "runs.jsonl.gz:1: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, dir, PackedFile, test.content)
			e, err := ReadDir(dir)
			if err == nil {
				t.Fatalf("%d runs were read", len(e.Runs))
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %q, want %q in it", err, test.want)
			}
		})
	}
	dir := t.TempDir()
	writeFile(t, dir, PackedFile, packed(t, ""))
	if e, err := ReadDir(dir); err != nil || len(e.Runs) != 0 || len(e.Warnings) != 1 {
		t.Errorf("a packed file of nothing: %v, want no runs and a warning", err)
	}
}

// A store takes over what a packed file holds, never writes one, and discards it
// with the other records.
func TestStorePacked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	content := packed(t, lines(t, testRun(0), testRun(1)))
	writeFile(t, dir, PackedFile, content)
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Lookup(testRun(1).Key, testRun(1).Extent); !ok {
		t.Error("a record of the packed file was not found")
	}
	if err := s.Compact(planOf(0, 1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if readFile(t, dir, PackedFile) != content || readFile(t, dir, RunsFile) != lines(t, testRun(0), testRun(1)) {
		t.Error("compacting did not write the plain file, or changed the packed one")
	}
	if s, err = Open(dir, Options{Fresh: true}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := os.Stat(filepath.Join(dir, PackedFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the packed file is still there: %v", err)
	}
}
