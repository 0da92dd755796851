package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/internal/lease"
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

// partOptions say which part of an experiment a process does.
type partOptions struct {
	only  onlyOptions
	shard string
	task  string
	// prepare: nothing is run, but all is made ready that runs share.
	prepare bool
	// submitted: submit has described the folder, perhaps with more than this part is of.
	submitted bool
	// part is what the others ask for.
	part plan.Part
}

func (o *partOptions) flags(cmd *cobra.Command) {
	o.only.flags(cmd)
	cmd.Flags().StringVar(&o.shard, "shard", "", "perform only every nth run, as i/n; several shards may work side by side")
	cmd.Flags().StringVar(&o.task, "task", "", "perform only the runs that a line of a task file lists, as FILE:I, counted from 1; several tasks may work side by side")
	cmd.Flags().BoolVar(&o.prepare, "prepare", false, "bring the data into the cache and certify the optima that the missing runs need, and stop")
	cmd.Flags().BoolVar(&o.submitted, "submitted", false, "leave the plan, the spec and the manifest as submit has written them")
	_ = cmd.Flags().MarkHidden("submitted") // for the scripts of submit; it fails only where there is no such flag
}

// parse reads the flags. fresh and page are whether --fresh and --report are given.
func (o *partOptions) parse(specs int, fresh, page bool) (err error) {
	if err := o.only.parse(); err != nil {
		return err
	}
	o.part = plan.Part{Only: o.only.picked}
	if o.part.Shard, o.part.Shards, err = shard(o.shard); err != nil {
		return err
	}
	if err := o.clash(specs, fresh, page); err != nil {
		return err
	}
	if o.task != "" {
		if o.part.Task, err = plan.ReadTask(o.task); err != nil {
			return usagef("--task %w", err)
		}
	}
	return nil
}

// clash reports flags that exclude each other.
func (o *partOptions) clash(specs int, fresh, page bool) error {
	only := len(o.only.texts) > 0
	switch {
	case o.shard != "" && fresh:
		return usagef("--fresh with --shard would discard what the other shards have done")
	case o.task != "" && fresh:
		return usagef("--fresh with --task would discard what the other tasks have done")
	case only && fresh:
		return usagef("--fresh with --only would discard the other runs")
	case o.prepare && fresh:
		return usagef("--fresh with --prepare would discard records and run nothing")
	case o.shard != "" && page:
		return usagef("--report with --shard: a shard makes nothing to show; give --report when the shards are assembled, without --shard")
	case (o.task != "" || o.prepare) && page:
		return usagef("--report with --task or --prepare, which make nothing to show; give it when all tasks are done, to run without --task")
	case o.task != "" && (o.shard != "" || only):
		return usagef("--task with --shard or --only: the task file says which runs are made; leave them out")
	case o.prepare && (o.task != "" || o.shard != ""):
		return usagef("--prepare with --task or --shard: it prepares all parts at once, before they begin; leave them out")
	case o.submitted && o.task == "" && !o.prepare:
		return usagef("--submitted is for the jobs that submit makes, with --task or --prepare")
	case o.task != "" && specs > 1:
		return usagef("--task with %d specs: a task file is of one; name that", specs)
	}
	return nil
}

// shared reports whether other processes may work in the folder meanwhile.
func (o *partOptions) shared() bool { return o.prepare || o.part.Shared() }

// known reports runs that are asked for and that the plans do not have.
func (o *partOptions) known(plans []*plan.Plan) error {
	if o.part.Task == nil {
		return nil
	}
	if err := o.part.Task.Check(plans[0]); err != nil {
		return usagef("--task %s: %w", o.task, err)
	}
	return nil
}

