package record

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// indexedFolder compacts runs into a folder whose files have an index whatever their size.
func indexedFolder(t *testing.T, n int) (dir string) {
	t.Helper()
	before := leastIndexed
	leastIndexed = 0
	t.Cleanup(func() { leastIndexed = before })
	dir = t.TempDir()
	s := open(t, dir, Options{})
	var plan []int
	for i := range n {
		appendRuns(t, s, testRun(i))
		plan = append(plan, i)
	}
	odd := testRun(n)
	odd.Key, odd.Rows, odd.Facts = "a key of another length", map[string]int64{"test": 9}, map[string]float64{"f": 0.5}
	odd.Curve.Metrics["state"] = map[string][]float64{"support": {0, 0, 2}}
	appendRuns(t, s, odd, failedRun(n+1, "panic"))
	ids := append(planOf(plan...), odd.ID(), failedRun(n+1, "").ID())
	if err := s.Compact(ids); err != nil {
		t.Fatal(err)
	}
	s.Close()
	return dir
}

// seen is all that a reader sees of a folder.
func seen(t *testing.T, dir string) string {
	t.Helper()
	e, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n", Summarise(e))
	timings := e.Timings()
	for i := range e.Runs {
		r := &e.Runs[i]
		timing, ok := timings.Of(*r)
		fmt.Fprintf(&b, "%s%+v %v %d %d %v\n", lines(t, *r), timing, ok, r.Points(), r.End(), r.HasClassifier())
	}
	return b.String()
}

// What is read with an index is what is read without, and an index that is of other bytes,
// damaged or of another format does not count.
func TestIndexIsNeverTheTruth(t *testing.T) {
	dir := indexedFolder(t, 20)
	path := filepath.Join(dir, indexFile)
	want := seen(t, dir)
	made := readFile(t, dir, indexFile)
	if got := seen(t, dir); got != want {
		t.Errorf("with an index:\n%s\nwithout:\n%s", got, want)
	}
	if len(readIndex(dir)) != 3 {
		t.Errorf("the index is of %d files, want those of runs, timings and the plan", len(readIndex(dir)))
	}
	for at := range made {
		broken := []byte(made)
		broken[at] ^= 1 << (at % 8)
		if _, err := decodeIndex(broken); err == nil {
			t.Fatalf("a flipped bit of byte %d is not found", at)
		}
		if _, err := decodeIndex([]byte(made[:at])); err == nil {
			t.Fatalf("cut at %d: it is not found", at)
		}
	}
	for _, content := range []string{"", "x", made[:len(made)/2], strings.Replace(made, "index 1", "index 2", 1)} {
		writeFile(t, dir, indexFile, content)
		if got := seen(t, dir); got != want {
			t.Errorf("with another index:\n%s\nwant:\n%s", got, want)
		}
		if again := readFile(t, dir, indexFile); again != made {
			t.Error("the index was not made again")
		}
	}
	// A byte of the records, at the same size.
	text := readFile(t, dir, RunsFile)
	writeFile(t, dir, RunsFile, strings.Replace(text, `"repeat":1`, `"repeat":7`, 1))
	e, err := ReadDir(dir)
	if err != nil || len(e.Runs) != 21 {
		t.Fatalf("%d runs, %v; want all but the damaged one", len(e.Runs), err)
	}
	wantWarning(t, e.Warnings, RunsFile, "damaged line")
	writeFile(t, dir, RunsFile, text)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o755); err != nil { // it cannot be written
		t.Fatal(err)
	}
	if got := seen(t, dir); got != want {
		t.Errorf("where no index can be:\n%s\nwant:\n%s", got, want)
	}
}

// A compacted folder that is what it should be is left alone.
func TestCompactLeavesWhatIsThere(t *testing.T) {
	dir := indexedFolder(t, 20)
	seen(t, dir)
	stat := func() (infos []os.FileInfo) {
		for _, name := range []string{RunsFile, TimingsFile, PlanFile} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			infos = append(infos, info)
		}
		return infos
	}
	before := stat()
	c, err := readFolder(dir, readIndex(dir))
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, Options{})
	if err := s.Compact(c.plan); err != nil {
		t.Fatal(err)
	}
	for i, info := range stat() {
		if !os.SameFile(info, before[i]) {
			t.Errorf("%s was written again", info.Name())
		}
	}
	// Another order, other labels and a run less do write.
	for _, change := range []func(plan []ID) []ID{
		func(plan []ID) []ID { return append(plan[1:], plan[0]) },
		func(plan []ID) []ID { plan[3].Series = "renamed"; return plan },
		func(plan []ID) []ID { return plan[2:] },
	} {
		text := readFile(t, dir, RunsFile)
		c.plan = change(c.plan)
		if err := s.Compact(c.plan); err != nil {
			t.Fatal(err)
		}
		if readFile(t, dir, RunsFile) == text {
			t.Error("the runs were not written again")
		}
		e, err := ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := range e.Runs {
			if want := c.plan[i]; e.Runs[i].Key != want.Key || want.Series != "" && e.Runs[i].Series != want.Series {
				t.Errorf("run %d is %s, want %+v", i, e.Runs[i].Name(), want)
			}
		}
		if w := s.Warnings(); len(w) > 0 {
			t.Errorf("warnings %q", w)
		}
	}
}

