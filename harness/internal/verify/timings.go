package verify

import (
	"fmt"
	"math"
	"slices"
	"time"

	"stochopt/internal/record"
)

// compareTimings checks the timings, which a second run cannot reproduce: that each record
// has exactly one, with as many points, that its clocks neither go back nor exceed their
// total, and that CPU time does not exceed elapsed time. Any other value goes undetected.
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
			v.findf(checkTimings, Superfluous, at, "a second timing of this run; the first is at line %d", line)
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
			v.findf(checkTimings, Missing, at, "the record has no timing")
		}
	}
}

// rounding is what a sum of times may differ by.
const rounding = 1e-9

// wrongTiming says what is wrong with the timing of a record, "" if nothing is found.
func wrongTiming(t record.Timing, r record.Run) string {
	n := r.Points()
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
			return fmt.Sprintf("%s has %d points, but the record %d", clock.name, m, n)
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
	if text := wrongShare(t, r); text != "" {
		return text
	}
	if len(t.Seconds) == 0 && n > 0 {
		return fmt.Sprintf("seconds has no points, but the record %d", n)
	}
	if t.ReferenceSeconds > t.SetupSeconds*(1+rounding) {
		return fmt.Sprintf("reference_seconds is %v, more than the %v of setup_seconds", t.ReferenceSeconds, t.SetupSeconds)
	}
	if t.Finished == "" && n == 0 {
		return ""
	}
	finished, err := time.Parse(time.RFC3339, t.Finished)
	switch {
	case err != nil:
		return fmt.Sprintf("finished is %q, which is not a time", t.Finished)
	case time.Until(finished) > ahead:
		return fmt.Sprintf("finished is %s, which is in the future", t.Finished)
	}
	return ""
}

const (
	// ahead is how much later the clock of another machine may be.
	ahead = 24 * time.Hour
	// tick, in seconds, and drift, relative, bound by how much the clock of a thread may be
	// ahead of elapsed time.
	tick, drift = 0.05, 0.05
)

// wrongShare says where a run has more CPU time than elapsed time. Runs have one thread,
// except svm-train, which may be built with several.
func wrongShare(t record.Timing, r record.Run) string {
	if r.Algorithm == "libsvm" {
		return ""
	}
	for i, cpu := range t.CPUSeconds {
		if i < len(t.Seconds) && cpu > t.Seconds[i]*(1+drift)+tick {
			return fmt.Sprintf("cpu_seconds is %v at point %d, more than the %v elapsed, although the run has one thread", cpu, i+1, t.Seconds[i])
		}
	}
	return ""
}