// job is what this process is to a batch system.
func (a *app) job() record.Job {
	slurm := a.getenv("SLURM_JOB_ID")
	if array := a.getenv("SLURM_ARRAY_JOB_ID"); array != "" {
		slurm = array + "_" + a.getenv("SLURM_ARRAY_TASK_ID")
	}
	restart, _ := strconv.Atoi(a.getenv("SLURM_RESTART_COUNT")) // not there before the first
	return record.Job{Name: cmp.Or(a.getenv("STOCHOPT_JOB"), slurm, a.getenv("PBS_JOBID")), Restart: restart}
}

// node names the machine.
func (a *app) node() string {
	host, _ := os.Hostname() // "" where it has no name
	return cmp.Or(a.getenv("SLURMD_NODENAME"), host)
}

// lookEvery is how often is looked whether a part has become free.
const lookEvery = time.Second

// openPart opens a results folder for a part of it. Where another process holds the part it
// waits until that is known to be alive, and then leaves the part to it, without a store or an
// error; or until it is known to be dead. What is prepared is waited for until it is done.
func (o *runOptions) openPart(ctx context.Context, a *app, p *plan.Plan, dir string) (*record.Store, error) {
	part := o.part.Name(p)
	if o.prepare {
		part = "prepare"
	}
	var first *record.BusyError
	for {
		store, err := record.Open(dir, record.Options{Shared: true, Part: part, Job: a.job()})
		var busy *record.BusyError
		if !errors.As(err, &busy) || busy.Part == "" {
			return store, err
		}
		now := busy.Holder
		if !o.prepare && (now.Here || first != nil && now.Stem == first.Holder.Stem && !now.Renewed.Equal(first.Holder.Renewed)) {
			fmt.Fprintf(a.out, "%s: %s is being done by %v; there is nothing to do here\n", p.Spec.Name, part, now.Holder)
			return nil, nil
		}
		if first == nil {
			fmt.Fprintf(a.err, "%s: waiting: %s is held by %s\n", p.Spec.Name, part, now.Describe())
		}
		if first == nil || now.Stem != first.Holder.Stem {
			first = busy
		}
		if err := lease.Pause(ctx, lookEvery); err != nil {
			return nil, err
		}
	}
}

// endPart ends a part of an experiment that other processes do the rest of.
func (o *runOptions) endPart(a *app, p *plan.Plan, store *record.Store, sum run.Summary) error {
	if err := store.Close(); err != nil {
		return failed(err)
	}
	if o.task != "" {
		fmt.Fprintf(a.out, "%s: task %d done: %s\n", p.Spec.Name, o.part.Task.Number, describe(sum))
		return nil
	}
	fmt.Fprintf(a.out, "%s: shard %s done: %s; when all shards are, run without --shard to assemble them\n", p.Spec.Name, o.shard, describe(sum))
	return nil
}

// prepareOne makes ready what the runs of a plan share.
func (o *runOptions) prepareOne(ctx context.Context, a *app, p *plan.Plan, store *record.Store, opt run.Options) error {
	say := func(text string) { fmt.Fprintln(a.err, text) }
	opt.Note, opt.Warn = say, func(text string) { say("warning: " + text) }
	done, err := run.Prepare(ctx, p, store, opt)
	switch {
	case ctx.Err() != nil:
		return err
	case err != nil:
		return failed(err)
	}
	if err := store.Close(); err != nil {
		return failed(err)
	}
	fmt.Fprintf(a.out, "%s: prepared: %s, %s missing, optima certified now: %d\n", p.Spec.Name,
		words.Count(len(p.Problems), "data set"), words.Count(done.Missing, "run"), done.Certified)
	return nil
}

// shard parses "i/n" with 1 <= i <= n into a zero-based index.
func shard(text string) (index, count int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	if n, err := fmt.Sscanf(text, "%d/%d", &index, &count); n != 2 || err != nil || index < 1 || index > count || text != fmt.Sprintf("%d/%d", index, count) {
		return 0, 0, usagef("--shard %q: want i/n with 1 <= i <= n, such as 2/8", text)
	}
	return index - 1, count, nil
}
