package cli

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stochopt/datasets"
	"stochopt/harness/internal/forecast"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/results/record"
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

// stepping says that a step of these algorithms takes so many seconds.
func stepping(seconds float64) *forecast.Table {
	return &forecast.Table{Seconds: map[string]float64{
		"pca.msg.step": seconds, "pca.incremental.step": seconds, "svm.smo.response": seconds / 500,
	}}
}

// progressOf reports on runs whose steps should take a tenth of a second.
func progressOf(w io.Writer) *progress {
	p := newProgress(w, "exp")
	p.table = stepping(0.1)
	return p
}

var finished = record.Run{Status: record.StatusFinished}

// Where stderr is no terminal there are plain lines: one at the start, one soon
// after, then one now and then, ever less often, whether or not runs end. What is said of
// the time that is left learns from the runs that are over.
func TestPlainProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w strings.Builder
		p := progressOf(&w)
		its := items("mnist", registry.TaskPCA, "msg", 4, 100)
		its = append(its, items("mnist", registry.TaskPCA, "incremental", 2, 100)...)
		p.Start(8, its)
		var a, b atomic.Int64
		p.Begin(its[0], &a)
		p.Begin(its[1], &b)
		time.Sleep(7 * time.Second) // a line at 5 s: being prepared
		p.Done(its[0], finished)
		p.Done(its[1], record.Run{Status: record.StatusDiverged})
		a.Store(0)
		b.Store(0)
		p.Begin(its[2], &a)
		p.Begin(its[3], &b)
		a.Store(25)
		time.Sleep(9 * time.Second) // a line at 15 s: runs of msg took 7 s, not 10
		p.Done(its[2], record.Run{Status: record.StatusFailed})
		a.Store(0)
		p.Begin(its[4], &a)
		time.Sleep(11 * time.Second)
		a.Store(1)
		time.Sleep(time.Second)
		for range 7 { // 10 iterations a second
			a.Add(10)
			time.Sleep(time.Second)
		}
		p.finish()
		text := w.String()
		want := "exp: 8 runs, 2 of them on record\n" +
			"exp 2/8, 5s elapsed, about 30s left; running: mnist msg (preparing), mnist msg (preparing)\n" +
			"exp 4/8, 1 failed or diverged, 15s elapsed, about 13s left; running: mnist msg 25%, mnist msg (preparing)\n"
		if !strings.HasPrefix(text, want) {
			t.Fatalf("progress is\n%s\nwant\n%s", text, want)
		}
		// One run of incremental takes 10 s, of which 3 are left, another waits;
		// the other run in flight, of msg, is past its time.
		last := strings.TrimPrefix(text, want)
		if !strings.HasPrefix(last, "exp 5/8, 2 failed or diverged, 35s elapsed, at most about ") || !strings.HasSuffix(last, " left; running: mnist msg (preparing), mnist incremental 71%\n") {
			t.Errorf("the last line is %q", last)
		}
		if strings.ContainsAny(text, "\r\x1b") {
			t.Error("there are control characters in plain lines")
		}
	})
}

// What is left is what is forecast, what a run in flight says of itself once it is well on
// its way, and what runs that are over say of those like them.
func TestOutlook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		its := items("a", registry.TaskPCA, "msg", 6, 50)
		f := newOutlook(its, forecast.New(its, stepping(2)))
		var n [6]atomic.Int64
		want := func(text string) {
			t.Helper()
			f.look()
			if got := f.left(); got != text {
				t.Errorf("left: %q, want %q", got, text)
			}
		}
		steps := func(d time.Duration, count int64) {
			time.Sleep(d)
			n[0].Store(count)
			n[1].Store(count)
		}
		want("")
		f.begin(its[0], &n[0])
		f.begin(its[1], &n[1])
		want("about 5m0s left") // six runs of 100 s, two side by side
		steps(time.Minute, 1)   // preparation foretells nothing
		want("about 5m0s left")
		steps(time.Second, 2)
		want("about 4m59s left") // too early to tell
		steps(time.Second, 3)
		// 47 steps of a second are left of each, and four runs.
		want("at most about 4m7s left")
		f.end(its[0])
		// One took 2 s: with what was forecast, level by level, that makes 14.3 s.
		want("at most about 1m44s left")
	})
}

