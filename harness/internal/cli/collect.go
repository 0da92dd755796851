package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stochopt/harness/internal/cluster"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/run"
	"stochopt/internal/lease"
	"stochopt/internal/shell"
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

type collectOptions struct {
	summaryOptions
	// missing counts the runs that are not on record, bad those that failed.
	missing, bad int
}

func newCollect(a *app) *cobra.Command {
	o := &collectOptions{}
	cmd := &cobra.Command{
		Use:   "collect DIR...",
		Short: "Assemble what the tasks of a cluster have recorded: select, draw, judge",
		Long: `Collect assembles the records of all tasks in each results folder, selects step sizes,
draws figures and tables and judges the claims, as run does when its runs are over. It
performs no run. It may be used while tasks are at work: what is there is shown, and what
is missing is said, with the command that submits it again.

The last job of a submission does the same. The exit code is 1 where runs are missing or
have failed.`,
		Example: "  stochopt collect results/svm-experiments\n  stochopt collect results --report report.html",
		Args:    atLeastOne("results folder"),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.flags(cmd)
	return cmd
}

func (o *collectOptions) run(ctx context.Context, a *app, dirs []string) error {
	found, err := a.folders(dirs, false)
	if err != nil {
		return err
	}
	if err := o.check(len(found)); err != nil {
		return err
	}
	if err := o.checkPage(dirs[0]); err != nil {
		return err
	}
	if err := a.eachFolder(dirs, func(f *experiment.Folder) error { return o.one(ctx, a, f) }); err != nil {
		return err
	}
	if err := o.summarise(a, dirs[0]); err != nil {
		return err
	}
	switch {
	case o.missing > 0:
		return failed(fmt.Errorf("%s missing", words.Count(o.missing, "run")))
	case o.bad > 0:
		return failed(fmt.Errorf("%s failed; status names them", words.Count(o.bad, "run")))
	}
	return nil
}

// one collects what there is of one experiment.
func (o *collectOptions) one(ctx context.Context, a *app, f *experiment.Folder) error {
	started := time.Now()
	s, err := f.Spec()
	if err != nil {
		return usage(err)
	}
	if err := assemble(ctx, a, f); err != nil {
		return err
	}
	e, err := f.Records()
	if err != nil {
		return usage(err)
	}
	a.warn(e.Warnings)
	counts := record.Summarise(e).Counts
	missing := f.Planned(e) - len(e.Runs)
	o.missing, o.bad = o.missing+missing, o.bad+counts.Failed
	if len(e.Runs) == 0 {
		a.tellMissing(ctx, f, e, missing, 0)
		return nil
	}
	d, products, err := a.products(f, s, experiment.All)
	if err == nil && o.verbose {
		err = a.show(d, products)
	}
	if err != nil {
		return err
	}
	o.end(a, d, products, run.Summary{Planned: len(e.Runs), Reused: len(e.Runs)}, time.Since(started))
	if missing+counts.Failed > 0 {
		a.tellMissing(ctx, f, e, missing, counts.Failed)
	}
	return nil
}

// tellMissing says what is missing of an experiment, and what to do.
func (a *app) tellMissing(ctx context.Context, f *experiment.Folder, e *record.Experiment, missing, bad int) {
	if missing > 0 {
		fmt.Fprintf(a.err, "%s: PARTIAL: %s not on record\n", e.Name, words.Count(missing, "run"))
	}
	if bad > 0 {
		fmt.Fprintf(a.err, "%s: %s failed; status names them\n", e.Name, words.Count(bad, "run"))
	}
	follow, err := a.follow(ctx, f.Dir, e)
	if err != nil {
		fmt.Fprintf(a.err, "note: %v\n", err)
	}
	live := 0
	for _, p := range follow {
		for _, state := range []string{cluster.Queued, cluster.Running} {
			_, n := p.Count(state)
			live += n
		}
	}
	if live > 0 {
		fmt.Fprintf(a.err, "%s: %s in the queue, which will be collected when its tasks are over\n", e.Name, words.Count(live, "run"))
	}
	if missing+bad > live && len(follow) > 0 {
		fmt.Fprintf(a.err, "%s: to submit the others again: stochopt resubmit %s\n", e.Name, shell.Word(f.Dir))
	}
}

// assemble compacts the records of a results folder, beside tasks that are at work. What
// tasks have written that are over is waited for: other nodes may show it late.
func assemble(ctx context.Context, a *app, f *experiment.Folder) error {
	e, err := (&experiment.Folder{Dir: f.Dir}).Records()
	if err != nil {
		return usage(err)
	}
	follow, err := a.follow(ctx, f.Dir, e)
	if err != nil {
		fmt.Fprintf(a.err, "note: %v\n", err)
	}
	var over []string
	for _, p := range follow {
		for _, t := range p.Tasks {
			if t.State == cluster.Lost && t.Ended == cluster.Completed {
				over = append(over, t.Name())
			}
		}
	}
	late, err := record.Await(ctx, f.Dir, record.AwaitPatience, over...)
	if err != nil {
		return err
	}
	for _, l := range late {
		fmt.Fprintf(a.err, "warning: %v\n", l)
	}
	store, err := openBeside(ctx, a, f.Dir)
	if err != nil {
		return err
	}
	defer store.Close()
	a.warn(store.Warnings())
	plan := store.Plan()
	if len(plan) == 0 {
		return usagef("%s has no plan; run the spec, or submit it", f.Dir)
	}
	if err := store.Compact(plan); err != nil {
		return failed(err)
	}
	return failed(store.Close())
}

// openBeside opens a results folder to compact it. Another who does so is waited for: what
// it has not seen is still to be collected.
func openBeside(ctx context.Context, a *app, dir string) (*record.Store, error) {
	for said := false; ; said = true {
		store, err := record.Open(dir, record.Options{Beside: true, Job: a.job()})
		var busy *record.BusyError
		if !errors.As(err, &busy) {
			return store, usage(err)
		}
		if !said {
			fmt.Fprintf(a.err, "waiting: %s\n", busy.Holder.Describe())
		}
		if err := lease.Pause(ctx, lookEvery); err != nil {
			return nil, err
		}
	}
}
