package cli

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// items makes runs of an algorithm on a dataset.
func items(dataset, task, algorithm string, n int, budget int64) []*plan.Item {
	var out []*plan.Item
	entry, _ := registry.Lookup(task, algorithm)
	for repeat := range n {
		out = append(out, &plan.Item{
			Problem: &plan.Problem{Spec: new(spec.Spec), Entry: &spec.DatasetEntry{ID: dataset}, Data: new(datasets.Data)},
			Series:  algorithm, Algorithm: entry, Repeat: repeat, Budget: budget,
		})
	}
	return out
}

var finished = record.Run{Status: record.StatusFinished}

// timed returns the timing of a run whose steps and evaluation took the given seconds together.
func timed(seconds float64) record.Timing {
	return record.Timing{StepSeconds: seconds - 1, EvalSeconds: 1}
}

// Where stderr is no terminal there are plain lines: one at the start, one soon
// after, then one now and then, ever less often, whether or not runs end.
func TestPlainProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w strings.Builder
		p := newProgress(&w, "exp")
		its := items("mnist", registry.TaskPCA, "msg", 4, 100)
		its = append(its, items("mnist", registry.TaskPCA, "incremental", 2, 100)...)
		p.Start(8, its)
		var a, b atomic.Int64
		p.Begin(its[0], &a)
		p.Begin(its[1], &b)
		time.Sleep(7 * time.Second) // a line at 5 s
		p.Done(its[0], finished, timed(7))
		p.Done(its[1], record.Run{Status: record.StatusDiverged}, timed(2))
		p.Begin(its[2], &a)
		p.Begin(its[3], &b)
		a.Store(25)
		time.Sleep(9 * time.Second) // a line at 15 s
		p.Done(its[2], record.Run{Status: record.StatusFailed}, record.Timing{})
		a.Store(0)
		p.Begin(its[4], &a)
		a.Store(71)
		time.Sleep(20 * time.Second) // a line at 35 s
		p.finish()
		if got, want := w.String(), "exp: 8 runs, 2 of them on record\n"+
			"exp 2/8, 5s elapsed; running: mnist msg, mnist msg\n"+
			"exp 4/8, 1 failed or diverged, 15s elapsed, about 13s left; running: mnist msg 25%, mnist msg\n"+
			"exp 5/8, 2 failed or diverged, 35s elapsed, about 8s left; running: mnist msg, mnist incremental 71%\n"; got != want {
			t.Errorf("progress is\n%s\nwant\n%s", got, want)
		}
	})
}

// A run takes as long as the finished ones of its series on its data set, or else as all finished
// runs, less the share of its budget that it has used. Runs go side by side.
func TestTimeLeft(t *testing.T) {
	p := newProgress(io.Discard, "exp")
	its := append(items("a", registry.TaskPCA, "msg", 4, 50), items("a", registry.TaskPCA, "incremental", 2, 50)...)
	p.Start(len(its), its)
	defer p.finish()
	var n [6]atomic.Int64
	want := func(text string) {
		t.Helper()
		if got := p.left(); got != text {
			t.Errorf("left: %q, want %q", got, text)
		}
	}
	want("")
	p.Begin(its[0], &n[0])
	p.Begin(its[4], &n[4])
	want("")
	p.Done(its[0], finished, timed(20))
	p.Begin(its[1], &n[1])
	want("about 50s left") // two runs in flight and three that wait, of 20 s each
	n[1].Store(25)
	want("about 45s left")
	p.Done(its[4], finished, timed(100))
	want("about 2m30s left") // half a run of 20 s, two of 20 s and one of 100 s, one at a time
	p.Done(its[1], finished, timed(40))
	want("")
}

func TestProgressNamesAFewRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w strings.Builder
		p := newProgress(&w, "exp")
		its := items("a", registry.TaskPCA, "msg", 7, 10)
		p.Start(7, its)
		var n atomic.Int64
		for _, it := range its {
			p.Begin(it, &n)
		}
		time.Sleep(6 * time.Second)
		p.finish()
		if !strings.HasSuffix(w.String(), "exp 0/7, 5s elapsed; running: a msg, a msg, a msg, a msg, 3 more\n") {
			t.Errorf("progress is\n%s", w.String())
		}
	})
}

// What met a limit has neither failed nor diverged.
func TestProgressOfLimits(t *testing.T) {
	p := newProgress(io.Discard, "exp")
	its := items("mnist", registry.TaskPCA, "msg", 6, 100)
	p.Start(6, its)
	defer p.finish()
	for i, status := range []string{record.StatusFinished, record.StatusOutOfTime, record.StatusOutOfMemory, record.StatusSkipped} {
		p.Begin(its[i], new(atomic.Int64))
		p.Done(its[i], record.Run{Status: status}, record.Timing{})
	}
	if got, want := p.label(), "exp 4/6, 2 out of time or memory"; got != want {
		t.Errorf("progress is %q, want %q", got, want)
	}
	p.Begin(its[4], new(atomic.Int64))
	p.Done(its[4], record.Run{Status: record.StatusFailed}, record.Timing{})
	if got, want := p.label(), "exp 5/6, 1 failed or diverged, 2 out of time or memory"; got != want {
		t.Errorf("progress is %q, want %q", got, want)
	}
}

func TestProgressOfNothingToDo(t *testing.T) {
	var w strings.Builder
	p := newProgress(&w, "exp")
	p.Start(8, nil)
	p.finish()
	if want := "exp: 8 runs, 8 of them on record\n"; w.String() != want {
		t.Errorf("progress is %q, want %q", w.String(), want)
	}
}

func TestWarningsOfRuns(t *testing.T) {
	var w strings.Builder
	p := newProgress(&w, "exp")
	its := items("a", registry.TaskPCA, "msg", 2, 5)
	p.Start(2, its)
	p.warn("mind the gap")
	p.note("be patient")
	p.Begin(its[0], new(atomic.Int64))
	p.Done(its[0], record.Run{Status: record.StatusSkipped}, record.Timing{})
	if got, want := p.label(), "exp 1/2"; got != want {
		t.Errorf("with a skipped run the label is %q, want %q", got, want)
	}
	p.finish()
	if want := "exp: 2 runs, 0 of them on record\nwarning: mind the gap\nbe patient\n"; w.String() != want {
		t.Errorf("progress is %q, want %q", w.String(), want)
	}
}

// On a terminal there is one line, which is cleared in the end.
func TestProgressOnATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w strings.Builder
		p := newProgress(&w, "exp")
		p.terminal = true
		its := items("a", registry.TaskPCA, "msg", 2, 5)
		p.Start(3, its)
		p.Begin(its[0], new(atomic.Int64))
		time.Sleep(time.Minute)
		p.Done(its[0], finished, record.Timing{})
		time.Sleep(time.Minute)
		p.finish()
		text := w.String()
		if strings.Contains(text, "\n") || !strings.Contains(text, "\rexp 1/3, a msg") || !strings.Contains(text, "\rexp 2/3") {
			t.Errorf("progress is %q", text)
		}
		if last := text[strings.LastIndex(strings.TrimRight(text, "\r"), "\r"):]; strings.TrimSpace(last) != "" {
			t.Errorf("what stays is %q", last)
		}
	})
}
