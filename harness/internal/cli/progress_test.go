package cli

import (
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

// items returns runs of an algorithm on a data set.
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

// Lines have the share of performed runs and the estimated time. The intervals between lines double.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w strings.Builder
		p := newProgress(&w, "exp")
		its := items("mnist", record.TaskPCA, "msg", 6, 100)
		p.Start(8, its)
		p.warn("mind the gap")
		p.note("be patient")
		var a, b atomic.Int64
		p.Begin(its[0], &a)
		p.Begin(its[1], &b)
		a.Store(1)                  // too little for an estimate
		time.Sleep(7 * time.Second) // a line at 5 s
		p.Done(its[0], finished, record.Timing{})
		p.Done(its[1], record.Run{Status: record.StatusDiverged}, record.Timing{})
		p.Begin(its[2], &a)
		p.Begin(its[3], &b)
		a.Store(50)
		time.Sleep(9 * time.Second) // a line at 15 s
		p.Done(its[2], record.Run{Status: record.StatusFailed}, record.Timing{})
		a.Store(0)
		time.Sleep(20 * time.Second) // a line at 35 s
		// Skipped runs and runs at their limits are done.
		p.Done(its[3], record.Run{Status: record.StatusOutOfTime}, record.Timing{})
		p.Begin(its[4], &b)
		p.Done(its[4], record.Run{Status: record.StatusSkipped}, record.Timing{})
		p.printLine()
		p.finish()
		if got, want := w.String(), "exp: 8 runs, 2 already done\nwarning: mind the gap\nbe patient\n"+
			"exp 2/8, 0%, 5s elapsed\n"+
			"exp 4/8, 1 diverged, 42%, 15s elapsed, about 21s left\n"+
			"exp 5/8, 1 failed, 1 diverged, 50%, 35s elapsed, about 35s left\n"+
			"exp 7/8, 1 failed, 1 diverged, 1 skipped, 1 out of time, 83%, 36s elapsed, about 7s left\n"; got != want {
			t.Errorf("progress is\n%s\nwant\n%s", got, want)
		}
	})
}
