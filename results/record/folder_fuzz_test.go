package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Whatever is in a folder, nothing of it is lost silently: opened and compacted, each
// line is on record, or kept aside, or was never whole; and doing so again changes
// nothing. A folder of another schema is left as it is.
func FuzzFolder(f *testing.F) {
	var runs, journal, plan []byte
	for i := range 3 {
		line, err := EncodeRun(testRun(i))
		if err != nil {
			f.Fatal(err)
		}
		runs = append(append(runs, line...), '\n')
		timing := testTiming(i)
		timing.Key, timing.Extent = testRun(i+2).Key, testRun(i+2).Extent
		if line, err = encodeEntry(testRun(i+2), timing); err != nil {
			f.Fatal(err)
		}
		journal = append(journal, line...)
		if line, err = encodeLine(planOf(i)[0]); err != nil {
			f.Fatal(err)
		}
		plan = append(append(plan, line...), '\n')
	}
	f.Add(runs, journal, plan)
	f.Add(runs[:len(runs)/2], journal[:len(journal)-20], plan[:9])
	f.Add(bytes.ReplaceAll(runs, []byte("suboptimality"), []byte("suboptimalitY")), []byte("{}\n\n\x00\xff\n"), []byte("null\n"))
	f.Add(Seal([]byte(`{"schema":2,"key":"a"}`)), []byte(nil), plan)
	f.Fuzz(func(t *testing.T, runs, journal, plan []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{RunsFile: runs, journalPrefix + "1-0" + journalSuffix: journal, PlanFile: plan} {
			if data != nil {
				writeFile(t, dir, name, string(data))
			}
		}
		before := contentOf(t, dir)
		if !compacted(t, dir) {
			if after := contentOf(t, dir); after != before {
				t.Fatalf("a folder that cannot be opened was changed:\n%s\nto\n%s", before, after)
			}
			return
		}
		first := contentOf(t, dir)
		if compacted(t, dir); contentOf(t, dir) != first {
			t.Fatalf("compacted again:\n%s\nafter\n%s", contentOf(t, dir), first)
		}
		accounted(t, dir, runs, false, unsealRun)
		accounted(t, dir, journal, true, func(line []byte) (Run, error) {
			object, err := Unseal(slices.Clone(line))
			if err != nil {
				return Run{}, err
			}
			e, err := decodeEntry(object)
			return e.Run, err
		})
	})
}

// compacted opens and compacts a folder; it reports false where that is refused.
func compacted(t *testing.T, dir string) bool {
	t.Helper()
	s, err := Open(dir, Options{})
	var schema *SchemaError
	switch {
	case errors.As(err, &schema):
		return false
	case err != nil:
		t.Fatal(err)
	}
	if err := errors.Join(s.Compact(planOf(0, 1, 2)), s.Close()); err != nil {
		t.Fatal(err)
	}
	return true
}

// contentOf returns the names and bytes of all files of a folder but the lock.
func contentOf(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	for _, name := range files(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("== " + name + "\n")
		b.Write(data)
	}
	return b.String()
}

// accounted checks that each line of a file that was there is on record or kept aside.
func accounted(t *testing.T, dir string, data []byte, torn bool, decode func([]byte) (Run, error)) {
	t.Helper()
	kept, _, err := readAside(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, l := range splitLines(data) {
		run, err := decode(slices.Clone(l.data))
		switch {
		case err != nil && torn && !l.whole && cutShort(l.data):
		case err != nil:
			if !slices.ContainsFunc(kept, func(a aside) bool { return a.Text == string(l.data) || bytes.Equal(a.Bytes, l.data) }) {
				t.Fatalf("lost without a word: %q (%v)", l.data, err)
			}
		case run.Completed():
			if _, ok := s.Lookup(run.Key, run.Extent); !ok {
				t.Fatalf("the record of %q is gone", l.data)
			}
		}
	}
}