// A run that is over foretells the others, however early it stopped.
func TestOutlookFromRunsThatAreOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		its := items("a", registry.TaskSVM, "smo", 4, 30)
		f := newOutlook(its, forecast.New(its, stepping(1)))
		var n [3]atomic.Int64
		for i, want := range []string{"about 2m0s left", "about 19s left", "about 8s left"} {
			f.begin(its[i], &n[i])
			if got := f.left(); got != want {
				t.Errorf("after %d runs %q, want %q", i, got, want)
			}
			time.Sleep(3 * time.Second)
			f.end(its[i])
		}
		if got := f.left(); got != "" || len(f.flights) != 0 || len(f.waiting) != 1 {
			t.Errorf("between runs: %q, %+v", got, f)
		}
	})
}

func TestProgressNamesAFewRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w strings.Builder
		p := progressOf(&w)
		its := items("a", registry.TaskPCA, "msg", 7, 10)
		p.Start(7, its)
		var n atomic.Int64
		for _, it := range its {
			p.Begin(it, &n)
		}
		time.Sleep(6 * time.Second)
		p.finish()
		if !strings.HasSuffix(w.String(), "exp 0/7, 5s elapsed, about 1s left; running: a msg (preparing), a msg (preparing), a msg (preparing), a msg (preparing), 3 more\n") {
			t.Errorf("progress is\n%s", w.String())
		}
	})
}

// What met a limit has neither failed nor diverged.
func TestProgressOfLimits(t *testing.T) {
	p := progressOf(io.Discard)
	its := items("mnist", registry.TaskPCA, "msg", 6, 100)
	p.Start(6, its)
	defer p.finish()
	for i, status := range []string{record.StatusFinished, record.StatusOutOfTime, record.StatusOutOfMemory, record.StatusSkipped} {
		p.Begin(its[i], new(atomic.Int64))
		p.Done(its[i], record.Run{Status: status})
	}
	if got, want := p.label(), "exp 4/6, 2 out of time or memory"; got != want {
		t.Errorf("progress is %q, want %q", got, want)
	}
	p.Begin(its[4], new(atomic.Int64))
	p.Done(its[4], record.Run{Status: record.StatusFailed})
	if got, want := p.label(), "exp 5/6, 1 failed or diverged, 2 out of time or memory"; got != want {
		t.Errorf("progress is %q, want %q", got, want)
	}
}

func TestProgressOfNothingToDo(t *testing.T) {
	var w strings.Builder
	p := progressOf(&w)
	p.Start(8, nil)
	p.finish()
	if want := "exp: 8 runs, 8 of them on record\n"; w.String() != want {
		t.Errorf("progress is %q, want %q", w.String(), want)
	}
}

func TestWarningsOfRuns(t *testing.T) {
	var w strings.Builder
	p := progressOf(&w)
	its := items("a", registry.TaskPCA, "msg", 2, 5)
	p.Start(2, its)
	p.warn("mind the gap")
	p.note("be patient")
	p.Begin(its[0], new(atomic.Int64))
	p.Done(its[0], record.Run{Status: record.StatusSkipped})
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
		p := progressOf(&w)
		p.terminal = true
		its := items("a", registry.TaskPCA, "msg", 2, 5)
		p.Start(3, its)
		p.Begin(its[0], new(atomic.Int64))
		time.Sleep(time.Minute)
		p.Done(its[0], finished)
		time.Sleep(time.Minute)
		p.finish()
		text := w.String()
		if strings.Contains(text, "\n") || !strings.Contains(text, "\rexp 1/3, about 1s left, a msg (preparing)") || !strings.Contains(text, "\rexp 2/3") {
			t.Errorf("progress is %q", text)
		}
		if last := text[strings.LastIndex(strings.TrimRight(text, "\r"), "\r"):]; strings.TrimSpace(last) != "" {
			t.Errorf("what stays is %q", last)
		}
	})
}
