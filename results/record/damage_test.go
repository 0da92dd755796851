package record

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Of the runs of damagedFolder, planned are in the plan, archived were, and journaled are
// not compacted yet.
var (
	planned   = []int{0, 1, 2, 3, 6, 7}
	archived  = []int{4, 5}
	journaled = []int{6, 7}
)

// soundFolder makes a folder with lines in every file.
func soundFolder(t *testing.T, dir string) {
	t.Helper()
	s := open(t, dir, Options{})
	record := func(runs ...int) {
		for _, i := range runs {
			appendTimed(t, s, i)
		}
	}
	record(0, 1, 2, 3, 4, 5)
	if err := s.Compact(planOf(planned...)); err != nil {
		t.Fatal(err)
	}
	record(journaled...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func appendTimed(t *testing.T, s *Store, i int) {
	t.Helper()
	j, err := s.Writer()
	if err == nil {
		err = j.Append(testRun(i), testTiming(i))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// complete does what a run of the plan does to a folder that is open.
func complete(t *testing.T, s *Store) (anew []int) {
	t.Helper()
	if err := s.Compact(planOf(planned...)); err != nil {
		t.Fatal(err)
	}
	for _, i := range planned {
		if _, ok := s.Lookup(testRun(i).Key, testRun(i).Extent); !ok {
			anew = append(anew, i)
			appendTimed(t, s, i)
		}
	}
	if err := s.Compact(planOf(planned...)); err != nil {
		t.Fatal(err)
	}
	return anew
}

// keptAside reads DamagedFile.
func keptAside(t *testing.T, dir string) []aside {
	t.Helper()
	kept, lines, err := readAside(dir)
	if err != nil || len(lines.Damaged) > 0 {
		t.Fatalf("%+v, %v", lines, err)
	}
	return kept
}

// Whichever bit of whichever file is flipped: it is found and said, what was there is kept
// aside, and in the end the records of the plan are what they were.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	sound := t.TempDir()
	soundFolder(t, sound)
	before := snapshot(t, sound)
	var names []string
	for name := range before {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) != 6 { // of them two journals
		t.Fatalf("files %q", names)
	}
	ended := t.TempDir()
	soundFolder(t, ended)
	complete(t, open(t, ended, Options{}))
	want := snapshot(t, ended)
	rng := rand.New(rand.NewPCG(13, 2))
	for _, name := range slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, "-0-1.jsonl") }) {
		for flip := range 200 {
			dir := t.TempDir()
			for other, text := range before {
				writeFile(t, dir, other, text)
			}
			data := []byte(before[name])
			at, bit := rng.IntN(len(data)), rng.IntN(8)
			data[at] ^= 1 << bit
			writeFile(t, dir, name, string(data))
			damaged := checkSeen(t, dir, name)
			// The rest takes its time.
			if flip%50 == 0 {
				checkRedone(t, dir, name, string(data), damaged, want)
			}
			if t.Failed() {
				t.Fatalf("%s, byte %d, bit %d: %q", name, at, bit, data[max(at-30, 0):min(at+30, len(data))])
			}
		}
	}
}

// checkSeen tests that readers are told that a file is damaged, and returns in how many
// lines.
func checkSeen(t *testing.T, dir, name string) (damaged int) {
	t.Helper()
	e := read(t, dir)
	for _, l := range e.Files {
		damaged += len(l.Damaged)
	}
	if damaged == 0 || len(e.Warnings) == 0 || !strings.Contains(e.Warnings[0], filepath.Join(dir, name)) || e.Soundness().Damaged != damaged {
		t.Errorf("readers are told %q of %d damaged lines", e.Warnings, damaged)
	}
	if _, err := os.Stat(filepath.Join(dir, DamagedFile)); err == nil {
		t.Error("reading wrote to the folder")
	}
	return damaged
}

// checkRedone tests what becomes of a folder with damaged lines in one file.
func checkRedone(t *testing.T, dir, name, text string, damaged int, want map[string]string) {
	t.Helper()
	for range 2 {
		s := open(t, dir, Options{})
		wantWarning(t, s.Warnings(), filepath.Join(dir, name), "moved to damaged.jsonl")
		s.Close()
	}
	kept := keptAside(t, dir)
	if len(kept) != damaged {
		t.Errorf("%d lines are kept aside, want %d", len(kept), damaged)
	}
	for _, a := range kept {
		if a.File != name || !strings.Contains(text, a.Text+string(a.Bytes)) {
			t.Errorf("kept aside is %+v", a)
		}
	}
	s := open(t, dir, Options{})
	anew := complete(t, s)
	s.Close()
	got := snapshot(t, dir)
	switch {
	case name == PlanFile, name == ArchiveFile, name == TimingsFile && !lacks(text, planned):
		if len(anew) > 0 {
			t.Errorf("%v were done anew", anew)
		}
	case len(anew) == 0:
		t.Error("nothing was done anew")
	}
	for _, file := range []string{RunsFile, TimingsFile, PlanFile} {
		// Of what the plan does not ask for, nothing is done anew.
		if without(got[file], archived) != without(want[file], archived) {
			t.Errorf("%s is\n%s\nwant\n%s", file, got[file], want[file])
		}
	}
	if name != ArchiveFile && got[ArchiveFile] != want[ArchiveFile] {
		t.Errorf("the archive is\n%s", got[ArchiveFile])
	}
	s = open(t, dir, Options{})
	if w := s.Warnings(); len(w) > 0 || len(keptAside(t, dir)) != damaged {
		t.Errorf("in the end, warnings are %q", w)
	}
	s.Close()
}

// without returns a text less the lines of some runs.
func without(text string, runs []int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !slices.ContainsFunc(runs, func(i int) bool { return strings.Contains(line, testRun(i).Key) }) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// lacks reports whether a timing of one of the runs cannot be read any more.
func lacks(timings string, runs []int) bool {
	sound := ""
	for line := range strings.Lines(timings) {
		if _, err := Unseal([]byte(strings.TrimSuffix(line, "\n"))); err == nil {
			sound += line
		}
	}
	return slices.ContainsFunc(runs, func(i int) bool {
		return !slices.Contains(journaled, i) && !strings.Contains(sound, testRun(i).Key)
	})
}
