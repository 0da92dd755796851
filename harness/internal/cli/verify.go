package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

type verifyOptions struct {
	data    dataOptions
	memory  memoryOptions
	all     bool
	sample  int
	workers int
}

func newVerify(a *app) *cobra.Command {
	o := &verifyOptions{}
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Re-run a sample of the records and compare them byte for byte",
		Args:  exactlyOne("results folder"),
		RunE:  func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args[0]) },
	}
	o.data.flags(cmd)
	o.data.standInFlag(cmd)
	o.memory.flags(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "re-run every record")
	cmd.Flags().IntVar(&o.sample, "sample", 10, "number of records to re-run, drawn at random")
	cmd.Flags().IntVarP(&o.workers, "jobs", "j", runtime.NumCPU(), "runs side by side")
	return cmd
}

func (o *verifyOptions) run(ctx context.Context, a *app, dir string) error {
	if o.workers < 1 {
		return usagef("-j %d: want at least 1", o.workers)
	}
	if o.sample < 1 {
		return usagef("--sample %d: want at least 1", o.sample)
	}
	if err := o.data.check(); err != nil {
		return err
	}
	if _, err := o.memory.bytes(); err != nil {
		return err
	}
	f, err := experiment.Open(dir)
	if err != nil {
		return usage(err)
	}
	s, e, err := a.contents(f)
	if err != nil {
		return err
	}
	o.data.recorded = f.Manifest.StandIns()
	recorded := make(map[string]record.Run)
	for _, r := range e.Runs {
		if r.Status != record.StatusSkipped { // there is nothing to compare
			recorded[r.Key+r.Extent] = r
		}
	}
	if len(recorded) == 0 {
		return usagef("%s: every run was skipped, so there is nothing to verify", dir)
	}
	p, err := plan.Build(ctx, s, o.data.opener(a))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return usage(err)
	}
	items := slices.DeleteFunc(slices.Clone(p.Items), func(it *plan.Item) bool {
		_, ok := recorded[it.ID.Key+it.ID.Extent]
		return !ok
	})
	if len(items) == 0 {
		return usagef("%s: none of the records has the key of a planned run: the data or an algorithm's version differ from those recorded", dir)
	}
	missing := len(recorded) - len(items)
	if !o.all && o.sample < len(items) {
		rand.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		items = items[:o.sample]
	}
	for i, it := range items {
		// The limit is that which the run met: the spec may have lowered it since.
		items[i] = it.Within(*cmp.Or(recorded[it.ID.Key+it.ID.Extent].Limit, &record.Limit{}))
	}
	part := &plan.Plan{Spec: s, Problems: p.Problems, Items: items}
	memory, err := o.memory.bound([]*plan.Plan{part})
	if err != nil {
		return err
	}
	again, err := o.replay(ctx, a, part, memory)
	if err != nil {
		return err
	}
	differ := 0
	for i, it := range items {
		same, err := reproduced(recorded[it.ID.Key+it.ID.Extent], again[i])
		if err != nil {
			return err
		}
		if !same {
			differ++
			fmt.Fprintf(a.out, "DIFFERS: %s (key %s)\n", again[i].Name(), it.ID.Key)
		}
	}
	fmt.Fprintf(a.out, "%s: %d of %s re-run, %d differ\n", dir, len(items), words.Count(len(recorded), "record"), differ)
	if differ > 0 {
		return failed(fmt.Errorf("%s not reproduced", words.Count(differ, "record")))
	}
	if missing > 0 {
		return failed(fmt.Errorf("%s of %d cannot be verified: the data or an algorithm's version differ from those recorded; run the spec anew", words.Count(missing, "record"), len(recorded)))
	}
	return nil
}

// reproduced reports whether two records of a run are the same. How far one got
// that ran out of time depends on the machine: there it is what both have that
// must be.
func reproduced(want, got record.Run) (bool, error) {
	limited := want.Status == record.StatusOutOfTime || got.Status == record.StatusOutOfTime
	if limited && want.Completed() && got.Completed() {
		n := min(want.Curve.Len(), got.Curve.Len())
		want, got = beginning(want, n), beginning(got, n)
	}
	a, err := record.EncodeRun(want)
	if err != nil {
		return false, err
	}
	b, err := record.EncodeRun(got)
	return bytes.Equal(a, b), err
}

// beginning returns the record of the first n points of a run, as one that ran
// out of time.
func beginning(r record.Run, n int) record.Run {
	first := make([]int, n)
	for i := range first {
		first[i] = i
	}
	r.Status, r.Reason, r.Limit = record.StatusOutOfTime, "cut short", nil
	r.Curve = r.Curve.Points(first)
	return r
}

// replay runs the items of the plan in a folder of their own and returns their
// records in the order of the items.
func (o *verifyOptions) replay(ctx context.Context, a *app, p *plan.Plan, memory int64) ([]record.Run, error) {
	dir, err := os.MkdirTemp("", "stochopt-verify-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	progress := newProgress(a.err, "verify")
	progress.anew = true
	_, err = run.Execute(ctx, p, store, run.Options{Dir: dir, Workers: o.workers, Memory: memory, Progress: progress, Warn: progress.warn, Note: progress.note})
	progress.finish()
	if err != nil {
		return nil, err
	}
	again := store.Runs(p.IDs())
	if len(again) != len(p.Items) {
		return nil, fmt.Errorf("re-running %d records gave %d", len(p.Items), len(again))
	}
	return again, nil
}
