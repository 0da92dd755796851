package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"stochopt/harness/internal/cluster"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/shell"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type submitOptions struct {
	experimentOptions
	externalOptions
	shards, cpus int
	sbatch       []string
	// options are those of sbatch, run those of run.
	options, run []string
}

func newSubmit(a *app) *cobra.Command {
	o := &submitOptions{}
	cmd := &cobra.Command{
		Use:   "submit SPEC...",
		Short: "Submit the missing runs to a Slurm cluster",
		Long: `Submit plans each spec and gives Slurm three jobs: prepare brings the data into the cache
and certifies the optima; an array performs the missing runs, one shard per task (see
run --shard); collect assembles the records, selects, draws and judges. Submit does not
wait for the jobs. The status verb shows their state and the last lines of failed tasks.

Submitting again, when the jobs have ended, submits what is missing: shards with runs that
failed or are not on record. The jobs use copies of the program and of the spec in
OUT/<name>/cluster/<time>, so later changes do not affect them. They inherit the
environment and the working directory of submit.`,
		Example: `  stochopt submit configs/svm-experiments.yaml
  stochopt submit my.yaml --cpus 8 --sbatch partition=short --sbatch account=ml --sbatch time=4:00:00
  stochopt submit my.yaml --profile paper --shards 50`,
		Args: atLeastOne("spec"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.submit(cmd.Context(), a, args, cmd.Flags())
		},
	}
	o.experimentOptions.flags(cmd)
	o.externalOptions.flags(cmd)
	cmd.Flags().IntVar(&o.shards, "shards", 1000, "the largest number of shards; Slurm's limits on arrays reduce it")
	cmd.Flags().IntVar(&o.cpus, "cpus", 1, "processors of each job, which performs as many runs at a time")
	cmd.Flags().StringArrayVar(&o.sbatch, "sbatch", nil,
		"a long option of sbatch for every job, without the hyphens: partition=short, time=4:00:00, mem=8G, exclusive")
	return cmd
}

// passedOn returns the options of run among the flags that are given.
func passedOn(flags *pflag.FlagSet) (args []string) {
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"shards", "cpus", "sbatch"}, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, v := range values {
			args = append(args, "--"+f.Name+"="+v)
		}
	})
	return args
}

func (o *submitOptions) submit(ctx context.Context, a *app, files []string, flags *pflag.FlagSet) error {
	if o.shards < 1 || o.cpus < 1 {
		return usagef("--shards %d, --cpus %d: both must be at least 1", o.shards, o.cpus)
	}
	o.options = []string{fmt.Sprintf("--cpus-per-task=%d", o.cpus)}
	for _, option := range o.sbatch {
		if option == "" || option[0] == '-' {
			return usagef("--sbatch %q: want a long option of sbatch without the hyphens, such as partition=short", option)
		}
		o.options = append(o.options, "--"+option)
	}
	o.run = append(passedOn(flags), fmt.Sprintf("--jobs=%d", o.cpus))
	specs, err := o.load(a, files)
	if err != nil {
		return err
	}
	for i, s := range specs {
		if err := o.one(ctx, a, files[i], s); err != nil {
			return err
		}
	}
	return nil
}

// one submits the missing runs of one spec.
func (o *submitOptions) one(ctx context.Context, a *app, file string, s *spec.Spec) error {
	text, err := spec.ReadFile(a.path(file))
	if err != nil {
		return usage(readError(err))
	}
	p, err := o.plan(ctx, a, s, nil)
	if err != nil {
		return err
	}
	dir := o.folder(a, s)
	job := &cluster.Submission{Run: o.run, Sbatch: o.options}
	if s.Record.Alone {
		job.Sbatch = append(slices.Clone(job.Sbatch), "--exclusive")
	}
	if err := o.choose(ctx, a, p, dir, job); err != nil || len(job.Parts) == 0 {
		return err
	}
	// The folder describes the plan, so that status can read it before the first job starts.
	store, err := a.begin(p, dir, "submit", o.manifest(a, file, p))
	if err != nil {
		return err
	}
	if err := store.Close(); err != nil {
		return failed(err)
	}
	program, err := os.Executable()
	if err == nil {
		err = job.Submit(ctx, a.slurm, dir, program, text)
	}
	if err != nil {
		return usagef("%s: nothing was submitted: %w", s.Name, err)
	}
	fmt.Fprintf(a.out, "%s: submitted %d of %s as jobs %s; to follow them: stochopt status %s\n",
		s.Name, len(job.Parts), words.Count(job.Shards, "shard"), strings.Join(job.Jobs, ", "), shell.Word(dir))
	return nil
}