// Numbers are made once, and again if they are made otherwise now.
func TestNumbers(t *testing.T) {
	dir := indexedFolder(t, 20)
	made := 0
	numbers := func(scale float64) []float64 {
		e, err := ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var runs []*Run
		for i := range 20 {
			runs = append(runs, &e.Runs[i])
		}
		calls := make([]int, len(runs))
		out, err := Numbers(runs, "last", func(r *Run) (float64, error) {
			calls[r.stored.line]++
			y := r.Measured().Metrics["test"]["suboptimality"]
			return scale * y[len(y)-1], nil
		})
		if err != nil {
			t.Fatal(err)
		}
		made = 0
		for _, n := range calls {
			made += n
		}
		e.SaveNumbers()
		return out
	}
	want := numbers(1)
	if made != 20 {
		t.Errorf("made %d numbers, want 20", made)
	}
	if got := numbers(1); !reflect.DeepEqual(got, want) || made > mostChecked+4 {
		t.Errorf("%v after making %d, want %v", got, made, want)
	}
	for i := range want {
		want[i] *= math.Pi
	}
	for range 2 {
		if got := numbers(math.Pi); !reflect.DeepEqual(got, want) {
			t.Errorf("made otherwise: %v, want %v", got, want)
		}
	}
	e, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	// Of numbers that are made otherwise now none is kept, also of runs that are asked for later;
	// of others a sample is made again once, however often they are asked for.
	for _, scale := range []float64{1, math.Pi} {
		e, err := ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		for i := range 20 {
			got, err := Numbers([]*Run{&e.Runs[i]}, "last", func(r *Run) (float64, error) {
				calls++
				y := r.Measured().Metrics["test"]["suboptimality"]
				return scale * y[len(y)-1], nil
			})
			if w := want[i] * scale / math.Pi; err != nil || math.Abs(got[0]-w) > 1e-12*w {
				t.Errorf("scale %v, run %d: %v, want %v, %v", scale, i, got, w, err)
			}
		}
		if most := map[float64]int{1: 21, math.Pi: 1}[scale]; calls > most {
			t.Errorf("scale %v: %d numbers made, want at most %d", scale, calls, most)
		}
	}
	bad := errors.New("no number")
	if _, err := Numbers([]*Run{&e.Runs[3]}, "other", func(*Run) (float64, error) { return 0, bad }); !errors.Is(err, bad) {
		t.Errorf("error is %v", err)
	}
}

// A number in an index that nobody makes is not told by ReadWithoutIndex, and no index is written.
func TestReadWithoutIndex(t *testing.T) {
	dir := indexedFolder(t, 20)
	last := func(read func(string) (*Experiment, error)) float64 {
		e, err := read(dir)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Numbers([]*Run{&e.Runs[3]}, "none", func(*Run) (float64, error) { return 1, nil })
		if err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	if last(ReadWithoutIndex) != 1 {
		t.Error("the number is not made")
	}
	if _, err := os.Stat(filepath.Join(dir, indexFile)); err == nil {
		t.Error("an index was written")
	}
	e, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	x := readIndex(dir)
	s := x[RunsFile]
	status := s.tables[1].texts[0]
	s.tables[1].texts[0] = strings.Replace(status, `"finished"`, `"diverged"`, 1)
	if err := x.write(dir); err != nil || s.tables[1].texts[0] == status {
		t.Fatalf("%v, %s", err, status)
	}
	forged, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := ReadWithoutIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	if forged.Runs[3].Status == e.Runs[3].Status || plain.Runs[3].Status != e.Runs[3].Status {
		t.Errorf("status %s by the forged index, %s by the lines", forged.Runs[3].Status, plain.Runs[3].Status)
	}
}

// What was read before and is gone is no empty curve.
func TestMeasuredNeedsTheLine(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "f", lines(t, testRun(0)))
	r := testRun(0)
	r.Curve, r.stored.place = Curve{}, place{&lineFile{path: filepath.Join(dir, "f")}, 7, 40}
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "cannot read "+filepath.Join(dir, "f")) {
			t.Errorf("panic is %v", p)
		}
	}()
	r.Measured()
}
