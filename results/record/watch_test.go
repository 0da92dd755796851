package record

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// packedOf packs a folder of n runs, of which the curves and the timings of some are read.
func packedOf(t *testing.T, n int, read ...int) (dir string) {
	t.Helper()
	from := t.TempDir()
	var journal strings.Builder
	for i := range n {
		journal.WriteString(journalLine(t, testRun(i), testTiming(i)))
	}
	writeFile(t, from, "journal-1.jsonl", journal.String())
	e, err := ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	w, err := e.Watch()
	if err != nil {
		t.Fatal(err)
	}
	w.Note(true)
	var all []*Run
	for i := range e.Runs {
		all = append(all, &e.Runs[i])
	}
	if _, err := Numbers(all, "last", lastOf); err != nil {
		t.Fatal(err)
	}
	for _, i := range read {
		e.Runs[i].Measured()
		e.Timings().Of(e.Runs[i])
	}
	w.Note(false)
	e.Runs[n-1].Measured()
	dir = t.TempDir()
	if err := WritePacked(dir, w.Packed(func(c Curve) Curve { return c }), w.Timings()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func lastOf(r *Run) (float64, error) {
	y := r.Measured().Metrics["test"]["suboptimality"]
	return y[len(y)-1], nil
}

// A packed folder has all runs, the curves and timings that were read, and what numbers were
// made of the others.
func TestPackedFolder(t *testing.T) {
	t.Parallel()
	dir := packedOf(t, 6, 1, 4)
	e, err := ReadDir(dir)
	if err != nil || len(e.Runs) != 6 || len(e.Warnings) != 0 {
		t.Fatalf("%d runs, %q, %v", len(e.Runs), e.Warnings, err)
	}
	var all []*Run
	for i := range e.Runs {
		r := &e.Runs[i]
		all = append(all, r)
		was := testRun(r.Repeat*4 + int(r.Params["step.c"].(float64)/0.5) - 1)
		_, timed := e.Timings().Of(*r)
		if kept := i == 1 || i == 4; kept != (r.LeftOut == nil) || kept != timed {
			t.Errorf("run %d: left out %v, timed %v", i, r.LeftOut, timed)
		}
		if r.Key != was.Key || r.Points() != 3 || r.End() != 100 || !reflect.DeepEqual(r.Columns(), columnsOf(was.Curve)) {
			t.Errorf("run %d is %v with %d points up to %d", i, r.Name(), r.Points(), r.End())
		}
		if got, want := r.CurveChecksum(), was.CurveChecksum(); got != want || len(got) != 8 {
			t.Errorf("run %d: the checksum of its curve is %q, want %q", i, got, want)
		}
		if r.LeftOut == nil && !reflect.DeepEqual(r.Measured(), was.Curve) {
			t.Errorf("run %d has another curve", i)
		}
		if r.LeftOut != nil {
			var left *LeftOutError
			if err := measure(r); !errors.As(err, &left) || !strings.Contains(err.Error(), r.Name()) {
				t.Errorf("run %d: %v", i, err)
			}
		}
	}
	numbers, err := Numbers(all, "last", lastOf)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]float64)
	for i := range 6 {
		want[testRun(i).Key] = 0.1 / float64(i+1)
	}
	for i, v := range numbers {
		if v != want[e.Runs[i].Key] {
			t.Errorf("number of run %d: %v, want %v", i, v, want[e.Runs[i].Key])
		}
	}
	if _, err := Numbers(all, "another", lastOf); !errors.As(err, new(*LeftOutError)) {
		t.Errorf("a number that was not made: %v", err)
	}
	if _, err := e.Watch(); err == nil {
		t.Error("a packed folder is packed again")
	}
}

func measure(r *Run) (err error) {
	defer CatchLeftOut(&err)
	r.Measured()
	return nil
}

// Other panics than that of a curve that is left out go on.
func TestCatchLeftOut(t *testing.T) {
	t.Parallel()
	defer func() {
		if p := recover(); p != "another" {
			t.Errorf("recovered %v", p)
		}
	}()
	var err error
	defer CatchLeftOut(&err)
	panic("another")
}

// Nothing can be added to a folder that leaves curves out: compacting would make it the
// whole of the experiment.
func TestOpenPackedFolder(t *testing.T) {
	t.Parallel()
	dir := packedOf(t, 3, 0)
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "use another --out") {
		t.Errorf("opened: %v", err)
	}
	s, err := Open(dir, Options{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestBadLeftOut(t *testing.T) {
	t.Parallel()
	with := func(l LeftOut, c Curve) Run {
		r := testRun(0)
		r.Curve, r.LeftOut = c, &l
		return r
	}
	columns := columnsOf(testRun(0).Curve)
	for want, r := range map[string]Run{
		"but has 3 points":     with(LeftOut{Columns: columns}, testRun(0).Curve),
		"must not be negative": with(LeftOut{Columns: columns, Points: -1}, Curve{}),
		"is not said":          with(LeftOut{}, Curve{}),
		"an empty name":        with(LeftOut{Columns: columns, Numbers: map[string]float64{"": 1}}, Curve{}),
	} {
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
