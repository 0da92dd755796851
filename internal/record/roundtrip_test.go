package record

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// edgeRuns returns runs with content that an encoding could lose.
func edgeRuns() []Run {
	negative := math.Copysign(0, -1)
	edges := []float64{negative, 5e-324, -2.2250738585072011e-308, math.MaxFloat64, 1e308, 0.1, 1, 1 << 53, 1<<53 + 2}
	changes := []func(*Run){
		func(r *Run) {},
		func(r *Run) {
			r.Curve.Cost = map[string][]int64{"iterations": {0, 1<<53 + 1, math.MaxInt64}, "sum_kt2": {math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64}}
		},
		func(r *Run) {
			iterations := make([]int64, len(edges))
			for i := range iterations {
				iterations[i] = int64(i)
			}
			r.Curve = Curve{Cost: map[string][]int64{"iterations": iterations}, Metrics: map[string]map[string][]float64{"train": {"x": edges}, "test": {}}}
		},
		func(r *Run) {
			r.Params = Params{"i": int64(1), "f": 1.0, "n": negative, "d": 5e-324, "l": math.MaxFloat64, "min": int64(math.MinInt64), "t": "1", "b": true, "e": "", "null": "null",
				"large": 1e21, "exact": float64(1 << 53), "third": 1.0 / 3, "max": int64(math.MaxInt64), "html": "<&>\u2028"}
		},
		func(r *Run) { r.Curve.Spectrum = [][]float64{{1, negative, -5e-324}, nil, {1e308}} },
		func(r *Run) { r.Curve.Spectrum = [][]float64{{}, {}, {}} },
		func(r *Run) { r.Curve.Vectors = map[string][]float64{"a": edges, "none": nil, "empty": {}} },
		func(r *Run) { *r = sparseRun(7) },
		func(r *Run) { *r = kernelRun(8) },
		func(r *Run) { r.Curve = Curve{} },
		func(r *Run) {
			r.Curve = Curve{Cost: map[string][]int64{"iterations": {}, "sum_kt2": nil}, Metrics: map[string]map[string][]float64{"test": {"x": nil}, "state": nil}}
		},
		func(r *Run) { r.Status, r.Reason, r.Curve = StatusFailed, "bad bytes \xff\xfe and \x00", Curve{} },
		func(r *Run) { r.Status, r.Reason = StatusDiverged, "NaN" },
		func(r *Run) { r.Status, r.Reason, r.Limit = StatusOutOfTime, "600 s", &Limit{Seconds: 600} },
		func(r *Run) { r.Status, r.Reason, r.Limit = StatusOutOfMemory, "1 GB", &Limit{Memory: math.MaxInt64} },
		func(r *Run) { r.Seed, r.StandIn, r.Group = math.MaxUint64, true, "" },
		func(r *Run) {
			const hostile = "<b>&amp;</b>\n\u2028é\x00\x1f\"\\a=1;b=2\ufffd"
			r.Reason, r.Group, r.Dataset, r.Series = hostile, hostile, hostile, hostile
			r.Params, r.Rows, r.Facts = Params{hostile: hostile}, map[string]int64{hostile: 1}, map[string]float64{hostile: negative}
			r.Curve.Metrics["<m>"] = map[string][]float64{hostile: {negative, 5e-324, -math.MaxFloat64}}
		},
		func(r *Run) { r.External = &External{Deterministic: true, Declared: []string{"kernel_evals"}} },
	}
	var runs []Run
	for i, change := range changes {
		r := testRun(i)
		change(&r)
		r.Key, r.Extent = testRun(i).Key, testRun(i).Extent
		runs = append(runs, r)
	}
	return runs
}