// choose cuts the plan into shards and chooses those that have missing runs. It is an error if jobs
// of an earlier submission are in the queue, which may perform the same runs.
func (o *submitOptions) choose(ctx context.Context, a *app, p *plan.Plan, dir string, job *cluster.Submission) error {
	onRecord, err := a.recorded(dir)
	if err != nil {
		return err
	}
	pending, planned := run.Pending(p, onRecord, run.Options{})
	if len(pending) == 0 {
		fmt.Fprintf(a.out, "%s: nothing to submit: all of %s are on record\n", p.Spec.Name, words.Count(planned, "run"))
		return nil
	}
	if err := o.permit(pending); err != nil {
		return err
	}
	earlier, err := cluster.Last(dir)
	if err != nil {
		return usage(err)
	}
	if earlier != nil {
		tasks, err := earlier.Tasks(ctx, a.slurm)
		if err != nil {
			return usage(err)
		}
		if slices.ContainsFunc(tasks, func(t cluster.Task) bool { return t.Queue != "" }) {
			return usagef("%s: jobs %s are in the queue: wait until they have ended, or end them with scancel %s",
				p.Spec.Name, strings.Join(earlier.Jobs, ", "), strings.Join(earlier.Jobs, " "))
		}
	}
	most, err := a.slurm.MostTasks(ctx)
	if err != nil {
		return usage(err)
	}
	missing := make(map[*plan.Item]bool)
	for _, it := range pending {
		missing[it] = true
	}
	shards := run.Shards(p, min(o.shards, most))
	job.Shards = len(shards)
	for i, items := range shards {
		if slices.ContainsFunc(items, func(it *plan.Item) bool { return missing[it] }) {
			job.Parts = append(job.Parts, strconv.Itoa(i+1))
		}
	}
	return nil
}

func newCollect(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "collect DIR...",
		Short: "Assemble the records of all shards: select, draw, judge",
		Long: `Collect assembles the records of all shards in each results folder, selects step sizes,
draws figures and tables and judges the claims, as run does after its last run. It performs
no run. It may be used while shards are at work, and reports how many runs are missing.

The last job of submit does the same. The exit code is 1 if runs are missing or have
failed.`,
		Example: "  stochopt collect results/svm-experiments\n  stochopt collect results",
		Args:    atLeastOne("results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := a.folders(args)
			if err != nil {
				return err
			}
			o := &collectOptions{summary: summary{started: time.Now(), several: len(found) > 1}}
			if err := eachOf(found, func(f *experiment.Folder) error { return o.one(a, f) }); err != nil {
				return err
			}
			if err := o.summary.print(a, a.path(args[0])); err != nil {
				return err
			}
			if o.missing > 0 {
				return failed(fmt.Errorf("%s missing", words.Count(o.missing, "run")))
			}
			if n := o.summary.failed; n > 0 {
				return failed(fmt.Errorf("%s failed; status names them", words.Count(n, "run")))
			}
			return nil
		},
	}
}

type collectOptions struct {
	summary summary
	// missing counts the runs that are not on record.
	missing int
}

// one collects one experiment.
func (o *collectOptions) one(a *app, f *experiment.Folder) error {
	started := time.Now()
	s, err := f.Spec()
	if err != nil {
		return usage(err)
	}
	if err := assemble(a, f.Dir); err != nil {
		return err
	}
	e, err := f.Records()
	if err != nil {
		return usage(err)
	}
	missing := f.Planned(e) - len(e.Runs)
	o.missing += missing
	o.summary.failed += experiment.Summarise(e).Failed
	if missing > 0 {
		fmt.Fprintf(a.err, "%s: PARTIAL: %s not on record; run or submit the spec again\n", e.Name, words.Count(missing, "run"))
	}
	if len(e.Runs) == 0 {
		return nil
	}
	d, products, err := a.products(f, s, experiment.AllKinds)
	if err != nil {
		return err
	}
	o.summary.add(a, d, products, run.Summary{Planned: len(e.Runs), Reused: len(e.Runs)}, time.Since(started))
	return nil
}

// assemble imports the parts of a results folder into its database, while shards may be at work.
func assemble(a *app, dir string) error {
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		return usage(err)
	}
	defer store.Close()
	a.warn(store.Warnings())
	if len(store.Plan()) == 0 {
		return usagef("%s has no plan; run the spec, or submit it", dir)
	}
	if err := experiment.CopyDescription(store, dir, experiment.ThisTool()); err != nil {
		return failed(err)
	}
	return failed(store.Close())
}
