package record

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
)

func TestInvalidTiming(t *testing.T) {
	t.Parallel()
	for _, timing := range []Timing{
		{Seconds: []float64{1, 2, 1.5}}, {Seconds: []float64{-1}}, {Seconds: []float64{math.NaN()}}, {SetupSeconds: math.Inf(1)},
	} {
		if _, err := encodeRow(testRun(0), timing); err == nil {
			t.Errorf("%+v was recorded", timing)
		}
	}
}

// Seconds and CPUSeconds return times only if there is one for each recorded point.
func TestSeconds(t *testing.T) {
	t.Parallel()
	whole, short := timingOf(testRun(0)), timingOf(testRun(1))
	whole.Seconds, whole.CPUSeconds = []float64{0.5, 1, 8}, []float64{0.25, 0.5, 4}
	short.Seconds = []float64{0.5, 1}
	dir := t.TempDir()
	s := open(t, dir, Options{})
	must(t, errors.Join(s.Add(testRun(0), whole), s.Add(testRun(1), short), s.Close()))
	stored := readDir(t, dir).Runs
	for name, runs := range map[string][]Run{"memory": {testRun(0).WithTiming(whole), testRun(1).WithTiming(short)}, "database": stored} {
		got := ""
		for i := range runs {
			seconds, ok := runs[i].Seconds()
			cpu, okCPU := runs[i].CPUSeconds()
			step, eval, okDurations := runs[i].Durations()
			got += fmt.Sprintln(seconds, ok, cpu, okCPU, step, eval, okDurations)
		}
		if want := "[0.5 1 8] true [0.25 0.5 4] true 0.125 0.1 true\n[] false [] false 0.125 0.1 true\n"; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		if timing, ok := runs[1].Timing(); !ok || !reflect.DeepEqual(timing, short) {
			t.Errorf("%s: timing %+v, %v", name, timing, ok)
		}
	}
	none := testRun(2)
	if _, ok := none.Timing(); ok {
		t.Error("a run without a timing has one")
	}
	if _, _, ok := none.Durations(); ok {
		t.Error("a run without a timing has spent time")
	}
}