// The database, parts, imported parts and text all preserve every run.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	runs := edgeRuns()
	plan := idsOf(runs)
	text := canonicalLines(t, runs)
	database, parts, imported := t.TempDir(), t.TempDir(), t.TempDir()
	half := len(runs) / 2
	for dir, o := range map[string]Options{database: {}, parts: {Part: "1of2"}, imported: {Part: "1of2"}} {
		s := open(t, dir, o)
		must(t, s.SetPlan(plan))
		add(t, s, runs[half:]...)
		closeStore(t, s)
		o.Part = map[bool]string{true: "2of2"}[o.Part != ""]
		record(t, dir, o, runs[:half]...)
	}
	s := open(t, imported, Options{})
	if len(s.Warnings()) > 0 {
		t.Errorf("warnings %q", s.Warnings())
	}
	closeStore(t, s)
	must(t, os.RemoveAll(filepath.Join(imported, PartsFolder)))
	plain, zipped := t.TempDir(), t.TempDir()
	writeFile(t, plain, RunsFile, text)
	writeFile(t, zipped, RunsFile+compressed, gzipped(t, text))
	for _, dir := range []string{database, parts, imported, plain, zipped} {
		e := wantRuns(t, dir, runs...)
		if got := canonicalLines(t, e.Runs); got != text {
			t.Errorf("the bytes of the runs of %s differ", dir)
		}
		for i := range e.Runs {
			r, want := &e.Runs[i], &runs[i]
			sameModel(t, r, want)
			timing, ok := r.Timing()
			if timed := dir != plain && dir != zipped; ok != timed || ok && !reflect.DeepEqual(timing, timingOf(*want)) {
				t.Fatalf("%s: timing %+v, %v", r.Name(), timing, ok)
			}
		}
		if damage, err := e.Check(); err != nil || len(damage) > 0 {
			t.Errorf("%s: damage %q, %v", dir, damage, err)
		}
	}
}

// sameModel compares runs with and without their curves. Comparing text distinguishes "-0" from "0".
func sameModel(t *testing.T, got, want *Run) {
	t.Helper()
	if !reflect.DeepEqual(got.Params, want.Params) || got.Seed != want.Seed || got.Points() != want.Points() || got.End() != want.End() {
		t.Fatalf("read %#v, seed %d, %d points to %d; want %#v, seed %d, %d points to %d",
			got.Params, got.Seed, got.Points(), got.End(), want.Params, want.Seed, want.Points(), want.End())
	}
	if got.CurveChecksum() != want.CurveChecksum() || got.Completed() != want.Completed() {
		t.Fatalf("%s: curve %s, want %s", got.Name(), got.CurveChecksum(), want.CurveChecksum())
	}
	if fmt.Sprint(got.Measured()) != fmt.Sprint(want.Measured()) {
		t.Fatalf("%s: the curve is %v, want %v", got.Name(), got.Measured(), want.Measured())
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	must(t, z.Close())
	return b.String()
}

// A folder of text is read-only.
func TestTextFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runs := testRuns(3)
	writeFile(t, dir, RunsFile, canonicalLines(t, runs))
	e := wantRuns(t, dir, runs...)
	if timing, ok := e.Runs[0].Timing(); ok {
		t.Errorf("a timing %+v", timing)
	}
	_, err := Open(dir, Options{})
	wantNamed(t, err, RunsFile)
	if got := filesOf(t, dir); len(got) != 1 {
		t.Errorf("the folder has %q", got)
	}

	text := canonicalLines(t, runs)
	writeFile(t, dir, RunsFile, text[:10]+"x"+text[11:]+"torn")
	e = readDir(t, dir)
	sameRuns(t, e.Runs, runs[1:])
	if len(e.Warnings) == 2 {
		wantNamed(t, e.Warnings[0], RunsFile+":1: ")
		wantNamed(t, e.Warnings[1], RunsFile+":4: ")
	}
	if e.Damaged != 2 || len(e.Warnings) != 2 {
		t.Errorf("%d lines are damaged, want 2", e.Damaged)
	}
	writeFile(t, dir, RunsFile, text+string(Seal([]byte(`{"schema":3}`)))+"\n")
	_, err = ReadDir(dir)
	if e := wantType[*SchemaError](t, err); e.Schema != 3 || e.Line != 4 || e.File == "" {
		t.Errorf("the error is %v", err)
	}
}

// A damaged compressed file is an error, even if only its end is damaged: the lost content is unknown.
func TestDamagedCompressedText(t *testing.T) {
	t.Parallel()
	whole := gzipped(t, canonicalLines(t, testRuns(3)))
	flipped := []byte(whole)
	flipped[len(flipped)-5] ^= 1 // within the checksum
	for name, content := range map[string]string{
		"empty": "", "text": canonicalLines(t, testRuns(1)), "torn": whole[:len(whole)-3], "flipped": string(flipped), "followed": whole + "more",
	} {
		dir := t.TempDir()
		writeFile(t, dir, RunsFile+compressed, content)
		e, err := ReadDir(dir)
		if err == nil {
			t.Fatalf("%s: %d runs were read", name, len(e.Runs))
		}
		wantNamed(t, err, RunsFile+compressed)
	}
}
