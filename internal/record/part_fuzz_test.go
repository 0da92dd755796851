package record

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// A line of a part is rejected, or decoding its encoding gives the same encoding.
func FuzzDecodeEntry(f *testing.F) {
	timing := timingOf(testRun(0))
	run := sparseRun(0)
	for _, e := range []entry{{Run: &run, Timing: &timing}, {Optimum: &Optimum{"o", []byte(`{"f":-0.0}`)}}} {
		line, err := encodeEntry(e)
		must(f, err)
		object, err := Unseal(bytes.TrimSuffix(line, []byte("\n")))
		must(f, err)
		f.Add(object)
	}
	f.Add([]byte(`{"run":{"schema":3},"timing":{}}`))
	f.Add([]byte(`{"run":{"schema":2,"key":"a","extent":"b","dataset":"c","series":"d","algorithm":"e","status":"finished",` +
		`"params":{"c":1.50e1},"curve":{"cost":{"iterations":[]}}},"timing":{}}`))
	f.Add([]byte(`{"optimum":{"id":"a"}}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		e, err := decodeEntry(object)
		if err != nil {
			return
		}
		first, err := encodeEntry(e)
		must(t, err)
		object, err = Unseal(bytes.TrimSuffix(slices.Clone(first), []byte("\n")))
		must(t, err)
		e, err = decodeEntry(object)
		must(t, err)
		if second, err := encodeEntry(e); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("not canonical: %v\n%s\n%s", err, first, second)
		}
	})
}

// No line of a part is lost silently: it is recorded, reported, or incomplete. Importing parts again
// changes nothing.
func FuzzParts(f *testing.F) {
	part := func(runs ...Run) (text []byte) {
		for i := range runs {
			timing := timingOf(runs[i])
			line, err := encodeEntry(entry{Run: &runs[i], Timing: &timing})
			must(f, err)
			text = append(text, line...)
		}
		return text
	}
	plan, err := encodeLine(planOf(1)[0])
	must(f, err)
	plan = append(Seal(plan), '\n')
	whole, other := part(testRun(0), failedRun(1, "x"), testRun(2)), part(testRun(1), testRun(2))
	f.Add(whole, other, plan)
	f.Add(whole[:len(whole)/2], other[:len(other)-20], plan[:9])
	f.Add([]byte("{}\n\n\x00\xff\n"), bytes.ReplaceAll(other, []byte("suboptimality"), []byte("suboptimalitY")), []byte("null\n"))
	f.Fuzz(func(t *testing.T, a, b, plan []byte) {
		dir := t.TempDir()
		texts := map[string][]byte{"a.jsonl": a, "b.jsonl": b, PartsPlanFile: plan}
		for name, text := range texts {
			writeFile(t, dir, filepath.Join(PartsFolder, name), string(text))
		}
		e, err := ReadDir(dir)
		var schema *SchemaError
		if errors.As(err, &schema) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		damaged := 0
		var completed []Run
		for _, name := range []string{"a.jsonl", "b.jsonl"} {
			for l := range bytes.Lines(texts[name]) {
				text, ended := bytes.CutSuffix(l, []byte("\n"))
				if !ended || len(bytes.TrimSpace(text)) == 0 {
					continue
				}
				object, err := Unseal(slices.Clone(text))
				var e entry
				if err == nil {
					e, err = decodeEntry(object)
				}
				if err != nil {
					damaged++
				} else if e.Run != nil && e.Run.Completed() {
					completed = append(completed, *e.Run)
				}
			}
		}
		if e.Damaged < damaged {
			t.Fatalf("%d lines are damaged, %d are reported", damaged, e.Damaged)
		}
		record(t, dir, Options{})
		first, _ := snapshotOf(dir)
		s := open(t, dir, Options{})
		for _, r := range completed {
			if _, ok := s.Lookup(r.Key, r.Extent); !ok {
				t.Fatalf("%s is lost", r.Name())
			}
		}
		closeStore(t, s)
		if again, _ := snapshotOf(dir); !reflect.DeepEqual(again, first) {
			t.Fatal("importing parts again changes the database")
		}
		if n := len(refs(completed)); len(e.Completed()) != n {
			t.Fatalf("%d runs are completed, want %d", len(e.Completed()), n)
		}
	})
}
