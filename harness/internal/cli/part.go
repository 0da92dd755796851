package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

// partOptions say which part of an experiment a process performs.
type partOptions struct {
	only  onlyOptions
	shard string
	// prepare: only what the runs share is prepared.
	prepare bool
	// part is what the flags select.
	part run.Part
}

func (o *partOptions) flags(cmd *cobra.Command) {
	o.only.flags(cmd)
	cmd.Flags().StringVar(&o.shard, "shard", "",
		"perform only shard i of n, as i/n; runs that share data are in one shard; several shards may run at the same time")
	cmd.Flags().BoolVar(&o.prepare, "prepare", false,
		"bring the data into the cache and certify the optima that the missing runs need, and stop")
}

// parse reads the flags. fresh and page are whether --fresh and --report are given.
func (o *partOptions) parse(fresh, page bool) (err error) {
	if err := o.only.parse(); err != nil {
		return err
	}
	o.part = run.Part{Only: o.only.picked}
	if o.part.Shard, o.part.Shards, err = shard(o.shard); err != nil {
		return err
	}
	switch {
	case o.shard != "" && fresh:
		return usagef("--fresh with --shard would discard what the other shards have done")
	case len(o.only.texts) > 0 && fresh:
		return usagef("--fresh with --only would discard the other runs")
	case o.prepare && fresh:
		return usagef("--fresh with --prepare would discard records and run nothing")
	case (o.shard != "" || o.prepare) && page:
		return usagef("--report with --shard or --prepare, which make nothing to show; give it to collect")
	case o.prepare && o.shard != "":
		return usagef("--prepare with --shard: it prepares all shards at once, before they begin; leave --shard out")
	}
	return nil
}

// shared reports whether other processes may work in the folder at the same time.
func (o *partOptions) shared() bool { return o.prepare || o.part.Shared() }

// name names the part of a plan, "" for the whole.
func (o *partOptions) name(p *plan.Plan) string {
	if o.prepare {
		return "prepare"
	}
	return o.part.Name(p)
}

// job names the job of a batch system that this process belongs to.
func (a *app) job() string {
	slurm := a.getenv("SLURM_JOB_ID")
	if array := a.getenv("SLURM_ARRAY_JOB_ID"); array != "" {
		slurm = array + "_" + a.getenv("SLURM_ARRAY_TASK_ID")
	}
	return cmp.Or(a.getenv("STOCHOPT_JOB"), slurm, a.getenv("PBS_JOBID"))
}

// node names the machine.
func (a *app) node() string {
	host, _ := os.Hostname() // "" where it has no name
	return cmp.Or(a.getenv("SLURMD_NODENAME"), host)
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
