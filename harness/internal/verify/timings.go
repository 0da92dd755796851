package verify

import (
	"fmt"
	"math"
	"slices"
	"time"

	"stochopt/results/record"
)

// compareTimings checks the timings, which no second run repeats: that each record has
// one, of as many points, that its clocks do not go back or beyond its total, and that
// there are no others.
func (v *verification) compareTimings() {
	of := make(map[identity]record.Run)
	place := make(map[identity]int) // timings are in the order of their records
	for i, w := range slices.Concat(v.lines.Runs, v.lines.Archive) {
		if id := identityOf(w.Value); place[id] == 0 {
			of[id], place[id] = w.Value, i+1
		}
	}
	seen := make(map[identity]int)
	last := -1
	for _, w := range v.lines.Timings {
		t := w.Value
		id := identity{t.Key, t.Extent}
		at := Finding{File: w.File, Line: w.Line, Key: t.Key}
		r, ok := of[id]
		if ok {
			at.Run = r.Name()
		}
		switch line := seen[id]; {
		case line > 0:
			v.findf(checkTimings, Superfluous, at, "the timing is there twice, first at line %d", line)
			continue
		case !ok:
			v.findf(checkTimings, Superfluous, at, "there is no record of the run")
			continue
		}
		seen[id] = w.Line
		v.checked(checkTimings, 1)
		if text := wrongTiming(t, r); text != "" {
			v.findf(checkTimings, Differs, at, "%s", text)
		}
		if place[id] < last {
			v.findf(checkTimings, Differs, at, "the timings are not in the order of their records")
		}
		last = max(last, place[id])
	}
	if v.folder.Packed() {
		return
	}
	for _, w := range v.lines.Runs {
		if r := w.Value; seen[identityOf(r)] == 0 {
			seen[identityOf(r)] = -1
			at := Finding{File: record.TimingsFile, Run: r.Name(), Key: r.Key}
			v.findf(checkTimings, Missing, at, "there is no timing of its record")
		}
	}
}

// rounding is what a sum of times may differ by.
const rounding = 1e-9

// wrongTiming says what is wrong with the timing of a record, "" if nothing is to be seen.
func wrongTiming(t record.Timing, r record.Run) string {
	n := r.Curve.Len()
	for _, clock := range []struct {
		name string
		at   []float64
		most float64
	}{{"seconds", t.Seconds, t.StepSeconds}, {"cpu_seconds", t.CPUSeconds, math.Inf(1)}} {
		if len(clock.at) == 0 {
			continue
		}
		// The last measurement of a run that diverged has a time and no point.
		if m := len(clock.at); m != n && !(m == n+1 && r.Status == record.StatusDiverged) {
			return fmt.Sprintf("%s has %d points, and the record %d", clock.name, m, n)
		}
		before := 0.0
		for i, s := range clock.at {
			if !(s >= before) {
				return fmt.Sprintf("%s goes back from %v to %v at point %d", clock.name, before, s, i+1)
			}
			before = s
		}
		if before > clock.most*(1+rounding) {
			return fmt.Sprintf("%s ends at %v, after the %v of step_seconds", clock.name, before, clock.most)
		}
	}
	if len(t.Seconds) == 0 && n > 0 {
		return fmt.Sprintf("seconds has no points, and the record %d", n)
	}
	if t.ReferenceSeconds > t.SetupSeconds*(1+rounding) {
		return fmt.Sprintf("reference_seconds is %v, more than the %v of setup_seconds", t.ReferenceSeconds, t.SetupSeconds)
	}
	if t.Finished == "" && n == 0 {
		return ""
	}
	if _, err := time.Parse(time.RFC3339, t.Finished); err != nil {
		return fmt.Sprintf("finished is %q, which is no time", t.Finished)
	}
	return ""
}
