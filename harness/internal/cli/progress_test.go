package cli

import (
	"strings"
	"testing"
	"time"

	"stochopt/harness/internal/plan"
	"stochopt/results"
)

// Where stderr is no terminal there are plain lines: one at the start, then
// one every lineEvery, no matter how many runs end.
func TestPlainProgress(t *testing.T) {
	var w strings.Builder
	p := newProgress(&w, "exp")
	p.Start(8, 2, 600)
	it := &plan.Item{Budget: 100}
	p.Done(it, results.Run{Status: results.StatusFinished})
	p.Done(it, results.Run{Status: results.StatusDiverged})
	// As if the runs had taken a while.
	p.started = p.started.Add(-20 * time.Second)
	p.last = p.last.Add(-lineEvery)
	p.Done(it, results.Run{Status: results.StatusFailed})
	p.Done(it, results.Run{Status: results.StatusFinished})
	p.finish()
	want := "exp: 8 runs, 2 of them on record\nexp 5/8, 2 failed or diverged, 20s elapsed, about 20s left\n"
	if w.String() != want {
		t.Errorf("progress is\n%s\nwant\n%s", w.String(), want)
	}
	if strings.ContainsAny(w.String(), "\r\x1b") {
		t.Error("there are control characters in plain lines")
	}
}

func TestProgressOfNothingToDo(t *testing.T) {
	var w strings.Builder
	p := newProgress(&w, "exp")
	p.Start(8, 8, 0)
	p.finish()
	if want := "exp: 8 runs, 8 of them on record\n"; w.String() != want {
		t.Errorf("progress is %q, want %q", w.String(), want)
	}
}

func TestWarningsOfRuns(t *testing.T) {
	var w strings.Builder
	p := newProgress(&w, "exp")
	p.Start(2, 0, 10)
	p.warn("mind the gap")
	p.note("be patient")
	p.Done(&plan.Item{Budget: 5}, results.Run{Status: results.StatusSkipped})
	if got, want := p.label(), "exp 1/2"; got != want {
		t.Errorf("with a skipped run the label is %q, want %q", got, want)
	}
	p.finish()
	if want := "exp: 2 runs, 0 of them on record\nwarning: mind the gap\nbe patient\n"; w.String() != want {
		t.Errorf("progress is %q, want %q", w.String(), want)
	}
}
