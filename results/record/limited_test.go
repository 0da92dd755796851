package record

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func limitedRun(i int, status, reason string) Run {
	r := testRun(i)
	r.Status, r.Reason = status, reason
	return r
}

// A run that met its limit serves again until that is raised, and one that came to
// an end by itself under any.
func TestServes(t *testing.T) {
	t.Parallel()
	limited := func(status string, l *Limit) Run {
		r := limitedRun(1, status, "the limit")
		r.Limit = l
		return r
	}
	for _, test := range []struct {
		r    Run
		l    Limit
		want bool
	}{
		{testRun(0), Limit{}, true},
		{testRun(0), Limit{1e-9, 1}, true},
		{limitedRun(0, StatusDiverged, "NaN"), Limit{1e-9, 1}, true},
		{failedRun(0, "boom"), Limit{1e-9, 1}, false},
		{limitedRun(0, StatusSkipped, "no program"), Limit{}, false},
		{limited(StatusOutOfTime, &Limit{Seconds: 600}), Limit{Seconds: 600}, true},
		{limited(StatusOutOfTime, &Limit{Seconds: 600}), Limit{Seconds: 599}, true},
		{limited(StatusOutOfTime, &Limit{Seconds: 600}), Limit{Seconds: 601}, false},
		{limited(StatusOutOfTime, &Limit{Seconds: 600}), Limit{}, false},
		{limited(StatusOutOfTime, &Limit{Seconds: 600}), Limit{Memory: 5}, false},
		{limited(StatusOutOfTime, &Limit{Seconds: 600}), Limit{Seconds: 600, Memory: 5}, true},
		{limited(StatusOutOfMemory, &Limit{Memory: 100}), Limit{Memory: 100}, true},
		{limited(StatusOutOfMemory, &Limit{Memory: 100}), Limit{Memory: 101}, false},
		{limited(StatusOutOfMemory, &Limit{Memory: 100}), Limit{}, false},
		{limited(StatusOutOfMemory, &Limit{Memory: 100}), Limit{Seconds: 7, Memory: 99}, true},
		{limited(StatusOutOfTime, nil), Limit{Seconds: 1}, false},
		{limited(StatusOutOfMemory, nil), Limit{Memory: 1}, false},
	} {
		if err := test.r.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := test.r.Serves(test.l); got != test.want {
			t.Errorf("%s %+v serves %+v: %t", test.r.Status, test.r.Limit, test.l, got)
		}
	}
}

// Of two records of a run that which ended by itself counts, in whatever order they
// were made, then that of the larger limit.
func TestRecordsOfSeveralLimits(t *testing.T) {
	t.Parallel()
	of := func(status string, l *Limit) Run {
		r := testRun(1)
		if status != "" {
			r = limitedRun(1, status, "the limit")
		}
		r.Limit = l
		return r
	}
	short, long := of(StatusOutOfTime, &Limit{Seconds: 10}), of(StatusOutOfTime, &Limit{Seconds: 600})
	long.Curve = testRun(1).Curve
	small := of(StatusOutOfMemory, &Limit{Memory: 7})
	failed := failedRun(1, "boom")
	ended := testRun(1)
	for i, test := range []struct {
		runs []Run
		want Run
	}{
		{[]Run{short, ended}, ended},
		{[]Run{ended, short}, ended},
		{[]Run{short, long}, long},
		{[]Run{long, short}, long},
		{[]Run{short, failed}, short},
		{[]Run{failed, short}, short},
		{[]Run{short, failed, small, long, ended}, ended},
		// Of limits that do not compare it is the latest, which compacting tells.
		{[]Run{small, long}, long},
		{[]Run{long, small}, small},
	} {
		for _, planned := range []bool{true, false} {
			for _, compacted := range []bool{true, false} {
				if !compacted && i >= 7 {
					continue
				}
				dir := t.TempDir()
				for _, r := range test.runs {
					s := open(t, dir, Options{})
					appendRuns(t, s, r)
					var err error
					if compacted {
						err = s.Compact(planOf(1))
					} else if planned {
						err = s.SetPlan(planOf(1))
					}
					if err != nil {
						t.Fatal(err)
					}
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
				}
				s := open(t, dir, Options{})
				if w := s.Warnings(); len(w) > 0 {
					t.Errorf("%d: warnings %q", i, w)
				}
				got, ok := s.Lookup(ended.Key, ended.Extent)
				s.Close()
				e := read(t, dir)
				if !ok || differ(got, test.want) || len(e.Runs) != 1 || differ(e.Runs[0], test.want) || len(e.Warnings) > 0 {
					t.Errorf("%d: the store has %s %+v, readers %d: %s %+v, %q", i, got.Status, got.Limit, len(e.Runs), e.Runs[0].Status, e.Runs[0].Limit, e.Warnings)
				}
			}
		}
	}
}

func TestLimitsAreValidated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status string
		l      Limit
		want   string
	}{
		{StatusFinished, Limit{Seconds: 1}, "with a limit that was met"},
		{StatusFailed, Limit{Seconds: 1}, "with a limit that was met"},
		{StatusOutOfTime, Limit{Memory: 1}, "without a limit of that"},
		{StatusOutOfMemory, Limit{Seconds: 1}, "without a limit of that"},
		{StatusOutOfTime, Limit{Seconds: -1}, "must be finite and not negative"},
		{StatusOutOfTime, Limit{Seconds: math.Inf(1)}, "must be finite and not negative"},
		{StatusOutOfMemory, Limit{Memory: -1}, "must be finite and not negative"},
	} {
		r := limitedRun(0, test.status, "a reason")
		r.Limit = &test.l
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %+v: error %v, want %q", test.status, test.l, err, test.want)
		}
	}
}

// A run that ran out of time or memory is done.
func TestLimitedRunsAreCompleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	appendRuns(t, s, testRun(0), limitedRun(1, StatusOutOfTime, "600 s"), limitedRun(2, StatusOutOfMemory, "12 GB"), failedRun(3, "boom"))
	if err := s.SetPlan(planOf(0, 1, 2, 3)); err != nil {
		t.Fatal(err)
	}
	if n := len(slices.Collect(s.Completed())); n != 3 {
		t.Errorf("%d runs are completed, want 3", n)
	}
	e := read(t, dir)
	sum := Summarise(e)
	if want := (Counts{Runs: 4, Finished: 1, Failed: 1, OutOfTime: 1, OutOfMemory: 1}); sum.Counts != want || sum.Series[0].Counts != want {
		t.Errorf("counts %+v, want %+v", sum.Counts, want)
	}
	if len(sum.Problems) != 3 || sum.Problems[0].Status != StatusOutOfTime || sum.Problems[1].Reason != "12 GB" {
		t.Errorf("problems %+v", sum.Problems)
	}
}
