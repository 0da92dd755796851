package record

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// Whatever the line, its checksum is found and right, and no flipped bit goes unnoticed.
func FuzzUnseal(f *testing.F) {
	for _, line := range []string{`{"a":1}`, `{"a":"\"}"}`, `{"a":{"b":[1,2]},"crc32c":"00000000"}`, "{}", "", "x"} {
		f.Add([]byte(line), uint16(7))
	}
	f.Fuzz(func(t *testing.T, line []byte, flip uint16) {
		if !bytes.HasSuffix(line, []byte("}")) || bytes.Contains(line, []byte("crc32c")) {
			return
		}
		sealed := Seal(slices.Clone(line))
		object, err := Unseal(sealed)
		if err != nil || !bytes.Equal(object, line) {
			t.Fatalf("%q is sealed as %q and read as %q, %v", line, sealed, object, err)
		}
		at := int(flip) / 8 % len(sealed)
		sealed[at] ^= 1 << (flip % 8)
		if object, err := Unseal(sealed); err == nil {
			t.Fatalf("a flipped bit goes unnoticed: %q is read as %q", sealed, object)
		}
	})
}

// Processes that share a folder leave damaged lines where they are: the one that writes the
// files anew keeps them aside, once.
func TestDamageOfASharedFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	soundFolder(t, dir)
	text := strings.Replace(readFile(t, dir, RunsFile), `"repeat":0`, `"repeat":9`, 2)
	writeFile(t, dir, RunsFile, text+"no\xff UTF-8\n")
	for range 2 {
		s := open(t, dir, Options{Shared: true})
		wantWarning(t, s.Warnings(), RunsFile+": 3 damaged lines, the first at line 1: ", "ignored", "without --shard")
		if _, ok := s.Lookup(testRun(0).Key, testRun(0).Extent); ok {
			t.Error("a damaged run is served")
		}
		s.Close()
	}
	if slices.Contains(files(t, dir), DamagedFile) {
		t.Error("a shared store wrote DamagedFile")
	}
	open(t, dir, Options{}).Close()
	// A kill may cut its last line short.
	writeFile(t, dir, DamagedFile, strings.TrimSuffix(readFile(t, dir, DamagedFile), "\"}\n"))
	open(t, dir, Options{}).Close()
	kept, lines, err := readAside(dir)
	if err != nil || len(kept) != 3 || len(lines.Damaged) != 1 || string(kept[2].Bytes) != "no\xff UTF-8" {
		t.Errorf("kept are %+v, %+v, %v", kept, lines, err)
	}
	if got := read(t, dir).Aside; got != 4 {
		t.Errorf("%d lines are kept aside, one of them cut short", got)
	}
	// Whoever discards the records discards these.
	open(t, dir, Options{Fresh: true}).Close()
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("left are %q", got)
	}
}
